// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

import BeaconTestSupport
import Foundation
import Testing

@testable import BeaconCore

@Suite struct DeterministicMathTests {
  /// The largest relative error that the package allows.
  static let tolerance = 1e-13

  static func agrees(_ ours: Double, _ theirs: Double) -> Bool {
    if ours == theirs || ours.isNaN && theirs.isNaN { return true }
    // A subnormal number has too few bits for a relative error.
    return abs(ours - theirs) <= max(tolerance * abs(theirs), 2 * .leastNonzeroMagnitude)
  }

  static let edges: [Double] = [
    0, -0.0, 1, -1, 2, 0.5, -0.5, 3, 10, -10, 1e-300, 1e300, 0x1p-1063, -0x1p-1063, 308.25, -308.25,
    709.7,
    -745.1, 1023.5, 1024, -1074, -1075, -1080, 1030, 1e9, -1e9, 1e19, -1e19, 1e20, -1e20, 1e308,
    -1e308,
    .leastNonzeroMagnitude, .greatestFiniteMagnitude, -.greatestFiniteMagnitude, .ulpOfOne,
    1 + .ulpOfOne, 1 - .ulpOfOne / 2, .infinity, -.infinity, .nan, 0.7071067811865475,
    1.414213562373095, 1.4142135623730951, 1.4142135623730954, 7.7095, 9_007_199_254_740_991,
  ]

  @Test func `edges agree with the C library`() {
    for x in Self.edges {
      #expect(Self.agrees(DeterministicMath.exp2(x), Foundation.exp2(x)), "exp2 \(x)")
      #expect(Self.agrees(DeterministicMath.exp(x), Foundation.exp(x)), "exp \(x)")
      #expect(Self.agrees(DeterministicMath.pow10(x), Foundation.pow(10, x)), "pow10 \(x)")
      #expect(Self.agrees(DeterministicMath.log2(x), Foundation.log2(x)), "log2 \(x)")
      #expect(Self.agrees(DeterministicMath.log(x), Foundation.log(x)), "log \(x)")
      #expect(Self.agrees(DeterministicMath.log10(x), Foundation.log10(x)), "log10 \(x)")
      for y in Self.edges {
        #expect(Self.agrees(DeterministicMath.pow(x, y), Foundation.pow(x, y)), "pow \(x) \(y)")
      }
    }
  }

  @Test func `two powers of ten computed together equal each alone`() {
    var random = SplitMix64(seed: 1)
    let ordinary = (0..<20_000).map { _ in Double.random(in: -400...400, using: &random) }
    let numbers = ordinary + Self.edges
    for (x, y) in zip(numbers, numbers.reversed()) {
      let both = DeterministicMath.pow10(SIMD2(x, y))
      #expect(both[0].bitPattern == DeterministicMath.pow10(x).bitPattern, "\(x) beside \(y)")
      #expect(both[1].bitPattern == DeterministicMath.pow10(y).bitPattern, "\(y) beside \(x)")
    }
  }

  @Test(arguments: [UInt64(1), 2, 3])
  func `random arguments agree with the C library`(_ seed: UInt64) {
    var random = SplitMix64(seed: seed)
    for _ in 0..<20_000 {
      let power = Double.random(in: -1100...1100, using: &random)
      let positive = abs(Double(bitPattern: random.next()))
      let ratio = Double.random(in: 0...4, using: &random)
      let exponent = Double.random(in: -400...400, using: &random)
      #expect(Self.agrees(DeterministicMath.exp2(power), Foundation.exp2(power)), "\(power)")
      #expect(Self.agrees(DeterministicMath.exp(power), Foundation.exp(power)), "\(power)")
      #expect(
        Self.agrees(DeterministicMath.pow10(power / 3), Foundation.pow(10, power / 3)),
        "\(power)"
      )
      for x in [positive, ratio] {
        #expect(Self.agrees(DeterministicMath.log2(x), Foundation.log2(x)), "\(x)")
        #expect(Self.agrees(DeterministicMath.log(x), Foundation.log(x)), "\(x)")
        #expect(Self.agrees(DeterministicMath.log10(x), Foundation.log10(x)), "\(x)")
        #expect(
          Self.agrees(DeterministicMath.pow(x, exponent), Foundation.pow(x, exponent)),
          "\(x) to \(exponent)"
        )
      }
    }
  }

  @Test(arguments: [UInt64(4), 5])
  func `no bit pattern traps`(_ seed: UInt64) {
    var random = SplitMix64(seed: seed)
    for _ in 0..<50_000 {
      let x = Double(bitPattern: random.next())
      let y = Double(bitPattern: random.next())
      #expect(DeterministicMath.exp2(x).isNaN == x.isNaN)
      #expect(DeterministicMath.exp(x).isNaN == x.isNaN)
      #expect(DeterministicMath.pow10(x).isNaN == x.isNaN)
      #expect(DeterministicMath.log(x).isNaN == (x.isNaN || x < 0))
      #expect(DeterministicMath.pow(x, y).isNaN == Foundation.pow(x, y).isNaN, "\(x) \(y)")
    }
  }

  @Test func `powers and logarithms never fall`() {
    var last = (exp: 0.0, pow10: 0.0, log: -Double.infinity)
    for step in -40_000...40_000 {
      let x = Double(step) / 1000
      let now = (
        exp: DeterministicMath.exp(x), pow10: DeterministicMath.pow10(x),
        log: DeterministicMath.log(x + 41)
      )
      #expect(now.exp > last.exp && now.pow10 > last.pow10 && now.log > last.log, "\(x)")
      last = now
    }
  }

  /// The results that every machine must return to the bit, whatever its C library.
  @Test func `bits are pinned`() {
    var hash: UInt64 = 14_695_981_039_346_656_037
    for step in 1...2000 {
      let x = Double(step) / 37
      for value in [
        DeterministicMath.exp2(x), DeterministicMath.exp(-x), DeterministicMath.pow10(-x),
        DeterministicMath.log2(x), DeterministicMath.log(x), DeterministicMath.log10(x),
        DeterministicMath.pow(x, 7.7095),
      ] {
        hash = (hash ^ value.bitPattern) &* 1_099_511_628_211
      }
    }
    #expect(hash == 13_446_916_360_555_838_583)
  }
}
