// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

/// Decides which figures may be shown, so that no visitor can be recognized in them.
///
/// A count of one to four visitors is withheld unless the operator asks for it, because the group is too small to hide in
/// (k-anonymity with k = 5, Sweeney 2002; statistical offices also use at least five). A figure about no visitor is shown.
///
/// Every other count is rounded down to a multiple of that number, and every figure that is shown is computed from
/// rounded counts. So a withheld figure is not the difference of two shown ones, neither in one report nor in several
/// over other groups of the same visits: from the counts of a whole and of a part, each known to five, the rest is not
/// known better than that it is few.
///
/// A summary of what each visitor did, such as a total, a mean, a quantile or a share of times, needs more visitors: it is
/// exact, and the quartiles and the mean of five times give all five.
public struct SmallCellSuppression: Sendable, Hashable {
  /// The smallest number of visitors whose counts may be shown.
  public let fewest: Int
  /// The smallest number of visitors of whom summaries may be shown.
  public let fewestForSummary: Int

  /// The usual rule: at least five visitors for a count, and twenty for a summary.
  public static let usual = SmallCellSuppression(fewest: 5, fewestForSummary: 20)
  /// The rule that shows everything: the operator asked for it, or there is a single visit, which belongs to its
  /// visitor.
  public static let everything = SmallCellSuppression(fewest: 0, fewestForSummary: 0)

  /// Creates a rule with the smallest numbers of visitors.
  public init(fewest: Int, fewestForSummary: Int) {
    self.fewest = fewest
    self.fewestForSummary = fewestForSummary
  }

  /// Returns whether a count of visitors may be shown.
  public func shows(_ visitors: Int) -> Bool { visitors == 0 || visitors >= fewest }

  /// Returns whether a total, a mean, a quantile or a share over a number of visitors may be shown.
  public func showsSummary(of visitors: Int) -> Bool {
    visitors == 0 || visitors >= fewestForSummary
  }

  /// Whether nothing is withheld, and counts are exact.
  public var isEverything: Bool { fewest <= 1 }

  /// Returns a count as it may be shown: rounded down; 1 stands for every count that is withheld.
  public func published(_ count: Int) -> Int {
    if isEverything || count <= 0 { return max(0, count) }
    return count < fewest ? 1 : count / fewest * fewest
  }
}
