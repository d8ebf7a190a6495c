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
  /// How many receivers of the model did not listen.
  package var deaf: Int
}

/// The filter over places of one beacon: a belief about its place, and the place that is delivered.
///
/// Each second the belief moves along the places' neighbors and is multiplied by the likelihood of what every listening
/// receiver received, or did not receive.
struct PlaceFilter: Sendable {
  /// A place that is as probable as this is delivered immediately.
  static let sure = 0.9
  /// A place that is as probable as this is delivered after ``patience``.
  static let likely = 0.7
  /// A place that is less probable than all others together is not delivered for longer than ``patience``.
  static let unclear = 0.5
  /// Seconds until a likely place is delivered, and until one that is unclear or has no listener is no longer.
  static let patience = 3
  /// Seconds after which a beacon that no receiver receives is nowhere, unless the place is not received.
  static let silentLimit = 30
  /// The highest probability delivered: a model knows only the places of its survey.
  static let highest = 0.99

  private var belief: [Double]
  private var delivered: Int?
  private var candidate: Int?
  private var candidateSeconds = 0
  private var unclearSeconds = 0
  private var unheardSeconds = 0
  private var deafSeconds = 0
  /// Whether the beacon is nowhere: it is silent in a place in which a receiver that listens would receive it.
  private(set) var isAbsent = false

  init(places: Int) {
    belief = Array(repeating: 1 / Double(max(1, places)), count: places)
  }

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
    move(tables)
    weigh(evidence, tables)
    let best = belief.indices.max { belief[$0] < belief[$1] } ?? 0
    choose(best)
    if !isReceivable(evidence, in: best, tables) { return (nil, 0) }
    guard let delivered, unclearSeconds < Self.patience else {
      return (nil, min(belief[best], Self.unclear))
    }
    return (delivered, min(belief[delivered], Self.highest))
  }

  private mutating func move(_ tables: PlaceTables) {
    var next = [Double](repeating: 0, count: belief.count)
    for (from, probability) in belief.enumerated() {
      let start = from * belief.count
      for to in next.indices { next[to] += probability * tables.moves[start + to] }
    }
    belief = next
  }

  private mutating func weigh(_ evidence: [ReceptionSecond.Evidence], _ tables: PlaceTables) {
    for (receiver, evidence) in evidence.enumerated() {
      let likelihoods = tables.likelihoods(of: evidence, at: receiver)
      guard !likelihoods.isEmpty else { continue }
      var total = 0.0
      for (place, likelihood) in zip(belief.indices, likelihoods) {
        belief[place] *= likelihood
        total += belief[place]
      }
      for place in belief.indices {
        belief[place] = total > 0 ? belief[place] / total : 1 / Double(belief.count)
      }
    }
  }

  /// Decides which place is delivered, so that one second does not make a move.
  private mutating func choose(_ best: Int) {
    let probability = belief[best]
    if best == delivered {
      candidateSeconds = 0
    } else {
      candidateSeconds =
        probability < Self.likely ? 0 : best == candidate ? candidateSeconds + 1 : 1
      candidate = best
      if probability >= Self.sure || candidateSeconds >= Self.patience {
        delivered = best
        candidateSeconds = 0
        unclearSeconds = 0
      }
    }
    unclearSeconds = probability < Self.unclear ? unclearSeconds + 1 : 0
  }

  /// Whether a receiver listens, and the beacon is received or its place is not.
  private mutating func isReceivable(
    _ evidence: [ReceptionSecond.Evidence],
    in best: Int,
    _ tables: PlaceTables
  ) -> Bool {
    let isHeard = evidence.contains { if case .level = $0 { true } else { false } }
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
      isLost = silence < Self.unclear
      isAbsent = isLost
    }
    if isLost { delivered = nil }
    return !isLost
  }
}
