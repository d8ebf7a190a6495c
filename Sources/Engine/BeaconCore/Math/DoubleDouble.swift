// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

/// A number as the unevaluated sum of two doubles: about 106 bits, because a power multiplies the error of 53 bits.
///
/// After T. J. Dekker, "A Floating-Point Technique for Extending the Available Precision" (1971). Every operation is a
/// plain + − × ÷ and rounded separately; none is fused, so the bits are the same on every IEEE 754 machine.
struct DoubleDouble {
  var high: Double
  var low: Double

  /// The number that splits a double into two halves of 26 bits: 2²⁷ + 1.
  private static let splitter: Double = 134_217_729

  /// Returns the exact sum of two doubles, the first at least as large in magnitude as the second.
  static func fastSum(_ large: Double, _ small: Double) -> DoubleDouble {
    let sum = large + small
    return DoubleDouble(high: sum, low: small - (sum - large))
  }

  /// Returns the exact product of two doubles, both below 10¹⁵⁰ in magnitude.
  static func product(_ a: Double, _ b: Double) -> DoubleDouble {
    let (aHigh, bHigh) = (upperHalf(a), upperHalf(b))
    let (aLow, bLow) = (a - aHigh, b - bHigh)
    let product = a * b
    let error = ((aHigh * bHigh - product) + aHigh * bLow + aLow * bHigh) + aLow * bLow
    return DoubleDouble(high: product, low: error)
  }

  /// Returns the product with another number, to about 100 bits.
  func times(_ other: DoubleDouble) -> DoubleDouble {
    var product = Self.product(high, other.high)
    product.low += high * other.low + low * other.high
    return Self.fastSum(product.high, product.low)
  }

  private static func upperHalf(_ value: Double) -> Double {
    let scaled = splitter * value
    return scaled - (scaled - value)
  }
}
