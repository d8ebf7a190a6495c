// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

internal import Beacons

/// A beacon in a tick of ranging.
open class CLBeacon: NSObject, NSCopying, NSSecureCoding, @unchecked Sendable {
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

    init() {
      (major, minor, proximity) = (0, 0, .unknown)
      (meters, rssi, lastReceived) = (nil, nil, Timestamp(microseconds: 0))
    }

    init(_ archive: Archive) {
      (major, minor) = (archive.major, archive.minor)
      proximity = Proximity(rawValue: archive.proximity) ?? .unknown
      (meters, rssi) = (archive.meters, archive.rssi)
      lastReceived = Timestamp(microseconds: archive.microseconds)
    }

    init(_ beacon: RangedBeacon) {
      (major, minor) = (beacon.identity.major, beacon.identity.minor)
      proximity = beacon.proximity
      meters = beacon.distance?.meters
      rssi = beacon.rssi
      lastReceived = beacon.lastReceived
    }
  }

  private final let identity: UUID
  /// What an archive keeps of a beacon.
  private struct Archive: Codable {
    let uuid: UUID
    let major: UInt16
    let minor: UInt16
    let proximity: Int
    let meters: Double?
    let rssi: Double?
    let microseconds: Int64

    init(_ beacon: CLBeacon) {
      uuid = beacon.identity
      let delivered = beacon.delivered
      (major, minor, proximity) = (delivered.major, delivered.minor, delivered.proximity.rawValue)
      (meters, rssi) = (delivered.meters, delivered.rssi)
      microseconds = delivered.lastReceived.microseconds
    }
  }

  // This is one private property that is set as a whole. Setting several public properties was slow, since Swift checks
  // each for overlapping access at run time; it was most of the cost of ranging here compared with our own API.
  private final var delivered: Delivered

  init(_ beacon: RangedBeacon, uuid: UUID) {
    identity = uuid
    delivered = Delivered(beacon)
  }

  /// Creates a beacon of which nothing is known, for a subclass of a test.
  public override init() {
    identity = UUID(uuid: (0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0))
    delivered = Delivered()
  }

  /// Creates a beacon from an archive.
  public required init?(coder: NSCoder) {
    guard let archive = coder.decodeValues(Archive.self, forKey: "beacon") else { return nil }
    identity = archive.uuid
    delivered = Delivered(archive)
  }

  /// Writes the beacon to an archive.
  open func encode(with coder: NSCoder) {
    coder.encodeValues(Archive(self), forKey: "beacon")
  }

  /// Whether archives of beacons are safe to read.
  public class var supportsSecureCoding: Bool { true }

  /// Makes this object another beacon of the same UUID; the caller must have the only reference to it.
  final func become(_ beacon: RangedBeacon) { delivered = Delivered(beacon) }

  /// The beacon's UUID.
  open var uuid: UUID { identity }

  /// How near the beacon is; unknown if nothing was received since the last tick.
  open var proximity: CLProximity {
    CLProximity(rawValue: delivered.proximity.rawValue) ?? .unknown
  }

  /// The distance to the beacon in meters; -1 if it is unknown.
  open var accuracy: CLLocationAccuracy { delivered.meters ?? -1 }

  /// The mean signal strength in dBm since the last tick; 0 if nothing was received.
  open var rssi: Int {
    delivered.rssi.map { Int($0.rounded(.toNearestOrAwayFromZero)) } ?? 0
  }

  /// When the beacon was last received; the time stays the same while the beacon is silent.
  open var timestamp: Date { Date(delivered.lastReceived) }

  /// The beacon's major number.
  open var major: NSNumber { NSNumber(value: delivered.major) }

  /// The beacon's minor number.
  open var minor: NSNumber { NSNumber(value: delivered.minor) }

  /// The name that iOS 12 had for ``uuid``.
  open var proximityUUID: UUID { uuid }

  /// Returns the beacon itself, which never changes.
  open func copy(with zone: NSZone? = nil) -> Any { self }

  /// A description of the beacon in one line.
  open override var description: String {
    "CLBeacon (uuid:\(uuid.uuidString), major:\(major), minor:\(minor), "
      + "proximity:\(proximity.rawValue) +/- \(accuracy)m, rssi:\(rssi), timestamp:\(timestamp))"
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
