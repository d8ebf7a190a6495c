// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

import BeaconTestSupport

/// A visitor who stays a while, walks on at 1 m/s, and stays again, 1 to 6 m away.
struct Visits {
  /// The durations of short and of long stays, in seconds.
  static let short = 5.0...60
  static let long = 60.0...600

  private struct Stay {
    let from, until, meters: Double
  }

  private var stays = [Stay(from: 0, until: 30, meters: 2)]
  private var index = 0

  init(lasting lengths: ClosedRange<Double>, until end: Double, seed: UInt64) {
    var random = SplitMix64(seed: seed)
    while let last = stays.last, last.until < end {
      let meters = Double.random(in: 1...6, using: &random)
      let arrival = last.until + abs(meters - last.meters)
      let stay = Double.random(in: lengths, using: &random)
      stays.append(Stay(from: arrival, until: arrival + stay, meters: meters))
    }
  }

  /// Returns the distance at a second.
  mutating func meters(at second: Double) -> Double {
    let stay = seek(second)
    guard second > stay.until, index + 1 < stays.count else { return stay.meters }
    let way = stays[index + 1].meters - stay.meters
    return stay.meters + (way < 0 ? -1 : 1) * (second - stay.until)
  }

  /// Returns for how many seconds the visitor has stayed; `nil` while walking.
  mutating func stayed(at second: Double) -> Double? {
    let stay = seek(second)
    return second > stay.until ? nil : second - stay.from
  }

  private mutating func seek(_ second: Double) -> Stay {
    while index + 1 < stays.count, stays[index + 1].from <= second { index += 1 }
    while index > 0, stays[index].from > second { index -= 1 }
    return stays[index]
  }
}
