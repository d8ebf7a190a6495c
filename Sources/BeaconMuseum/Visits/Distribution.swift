// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

/// How some durations are distributed: not the mean alone, since times before exhibits are log-normal.
public struct Distribution: Sendable, Hashable {
  /// How many there are.
  public let count: Int
  /// Their sum.
  public let total: Double
  /// A quarter is shorter.
  public let lowerQuartile: Double
  /// A half is shorter.
  public let median: Double
  /// Three quarters are shorter.
  public let upperQuartile: Double
  /// Nine in ten are shorter.
  public let ninthDecile: Double
  /// The longest.
  public let longest: Double

  /// The mean.
  public var mean: Double { total / Double(count) }

  /// Takes some values; `nil` for none.
  public init?(_ values: [Double]) {
    guard !values.isEmpty else { return nil }
    let sorted = values.sorted()
    count = sorted.count
    total = sorted.reduce(0, +)
    lowerQuartile = Self.quantile(0.25, of: sorted)
    median = Self.quantile(0.5, of: sorted)
    upperQuartile = Self.quantile(0.75, of: sorted)
    ninthDecile = Self.quantile(0.9, of: sorted)
    longest = sorted[sorted.count - 1]
  }

  /// The quantile of sorted values between the two nearest ranks (Hyndman and Fan 1996, type 7).
  private static func quantile(_ share: Double, of sorted: [Double]) -> Double {
    let place = share * Double(sorted.count - 1)
    let below = min(max(Int(place), 0), sorted.count - 1)
    let above = min(below + 1, sorted.count - 1)
    return sorted[below] + (place - Double(below)) * (sorted[above] - sorted[below])
  }
}
