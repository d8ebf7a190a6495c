// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

/// The natural logarithm on + − × ÷ alone, so that it has the same bits on every machine.
enum NaturalLogarithm {
  /// Returns ln x for a positive finite x, to about 12 digits; 0 for what is not.
  static func of(_ x: Double) -> Double {
    guard x.isFinite, x > 0 else { return 0 }
    // With x = m · 2ᵉ and m in [1/√2, √2), ln m = 2 artanh((m − 1) / (m + 1)) converges by a factor of 34 a term.
    var mantissa = x.significand
    var exponent = Double(x.exponent)
    if mantissa > 1.414_213_562_373_095 {
      mantissa /= 2
      exponent += 1
    }
    let z = (mantissa - 1) / (mantissa + 1)
    let square = z * z
    var power = z
    var sum = 0.0
    for divisor in stride(from: 1.0, through: 15, by: 2) {
      sum += power / divisor
      power *= square
    }
    return exponent * 0.693_147_180_559_945_3 + 2 * sum
  }
}
