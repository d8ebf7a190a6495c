// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

internal import BeaconCore

/// A beacon as a tick of ranging tells it.
open class CLBeacon: NSObject, NSCopying, @unchecked Sendable {
  // What is stored changes only while nobody but the manager that made it has the object, so it is safe to share.

  /// What a tick tells, in the engine's terms: sentinels are made where they are read, for of the hundreds of beacons of
  /// a tick a program looks at a few.
  private struct Delivered {
    let major: UInt16
    let minor: UInt16
    let proximity: Proximity
    let meters: Double?
    let rssi: Double?
    let lastReceived: Timestamp

    init(_ beacon: RangedBeacon) {
      (major, minor) = (beacon.identity.major, beacon.identity.minor)
      proximity = beacon.proximity
      meters = beacon.distance?.meters
      rssi = beacon.rssi
      lastReceived = beacon.lastReceived
    }
  }

  /// The beacon's UUID.
  public let uuid: UUID
  // One private property, set at once: each public one that is set is checked for overlapping access at run time, which
  // made most of what ranging cost here over our own API.
  private final var told: Delivered

  init(_ beacon: RangedBeacon, uuid: UUID) {
    self.uuid = uuid
    told = Delivered(beacon)
  }

  /// Becomes another beacon of the same UUID; to be called by who alone has the object.
  final func become(_ beacon: RangedBeacon) { told = Delivered(beacon) }

  /// How near the beacon is; unknown when nothing was heard since the last tick.
  public final var proximity: CLProximity {
    CLProximity(rawValue: told.proximity.rawValue) ?? .unknown
  }

  /// How far away the beacon is in meters; -1 when that is unknown.
  public final var accuracy: CLLocationAccuracy { told.meters ?? -1 }

  /// The mean signal strength in dBm since the last tick; 0 when nothing was heard.
  public final var rssi: Int {
    told.rssi.map { Int($0.rounded(.toNearestOrAwayFromZero)) } ?? 0
  }

  /// When the beacon was last heard; it does not move while the beacon is silent.
  public final var timestamp: Date { Date(told.lastReceived) }

  /// The beacon's major number.
  public var major: NSNumber { NSNumber(value: told.major) }

  /// The beacon's minor number.
  public var minor: NSNumber { NSNumber(value: told.minor) }

  /// The name that iOS 12 had for ``uuid``.
  public var proximityUUID: UUID { uuid }

  /// Returns the beacon itself, which never changes.
  open func copy(with zone: NSZone? = nil) -> Any { self }

  /// The beacon in a line.
  open override var description: String {
    "CLBeacon (uuid:\(uuid.uuidString), major:\(told.major), minor:\(told.minor), "
      + "proximity:\(proximity.rawValue) +/- \(accuracy)m, rssi:\(rssi), timestamp:\(timestamp))"
  }
}

extension Date {
  /// The date of a point of the timeline.
  init(_ time: Timestamp) {
    self.init(timeIntervalSince1970: Double(time.microseconds) / 1_000_000)
  }
}
