// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

/// Exponentials and logarithms whose bits are the same on every machine.
///
/// The last bits of a C library's functions differ between versions and between machines with and without fused
/// multiplication; events that depend on them would not replay byte for byte. These functions use only + − × ÷ and the
/// bits of a double, and each operation is rounded separately (Swift never fuses them). The results are within 10⁻¹³ of
/// the true value. Every argument has a result, and nothing traps: a result that is too large is infinite, and a result
/// that does not exist is not a number.
package enum DeterministicMath {
  /// ln 2 in two parts; the first has so few bits that its product with an exponent is exact.
  private static let ln2 = DoubleDouble(high: 0x1.62e42p-1, low: 4.7493250390316726e-07)
  /// log₁₀ 2 in two parts; the first has so few bits that its product with an exponent is exact.
  private static let log10Of2 = DoubleDouble(high: 0x1.34413p-2, low: 7.508597826552624e-08)
  /// log₂ e: its rounded value, and the rest.
  private static let log2E = DoubleDouble(
    high: 1.4426950408889634,
    low: 2.0355273740931033e-17
  )
  private static let log10E = 0.4342944819032518
  private static let ln10 = 2.302585092994046
  private static let log2Of10 = 3.321928094887362
  private static let roundedLn2 = 0.6931471805599453

  /// 1.5 · 2⁵²: adding and subtracting it rounds a small double to a whole number, without a call to the C library.
  private static let roundingShift = 6_755_399_441_055_744.0

  // MARK: - Exponentials

  /// Returns 2 to a power.
  package static func exp2(_ x: Double) -> Double {
    guard let n = exponent(x) else { return outOfRange(x) }
    return scaled(expNearZero((x - n) * roundedLn2), by: n)
  }

  /// Returns e to a power.
  package static func exp(_ x: Double) -> Double {
    guard let n = exponent(x * log2E.high) else { return outOfRange(x) }
    return scaled(expNearZero((x - n * ln2.high) - n * ln2.low), by: n)
  }

  /// Returns 10 to a power.
  package static func pow10(_ x: Double) -> Double {
    guard let n = exponent(x * log2Of10) else { return outOfRange(x) }
    let rest = (x - n * log10Of2.high) - n * log10Of2.low
    return scaled(expNearZero(rest * ln10), by: n)
  }

  /// Returns 10 to two powers.
  ///
  /// The results equal those of two calls, but take little more time than one.
  @inline(__always)
  package static func pow10(_ x: SIMD2<Double>) -> SIMD2<Double> {
    let exponents = x * log2Of10
    guard all((exponents .> -999) .& (exponents .< 999)) else {
      return SIMD2(pow10(x[0]), pow10(x[1]))
    }
    let shifted = exponents + roundingShift
    let n = shifted - roundingShift
    let rest = (x - n * log10Of2.high) - n * log10Of2.low
    // The lowest bits of the shifted value are those of the whole number, so 2ⁿ needs no conversion.
    let whole = SIMD2(shifted[0].bitPattern, shifted[1].bitPattern)
    let bits = (whole &+ 1023) &<< 52
    let scale = SIMD2(Double(bitPattern: bits[0]), Double(bitPattern: bits[1]))
    return expNearZero(rest * ln10) * scale
  }

  /// Returns a number to a power; in the special cases it returns the same as the C library.
  package static func pow(_ x: Double, _ y: Double) -> Double {
    if y == 0 || x == 1 { return 1 }
    if x.isNaN || y.isNaN { return .nan }
    if x < 0 || x == 0 && x.sign == .minus { return powOfNegative(x, y) }
    if x == 0 { return y < 0 ? .infinity : 0 }
    if x.isInfinite { return y < 0 ? 0 : .infinity }
    // Beyond this bound the result for any x other than 1 is outside the range of a double. The bound also keeps the
    // exact products finite.
    let bounded = min(max(y, -1e20), 1e20)
    let logarithm = wideLog2(x)
    let power = logarithm.times(DoubleDouble(high: bounded, low: 0))
    guard let n = exponent(power.high) else { return outOfRange(power.high) }
    let rest = (power.high - n) + power.low
    return scaled(expNearZero(rest * roundedLn2), by: n)
  }

  private static func powOfNegative(_ x: Double, _ y: Double) -> Double {
    let isWhole = y.rounded(.towardZero) == y
    let isOdd = isWhole && abs(y) < 9_007_199_254_740_992 && (y / 2).rounded(.towardZero) * 2 != y
    guard isWhole || x == 0 || x.isInfinite else { return .nan }
    let magnitude = pow(abs(x), y)
    return isOdd ? -magnitude : magnitude
  }

  // MARK: - Logarithms

  /// Returns the binary logarithm; −∞ for zero, and not a number for negative arguments.
  package static func log2(_ x: Double) -> Double {
    guard x > 0, x.isFinite else { return logOutOfRange(x) }
    let (mantissa, exponent) = parts(x)
    return exponent + logNearOne(mantissa) * log2E.high
  }

  /// Returns the natural logarithm; −∞ for zero, and not a number for negative arguments.
  package static func log(_ x: Double) -> Double {
    guard x > 0, x.isFinite else { return logOutOfRange(x) }
    let (mantissa, exponent) = parts(x)
    return exponent * ln2.high + (logNearOne(mantissa) + exponent * ln2.low)
  }

  /// Returns the decimal logarithm; −∞ for zero, and not a number for negative arguments.
  package static func log10(_ x: Double) -> Double {
    guard x > 0, x.isFinite else { return logOutOfRange(x) }
    let (mantissa, exponent) = parts(x)
    return exponent * log10Of2.high + (logNearOne(mantissa) * log10E + exponent * log10Of2.low)
  }

  private static func logOutOfRange(_ x: Double) -> Double {
    if x == 0 { return -.infinity }
    return x > 0 ? .infinity : .nan
  }

  // MARK: - Parts

  /// Returns the whole number nearest to a binary exponent; `nil` if the power is certainly 0, ∞ or not a number.
  @inline(__always)
  private static func exponent(_ x: Double) -> Double? {
    guard x > -1080, x < 1030 else { return nil }
    return (x + roundingShift) - roundingShift
  }

  private static func outOfRange(_ x: Double) -> Double {
    if x.isNaN { return .nan }
    return x > 0 ? .infinity : 0
  }

  /// Returns a value times 2ⁿ for a whole n within −1080...1030.
  ///
  /// Near the ends it multiplies in two steps, so that neither factor is out of range.
  @inline(__always)
  private static func scaled(_ value: Double, by n: Double) -> Double {
    let whole = Int(n)
    if whole > -1000, whole < 1000 { return value * powerOfTwo(whole) }
    let half = whole / 2
    return value * powerOfTwo(half) * powerOfTwo(whole - half)
  }

  /// Returns 2ⁿ for −1022 ≤ n ≤ 1023.
  private static func powerOfTwo(_ n: Int) -> Double {
    Double(bitPattern: UInt64(truncatingIfNeeded: n &+ 1023) << 52)
  }

  /// Returns eˣ for |x| ≤ 0.35 by its series; the first term left out is below 10⁻¹⁷.
  @inline(__always)
  private static func expNearZero(_ x: Double) -> Double {
    expNearZero(SIMD2(x, 0))[0]
  }

  /// Returns eˣ for two numbers immediately.
  @inline(__always)
  private static func expNearZero(_ x: SIMD2<Double>) -> SIMD2<Double> {
    let x2 = x * x
    let x4 = x2 * x2
    // The compiler computes the reciprocal factorials, since divisions would take most of the time. The terms are
    // summed in pairs (Estrin), since in a chain each product would wait for the previous one.
    let first = line(1.0 / 2, 1.0 / 6, x) + x2 * line(1.0 / 24, 1.0 / 120, x)
    let second = line(1.0 / 720, 1.0 / 5_040, x) + x2 * line(1.0 / 40_320, 1.0 / 362_880, x)
    let third =
      line(1.0 / 3_628_800, 1.0 / 39_916_800, x)
      + x2 * line(1.0 / 479_001_600, 1.0 / 6_227_020_800, x)
    let tail: SIMD2<Double> = x2 * (first + x4 * (second + x4 * third))
    return 1 + (x + tail)
  }

  @inline(__always)
  private static func line(_ constant: Double, _ factor: Double, _ x: SIMD2<Double>)
    -> SIMD2<Double>
  {
    constant + x * factor
  }

  /// Returns a positive number as m · 2ᵉ with m between √½ and √2.
  private static func parts(_ x: Double) -> (mantissa: Double, exponent: Double) {
    // A subnormal number has no hidden bit; multiplying it by 2⁵⁴ makes it a normal number.
    let isSubnormal = x < .leastNormalMagnitude
    let bits = (isSubnormal ? x * 18_014_398_509_481_984 : x).bitPattern
    let exponent = Double(Int(bits >> 52) &- 1023 &- (isSubnormal ? 54 : 0))
    let mantissa = Double(bitPattern: bits & 0x000F_FFFF_FFFF_FFFF | 0x3FF0_0000_0000_0000)
    return mantissa > 1.4142135623730951 ? (mantissa / 2, exponent + 1) : (mantissa, exponent)
  }

  /// Returns ln m for m between √½ and √2.
  private static func logNearOne(_ m: Double) -> Double {
    let s = (m - 1) / (m + 1)
    return 2 * s + logTail(s)
  }

  /// Returns ln((1 + s) / (1 − s)) − 2s for |s| ≤ 0.172; the first omitted term is below 10⁻²⁰.
  private static func logTail(_ s: Double) -> Double {
    let square = s * s
    var sum = 1.0 / 23
    sum = sum * square + 1.0 / 21
    sum = sum * square + 1.0 / 19
    sum = sum * square + 1.0 / 17
    sum = sum * square + 1.0 / 15
    sum = sum * square + 1.0 / 13
    sum = sum * square + 1.0 / 11
    sum = sum * square + 1.0 / 9
    sum = sum * square + 1.0 / 7
    sum = sum * square + 1.0 / 5
    sum = sum * square + 1.0 / 3
    return 2 * s * square * sum
  }

  /// Returns log₂ x of a positive finite number with about 65 bits, which a power of up to 1000 needs.
  private static func wideLog2(_ x: Double) -> DoubleDouble {
    let (m, exponent) = parts(x)
    let s = (m - 1) / (m + 1)
    // The rounding error of the division: m − 1 is exact, and m + 1 is exact except for its last bit.
    let sum = DoubleDouble.fastSum(m > 1 ? m : 1, m > 1 ? 1 : m)
    let product = DoubleDouble.product(s, sum.high)
    let lost = (((m - 1) - product.high) - product.low - s * sum.low) / sum.high
    let logarithm = DoubleDouble.fastSum(2 * s, 2 * lost + logTail(s)).times(log2E)
    var result = DoubleDouble.fastSum(exponent, logarithm.high)
    if exponent == 0 { result = logarithm } else { result.low += logarithm.low }
    return result
  }
}
