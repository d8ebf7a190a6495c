// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

extension SiteModel {
  /// From this value on two places are alike: a beacon in one is as often taken for being in the other.
  ///
  /// Levels that differ by 3 dB at each of three receivers, with a spread of 4 dB, give 0.8; twice the same minute gives 0.95.
  package static let alike = 0.85
  /// A minute meets few of a place's levels: each counts for those around it, in these shares from 3 dB below to 3 dB above.
  private static let spread = [1.0, 2, 3, 4, 3, 2, 1]

  /// Returns the places that no receiver tells from another one, in pairs.
  package var alikePlaces: [(String, String)] {
    places.indices.flatMap { first in
      places.indices.filter { $0 > first && likeness(first, $0) >= Self.alike }
        .map { (places[first].name, places[$0].name) }
    }
  }

  /// A sentence for each pair of places that no receiver tells from each other, with a remedy.
  ///
  /// - Parameters:
  ///   - place: Only pairs with this place; `nil` for all.
  ///   - labels: A file of labels, which can contradict each other.
  /// - Returns: The sentences.
  package func likenesses(of place: String? = nil, labels: String? = nil) -> [String] {
    let check = labels.map { "check their labels in \($0), " } ?? ""
    return alikePlaces.filter { place == nil || place == $0 || place == $1 }
      .map {
        "'\($0)' and '\($1)' are alike for every receiver: \(check)stay longer in both, or put a receiver into one of them"
      }
  }

  /// Returns how much of the seconds of two places looks the same to all receivers: the product of the receivers'
  /// Bhattacharyya coefficients, from 0 to 1.
  func likeness(_ first: Int, _ second: Int) -> Double {
    receivers.indices.reduce(1) { product, receiver in
      let (one, other) = (places[first].levels[receiver], places[second].levels[receiver])
      guard one.seconds > 0, other.seconds > 0 else { return product }
      let silent =
        (Double(one.silent) / Double(one.seconds) * Double(other.silent) / Double(other.seconds))
        .squareRoot()
      let shares = zip(Self.shares(one), Self.shares(other))
      return product * (silent + shares.reduce(0) { $0 + ($1.0 * $1.1).squareRoot() })
    }
  }

  /// The shares of the levels in the seconds in which a receiver listened.
  private static func shares(_ levels: Levels) -> [Double] {
    var shares = [Double](repeating: 0, count: levels.counts.count)
    let unit = spread.reduce(0, +) * Double(levels.seconds)
    for (index, count) in levels.counts.enumerated() where count > 0 {
      for (offset, weight) in spread.enumerated() {
        let place = min(max(index + offset - spread.count / 2, 0), shares.count - 1)
        shares[place] += weight * Double(count) / unit
      }
    }
    return shares
  }
}
