// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

package import BeaconCore
package import DBus

// Regions, requests and manifests as the service's interface has them. What the interface does not have is refused by its
// name: without it, the service would do another request than the program made.

extension Region {
  /// The options of monitoring, `a{sv}`.
  package var monitoringOptions: [(String, DBusValue)] {
    [
      ("entry", .boolean(notifyOnEntry)), ("exit", .boolean(notifyOnExit)),
      ("display", .boolean(notifyEntryStateOnDisplay)),
    ]
  }

  /// The names of the options that a region is made of.
  package static let monitoringOptionNames = ["entry", "exit", "display"]

  /// Creates a region from the options of monitoring.
  ///
  /// - Throws: ``ServiceError/invalidOption`` if an option has a wrong type.
  package init(
    _ identifier: RegionIdentifier,
    _ constraint: IdentityConstraint,
    _ options: ServiceOptions
  ) throws(ServiceError) {
    self.init(
      identifier,
      constraint,
      notifyOnEntry: try options.boolean("entry") ?? true,
      notifyOnExit: try options.boolean("exit") ?? true,
      notifyEntryStateOnDisplay: try options.boolean("display") ?? false
    )
  }

  /// The parts that the interface does not have, by their names in a configuration file.
  package var partsNotServed: [String] {
    var parts: [String] = []
    if zone != nil { parts += ["enterWithin", "leaveBeyond"] }
    if enterPolicy != nil { parts += ["sightings", "rssiFloor", "window"] }
    if exitTiming != nil { parts.append("exit") }
    if place != nil { parts.append("place") }
    return parts
  }
}

extension ClientRequest {
  /// Why the service cannot do the request as it is; `nil` if it can.
  package var refusal: String? {
    switch self {
    case .monitor(let region, _):
      let parts = region.partsNotServed
      return parts.isEmpty
        ? nil
        : "the service cannot monitor region '\(region.identifier)' with its own"
          + " \(parts.joined(separator: ", "))"
    case .notify(let notification):
      return
        "the service shows no notifications: region '\(notification.region.identifier)' has none"
    case .range, .stopRanging, .stopMonitoring, .requestState, .authorize: return nil
    }
  }
}

extension Manifest {
  /// The option `manifest` of a session, `a{ss}`.
  package var servedValue: DBusValue {
    var texts: [DBusEntry] = []
    func add(_ key: String, _ text: String?) {
      if let text { texts.append(DBusEntry(key: .string(key), value: .string(text))) }
    }
    func add(_ key: String, _ isDeclared: Bool) { add(key, isDeclared ? "true" : nil) }
    add("whenInUse", whenInUse)
    add("alwaysAndWhenInUse", alwaysAndWhenInUse)
    add("defaultAccuracyReduced", defaultAccuracyReduced)
    add("backgroundLocation", backgroundLocation)
    add("appClip", appClip)
    for purpose in purposes { add("purpose.\(purpose.key)", purpose.text) }
    return .dictionary(of: "ss", texts)
  }
}
