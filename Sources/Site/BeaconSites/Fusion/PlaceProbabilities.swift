// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

/// How probable each place is for one beacon; the last one is elsewhere.
struct PlaceProbabilities: Sendable {
  private(set) var shares: [Double]

  init(places: Int) {
    let share = (1 - PlaceTables.elsewhere) / Double(max(1, places))
    shares = Array(repeating: share, count: places) + [PlaceTables.elsewhere]
  }

  /// The most probable place of the survey.
  var likeliestPlace: Int {
    shares.dropLast().indices.max { shares[$0] < shares[$1] } ?? 0
  }

  /// Makes elsewhere less probable.
  mutating func divideElsewhere(by factor: Double) {
    shares[shares.count - 1] *= min(1, factor)
  }

  /// A second passes.
  mutating func move(_ tables: PlaceTables) {
    let count = tables.placeCount
    let elsewhere = shares[count]
    let returns = elsewhere / PlaceTables.usualStay
    let leaves = (1 - elsewhere) * PlaceTables.moveElsewhere
    var next = [Double](repeating: returns / Double(count), count: count)
    for from in 0..<count {
      let probability = shares[from] * (1 - PlaceTables.moveElsewhere)
      let start = from * count
      for to in next.indices { next[to] += probability * tables.moves[start + to] }
    }
    shares = next + [elsewhere - returns + leaves]
  }

  /// Multiplies the belief by the likelihood of a receiver's evidence.
  ///
  /// - Returns: The probability of the evidence before it was known; 1 without evidence.
  @discardableResult mutating func weigh(
    _ evidence: ReceptionSecond.Evidence,
    at receiver: Int,
    _ tables: PlaceTables
  ) -> Double {
    let likelihoods = tables.likelihoods(of: evidence, at: receiver)
    guard !likelihoods.isEmpty else { return 1 }
    var total = 0.0
    for (place, likelihood) in zip(shares.indices, likelihoods) {
      shares[place] *= likelihood
      total += shares[place]
    }
    for place in shares.indices {
      shares[place] =
        total > 0 ? shares[place] / total : 1 / Double(shares.count)
    }
    return total
  }
}
