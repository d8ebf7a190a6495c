// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

internal import BeaconCore

/// Estimates afterwards a visitor's place in each second: it smooths a ``PlaceBelief`` with later reports.
///
/// A guide must decide immediately which exhibit its visitor is in front of, so it is late by the time it needs to be
/// confident. An analysis afterwards is not: a visitor in front of an exhibit now was on the way to it a second ago.
/// The probabilities of each second are multiplied by the evidence of the following seconds:
///
///     γ(t, i) = α(t, i) Σⱼ T(i, j) γ(t + 1, j) ÷ Σₖ α(t, k) T(k, j)
///
/// This needs only the belief α, none of the received reports.
///
/// It looks only a few seconds ahead, so that its memory is bounded however long a visit is.
struct Smoother {
  /// The smoothed estimate of one second.
  struct Estimate {
    var time: Timestamp
    /// The probability of being in front of each exhibit, without negligible ones.
    var exhibits: [(exhibit: Int, share: Double)]
    /// The proximities of the received beacons.
    var reaches: [Reach]
    /// The visitor's position; `nil` without a drawing.
    var point: Plan.Point?
    /// The room in which the visitor was more probably than in all others together; `nil` without one.
    var room: Int?
  }

  /// The proximity of an exhibit's beacon.
  typealias Reach = (exhibit: Int, proximity: Proximity)

  private struct Second {
    var time: Timestamp
    var shares: [Float]
    var reaches: [Reach]
  }

  /// The number of seconds that are smoothed immediately.
  private static let block = 60
  /// The number of following seconds that influence a second; by then a visitor may be elsewhere.
  private static let ahead = 15

  private let walking: Double
  private var seconds: [Second] = []
  /// The number of seconds the belief had processed; it shows when the belief was reset.
  private var secondsProcessed = 0

  init(_ rules: GuideConfiguration) {
    walking = rules.walking
  }

  /// Adds the belief after a second of ranging.
  ///
  /// - Returns: The estimates that nothing later changes, in the order of time.
  mutating func add(
    _ belief: PlaceBelief,
    reaches: [Reach],
    at time: Timestamp
  ) -> [Estimate] {
    guard belief.secondsProcessed != secondsProcessed else { return [] }
    var settled: [Estimate] = []
    if belief.secondsProcessed != secondsProcessed + 1 {
      settled = settle(seconds.count, belief.places)
    }
    secondsProcessed = belief.secondsProcessed
    seconds.append(Second(time: time, shares: belief.shares.map { Float($0) }, reaches: reaches))
    if seconds.count >= Self.block + Self.ahead { settled += settle(Self.block, belief.places) }
    return settled
  }

  /// Returns the estimates of the remaining seconds.
  mutating func end(_ places: Places) -> [Estimate] { settle(seconds.count, places) }

  private mutating func settle(_ count: Int, _ places: Places) -> [Estimate] {
    var estimates: [Estimate] = []
    var later: [Double] = []
    for (index, second) in seconds.enumerated().reversed() {
      let shares = second.shares.map { Double($0) }
      later = later.isEmpty ? shares : smooth(shares, by: later, places)
      if index < count { estimates.append(estimate(second, later, places)) }
    }
    seconds.removeFirst(min(count, seconds.count))
    return estimates.reversed()
  }

  /// Smooths one second: `shares` are its own probabilities, `later` the smoothed ones of the next second.
  private func smooth(_ shares: [Double], by later: [Double], _ places: Places) -> [Double] {
    var predicted = shares
    for _ in 0..<PlaceBelief.stepsASecond { predicted = places.walked(predicted, walking) }
    var ratio = zip(later, predicted).map { $1 > 0 ? $0 / $1 : 0 }
    for _ in 0..<PlaceBelief.stepsASecond { ratio = places.walkedBack(ratio, walking) }
    var smoothed = zip(shares, ratio).map { $0 * $1 }
    let sum = smoothed.reduce(0, +)
    guard sum > 0, sum.isFinite else { return shares }
    for index in smoothed.indices { smoothed[index] /= sum }
    return smoothed
  }

  private func estimate(_ second: Second, _ shares: [Double], _ places: Places) -> Estimate {
    var exhibits = Array(repeating: 0.0, count: places.count)
    var rooms: [Int: Double] = [:]
    var (x, y) = (0.0, 0.0)
    var isDrawn = true
    for (share, place) in zip(shares, places.places) {
      rooms[place.room, default: 0] += share
      if let exhibit = place.exhibit { exhibits[exhibit] += share }
      if let point = place.point {
        x += share * point.x
        y += share * point.y
      } else {
        isDrawn = false
      }
    }
    return Estimate(
      time: second.time,
      exhibits: exhibits.enumerated().filter { $1 > 0.01 }.map { ($0, $1) },
      reaches: second.reaches,
      point: isDrawn && !places.places.isEmpty ? Plan.Point(x, y) : nil,
      // At most one room can be above a half.
      room: rooms.first { $0.value > 0.5 }?.key
    )
  }
}
