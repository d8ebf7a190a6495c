// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

internal import BeaconCore

/// How probable it is that a visitor is at each place: a histogram filter over ``Places``.
///
/// Each second the visitor may have walked, so the belief spreads to neighboring places; then each beacon heard makes places
/// where it would be heard so strongly more probable. What all beacons are weaker by, the visitor's own receiver and body, is
/// estimated along with the place, and learned over the visit. An error is never counted as more than a few standard
/// deviations, so that one beacon behind a crowd does not overrule all the others.
struct PlaceBelief: Sendable {
  /// The strength of one beacon over a second.
  struct Level: Sendable {
    /// The exhibit, by its place in the plan.
    var exhibit: Int
    /// dB above the strength at 1 m.
    var decibels: Double
  }

  /// How many standard deviations an error counts at the most.
  static let most = 2.5
  /// How many steps a visitor may take in a second.
  static let stepsASecond = 2
  /// How much weaker beacons are than their distance promises until more is known, in dB: half a body's 5 to 10, and what fading
  /// takes of a mean in decibels.
  static let usualOffset = -4.0
  /// How far the offset of one second is from what was learned, as a standard deviation in dB: a body turns.
  static let offsetDeviation = 4.0
  /// How much of a second's offset is learned: a receiver is known after a minute.
  static let learning = 0.02
  /// After so long without a tick nothing is known of where the visitor went.
  static let memory = TimeSpan.seconds(30)

  let places: Places
  private let rules: GuideConfiguration
  private(set) var shares: [Double]
  private var errors: [Double]
  private var offsets: [Double]
  /// What beacons are weaker by than their distance promises, as learned so far, in dB.
  private(set) var offset = usualOffset
  private var last: Timestamp?
  /// How many seconds were taken in since nothing was known.
  private(set) var heard = 0

  init(_ places: Places, _ rules: GuideConfiguration) {
    self.places = places
    self.rules = rules
    let count = places.places.count
    shares = Array(repeating: 1 / Double(max(1, count)), count: count)
    errors = Array(repeating: 0, count: count)
    offsets = errors
  }

  /// Forgets where the visitor is.
  mutating func forget() {
    for index in shares.indices { shares[index] = 1 / Double(max(1, shares.count)) }
    last = nil
    heard = 0
  }

  /// Takes in what a second told.
  mutating func hear(_ levels: [Level], at time: Timestamp) {
    if let last, time - last > Self.memory { forget() }
    last = time
    guard !levels.isEmpty, !shares.isEmpty else { return }
    for _ in 0..<Self.stepsASecond { shares = places.walked(shares, rules.walking) }
    heard += 1
    weigh(levels)
  }

  private mutating func weigh(_ levels: [Level]) {
    measure(levels)
    let least = errors.min() ?? 0
    var sum = 0.0
    for index in shares.indices {
      shares[index] *= DeterministicMath.exp(-0.5 * rules.weight * (errors[index] - least))
      sum += shares[index]
    }
    guard sum > 0, sum.isFinite else { return forget() }
    var mean = 0.0
    for index in shares.indices {
      shares[index] /= sum
      mean += shares[index] * offsets[index]
    }
    offset += Self.learning * (mean - offset)
  }

  /// Works out for each place what all beacons are weaker by there, and how far each then is from what is expected.
  private mutating func measure(_ levels: [Level]) {
    let prior = rules.deviation * rules.deviation / (Self.offsetDeviation * Self.offsetDeviation)
    for index in offsets.indices { offsets[index] = prior * offset }
    for level in levels {
      let expected = places.expected[level.exhibit]
      for index in offsets.indices { offsets[index] += level.decibels - expected[index] }
    }
    let count = Double(levels.count) + prior
    for index in offsets.indices {
      offsets[index] /= count
      let off = (offsets[index] - offset) / Self.offsetDeviation
      errors[index] = off * off
    }
    let most = Self.most * Self.most
    for level in levels {
      let expected = places.expected[level.exhibit]
      for index in errors.indices {
        let off = (level.decibels - expected[index] - offsets[index]) / rules.deviation
        errors[index] += min(off * off, most)
      }
    }
  }

  // MARK: What follows

  /// How probable it is that the visitor is before each exhibit, one share an exhibit.
  var exhibitShares: [Double] {
    var sums = Array(repeating: 0.0, count: places.count)
    for (share, place) in zip(shares, places.places) {
      if let exhibit = place.exhibit { sums[exhibit] += share }
    }
    return sums
  }

  /// How probable it is that the visitor is in each room, one share a room.
  func roomShares(_ count: Int) -> [Double] {
    var sums = Array(repeating: 0.0, count: count)
    for (share, place) in zip(shares, places.places) where sums.indices.contains(place.room) {
      sums[place.room] += share
    }
    return sums
  }

  /// The middle of the belief within a room; `nil` where the plan has no drawing.
  func middle(ofRoom room: Int) -> Plan.Point? {
    var (x, y, weight) = (0.0, 0.0, 0.0)
    for (share, place) in zip(shares, places.places) where place.room == room {
      guard let point = place.point else { continue }
      x += share * point.x
      y += share * point.y
      weight += share
    }
    return weight > 0 ? Plan.Point(x / weight, y / weight) : nil
  }
}
