// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

/// The distribution of some values, in their unit; a mean is not enough, since times in front of exhibits are
/// log-normal.
public struct Distribution: Sendable, Hashable {
  /// The number of values.
  public private(set) var count: Int
  /// Their sum.
  public private(set) var total: Double
  /// The value below which a quarter of the values lie.
  public private(set) var lowerQuartile: Double
  /// The value below which half of the values lie.
  public private(set) var median: Double
  /// The value below which three quarters of the values lie.
  public private(set) var upperQuartile: Double
  /// The value below which nine tenths of the values lie; `nil` if it is withheld.
  public private(set) var ninthDecile: Double?

  /// The mean; in published figures that of the middle half of the values, which no single value moves far.
  public var mean: Double { total / Double(count) }
  private var middleMean: Double

  /// Creates the distribution of some values; `nil` without values.
  public init?(_ values: [Double]) {
    guard !values.isEmpty else { return nil }
    let sorted = values.sorted()
    count = sorted.count
    total = sorted.reduce(0, +)
    lowerQuartile = Self.quantile(0.25, of: sorted)
    median = Self.quantile(0.5, of: sorted)
    upperQuartile = Self.quantile(0.75, of: sorted)
    ninthDecile = Self.quantile(0.9, of: sorted)
    let middle = sorted.dropFirst(sorted.count / 4).dropLast(sorted.count / 4)
    middleMean = middle.reduce(0, +) / Double(middle.count)
  }

  /// Returns the distribution with rounded figures, another number of values, and the sum that follows from both.
  func published(
    as count: Int,
    withDecile hasDecile: Bool,
    _ rounded: (Double) -> Double
  ) -> Distribution {
    var published = self
    published.count = count
    published.middleMean = rounded(middleMean)
    published.total = published.middleMean * Double(count)
    published.lowerQuartile = rounded(lowerQuartile)
    published.median = rounded(median)
    published.upperQuartile = rounded(upperQuartile)
    published.ninthDecile = hasDecile ? ninthDecile.map(rounded) : nil
    return published
  }

  /// Returns a quantile of sorted values, interpolated between the two nearest ranks (Hyndman and Fan 1996, type 7).
  private static func quantile(_ share: Double, of sorted: [Double]) -> Double {
    let place = share * Double(sorted.count - 1)
    let below = min(max(Int(place), 0), sorted.count - 1)
    let above = min(below + 1, sorted.count - 1)
    return sorted[below] + (place - Double(below)) * (sorted[above] - sorted[below])
  }
}
