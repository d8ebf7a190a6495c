// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

package import BeaconCore

/// What a configuration file says of one region, by its name: what differs from what holds for all.
///
/// ```json5
/// { exit: 8, sightings: 3, rssiFloor: -75, window: 2 }    // s (0 learns), reports, dBm, s
/// { enterWithin: 2, leaveBeyond: 3.5 }                      // m
/// ```
package struct RegionSettings: Sendable, Equatable {
  private var exit: TimeSpan?
  private var sightings: Int?
  private var rssiFloor: Int?
  private var window: TimeSpan?
  private var zone: Zone?

  /// Reads the settings of one region; faults are reported to the reader.
  init?(_ reader: JSON5Reader) {
    guard var object = reader.object() else { return nil }
    exit = Self.span(&object, "exit", 0...3600)
    sightings = object.optional("sightings")?.integer(in: 1...1000)
    rssiFloor = object.optional("rssiFloor")?.integer(in: -128...20)
    window = Self.span(&object, "window", 0.1...3600)
    let (near, far) = (object.optional("enterWithin"), object.optional("leaveBeyond"))
    switch (near, far) {
    case (nil, nil): break
    case (let near?, let far?):
      if let within = near.number(), let beyond = far.number() {
        do throws(Zone.Fault) {
          zone = try Zone(enterWithin: within, leaveBeyond: beyond)
        } catch {
          near.addFault("\(error)")
        }
      }
    default: object.addFault("'enterWithin' and 'leaveBeyond' need each other")
    }
    object.finish()
  }

  private static func span(
    _ object: inout ObjectReader,
    _ key: String,
    _ bounds: ClosedRange<Double>
  ) -> TimeSpan? {
    object.optional(key)?.number(in: bounds).map { TimeSpan(seconds: $0) }
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

  /// Puts the settings into a region; of what they leave out, the configuration's holds.
  package func apply(to region: inout Region, _ configuration: Configuration) {
    if let exit { region.exitTiming = exit == .zero ? .learned : .fixed(exit) }
    region.zone = zone ?? region.zone
    guard sightings != nil || rssiFloor != nil || window != nil else { return }
    let usual = configuration.regions.enter
    let floor = rssiFloor.map { $0 == Int(Int8.min) ? nil : Int8(clamping: $0) } ?? usual.rssiFloor
    region.enterPolicy = EnterPolicy(
      sightings: sightings ?? usual.sightings,
      rssiFloor: floor,
      window: window ?? usual.window
    )
  }
}
