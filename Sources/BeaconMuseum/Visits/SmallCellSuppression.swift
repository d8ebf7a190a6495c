// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

/// Decides which figures may be shown, so that no visitor can be recognized in them.
///
/// A figure about one to four visitors is withheld unless the operator asks for it, because the group is too small to
/// hide in (k-anonymity with k = 5, Sweeney 2002; statistical offices also use at least five). A figure about nobody is
/// shown. The rule does not prevent that a withheld figure is computed from the difference of shown ones.
public struct SmallCellSuppression: Sendable, Hashable {
  /// The smallest number of visitors whose figures may be shown.
  public let fewest: Int

  /// The usual rule: at least five visitors.
  public static let usual = SmallCellSuppression(fewest: 5)
  /// The rule that shows everything: the operator asked for it, or there is a single visit, which belongs to its
  /// visitor.
  public static let everything = SmallCellSuppression(fewest: 0)

  /// Creates a rule with a smallest number of visitors.
  public init(fewest: Int) {
    self.fewest = fewest
  }

  /// Returns whether a figure about a number of visitors may be shown.
  public func shows(_ visitors: Int) -> Bool { visitors == 0 || visitors >= fewest }
}
