// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

/// Which figures may be shown, so that nobody is recognized in them.
///
/// A figure about one to four visitors is withheld unless asked for: too few to hide among (k-anonymity with k = 5, Sweeney 2002; five is
/// also what statistical offices use at the least). A figure about nobody tells of nobody. What follows by subtracting figures
/// that are shown is not looked at.
public struct SmallCellSuppression: Sendable, Hashable {
  /// The fewest visitors a figure must be about.
  public let fewest: Int

  /// Five.
  public static let usual = SmallCellSuppression(fewest: 5)
  /// Everything: the operator asked for it, or there is one visit, which is its visitor's.
  public static let everything = SmallCellSuppression(fewest: 0)

  /// Creates a rule.
  public init(fewest: Int) {
    self.fewest = fewest
  }

  /// Whether a figure about some visitors may be shown.
  public func shows(_ visitors: Int) -> Bool { visitors == 0 || visitors >= fewest }
}
