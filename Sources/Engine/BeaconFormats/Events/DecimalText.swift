// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

package import BeaconCore

/// Writes numbers as text, with the same result on every machine.
package enum DecimalText {
  /// Returns a number with exactly two decimals, a half rounded away from zero; an empty text for `nil`.
  package static func hundredths(_ value: Double?) -> String {
    fixed(value, decimals: 2)
  }

  /// Returns a number with a fixed number of decimals, a half rounded away from zero; an empty text for `nil`.
  package static func fixed(_ value: Double?, decimals: Int) -> String {
    guard let value, value.isFinite else { return "" }
    var unit: Int64 = 1
    for _ in 0..<min(max(decimals, 0), 6) { unit *= 10 }
    let bounded = min(max(value, -1e12), 1e12)
    let scaled = Int64((bounded * Double(unit)).rounded(.toNearestOrAwayFromZero))
    let sign = scaled < 0 ? "-" : ""
    let whole = String(scaled.magnitude / unit.magnitude)
    guard decimals > 0 else { return sign + whole }
    let rest = String(scaled.magnitude % unit.magnitude)
    return sign + whole + "." + String(repeating: "0", count: decimals - rest.count) + rest
  }

  /// Returns a span for people, rounded, in at most two units: `10.4 s`, `95 s`, `5 min 56 s`, `5 h 12 min`, `2 days 9 h`,
  /// `321 days`.
  ///
  /// Each table and sentence for people writes durations so; a second unit of zero is left out.
  package static func span(_ span: TimeSpan) -> String {
    let sign = span.microseconds < 0 ? "-" : ""
    let magnitude = span.microseconds.magnitude
    /// The span in units of so many tenths of a second, a half rounded up.
    func rounded(_ unit: UInt64) -> UInt64 {
      magnitude / (unit * 100_000) + (magnitude % (unit * 100_000) >= unit * 50_000 ? 1 : 0)
    }
    func two(_ count: UInt64, _ name: String, of large: String, each size: UInt64) -> String {
      let (whole, rest) = count.quotientAndRemainder(dividingBy: size)
      return "\(sign)\(whole) \(large)" + (rest > 0 ? " \(rest) \(name)" : "")
    }
    // What rounding raises to the next unit has that unit.
    let tenths = rounded(1)
    if tenths < 1200 {
      let rest = tenths % 10 > 0 ? ".\(tenths % 10)" : ""
      return "\(tenths > 0 ? sign : "")\(tenths / 10)\(rest) s"
    }
    if rounded(10) < 3600 { return two(rounded(10), "s", of: "min", each: 60) }
    if rounded(600) < 2880 { return two(rounded(600), "min", of: "h", each: 60) }
    if rounded(36_000) < 240 { return two(rounded(36_000), "h", of: "days", each: 24) }
    return "\(sign)\(rounded(864_000)) days"
  }

  /// Returns a span in seconds with up to six decimals, without trailing zeros.
  package static func seconds(_ span: TimeSpan) -> String {
    let magnitude = span.microseconds.magnitude
    var rest = String(magnitude % 1_000_000)
    rest = String(repeating: "0", count: 6 - rest.count) + rest
    while rest.last == "0" { rest.removeLast() }
    let sign = span.microseconds < 0 ? "-" : ""
    return sign + String(magnitude / 1_000_000) + (rest.isEmpty ? "" : "." + rest)
  }
}
