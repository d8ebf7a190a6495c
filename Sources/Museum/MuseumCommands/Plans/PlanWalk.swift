// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

internal import BeaconCore
internal import BeaconMuseum

/// The beacons received on a walk from exhibit to exhibit, and when the user was nearest to each.
struct PlanWalk {
  private struct Received {
    var reports = 0
    /// A running mean in dBm, so that a single strong packet does not decide the user's place.
    var mean: Double
    var best: Double
    var bestAt: Timestamp
    var last: Timestamp
  }

  private var received: [BeaconIdentity: Received] = [:]
  /// The weight of a report in the mean, which is then about that of the last five.
  private static let part = 0.2
  /// The most beacons to keep.
  ///
  /// No museum has so many, but foreign transmitters may send any number.
  private static let limit = 10_000
  /// How long a silent beacon may still count as the one in front of the user.
  private static let memory = TimeSpan.seconds(5)
  private var now: Timestamp?

  /// Processes a delivery.
  ///
  /// - Returns: The beacons that are new.
  @discardableResult
  mutating func receive(_ deliveries: [Delivery]) -> [BeaconIdentity] {
    var new: [BeaconIdentity] = []
    for delivery in deliveries {
      guard case .sighting(let sighting) = delivery.event, let rssi = sighting.rssi else {
        continue
      }
      let level = Double(rssi)
      now = sighting.time
      guard var known = received[sighting.identity] else {
        guard received.count < Self.limit else { continue }
        received[sighting.identity] = Received(
          reports: 1,
          mean: level,
          best: level,
          bestAt: sighting.time,
          last: sighting.time
        )
        new.append(sighting.identity)
        continue
      }
      known.reports += 1
      known.last = sighting.time
      known.mean += Self.part * (level - known.mean)
      if known.mean > known.best { (known.best, known.bestAt) = (known.mean, sighting.time) }
      received[sighting.identity] = known
    }
    return new
  }

  /// The exhibit in front of the user: the strongest beacon of the last seconds.
  var nearest: BeaconIdentity? {
    near.first?.identity
  }

  /// The beacons of the last seconds with their levels in dBm, the strongest first.
  var near: [(identity: BeaconIdentity, level: Double)] {
    guard let now else { return [] }
    return received.filter { now - $0.value.last <= Self.memory }
      .map { (identity: $0.key, level: $0.value.mean) }
      .sorted { ($1.level, $0.identity) < ($0.level, $1.identity) }
  }

  /// The UUID of most beacons; of several, the smallest.
  var uuid: UInt128? {
    counts.max { ($0.value, $1.key) < ($1.value, $0.key) }?.key
  }

  /// How many other UUIDs were received.
  var otherUUIDs: Int { max(0, counts.count - 1) }

  private var counts: [UInt128: Int] {
    received.keys.reduce(into: [:]) { $0[$1.uuid, default: 0] += 1 }
  }

  /// Returns the beacons with a UUID in the order in which the user was nearest to them.
  func beacons(of uuid: UInt128) -> [BeaconIdentity] {
    received.filter { $0.key.uuid == uuid }
      .sorted { ($0.value.bestAt, $0.key) < ($1.value.bestAt, $1.key) }
      .map(\.key)
  }
}
