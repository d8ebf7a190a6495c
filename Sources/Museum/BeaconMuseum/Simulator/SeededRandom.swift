// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

internal import BeaconCore

/// A stream of random numbers from a seed, the same on every machine.
///
/// The generator is SplitMix64 (Steele, Lea, Flood: Fast splittable pseudorandom number generators, 2014). Values
/// computed from it use only + − × ÷ √ and the project's own logarithm, so that a seed always gives the same museum
/// day.
package struct SeededRandom: RandomNumberGenerator, Sendable {
  private var state: UInt64
  private var spareNormal: Double?

  /// Creates a stream.
  package init(seed: UInt64) {
    state = seed
  }

  /// Creates one of several independent streams from a seed, so that adding or removing one does not change the others.
  ///
  ///   - seed: The seed of all streams.
  ///   - part: The purpose of the stream.
  ///   - part: What kind of thing the stream is for.
  ///   - number: Which of the streams for this purpose it is.
  package init(seed: UInt64, part: Part, number: Int = 0) {
    var mixer = SeededRandom(seed: seed &+ UInt64(part.rawValue) &* 0xD6E8_FEB8_6659_FD93)
    state = mixer.next() ^ (UInt64(truncatingIfNeeded: number) &* 0xA24B_AED4_963E_E407)
    _ = next()
  }

  /// The purpose of a stream.
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

  /// Returns a number from 0 up to but not including 1.
  package mutating func unit() -> Double { Double(next() >> 11) / 9_007_199_254_740_992 }

  /// Returns a uniformly distributed number from a range.
  package mutating func uniform(_ low: Double, _ high: Double) -> Double {
    low + (high - low) * unit()
  }

  /// Returns whether an event with a probability happens.
  package mutating func happens(_ probability: Double) -> Bool { unit() < probability }

  /// Returns a number from 0 up to but not including a positive count; otherwise 0.
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

  /// Returns an exponentially distributed number with a mean.
  package mutating func exponential(mean: Double) -> Double {
    -mean * DeterministicMath.log(1 - unit())
  }

  /// Returns a log-normal number: e to the power of a normal number with a mean and standard deviation.
  package mutating func logNormal(mean: Double, deviation: Double) -> Double {
    DeterministicMath.exp(mean + deviation * normal())
  }

  /// Returns a number from the beta distribution (rank, count + 1 − rank): the rank-th smallest of `count` uniform
  /// numbers.
  package mutating func beta(rank: Int, of count: Int) -> Double {
    let sorted = (0..<max(1, count)).map { _ in unit() }.sorted()
    return sorted[min(max(rank, 1), sorted.count) - 1]
  }

  /// Returns a Poisson number with a mean of up to some hundreds (Knuth's product of uniforms).
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

  /// Shuffles an array.
  package mutating func shuffle<Element>(_ array: inout [Element]) {
    guard array.count > 1 else { return }
    for last in stride(from: array.count - 1, to: 0, by: -1) {
      array.swapAt(last, index(below: last + 1))
    }
  }
}
