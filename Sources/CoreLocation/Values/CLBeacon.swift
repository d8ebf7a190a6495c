// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

internal import BeaconCore

/// A beacon in a tick of ranging.
open class CLBeacon: NSObject, NSCopying, @unchecked Sendable {
  // The stored values change only while the manager that created the object has the only reference, so it is safe to
  // share.

  /// The values of a tick in the engine's types.
  ///
  /// Apple's sentinel values are computed only when they are read, since a program reads only a few of a tick's
  /// hundreds of beacons.
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
  // This is one private property that is set as a whole. Setting several public properties was slow, since Swift checks
  // each for overlapping access at run time; it was most of the cost of ranging here compared with our own API.
  private final var delivered: Delivered

  init(_ beacon: RangedBeacon, uuid: UUID) {
    self.uuid = uuid
    delivered = Delivered(beacon)
  }

  /// Makes this object another beacon of the same UUID; the caller must have the only reference to it.
  final func become(_ beacon: RangedBeacon) { delivered = Delivered(beacon) }

  /// How near the beacon is; unknown if nothing was received since the last tick.
  public final var proximity: CLProximity {
    CLProximity(rawValue: delivered.proximity.rawValue) ?? .unknown
  }

  /// The distance to the beacon in meters; -1 if it is unknown.
  public final var accuracy: CLLocationAccuracy { delivered.meters ?? -1 }

  /// The mean signal strength in dBm since the last tick; 0 if nothing was received.
  public final var rssi: Int {
    delivered.rssi.map { Int($0.rounded(.toNearestOrAwayFromZero)) } ?? 0
  }

  /// When the beacon was last received; the time stays the same while the beacon is silent.
  public final var timestamp: Date { Date(delivered.lastReceived) }

  /// The beacon's major number.
  public var major: NSNumber { NSNumber(value: delivered.major) }

  /// The beacon's minor number.
  public var minor: NSNumber { NSNumber(value: delivered.minor) }

  /// The name that iOS 12 had for ``uuid``.
  public var proximityUUID: UUID { uuid }

  /// Returns the beacon itself, which never changes.
  open func copy(with zone: NSZone? = nil) -> Any { self }

  /// A description of the beacon in one line.
  open override var description: String {
    "CLBeacon (uuid:\(uuid.uuidString), major:\(delivered.major), minor:\(delivered.minor), "
      + "proximity:\(proximity.rawValue) +/- \(accuracy)m, rssi:\(rssi), timestamp:\(timestamp))"
  }
}

extension Date {
  /// Creates the date of a point of the timeline.
  init(_ time: Timestamp) {
    self.init(timeIntervalSince1970: Double(time.microseconds) / 1_000_000)
  }
}

/// How near a beacon is.
public enum CLProximity: Int, Sendable {
  /// Not known: no packet was received lately, or none that allows a distance estimate.
  case unknown = 0
  /// Within about half a meter.
  case immediate = 1
  /// Within about three meters.
  case near = 2
  /// Received, and farther away than near.
  case far = 3
}
