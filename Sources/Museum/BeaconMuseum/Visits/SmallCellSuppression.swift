// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

/// Decides which figures may be shown, and how exactly, so that no visitor can be recognized in them.
///
/// A count of fewer than five visitors is withheld, also of none: otherwise a place without other visitors shows a
/// single one (k-anonymity with k = 5, Sweeney 2002; statistical offices also use at least five). Every other count is
/// rounded down to a multiple of five, and every figure that is shown is computed from rounded counts.
///
/// A time is brought on a grid before anything is computed from it (``coarse(_:)``). So a report is the same for every
/// visit that differs only within the grid, and no computation with one or several reports can find more.
public struct SmallCellSuppression: Sendable, Hashable {
  /// The smallest number of visitors whose counts may be shown.
  public let fewest: Int
  /// The smallest number of visitors of whom quartiles, means and totals may be shown.
  public let fewestForSummary: Int
  /// The smallest number of visitors of whom ninth deciles may be shown: so at least five are beyond one.
  public let fewestForDecile: Int

  /// The usual rule: at least five visitors for a count, twenty for a summary, and fifty for a ninth decile.
  public static let usual = SmallCellSuppression(
    fewest: 5,
    fewestForSummary: 20,
    fewestForDecile: 50
  )
  /// The rule that shows everything: the operator asked for it, or there is a single visit, which belongs to its
  /// visitor.
  public static let everything = SmallCellSuppression(
    fewest: 0,
    fewestForSummary: 0,
    fewestForDecile: 0
  )

  /// Creates a rule with the smallest numbers of visitors.
  public init(fewest: Int, fewestForSummary: Int, fewestForDecile: Int) {
    self.fewest = fewest
    self.fewestForSummary = fewestForSummary
    self.fewestForDecile = fewestForDecile
  }

  /// Returns whether a count of visitors may be shown.
  public func shows(_ visitors: Int) -> Bool { visitors >= fewest }

  /// Returns whether a total, a mean, a quartile or a share over a number of visitors may be shown.
  public func showsSummary(of visitors: Int) -> Bool { visitors >= fewestForSummary }

  /// Returns whether a ninth decile over a number of visitors may be shown.
  public func showsDecile(of visitors: Int) -> Bool { visitors >= fewestForDecile }

  /// Whether nothing is withheld, and counts and times are exact.
  public var isEverything: Bool { fewest <= 1 }

  /// Returns a count as it may be shown: rounded down; 0 stands for every count that is withheld.
  public func published(_ count: Int) -> Int {
    isEverything ? max(0, count) : max(0, count) / fewest * fewest
  }

  // MARK: Ranges

  /// By how much a count may be larger than its published one.
  private var slack: Double { isEverything ? 0 : Double(fewest - 1) }

  /// Returns the least and the greatest share that published counts of a part and of a whole permit; `nil` without a whole.
  func share(_ part: Int, of whole: Int) -> ClosedRange<Double>? {
    guard whole > 0 else { return nil }
    let (part, whole) = (Double(part), Double(whole))
    let least = part / (whole + slack)
    return least...max(least, min(1, (part + slack) / whole))
  }

  /// Returns the least and the greatest number of further visits for each first one that published counts permit.
  func again(_ visits: Int, of visitors: Int) -> ClosedRange<Double>? {
    guard visitors > 0 else { return nil }
    let (visits, visitors) = (Double(visits), Double(visitors))
    let least = max(0, (visits - visitors - slack) / (visitors + slack))
    return least...max(least, (visits + slack - visitors) / visitors)
  }

  /// Returns the least and the greatest share of a time that a published mean permits.
  func holding(_ mean: Double, of whole: Double) -> ClosedRange<Double>? {
    guard whole > 0 else { return nil }
    // Each time is on the grid, and their mean is so again.
    let step = isEverything ? 0 : mean < Self.coarseFrom ? Self.step : Self.coarseStep
    return max(0, mean - step) / whole...(mean + step) / whole
  }

  // MARK: Times

  /// The steps of the grid in seconds, for times below and from ``coarseFrom`` on.
  private static let (step, coarseStep) = (10.0, 60.0)
  /// From two minutes on, a time is known to the minute.
  private static let coarseFrom = 120.0

  /// Returns a time in seconds on the grid: to the nearest ten seconds, from two minutes on to the nearest minute.
  public func coarse(_ seconds: Double) -> Double {
    guard !isEverything else { return seconds }
    let step = seconds < Self.coarseFrom ? Self.step : Self.coarseStep
    return (seconds / step).rounded() * step
  }

  /// Returns a visitor's number of exhibits on the grid: to the nearest five, as counts have.
  func coarse(exhibits count: Int) -> Double {
    isEverything ? Double(count) : Double((count + fewest / 2) / fewest * fewest)
  }

  /// Returns the time in front of an exhibit on the grid; a visit of five seconds counts as ten.
  func coarse(visit seconds: Double) -> Double {
    isEverything ? seconds : max(Self.step, coarse(seconds))
  }
}
