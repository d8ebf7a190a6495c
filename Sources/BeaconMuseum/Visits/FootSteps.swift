// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

internal import BeaconCore

/// Where a visitor was thought to be, second by second, and so for how long of a time they stood still.
///
/// A second counts as stood when the place a little before it and the place a little after it are no farther apart than a slow
/// step would take: ‖p(t + w) − p(t − w)‖ ÷ 2w < v. Places come from a belief that lags by about a second on arriving and on
/// leaving alike, so the time is right though it is late.
struct FootSteps {
  /// Half of the time over which a speed is taken: shorter, and the noise of the places is taken for steps.
  static let window = TimeSpan.seconds(3)
  /// Slower than this is standing, in m/s: people walk through a museum at 0.5 or faster.
  static let slowest = 0.3

  private var places: [(time: Timestamp, point: Plan.Point)] = []

  /// Takes note of a place; times only grow.
  mutating func note(_ point: Plan.Point, at time: Timestamp) {
    places.append((time, point))
  }

  /// Seconds stood still between two times; `nil` where no places are known.
  func stood(from start: Timestamp, to end: Timestamp) -> Double? {
    var seconds = 0.0
    var isKnown = false
    var index = first(from: start)
    var last = start
    while index < places.count, places[index].time <= end {
      isKnown = true
      if isStanding(index) { seconds += min(1.5, (places[index].time - last).seconds) }
      last = places[index].time
      index += 1
    }
    return isKnown ? seconds : nil
  }

  /// The index of the first place after a time.
  private func first(from time: Timestamp) -> Int {
    var (low, high) = (0, places.count)
    while low < high {
      let middle = (low + high) / 2
      if places[middle].time <= time { low = middle + 1 } else { high = middle }
    }
    return low
  }

  private func isStanding(_ index: Int) -> Bool {
    var (before, after) = (index, index)
    while before > 0, places[index].time - places[before - 1].time <= Self.window { before -= 1 }
    while after + 1 < places.count, places[after + 1].time - places[index].time <= Self.window {
      after += 1
    }
    let seconds = (places[after].time - places[before].time).seconds
    guard seconds > 0 else { return true }
    return places[before].point.distance(to: places[after].point) / seconds < Self.slowest
  }
}
