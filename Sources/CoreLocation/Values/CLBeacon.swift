// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

internal import BeaconCore

/// A beacon as a tick of ranging tells it.
open class CLBeacon: NSObject, NSCopying, @unchecked Sendable {
  // All that is stored is constant, which makes the class safe to share.

  private let identity: (major: UInt16, minor: UInt16)
  /// The beacon's UUID.
  public let uuid: UUID
  /// How near the beacon is; unknown when nothing was heard since the last tick.
  public let proximity: CLProximity
  /// How far away the beacon is in meters; -1 when that is unknown.
  public let accuracy: CLLocationAccuracy
  /// The mean signal strength in dBm since the last tick; 0 when nothing was heard.
  public let rssi: Int
  /// When the beacon was last heard; it does not move while the beacon is silent.
  public let timestamp: Date

  init(_ beacon: RangedBeacon, uuid: UUID) {
    identity = (beacon.identity.major, beacon.identity.minor)
    self.uuid = uuid
    proximity = CLProximity(rawValue: beacon.proximity.rawValue) ?? .unknown
    accuracy = beacon.distance?.meters ?? -1
    rssi = beacon.rssi.map { Int($0.rounded()) } ?? 0
    timestamp = Date(beacon.lastHeard)
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
