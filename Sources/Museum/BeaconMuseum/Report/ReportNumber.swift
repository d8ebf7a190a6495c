// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

internal import BeaconCore
internal import BeaconFormats

/// Formats the figures of the report.
enum ReportNumber {
  /// Formats seconds as minutes and seconds, `0:17`; from one hour on with hours, `1:02:05`.
  static func duration(_ seconds: Double) -> String {
    let whole = Int(min(max(seconds, 0), 1e9).rounded())
    let (minutes, rest) = (whole / 60, two(whole % 60))
    return minutes < 60 ? "\(minutes):\(rest)" : "\(minutes / 60):\(two(minutes % 60)):\(rest)"
  }

  /// Formats a share in whole percent.
  static func percent(_ share: Double) -> String {
    DecimalText.fixed(share * 100, decimals: 0) + " %"
  }

  /// Formats a range of shares in whole percent; as one share if both ends are the same.
  static func percent(_ range: ClosedRange<Double>) -> String {
    let (low, high) = (percent(range.lowerBound), percent(range.upperBound))
    return low == high ? low : low.dropLast(2) + "–" + high
  }

  /// Formats shares of a whole in whole percent, which add up to a hundred.
  static func percents(_ shares: [Double]) -> [String] {
    var whole = shares.map { Int($0 * 100) }
    let order = shares.indices.sorted {
      (shares[$1] * 100 - Double(whole[$1]), $0) < (shares[$0] * 100 - Double(whole[$0]), $1)
    }
    for index in order.prefix(max(0, 100 - whole.reduce(0, +))) { whole[index] += 1 }
    return whole.map { "\($0) %" }
  }

  /// Formats a number with two decimals.
  static func ratio(_ value: Double) -> String { DecimalText.fixed(value, decimals: 2) }

  /// Formats a range of numbers with two decimals; as one number if both ends are the same.
  static func ratio(_ range: ClosedRange<Double>) -> String {
    let (low, high) = (ratio(range.lowerBound), ratio(range.upperBound))
    return low == high ? low : low + "–" + high
  }

  /// Returns the distance in seconds of an axis' marks: one of some, else whole hours or days; at most ten fit in.
  static func step(of length: Double, among steps: [Double]) -> Double {
    if let step = steps.first(where: { length / $0 <= 10 }) { return step }
    let unit: Double = length <= 864_000 ? 3600 : 86_400
    return (length / 10 / unit).rounded(.up) * unit
  }

  /// Formats a length in a drawing: one decimal, none if it is a whole number.
  static func place(_ value: Double) -> String {
    let text = DecimalText.fixed(value, decimals: 1)
    return text.hasSuffix(".0") ? String(text.dropLast(2)) : text
  }

  /// Formats the time of day in UTC: `10:15`.
  static func timeOfDay(_ time: Timestamp) -> String {
    String(RFC3339.string(time).dropFirst(11).prefix(5))
  }

  /// Formats the time of day in UTC with seconds: `10:15:03`.
  static func clock(_ time: Timestamp) -> String {
    String(RFC3339.string(time).dropFirst(11).prefix(8))
  }

  /// Formats the date in UTC: `2026-06-01`.
  static func date(_ time: Timestamp) -> String { String(RFC3339.string(time).prefix(10)) }

  /// Formats a number with a noun in the singular or the plural.
  static func count(_ number: Int, _ one: String, _ many: String) -> String {
    number == 1 ? "1 \(one)" : "\(number) \(many)"
  }

  private static func two(_ number: Int) -> String { number < 10 ? "0\(number)" : "\(number)" }
}
