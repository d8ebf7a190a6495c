// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

package import BeaconCore

/// In which place a beacon is, as of the end of a second.
package struct PlaceEstimate: Sendable, Equatable {
  /// The beacon.
  package var identity: BeaconIdentity
  /// The end of the second.
  package var time: Timestamp
  /// The place, by its number in the model; `nil` if it is unknown.
  package var place: Int?
  /// How probable the place is, up to 0.99; if it is unknown, how probable the best one is, or 0.
  package var probability: Double
  /// Whether the beacon is in no place: receivers listen that would receive it, and they do not.
  package var isAbsent = false
  /// How many receivers of the model received the beacon in the second.
  package var heard: Int
  /// How many receivers of the model did not listen, or were silent for so long that it does not count.
  package var deaf: Int
}

/// The filter over places of one beacon: a belief about its place, and the place that is delivered.
///
/// Each second the belief moves along the places' neighbors and is multiplied by the likelihood of what every listening
/// receiver received, or did not receive.
struct PlaceFilter: Sendable {
  /// A place that is as probable as all others together is delivered.
  static let likely = 0.5
  /// How much more probable a place that was surveyed in one stay must be to replace another one; with more stays a part
  /// of it.
  ///
  /// A stay meets few corners of a place, so its probability is too sure.
  static let doubtOfOneStay = 0.3
  /// If no place is as probable as this, none is delivered.
  static let unclear = 0.35
  /// Seconds until a place without a receiver that listens is no longer delivered.
  static let patience = 3
  /// Seconds after which a beacon that no receiver receives is nowhere, unless the place is not received.
  static let silentLimit = 30
  /// The highest probability delivered: a model knows only the places of its survey.
  static let highest = 0.99
  /// The highest probability of a place whose levels are doubtful: less than that of all others together.
  static let doubtful = 0.49

  private var belief: PlaceProbabilities
  private var fit = PlaceFit()
  /// How far the levels are from those that the survey has of the most probable place.
  private(set) var misfit = 0.0
  /// How often a belief is right on walks that the model has not seen, in order; lines lie in between.
  ///
  /// Seconds that follow one another are alike, and a survey is thin, so the filter believes too much. Counted on walks for
  /// tuning, with receivers lost and models of one walk (`docs/sites.md`).
  private static let rightShares: [(belief: Double, share: Double)] = [
    (0, 0), (0.5, 0.49), (0.75, 0.6), (0.9, 0.67), (0.95, 0.74), (0.98, 0.85), (0.99, 0.92),
    (0.995, 0.97), (1, 1),
  ]

  private var delivered: Int?
  /// Whether the beacon was received since the belief started; silence only excludes places.
  private var wasHeard = false
  private var unheardSeconds = 0
  private var deafSeconds = 0
  /// Whether the beacon is nowhere: it is silent in a place in which a receiver that listens would receive it.
  private(set) var isAbsent = false

  init(places: Int) { belief = PlaceProbabilities(places: places) }

  /// Processes a second, and returns the place that is delivered with its probability.
  ///
  /// - Parameters:
  ///   - evidence: The evidence of each receiver of the model.
  ///   - followsGap: Whether nothing is known of the time before the second.
  ///   - tables: The likelihoods and moves of the model.
  /// - Returns: The place, `nil` if it is unknown, and how probable it is.
  mutating func take(
    _ evidence: [ReceptionSecond.Evidence],
    followsGap: Bool,
    _ tables: PlaceTables
  ) -> (place: Int?, probability: Double) {
    guard tables.placeCount > 0 else { return (nil, 0) }
    if followsGap { self = PlaceFilter(places: tables.placeCount) }
    belief.move(tables)
    // A survey has few beacons and corners: levels near to those of the likely place do not speak for elsewhere.
    belief.divideElsewhere(by: tables.fit(of: evidence, in: belief.likeliestPlace))
    for (receiver, evidence) in evidence.enumerated() {
      belief.weigh(evidence, at: receiver, tables)
    }
    misfit = fit.misfit(evidence, in: belief.likeliestPlace, tables)
    let shares = belief.shares
    let best = shares.indices.max { shares[$0] < shares[$1] } ?? 0
    if shares[best] >= leastShare(of: best, tables) { delivered = best }
    if !isReceivable(evidence, in: best, tables) {
      // The silence of a beacon that is nowhere is not a level of the place that it returns to.
      if isAbsent { fit = PlaceFit() }
      return (nil, 0)
    }
    guard wasHeard, let delivered, delivered < tables.placeCount, shares[best] >= Self.unclear,
      misfit <= PlaceFit.unfit
    else {
      return (nil, min(Self.rightShare(shares[belief.likeliestPlace]), Self.likely))
    }
    let highest = misfit > PlaceFit.doubtful ? Self.doubtful : Self.highest
    return (delivered, min(Self.rightShare(shares[delivered]), highest))
  }

  /// How probable a place must be to be delivered next.
  private func leastShare(of place: Int, _ tables: PlaceTables) -> Double {
    guard let delivered, delivered != place, max(delivered, place) < tables.placeCount else {
      return Self.likely
    }
    return Self.likely + Self.doubtOfOneStay / Double(tables.stays[place])
  }

  private static func rightShare(_ belief: Double) -> Double {
    guard let next = rightShares.firstIndex(where: { belief <= $0.belief }), next > 0 else {
      return 0
    }
    let (low, high) = (rightShares[next - 1], rightShares[next])
    let part = (belief - low.belief) / (high.belief - low.belief)
    return low.share + part * (high.share - low.share)
  }

  /// Whether a receiver listens, and the beacon is received or its place is not.
  private mutating func isReceivable(
    _ evidence: [ReceptionSecond.Evidence],
    in best: Int,
    _ tables: PlaceTables
  ) -> Bool {
    let isHeard = evidence.contains { if case .level = $0 { true } else { false } }
    if isHeard { wasHeard = true }
    deafSeconds = evidence.allSatisfy { $0 == .none } ? deafSeconds + 1 : 0
    unheardSeconds = isHeard ? 0 : unheardSeconds + 1
    // If nothing was known before, there is nothing to wait for.
    var isLost = deafSeconds >= (delivered == nil ? 1 : Self.patience)
    isAbsent = false
    if !isLost, unheardSeconds >= Self.silentLimit {
      var silence = 1.0
      for (receiver, evidence) in evidence.enumerated() where evidence == .silence {
        silence *= tables.silence(at: receiver, in: best)
      }
      isLost = silence < Self.likely
      isAbsent = isLost
    }
    if isLost { delivered = nil }
    return !isLost
  }
}
