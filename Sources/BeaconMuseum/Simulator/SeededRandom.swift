// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

internal import BeaconCore

/// A seeded stream of random numbers, the same on every machine.
///
/// The generator is SplitMix64 (Steele, Lea, Flood: Fast splittable pseudorandom number generators, 2014); what is drawn from it uses
/// + − × ÷ √ and our own logarithm alone, so that a seed names one museum day for good.
package struct SeededRandom: RandomNumberGenerator, Sendable {
  private var state: UInt64
  private var spareNormal: Double?

  /// Creates a stream.
  package init(seed: UInt64) {
    state = seed
  }

  /// Creates a stream of its own for each part of what one seed makes, so that one part more or less does not move the others.
  ///
  /// - Parameters:
  ///   - seed: The seed of the whole.
  ///   - part: What kind of thing the stream is for.
  ///   - number: Which of that kind.
  package init(seed: UInt64, part: Part, number: Int = 0) {
    var mixer = SeededRandom(seed: seed &+ UInt64(part.rawValue) &* 0xD6E8_FEB8_6659_FD93)
    state = mixer.next() ^ (UInt64(truncatingIfNeeded: number) &* 0xA24B_AED4_963E_E407)
    _ = next()
  }

  /// What streams are for.
  package enum Part: UInt8, Sendable {
    case site, shadows, visitors, paths, receiver, crowd
  }

  package mutating func next() -> UInt64 {
    state &+= 0x9E37_79B9_7F4A_7C15
    var z = state
    z = (z ^ (z >> 30)) &* 0xBF58_476D_1CE4_E5B9
    z = (z ^ (z >> 27)) &* 0x94D0_49BB_1331_11EB
    return z ^ (z >> 31)
  }

  /// Returns a number from 0 up to, not including, 1.
  package mutating func unit() -> Double { Double(next() >> 11) / 9_007_199_254_740_992 }

  /// Returns a number of a range, all alike likely.
  package mutating func uniform(_ low: Double, _ high: Double) -> Double {
    low + (high - low) * unit()
  }

  /// Returns whether something of a probability happens.
  package mutating func happens(_ probability: Double) -> Bool { unit() < probability }

  /// Returns a number from 0 up to, not including, a positive count; 0 where there is none.
  package mutating func index(below count: Int) -> Int {
    count > 0 ? min(Int(unit() * Double(count)), count - 1) : 0
  }

  /// Returns a standard normal number (Marsaglia's polar method, which needs no sine).
  package mutating func normal() -> Double {
    if let spare = spareNormal {
      spareNormal = nil
      return spare
    }
    while true {
      let x = 2 * unit() - 1
      let y = 2 * unit() - 1
      let square = x * x + y * y
      guard square < 1, square > 0 else { continue }
      let factor = (-2 * DeterministicMath.log(square) / square).squareRoot()
      spareNormal = y * factor
      return x * factor
    }
  }

  /// Returns an exponentially distributed number of a mean.
  package mutating func exponential(mean: Double) -> Double {
    -mean * DeterministicMath.log(1 - unit())
  }

  /// Returns a log-normal number: e to a normal one of a mean and deviation.
  package mutating func logNormal(mean: Double, deviation: Double) -> Double {
    DeterministicMath.exp(mean + deviation * normal())
  }

  /// Returns a number of the beta distribution (rank, count + 1 − rank): the rank-th smallest of some uniform ones.
  package mutating func beta(rank: Int, of count: Int) -> Double {
    let sorted = (0..<max(1, count)).map { _ in unit() }.sorted()
    return sorted[min(max(rank, 1), sorted.count) - 1]
  }

  /// Returns a Poisson number of a mean up to some hundreds (Knuth's product of uniforms).
  package mutating func poisson(mean: Double) -> Int {
    guard mean > 0 else { return 0 }
    let floor = DeterministicMath.exp(-min(mean, 500))
    var product = unit()
    var count = 0
    while product > floor {
      product *= unit()
      count += 1
    }
    return count
  }

  /// Puts an array in random order.
  package mutating func shuffle<Element>(_ array: inout [Element]) {
    guard array.count > 1 else { return }
    for last in stride(from: array.count - 1, to: 0, by: -1) {
      array.swapAt(last, index(below: last + 1))
    }
  }
}
