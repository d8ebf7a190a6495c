// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

/// How probable each of a ``BayesianFilter``'s levels is, in two bytes a level.
///
/// The probabilities are whole numbers of 1/65535, since they lie in every track; a report's share that is lost to rounding
/// is less than what every level is given anew before the next. They are weighed as floats, four at a time, in one fixed
/// order of + and ×, so that every machine rounds alike.
struct LevelBelief: Sendable {
  /// Levels a quarter of the grid apart stand together: lane *j* of group *k* is level 16·*j* + *k*.
  ///
  /// So the neighbors of a group's levels are the groups beside it, and nothing has to be shifted.
  private var groups = [16 of SIMD4<UInt16>](repeating: SIMD4(repeating: 1024))

  /// How many levels there are.
  static let levels = 64
  private static let groupCount = 16
  /// What all the probabilities add up to, but for rounding.
  private static let total: Float = 65_535
  /// Added to a float below 2¹⁶ it leaves the nearest whole number in the lowest bits.
  private static let rounding: Float = 8_388_608

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
    let fresh = share * Self.total
    let (first, last) = (group(0), group(Self.groupCount &- 1))
    var sums = SIMD4<Float>.zero
    var before = SIMD4(first[0], last[0], last[1], last[2])
    var here = first
    let weighed = [16 of SIMD4<Float>] { index in
      let after =
        index < Self.groupCount &- 1
        ? group(index &+ 1) : SIMD4(first[1], first[2], first[3], last[3])
      let blurred = kept * here + moved * (before + after) + fresh
      let result = blurred * likelihoods.group(index)
      (before, here) = (here, after)
      sums += result
      return result
    }
    let scale = Self.total / ((sums[0] + sums[1]) + (sums[2] + sums[3]))
    // Through a span, as in ``moments``: a constant array's own subscript copies all of it for each element.
    let values = weighed.span
    for index in 0..<Self.groupCount { put(values[index] * scale, at: index) }
  }

  @inline(__always)
  private func group(_ index: Int) -> SIMD4<Float> {
    let group = groups[index]
    return SIMD4(Float(group[0]), Float(group[1]), Float(group[2]), Float(group[3]))
  }

  @inline(__always)
  private mutating func put(_ values: SIMD4<Float>, at index: Int) {
    // Safe: four floats are four words, whatever their bits.
    let bits = unsafe unsafeBitCast(values + Self.rounding, to: SIMD4<UInt32>.self)
    groups[index] = SIMD4<UInt16>(truncatingIfNeeded: bits)
  }

  /// The mean level and the variance about it, in levels.
  var moments: (mean: Double, variance: Double) {
    // Summed from the top down, sums of sums are each group's weight times its number, then times half the number's square
    // and half the number: products of 32 bits would cost six times as much.
    var (sums, firsts, seconds) = (SIMD4<Int32>.zero, SIMD4<Int32>.zero, SIMD4<Int32>.zero)
    let groups = groups.span
    for index in (1..<Self.groupCount).reversed() {
      sums &+= SIMD4(truncatingIfNeeded: groups[index])
      firsts &+= sums
      seconds &+= firsts
    }
    sums &+= SIMD4(truncatingIfNeeded: groups[0])
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
}

extension Span where Element == Float {
  /// The four floats of a group; traps unless they lie in the span.
  @inline(__always)
  fileprivate func group(_ index: Int) -> SIMD4<Float> {
    // Safe: the load checks its bounds, and any bytes are floats.
    unsafe bytes.unsafeLoadUnaligned(fromByteOffset: index &* 16, as: SIMD4<Float>.self)
  }
}
