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

  /// Returns a span in the units that people use: `95 s`, `12 min`, `5 h 12 min`, `320 days`.
  package static func span(_ span: TimeSpan) -> String {
    let seconds = span.microseconds / 1_000_000
    switch seconds.magnitude {
    case ..<120: return "\(seconds) s"
    case ..<7200: return "\(seconds / 60) min"
    case ..<172_800: return "\(seconds / 3600) h \(seconds / 60 % 60) min"
    default: return "\(seconds / 86_400) days"
    }
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
