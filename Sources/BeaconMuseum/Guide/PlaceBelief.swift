// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

internal import BeaconCore

/// How probable it is that a visitor is at each place: a histogram filter over ``Places``.
///
/// Each second the visitor may have walked, so the belief spreads to neighboring places; then each beacon heard makes places
/// where it would be heard so strongly more probable. An error is never counted as more than a few standard deviations, so
/// that one beacon behind a crowd does not overrule all the others.
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
  /// The share of the belief that is spread everywhere each second: what was thought impossible may be so.
  static let doubt = 0.001
  /// After so long without a tick nothing is known of where the visitor went.
  static let memory = TimeSpan.seconds(30)

  let places: Places
  private let rules: GuideConfiguration
  private(set) var shares: [Double]
  private var scratch: [Double]
  private var errors: [Double]
  private var last: Timestamp?

  init(_ places: Places, _ rules: GuideConfiguration) {
    self.places = places
    self.rules = rules
    let count = places.places.count
    shares = Array(repeating: 1 / Double(max(1, count)), count: count)
    scratch = shares
    errors = Array(repeating: 0, count: count)
  }

  /// Forgets where the visitor is.
  mutating func forget() {
    for index in shares.indices { shares[index] = 1 / Double(max(1, shares.count)) }
    last = nil
  }

  /// Takes in what a second told.
  mutating func hear(_ levels: [Level], at time: Timestamp) {
    if let last, time - last > Self.memory { forget() }
    last = time
    guard !levels.isEmpty, !shares.isEmpty else { return }
    walk()
    walk()
    weigh(levels)
  }

  /// One step: a part of the belief goes to the neighbors.
  private mutating func walk() {
    let everywhere = Self.doubt / Double(shares.count)
    for index in shares.indices {
      scratch[index] = (1 - rules.walking) * shares[index] + everywhere
    }
    for index in shares.indices {
      let neighbors = places.neighbors[index]
      guard !neighbors.isEmpty else {
        scratch[index] += rules.walking * shares[index]
        continue
      }
      let part = rules.walking * shares[index] / Double(neighbors.count)
      for neighbor in neighbors { scratch[neighbor] += part }
    }
    swap(&shares, &scratch)
  }

  private mutating func weigh(_ levels: [Level]) {
    var least = Double.infinity
    for index in shares.indices {
      var error = 0.0
      let row = index * places.count
      for level in levels {
        let off = (level.decibels - places.expected[row + level.exhibit]) / rules.deviation
        error += min(off * off, Self.most * Self.most)
      }
      errors[index] = error
      least = min(least, error)
    }
    var sum = 0.0
    for index in shares.indices {
      shares[index] *= DeterministicMath.exp(-0.5 * rules.weight * (errors[index] - least))
      sum += shares[index]
    }
    guard sum > 0, sum.isFinite else { return forget() }
    for index in shares.indices { shares[index] /= sum }
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
