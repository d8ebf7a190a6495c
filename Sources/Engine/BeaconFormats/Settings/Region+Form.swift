// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

package import BeaconCore

extension Region: FormedObject {
  package static var blank: Region { Region("", .uuid(0)) }

  package mutating func form(_ form: inout Form) {
    form("region", &identifier)
    form("constraint", &constraint)
    form.optional("notifyOnEntry", &notifyOnEntry)
    form.optional("notifyOnExit", &notifyOnExit)
    form.optional("notifyEntryStateOnDisplay", &notifyEntryStateOnDisplay)
    form("place", &place)
    var settings = RegionSettings(self)
    settings.form(&form)
    if form.isReading { settings.apply(to: &self, EnterPolicy()) }
  }
}

extension RegionNotification: FormedObject {
  package static var blank: RegionNotification { RegionNotification(.blank, repeats: true) }

  package mutating func form(_ form: inout Form) {
    form("region", &region.identifier)
    form("constraint", &region.constraint)
    form.optional("onEntry", &region.notifyOnEntry)
    form.optional("onExit", &region.notifyOnExit)
    form.optional("repeats", &repeats)
    form.optional("text", &text)
  }
}

/// What differs for one region from the configuration, by the names of a configuration file.
///
/// ```json5
/// { exit: 8, sightings: 3, rssiFloor: -75, window: 2 }    // s (0 learns), reports, dBm, s
/// { enterWithin: 2, leaveBeyond: 3.5 }                      // m
/// ```
package struct RegionSettings: Sendable, Equatable, FormedObject {
  private var exit: TimeSpan?
  private var sightings: Int?
  private var rssiFloor: Int?
  private var window: TimeSpan?
  private var zone: Zone?

  package static var blank: RegionSettings { RegionSettings() }

  private init() {}

  /// The settings of a region.
  init(_ region: Region) {
    switch region.exitTiming {
    case .learned: exit = .zero
    case .fixed(let time): exit = max(time, TimeSpan(microseconds: 1))
    case nil: break
    }
    zone = region.zone
    guard let policy = region.enterPolicy else { return }
    sightings = policy.sightings
    rssiFloor = Int(policy.rssiFloor ?? .min)
    window = policy.window
  }

  package mutating func form(_ form: inout Form) {
    form("exit", &exit, in: 0...3600)
    form("sightings", &sightings, in: 1...1000)
    form("rssiFloor", &rssiFloor, in: -128...20)
    form("window", &window, in: 0.1...3600)
    var (near, far) = (zone?.enterWithin, zone?.leaveBeyond)
    form("enterWithin", &near)
    form("leaveBeyond", &far)
    guard form.isReading else { return }
    guard form.has("enterWithin") == form.has("leaveBeyond") else {
      return form.addFault("'enterWithin' and 'leaveBeyond' need each other")
    }
    guard let near, let far else { return }
    do throws(Zone.Fault) {
      zone = try Zone(enterWithin: near, leaveBeyond: far)
    } catch {
      form.addFault("\(error)", at: "enterWithin")
    }
  }

  /// Returns these settings with those of another file over them, key by key.
  package func overridden(by other: RegionSettings) -> RegionSettings {
    var settings = self
    settings.exit = other.exit ?? exit
    settings.sightings = other.sightings ?? sightings
    settings.rssiFloor = other.rssiFloor ?? rssiFloor
    settings.window = other.window ?? window
    settings.zone = other.zone ?? zone
    return settings
  }

  /// Puts the settings into a region.
  ///
  /// - Parameters:
  ///   - region: The region.
  ///   - usual: The policy from which the keys that are left out come.
  package func apply(to region: inout Region, _ usual: EnterPolicy) {
    if let exit { region.exitTiming = exit == .zero ? .learned : .fixed(exit) }
    region.zone = zone ?? region.zone
    guard sightings != nil || rssiFloor != nil || window != nil else { return }
    let floor = rssiFloor.map { $0 == Int(Int8.min) ? nil : Int8(clamping: $0) } ?? usual.rssiFloor
    region.enterPolicy = EnterPolicy(
      sightings: sightings ?? usual.sightings,
      rssiFloor: floor,
      window: window ?? usual.window
    )
  }
}
