// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

/// How probable each of a ``BayesianFilter``'s levels is, in two bytes a level.
///
/// A probability is kept as a float without its sign, with five bits of exponent and eleven of fraction: to one part in
/// 4096 however small it is, for two surprising reports make much of little. They are weighed as floats, four at a time, in
/// one fixed order of + and ×, so that every machine rounds alike.
struct LevelBelief: Sendable {
  /// Levels a quarter of the grid apart stand together: lane *j* of group *k* is level 16·*j* + *k*.
  ///
  /// So the neighbors of a group's levels are the groups beside it, and nothing has to be shifted.
  private var groups = [16 of SIMD4<UInt16>](repeating: SIMD4(repeating: even))

  /// How many levels there are.
  static let levels = 64
  private static let groupCount = 16
  /// The least probability that can be kept, 2⁻³¹, which every level is given on top: a thirtieth of the least share.
  private static let least: Float = 0x1p-31
  /// The bits of a float that a kept number leaves out at the lower end.
  private static let droppedBits: UInt32 = 12
  /// One in 64, as it is kept: 25 binary orders above the least.
  private static let even: UInt16 = 25 << 11
  /// Added to a probability, it leaves it in the lowest 22 bits as a whole number.
  private static let fixedPoint: Float = 2

  /// All levels alike.
  init() {}

  /// Returns the order in which likelihoods of all levels, lowest first, are to be put for ``weigh(keeping:moving:adding:by:)``.
  static func grouped(_ levels: [Float]) -> [Float] {
    (0..<groupCount).flatMap { group in (0..<4).map { levels[groupCount * $0 + group] } }
  }

  /// Blurs the probabilities, gives every level a share, and multiplies each by its likelihood.
  ///
  /// - Parameters:
  ///   - kept: The part of a level's probability that stays with it.
  ///   - moved: The part that goes to either neighbor; the outermost levels are their own.
  ///   - share: What every level is given.
  ///   - likelihoods: As ``grouped(_:)`` orders them; fewer change nothing.
  @inline(__always)
  mutating func weigh(
    keeping kept: Float,
    moving moved: Float,
    adding share: Float,
    by likelihoods: borrowing Span<Float>
  ) {
    guard likelihoods.count == Self.levels else { return }
    let (first, last) = (group(0), group(Self.groupCount &- 1))
    var sums = SIMD4<Float>.zero
    var before = SIMD4(first[0], last[0], last[1], last[2])
    var here = first
    let weighed = [16 of SIMD4<Float>] { index in
      let after =
        index < Self.groupCount &- 1
        ? group(index &+ 1) : SIMD4(first[1], first[2], first[3], last[3])
      let blurred = kept * here + moved * (before + after) + share
      let result = blurred * likelihoods.group(index)
      (before, here) = (here, after)
      sums += result
      return result
    }
    let scale = 1 / ((sums[0] + sums[1]) + (sums[2] + sums[3]))
    // Through a span, as in ``moments``: a constant array's own subscript copies all of it for each element.
    let values = weighed.span
    for index in 0..<Self.groupCount { put(values[index] * scale, at: index) }
  }

  @inline(__always)
  private func group(_ index: Int) -> SIMD4<Float> { Self.read(groups[index]) }

  @inline(__always)
  private static func read(_ kept: SIMD4<UInt16>) -> SIMD4<Float> {
    let bits = SIMD4<UInt32>(truncatingIfNeeded: kept) &<< droppedBits &+ least.bitPattern
    // Safe: four words are four floats, whatever their bits.
    return unsafe unsafeBitCast(bits, to: SIMD4<Float>.self)
  }

  @inline(__always)
  private mutating func put(_ values: SIMD4<Float>, at index: Int) {
    // Safe: four floats are four words, whatever their bits.
    let bits = unsafe unsafeBitCast(values + Self.least, to: SIMD4<UInt32>.self)
    let half: UInt32 = 1 << (Self.droppedBits - 1)
    groups[index] = SIMD4(
      truncatingIfNeeded: (bits &+ (half &- Self.least.bitPattern)) &>> Self.droppedBits
    )
  }

  /// The mean level and the variance about it, in levels.
  var moments: (mean: Double, variance: Double) {
    // Summed from the top down, sums of sums are each group's weight times its number, then times half the number's square
    // and half the number: products of 32 bits would cost six times as much.
    var (sums, firsts, seconds) = (SIMD4<Int32>.zero, SIMD4<Int32>.zero, SIMD4<Int32>.zero)
    let groups = groups.span
    for index in (1..<Self.groupCount).reversed() {
      sums &+= Self.weights(groups[index])
      firsts &+= sums
      seconds &+= firsts
    }
    sums &+= Self.weights(groups[0])
    var (total, moment, square) = (0, 0, 0)
    for lane in 0..<4 {
      let base = Self.groupCount &* lane
      let (weight, first) = (Int(sums[lane]), Int(firsts[lane]))
      total &+= weight
      moment &+= base &* weight &+ first
      square &+= base &* (base &* weight &+ 2 &* first) &+ 2 &* Int(seconds[lane]) &- first
    }
    let mean = Double(moment) / Double(total)
    return (mean, max(0, Double(square) / Double(total) - mean * mean))
  }

  /// Probabilities as whole numbers of 2⁻²².
  @inline(__always)
  private static func weights(_ kept: SIMD4<UInt16>) -> SIMD4<Int32> {
    // Safe: four floats are four words, whatever their bits.
    let bits = unsafe unsafeBitCast(read(kept) + fixedPoint, to: SIMD4<Int32>.self)
    return bits &- Int32(bitPattern: fixedPoint.bitPattern)
  }
}

extension Span where Element == Float {
  /// The four floats of a group; traps unless they lie in the span.
  @inline(__always)
  fileprivate func group(_ index: Int) -> SIMD4<Float> {
    // Safe: the load checks its bounds, and any bytes are floats.
    unsafe bytes.unsafeLoadUnaligned(fromByteOffset: index &* 16, as: SIMD4<Float>.self)
  }
}
