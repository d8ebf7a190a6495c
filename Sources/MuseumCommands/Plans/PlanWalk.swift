// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

internal import BeaconCore
internal import BeaconMuseum

/// The beacons received on a walk from exhibit to exhibit, and when the walker was nearest to each.
final class PlanWalk {
  private struct Received {
    var reports = 0
    /// A running mean in dBm, so that one lucky packet does not say where the walker was.
    var mean: Double
    var best: Double
    var bestAt: Timestamp
    var last: Timestamp
  }

  private var received: [BeaconIdentity: Received] = [:]
  /// How much of a report goes into the mean: about the last five.
  private static let part = 0.2
  /// The most beacons kept: no museum has so many, and foreign air may.
  private static let limit = 10_000
  /// For how long a silent beacon may still be what the walker stands before.
  private static let memory = TimeSpan.seconds(5)
  private var now: Timestamp?

  /// Takes what was told.
  ///
  /// - Returns: The beacons that are new.
  @discardableResult
  func receive(_ deliveries: [Delivery]) -> [BeaconIdentity] {
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

  /// The exhibit in front of the walker: the strongest of those received within the last seconds.
  var nearest: BeaconIdentity? {
    guard let now else { return nil }
    return received.filter { now - $0.value.last <= Self.memory }
      .max { ($0.value.mean, $1.key) < ($1.value.mean, $0.key) }?.key
  }

  /// The UUID most beacons have; of several the smallest.
  var uuid: UInt128? {
    counts.max { ($0.value, $1.key) < ($1.value, $0.key) }?.key
  }

  /// How many other UUIDs were received.
  var otherUUIDs: Int { max(0, counts.count - 1) }

  private var counts: [UInt128: Int] {
    received.keys.reduce(into: [:]) { $0[$1.uuid, default: 0] += 1 }
  }

  /// The beacons of a UUID in the order in which the walker came nearest to them.
  func beacons(of uuid: UInt128) -> [BeaconIdentity] {
    received.filter { $0.key.uuid == uuid }
      .sorted { ($0.value.bestAt, $0.key) < ($1.value.bestAt, $1.key) }
      .map(\.key)
  }
}
