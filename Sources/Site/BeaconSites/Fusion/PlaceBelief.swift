// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

/// How probable each place is for one beacon; the last one is elsewhere.
struct PlaceBelief: Sendable {
  private(set) var probabilities: [Double]

  init(places: Int) {
    let share = (1 - PlaceTables.elsewhere) / Double(max(1, places))
    probabilities = Array(repeating: share, count: places) + [PlaceTables.elsewhere]
  }

  /// The most probable place of the survey.
  var likeliestPlace: Int {
    probabilities.dropLast().indices.max { probabilities[$0] < probabilities[$1] } ?? 0
  }

  /// Makes elsewhere less probable.
  mutating func divideElsewhere(by factor: Double) {
    probabilities[probabilities.count - 1] *= min(1, factor)
  }

  /// A second passes.
  mutating func move(_ tables: PlaceTables) {
    let count = tables.placeCount
    let elsewhere = probabilities[count]
    let returns = elsewhere / PlaceTables.usualStay
    let leaves = (1 - elsewhere) * PlaceTables.moveElsewhere
    var next = [Double](repeating: returns / Double(count), count: count)
    for from in 0..<count {
      let probability = probabilities[from] * (1 - PlaceTables.moveElsewhere)
      let start = from * count
      for to in next.indices { next[to] += probability * tables.moves[start + to] }
    }
    probabilities = next + [elsewhere - returns + leaves]
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
    for (place, likelihood) in zip(probabilities.indices, likelihoods) {
      probabilities[place] *= likelihood
      total += probabilities[place]
    }
    for place in probabilities.indices {
      probabilities[place] =
        total > 0 ? probabilities[place] / total : 1 / Double(probabilities.count)
    }
    return total
  }
}
