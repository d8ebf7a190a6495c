// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

internal import BeaconCore

/// A beacon as a tick of ranging tells it.
open class CLBeacon: NSObject, NSCopying, @unchecked Sendable {
  // What is stored changes only while nobody but the manager that made it has the object, so it is safe to share.

  private final var identity: (major: UInt16, minor: UInt16)
  /// The beacon's UUID.
  public let uuid: UUID
  /// How near the beacon is; unknown when nothing was heard since the last tick.
  public private(set) final var proximity: CLProximity
  /// How far away the beacon is in meters; -1 when that is unknown.
  public private(set) final var accuracy: CLLocationAccuracy
  /// The mean signal strength in dBm since the last tick; 0 when nothing was heard.
  public private(set) final var rssi: Int
  /// When the beacon was last heard; it does not move while the beacon is silent.
  public private(set) final var timestamp: Date

  init(_ beacon: RangedBeacon, uuid: UUID) {
    self.uuid = uuid
    identity = (beacon.identity.major, beacon.identity.minor)
    proximity = CLProximity(rawValue: beacon.proximity.rawValue) ?? .unknown
    accuracy = beacon.distance?.meters ?? -1
    rssi = Self.rssi(of: beacon)
    timestamp = Date(beacon.lastHeard)
  }

  /// Becomes another beacon of the same UUID; to be called by who alone has the object.
  final func become(_ beacon: RangedBeacon) {
    identity = (beacon.identity.major, beacon.identity.minor)
    proximity = CLProximity(rawValue: beacon.proximity.rawValue) ?? .unknown
    accuracy = beacon.distance?.meters ?? -1
    rssi = Self.rssi(of: beacon)
    timestamp = Date(beacon.lastHeard)
  }

  private static func rssi(of beacon: RangedBeacon) -> Int {
    beacon.rssi.map { Int($0.rounded(.toNearestOrAwayFromZero)) } ?? 0
  }

  /// The beacon's major number.
  public var major: NSNumber { NSNumber(value: identity.major) }

  /// The beacon's minor number.
  public var minor: NSNumber { NSNumber(value: identity.minor) }

  /// The name that iOS 12 had for ``uuid``.
  public var proximityUUID: UUID { uuid }

  /// Returns the beacon itself, which never changes.
  open func copy(with zone: NSZone? = nil) -> Any { self }

  /// The beacon in a line.
  open override var description: String {
    "CLBeacon (uuid:\(uuid.uuidString), major:\(identity.major), minor:\(identity.minor), "
      + "proximity:\(proximity.rawValue) +/- \(accuracy)m, rssi:\(rssi), timestamp:\(timestamp))"
  }
}

extension Date {
  /// The date of a point of the timeline.
  init(_ time: Timestamp) {
    self.init(timeIntervalSince1970: Double(time.microseconds) / 1_000_000)
  }
}
