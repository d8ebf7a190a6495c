// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

/// The probability of each level of a ``BayesianFilter``, in two bytes per level.
///
/// A probability is stored as a float without sign, with five bits of exponent and eleven of fraction: accurate to one
/// part in 4096 however small it is, because two unexpected reports can make a small probability large. They are
/// multiplied as floats, four at a time, in one fixed order of + and ×, so that every machine rounds the same way.
struct LevelBelief: Sendable {
  /// Levels that are a quarter of the grid apart are stored together: lane *j* of group *k* is level 16·*j* + *k*.
  ///
  /// So the neighbors of a group's levels are in the adjacent groups, and no lane has to be shifted. Two groups share
  /// their words, the first in the lower halves, because words of four bytes need no instruction that gathers shorter
  /// numbers.
  private var pairs = [8 of SIMD4<UInt32>](repeating: SIMD4(repeating: even << 16 | even))

  /// The number of levels.
  static let levels = 64
  /// The number of groups.
  static let groupCount = 16
  private static let pairCount = 8
  /// The smallest probability that can be stored, 2⁻³¹, which is added to every level: a thirtieth of the smallest
  /// share.
  private static let least: Float = 0x1p-31
  /// The number of low bits of a float that are not stored.
  private static let droppedBits: UInt32 = 12
  /// How far a word's upper half is shifted above its place in a float.
  private static let upperShift: UInt32 = 4
  private static let upperHalf: UInt32 = 0xFFFF_0000
  /// 1/64 as stored: 25 powers of two above the least.
  private static let even: UInt32 = 25 << 11
  /// Adding it to a probability puts the probability into the lowest 22 bits as a whole number.
  private static let fixedPoint: Float = 2

  /// Creates equal probabilities of all levels.
  init() {}

  /// Returns the levels of a group, numbered from the lowest.
  static func levels(ofGroup group: Int) -> SIMD4<Int> {
    SIMD4(group, group + groupCount, group + 2 * groupCount, group + 3 * groupCount)
  }

  /// Blurs the probabilities, gives every level a share, and multiplies each by its likelihood.
  ///
  /// - Parameters:
  ///   - kept: The part of a level's probability that stays at the level.
  ///   - moved: The part that moves to each neighbor; an outermost level is its own neighbor.
  ///   - share: The share that every level gets.
  ///   - likelihoods: One vector for each group; with fewer, nothing changes.
  @inline(__always)
  mutating func weigh(
    keeping kept: Float,
    moving moved: Float,
    adding share: Float,
    by likelihoods: borrowing Span<SIMD4<Float>>
  ) {
    guard likelihoods.count == Self.groupCount else { return }
    let (first, last) = (Self.first(of: pairs[0]), Self.second(of: pairs[Self.pairCount &- 1]))
    var sums = SIMD4<Float>.zero
    var before = SIMD4(first[0], last[0], last[1], last[2])
    var here = first
    // Two pairs a step, since each step moves two vectors.
    let weighed = [4 of (Pair, Pair)] { index in
      let (low, high) = (pairs[2 &* index], pairs[2 &* index &+ 1])
      let (second, third, fourth) = (
        Self.second(of: low), Self.first(of: high), Self.second(of: high)
      )
      let after =
        index < Self.pairCount / 2 &- 1
        ? Self.first(of: pairs[2 &* index &+ 2]) : SIMD4(first[1], first[2], first[3], last[3])
      let result = (
        Pair(
          first: (kept * here + moved * (before + second) + share) * likelihoods[4 &* index],
          second: (kept * second + moved * (here + third) + share) * likelihoods[4 &* index &+ 1]
        ),
        Pair(
          first: (kept * third + moved * (second + fourth) + share) * likelihoods[4 &* index &+ 2],
          second: (kept * fourth + moved * (third + after) + share) * likelihoods[4 &* index &+ 3]
        )
      )
      (before, here) = (fourth, after)
      sums += result.0.first
      sums += result.0.second
      sums += result.1.first
      sums += result.1.second
      return result
    }
    let scale = 1 / ((sums[0] + sums[1]) + (sums[2] + sums[3]))
    // A span is used, as in ``moments``, because the subscript of a constant array copies the whole array for each
    // element.
    let values = weighed.span
    for index in 0..<Self.pairCount / 2 {
      pairs[2 &* index] = values[index].0.words(scaledBy: scale)
      pairs[2 &* index &+ 1] = values[index].1.words(scaledBy: scale)
    }
  }

