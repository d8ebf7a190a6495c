// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

internal import BeaconCore

/// Where a visitor was, second by second, as one knows afterwards: a ``PlaceBelief`` smoothed by what was heard later.
///
/// A guide must say at once what its visitor stands before, and so is late by what it takes to be sure. Who looks back need not
/// be: someone who is before an exhibit now was on the way to it a second ago. What a second says of the places is
/// multiplied by what the seconds after it say of them,
/// γ(t, i) = α(t, i) Σⱼ T(i, j) γ(t + 1, j) ÷ Σₖ α(t, k) T(k, j), which needs the belief α alone, and none of what was heard.
///
/// It looks a few seconds ahead and no farther, so that its memory has a bound however long a visit is.
struct Smoother {
  /// A second in hindsight.
  struct Moment {
    var time: Timestamp
    /// How probable it is that the visitor was before each exhibit, of those where it is not next to nothing.
    var exhibits: [(exhibit: Int, share: Double)]
    /// How near the beacons heard were.
    var reaches: [Reach]
    /// Where the visitor was; `nil` without a drawing.
    var point: Plan.Point?
  }

  /// How near an exhibit's beacon is.
  typealias Reach = (exhibit: Int, proximity: Proximity)

  private struct Second {
    var time: Timestamp
    var shares: [Float]
    var reaches: [Reach]
  }

  /// How many seconds are settled at once.
  private static let block = 60
  /// How many seconds after a second have a say in it: what is heard later than that was heard elsewhere.
  private static let ahead = 15

  private let walking: Double
  private var seconds: [Second] = []
  /// How many seconds the belief had taken in, to tell when it began anew.
  private var heard = 0

  init(_ rules: GuideConfiguration) {
    walking = rules.walking
  }

  /// Takes what a second of ranging left of the belief.
  ///
  /// - Returns: The moments that nothing later changes, in the order of time.
  mutating func take(
    _ belief: PlaceBelief,
    reaches: [Reach],
    at time: Timestamp
  ) -> [Moment] {
    guard belief.heard != heard else { return [] }
    var settled: [Moment] = []
    if belief.heard != heard + 1 { settled = settle(seconds.count, belief.places) }
    heard = belief.heard
    seconds.append(Second(time: time, shares: belief.shares.map { Float($0) }, reaches: reaches))
    if seconds.count >= Self.block + Self.ahead { settled += settle(Self.block, belief.places) }
    return settled
  }

  /// Settles what is left.
  mutating func end(_ places: Places) -> [Moment] { settle(seconds.count, places) }

  private mutating func settle(_ count: Int, _ places: Places) -> [Moment] {
    var moments: [Moment] = []
    var later: [Double] = []
    for (index, second) in seconds.enumerated().reversed() {
      let shares = second.shares.map { Double($0) }
      later = later.isEmpty ? shares : smooth(shares, by: later, places)
      if index < count { moments.append(moment(second, later, places)) }
    }
    seconds.removeFirst(min(count, seconds.count))
    return moments.reversed()
  }

  /// One second back: `shares` as they were thought of then, `later` the smoothed ones of a second later.
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

  private func moment(_ second: Second, _ shares: [Double], _ places: Places) -> Moment {
    var exhibits = Array(repeating: 0.0, count: places.count)
    var (x, y) = (0.0, 0.0)
    var isDrawn = true
    for (share, place) in zip(shares, places.places) {
      if let exhibit = place.exhibit { exhibits[exhibit] += share }
      if let point = place.point {
        x += share * point.x
        y += share * point.y
      } else {
        isDrawn = false
      }
    }
    return Moment(
      time: second.time,
      exhibits: exhibits.enumerated().filter { $1 > 0.01 }.map { ($0, $1) },
      reaches: second.reaches,
      point: isDrawn && !places.places.isEmpty ? Plan.Point(x, y) : nil
    )
  }
}
