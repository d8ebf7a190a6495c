// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

/// The first beacon of a list, which stays the first until another one is clearly nearer (row R20).
struct LeadingBeacon: Sendable {
  /// The order in which it was first received; `nil` if no beacon of the last tick had a distance.
  private var first: UInt64?

  /// Creates a list's state before its first tick.
  init() {}

  /// Moves the first beacon of the last tick to the front of this one.
  ///
  /// - Parameters:
  ///   - beacons: The beacons of the tick, nearest first.
  ///   - margin: By what share farther than the nearest it may be.
  mutating func keep(in beacons: inout [RangedBeacon], within margin: Double) {
    if let first, let meters = beacons.first?.distance?.meters {
      let place = beacons.firstIndex {
        $0.firstReceivedOrder == first
          || $0.distance.map { $0.meters > meters * (1 + margin) } ?? true
      }
      if let place, place > 0, beacons[place].firstReceivedOrder == first,
        let own = beacons[place].distance?.meters, own <= meters * (1 + margin)
      {
        let moved = beacons[place]
        for index in (1...place).reversed() { beacons[index] = beacons[index - 1] }
        beacons[0] = moved
      }
    }
    first = beacons.first.flatMap { beacon in beacon.distance.map { _ in beacon.firstReceivedOrder }
    }
  }
}