  /// Two groups that share their words.
  private struct Pair {
    let first, second: SIMD4<Float>

    /// Returns the words of the groups, with probabilities that are multiplied by a scale.
    @inline(__always)
    func words(scaledBy scale: Float) -> SIMD4<UInt32> {
      let first = LevelBelief.bits(first * scale) &>> LevelBelief.droppedBits
      let second = LevelBelief.bits(second * scale) &<< LevelBelief.upperShift
      return first | second & LevelBelief.upperHalf
    }
  }

  /// Returns the bits of probabilities above the least, rounded to the stored bits, which begin at ``droppedBits``.
  @inline(__always)
  private static func bits(_ values: SIMD4<Float>) -> SIMD4<UInt32> {
    // Safe: four floats are four words, whatever their bits.
    let bits = unsafe unsafeBitCast(values + least, to: SIMD4<UInt32>.self)
    let half: UInt32 = 1 << (droppedBits - 1)
    return bits &+ (half &- least.bitPattern)
  }

  @inline(__always)
  private static func first(of pair: SIMD4<UInt32>) -> SIMD4<Float> {
    float((pair &<< 16) &>> upperShift)
  }

  @inline(__always)
  private static func second(of pair: SIMD4<UInt32>) -> SIMD4<Float> {
    float((pair & upperHalf) &>> upperShift)
  }

  /// Returns the probabilities whose stored bits begin at ``droppedBits``.
  @inline(__always)
  private static func float(_ kept: SIMD4<UInt32>) -> SIMD4<Float> {
    // Safe: four words are four floats, whatever their bits.
    unsafe unsafeBitCast(kept &+ least.bitPattern, to: SIMD4<Float>.self)
  }

  /// The mean level and the variance around it, in levels.
  @inline(__always)
  var statistics: (mean: Double, variance: Double) {
    // Adding from the top down, sums of sums give each group's weight times its number, and then times half the
    // number's square plus half the number. Products of 32 bits would cost six times as much.
    var (sums, firsts, seconds) = (SIMD4<UInt32>.zero, SIMD4<UInt32>.zero, SIMD4<UInt32>.zero)
    let pairs = pairs.span
    for index in (1..<Self.pairCount).reversed() {
      sums &+= Self.weights(Self.second(of: pairs[index]))
      firsts &+= sums
      seconds &+= firsts
      sums &+= Self.weights(Self.first(of: pairs[index]))
      firsts &+= sums
      seconds &+= firsts
    }
    sums &+= Self.weights(Self.second(of: pairs[0]))
    firsts &+= sums
    seconds &+= firsts
    sums &+= Self.weights(Self.first(of: pairs[0]))
    // The lanes are combined like the groups: level 16·j + k counts 16·j + k times, and for the square (16·j)² + 32·j·k
    // + k² times.
    let total = sums[0] &+ sums[1] &+ sums[2] &+ sums[3]
    let lanes = sums[1] &+ 2 &* sums[2] &+ 3 &* sums[3]
    let squares = sums[1] &+ 4 &* sums[2] &+ 9 &* sums[3]
    let groups = firsts[0] &+ firsts[1] &+ firsts[2] &+ firsts[3]
    let products = firsts[1] &+ 2 &* firsts[2] &+ 3 &* firsts[3]
    let halves = seconds[0] &+ seconds[1] &+ seconds[2] &+ seconds[3]
    let weightedSum = 16 &* Int(lanes) &+ Int(groups)
    let square =
      256 &* Int(squares) &+ 32 &* Int(products) &+ 2 &* Int(halves) &- Int(groups)
    let mean = Double(weightedSum) / Double(total)
    return (mean, max(0, Double(square) / Double(total) - mean * mean))
  }

  /// Returns probabilities as multiples of 2⁻²², each with 2³⁰ added.
  ///
  /// The added part need not be subtracted: each lane's sums contain it 16, 120 and 680 times, and these multiples of
  /// 2³⁰ are 0 in 32 bits.
  @inline(__always)
  private static func weights(_ probabilities: SIMD4<Float>) -> SIMD4<UInt32> {
    // Safe: four floats are four words, whatever their bits.
    unsafe unsafeBitCast(probabilities + fixedPoint, to: SIMD4<UInt32>.self)
  }
}
