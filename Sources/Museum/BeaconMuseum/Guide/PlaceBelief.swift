// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

internal import BeaconCore

/// The probability that a visitor is at each place: a histogram filter over ``Places``.
///
/// Each second the visitor may have walked, so the belief spreads to neighboring places. Then each received beacon
/// makes those places more probable at which it would be received with that strength. The visitor's receiver and body
/// weaken all beacons by a common offset, which is estimated along with the place and learned over the visit. An error
/// counts as at most a few standard deviations, so that one beacon hidden by a crowd does not overrule all the others.
struct PlaceBelief: Sendable {
  /// The signal strength of one beacon over a second.
  struct Level: Sendable {
    /// The exhibit's index in the plan.
    var exhibit: Int
    /// The strength relative to that at 1 m, in dB.
    var decibels: Double
  }

  /// The maximum number of standard deviations that an error counts.
  static let most = 2.5
  /// The maximum number of steps that a visitor walks in a second.
  static let stepsASecond = 2
  /// The assumed offset of all beacons from the strength expected at their distance until more is known, in dB: half of
  /// a body's loss of 5 to 10, and the reduction of a mean in decibels by fading.
  static let usualOffset = -4.0
  /// The standard deviation in dB between one second's offset and the learned one, because a visitor's body turns.
  static let offsetDeviation = 4.0
  /// The share of a second's offset that is learned; it takes about a minute to learn a receiver's offset.
  static let learning = 0.02
  /// The least probability of a place that counts when the scatter of levels is learned.
  static let possible = 0.001
  /// The time without a tick after which the visitor's place counts as unknown.
  static let memory = TimeSpan.seconds(30)

  let places: Places
  private let rules: GuideConfiguration
  private(set) var shares: [Double]
  private var errors: [Double]
  private var offsets: [Double]
  /// The learned offset of all beacons from the strength expected at their distance, in dB.
  private(set) var offset = usualOffset
  /// The mean square in dB² of the differences between levels and their expected values so far.
  private var variance: Double
  /// The standard deviation in dB of one second's level: the configured one, or the learned one if that is larger.
  ///
  /// Where levels scatter more than expected, the same level is less evidence of the place.
  private var deviation: Double
  private var last: Timestamp?
  /// The number of seconds processed since the place was last unknown.
  private(set) var secondsProcessed = 0

  init(_ places: Places, _ rules: GuideConfiguration) {
    self.places = places
    self.rules = rules
    let count = places.places.count
    shares = Array(repeating: 1 / Double(max(1, count)), count: count)
    errors = Array(repeating: 0, count: count)
    offsets = errors
    deviation = rules.deviation
    variance = deviation * deviation
  }

  /// Resets the belief.
  mutating func forget() {
    for index in shares.indices { shares[index] = 1 / Double(max(1, shares.count)) }
    last = nil
    secondsProcessed = 0
  }

  /// Resets the belief and the learned values of the visitor who carried the receiver.
  mutating func forgetVisitor() {
    forget()
    offset = Self.usualOffset
    deviation = rules.deviation
    variance = deviation * deviation
  }

  /// Updates the belief with the beacons received in a second.
  mutating func process(_ levels: [Level], at time: Timestamp) {
    if let last, time - last > Self.memory { forget() }
    last = time
    guard !shares.isEmpty else { return }
    // Visitors do not wait for a report before they walk, so a second without any makes the place less certain too.
    for _ in 0..<Self.stepsASecond { shares = places.walked(shares, rules.walking) }
    secondsProcessed += 1
    guard !levels.isEmpty else { return normalize() }
    weigh(levels)
    learnDeviation(levels)
  }

  /// Makes the shares add up to 1 again: walking adds a doubt to each.
  private mutating func normalize() {
    let sum = shares.reduce(0, +)
    guard sum > 0, sum.isFinite else { return forget() }
    for index in shares.indices { shares[index] /= sum }
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

  /// Learns from the errors at the places that the belief now considers possible how much levels scatter here.
  private mutating func learnDeviation(_ levels: [Level]) {
    // A level fits the offset, so a second with one level is not evidence.
    guard levels.count > 1 else { return }
    let most = Self.most * deviation
    var (sum, weight) = (0.0, 0.0)
    for index in shares.indices where shares[index] > Self.possible {
      var squares = 0.0
      for level in levels {
        let off = level.decibels - places.expected[level.exhibit][index] - offsets[index]
        squares += min(off * off, most * most)
      }
      sum += shares[index] * squares
      weight += shares[index]
    }
    guard weight > 0 else { return }
    variance += Self.learning * (sum / weight / Double(levels.count - 1) - variance)
    deviation = max(rules.deviation, variance.squareRoot())
  }

  /// Computes for each place the offset common to all beacons, and how far each beacon then is from its expected
  /// strength.
  private mutating func measure(_ levels: [Level]) {
    let prior = deviation * deviation / (Self.offsetDeviation * Self.offsetDeviation)
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
        let off = (level.decibels - expected[index] - offsets[index]) / deviation
        errors[index] += min(off * off, most)
      }
    }
  }

  // MARK: Results

  /// The probability of being in front of each exhibit.
  var exhibitShares: [Double] {
    var sums = Array(repeating: 0.0, count: places.count)
    for (share, place) in zip(shares, places.places) {
      if let exhibit = place.exhibit { sums[exhibit] += share }
    }
    return sums
  }

  /// Returns the probability of being in each room.
  func roomShares(_ count: Int) -> [Double] {
    var sums = Array(repeating: 0.0, count: count)
    for (share, place) in zip(shares, places.places) where sums.indices.contains(place.room) {
      sums[place.room] += share
    }
    return sums
  }

  /// Returns the probability of being in each room, and not at a door.
  func insideShares(_ count: Int) -> [Double] {
    var sums = Array(repeating: 0.0, count: count)
    for (share, place) in zip(shares, places.places)
    where sums.indices.contains(place.room) && !place.isAtDoor {
      sums[place.room] += share
    }
    return sums
  }

  /// Returns the mean position within a room; `nil` if the plan has no drawing.
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

  /// Returns the root of the mean square of the distances to the mean position within a room, in meters.
  func spread(inRoom room: Int) -> Double? {
    guard let middle = middle(ofRoom: room) else { return nil }
    var (squares, weight) = (0.0, 0.0)
    for (share, place) in zip(shares, places.places) where place.room == room {
      guard let distance = place.point?.distance(to: middle) else { continue }
      squares += share * distance * distance
      weight += share
    }
    return weight > 0 ? (squares / weight).squareRoot() : nil
  }
}
