// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

import BeaconTestSupport
import Testing

@testable import BeaconCore

@Suite struct BayesianFilterTests {
  static let start = Timestamp(microseconds: 1_600_000_000_000_000)
  static func after(_ seconds: Double) -> Timestamp { start + TimeSpan(seconds: seconds) }

  static func estimated(_ filter: inout BayesianFilter, _ time: Timestamp) throws -> FilteredRSSI {
    let estimate = filter.estimate(at: time)
    return try #require(estimate)
  }

  /// The filter as described, computed in doubles and without a table.
  struct Reference {
    var belief = [Double](repeating: 1.0 / 64, count: 64)
    var last: Double?

    mutating func add(_ rssi: Int, at second: Double) {
      if let last { pass(second - last) }
      last = second
      for level in belief.indices {
        belief[level] *= Self.likelihood(Double(rssi) - (-112 + 1.5 * Double(level)))
      }
      let sum = belief.reduce(0, +)
      for level in belief.indices { belief[level] /= sum }
    }

    private mutating func pass(_ seconds: Double) {
      let share = max(0.01 * seconds / (1 + 0.01 * seconds), 1e-6)
      let moved = min(0.25, 0.1 * seconds / (2 * 1.5 * 1.5))
      let old = belief
      for level in belief.indices {
        let neighbors = old[max(0, level - 1)] + old[min(63, level + 1)]
        let blurred = (1 - 2 * moved) * old[level] + moved * neighbors
        belief[level] = (1 - share) * blurred + share / 64
      }
    }

    static func likelihood(_ above: Double) -> Double {
      func density(_ x: Double) -> Double {
        DeterministicMath.exp(-x * x / (2 * 4.5 * 4.5)) / (4.5 * 2.5066282746310002)
      }
      let faded = (2...14).reduce(0.0) { $0 + density(above + Double($1)) } / 13
      return 0.98 * (0.82 * density(above) + 0.18 * faded) + 0.02 / 96
    }

    var mean: Double {
      belief.enumerated().reduce(0) { $0 + $1.element * (-112 + 1.5 * Double($1.offset)) }
    }
  }

  /// A channel with noise around a level and fades of one depth; the sum of twelve uniform numbers is nearly normal.
  static func report(_ level: Double, fade: Double, _ random: inout SplitMix64) -> Int8 {
    let noise = (0..<12).reduce(-6.0) { sum, _ in sum + .random(in: 0..<1, using: &random) }
    let faded = Double.random(in: 0..<1, using: &random) < 0.15
    return Int8((level + 4 * noise - (faded ? fade : 0)).rounded())
  }

  @Test(arguments: [UInt64(1), 2, 3])
  func `it equals its description in doubles`(_ seed: UInt64) throws {
    var random = SplitMix64(seed: seed)
    var (filter, reference) = (BayesianFilter(), Reference())
    var second = 0.0
    for step in 0..<Effort.rounds(2000) {
      second += Double(Int.random(in: 0...4_000_000, using: &random)) / 1e6
      let rssi = Int8.random(in: -111...(-19), using: &random)
      filter.add(rssi, at: Self.after(second))
      reference.add(Int(rssi), at: second)
      let ours = try Self.estimated(&filter, Self.after(second)).dBm
      #expect(abs(ours - reference.mean) < 0.01, "step \(step)")
    }
  }

  @Test(arguments: [4.0, 8, 12])
  func `fades of any depth do not pull a resting beacon away`(_ fade: Double) throws {
    var random = SplitMix64(seed: 20)
    var filter = BayesianFilter()
    var (sum, squares, count) = (0.0, 0.0, 0.0)
    for sample in 0..<9000 {
      let time = Self.after(Double(sample) / 3)
      filter.add(Self.report(-71, fade: fade, &random), at: time)
      guard sample > 90 else { continue }
      let error = try Self.estimated(&filter, time).dBm + 71
      sum += error
      squares += error * error
      count += 1
    }
    #expect(abs(sum / count) < 0.5)
    #expect((squares / count).squareRoot() < 1)
  }

  @Test(.slow, arguments: [4.0, 8, 12])
  func `at rest the interval holds the truth nine times in ten`(_ fade: Double) throws {
    var random = SplitMix64(seed: 30)
    var filter = BayesianFilter()
    var (held, count) = (0, 0)
    for second in 0..<20_000 {
      for report in 0..<3 {
        let time = Self.after(Double(second) + Double(report) / 3)
        filter.add(Self.report(-71, fade: fade, &random), at: time)
      }
      guard second > 60 else { continue }
      let estimate = try Self.estimated(&filter, Self.after(Double(second) + 0.9))
      let reach = DistanceEstimate.intervalDeviations * estimate.settledError
      if abs(estimate.dBm + 71) <= reach { held += 1 }
      count += 1
    }
    let share = 100 * Double(held) / Double(count)
    #expect(share > 85 && share < 95, "\(share) %")
  }

  @Test func `a beacon that starts to move widens its interval at once`() throws {
    var filter = BayesianFilter()
    for sample in 0..<300 {
      filter.add(-60, at: Self.after(Double(sample) / 3))
      _ = filter.estimate(at: Self.after(Double(sample) / 3))
    }
    let rest = try Self.estimated(&filter, Self.after(100))
    #expect(rest.settledError == rest.standardError / 2)
    for sample in 301..<310 { filter.add(-75, at: Self.after(Double(sample) / 3)) }
    let away = try Self.estimated(&filter, Self.after(103))
    #expect(away.settledError == away.standardError)
  }

  @Test(arguments: [(1.0, 6.0), (6, 1)])
  func `a step is followed within three seconds`(_ from: Double, _ to: Double) {
    func level(_ meters: Double) -> Double { -59 - 20 * DeterministicMath.log10(meters) }
    var late = 0
    for seed in 0..<100 {
      var random = SplitMix64(seed: UInt64(seed))
      var filter = BayesianFilter()
      for sample in 0..<60 {
        let rssi = Self.report(level(from), fade: 8, &random)
        filter.add(rssi, at: Self.after(Double(sample) / 3))
      }
      for sample in 60...69 {
        filter.add(Self.report(level(to), fade: 8, &random), at: Self.after(Double(sample) / 3))
      }
      let estimated = filter.estimate(at: Self.after(23))?.dBm ?? .nan
      if !(abs(estimated - level(to)) < 4) { late += 1 }
    }
    #expect(late < 10, "of 100")
  }

  @Test func `one outlier moves little and three of them much`() throws {
    var filter = BayesianFilter()
    for sample in 0..<60 { filter.add(-70, at: Self.after(Double(sample) / 3)) }
    let rest = try Self.estimated(&filter, Self.after(20)).dBm
    #expect(abs(rest + 70) < 1)
    filter.add(-95, at: Self.after(20.3))
    let moved = try Self.estimated(&filter, Self.after(20.3)).dBm
    #expect(abs(moved - rest) < 8)
    filter.add(-70, at: Self.after(20.6))
    let back = try Self.estimated(&filter, Self.after(20.6)).dBm
    #expect(abs(back - rest) < 1)
    for sample in 1...5 { filter.add(-95, at: Self.after(20.6 + Double(sample) / 3)) }
    let gone = try Self.estimated(&filter, Self.after(22.3)).dBm
    #expect(gone < -90)
  }

  @Test func `more reports raise the confidence and time lowers it`() throws {
    var filter = BayesianFilter()
    filter.add(-70, at: Self.start)
    let one = try Self.estimated(&filter, Self.start)
    #expect(one.standardError > 4 && abs(one.dBm + 70) < 3)
    for sample in 1...30 { filter.add(-70, at: Self.after(Double(sample) / 3)) }
    let many = try Self.estimated(&filter, Self.after(10))
    #expect(many.standardError < 1.5 && many.effectiveSamples > 5 * one.effectiveSamples)
    let later = try Self.estimated(&filter, Self.after(25))
    #expect(later.standardError > many.standardError && later.dBm == many.dBm)
  }

  @Test func `after a silence it starts again`() throws {
    var (filter, fresh) = (BayesianFilter(), BayesianFilter())
    for sample in 0..<30 { filter.add(-50, at: Self.after(Double(sample) / 3)) }
    let estimated = [29, 29.7].map { filter.estimate(at: Self.after($0)) }
    #expect(estimated[0] != nil && estimated[1] == nil)
    filter.add(-80, at: Self.after(40))
    fresh.add(-80, at: Self.after(40))
    let restarted = try Self.estimated(&filter, Self.after(40))
    let first = try Self.estimated(&fresh, Self.after(40))
    #expect(restarted == first)
  }

  @Test func `a time that goes back counts as the last`() {
    var (one, other) = (BayesianFilter(), BayesianFilter())
    for time in [3.0, 0, 1] { one.add(-70, at: Self.after(time)) }
    for _ in 0..<3 { other.add(-70, at: Self.after(3)) }
    let estimated = [one.estimate(at: Self.after(3)), one.estimate(at: Self.start)]
    #expect(estimated.allSatisfy { $0 != nil && $0 == other.estimate(at: Self.after(3)) })
  }

  @Test func `no number of reports at one instant makes a level impossible`() throws {
    var filter = BayesianFilter()
    for _ in 0..<10_000 { filter.add(-40, at: Self.start) }
    for _ in 0..<20 { filter.add(-100, at: Self.start) }
    let estimated = try Self.estimated(&filter, Self.start).dBm
    #expect(estimated < -95)
  }

  @Test func `a copy is another filter`() throws {
    var one = BayesianFilter()
    one.add(-70, at: Self.start)
    let before = try Self.estimated(&one, Self.start)
    var other = one
    for _ in 0..<9 { other.add(-50, at: Self.start) }
    let after = try Self.estimated(&one, Self.start)
    #expect(after == before)
    let copied = try Self.estimated(&other, Self.start).dBm
    #expect(copied > -60)
  }

  @Test func `odd numbers make usable parameters`() {
    let model = SignalModel(deviation: .nan, fadeShare: 7, deepestFade: -.infinity)
    #expect((model.deviation, model.fadeShare, model.deepestFade) == (1, 0.9, 2))
    let parameters = BayesianFilter.Parameters(
      model: model,
      changeRate: .nan,
      drift: .infinity,
      silence: .seconds(-1)
    )
    #expect(parameters.changeRate == 0.0001 && parameters.drift == 10)
    #expect(parameters.silence == .milliseconds(1))
    #expect(parameters != BayesianFilter.Parameters())
  }

  /// Every machine must compute exactly these bits.
  @Test func `the bits are the same everywhere`() throws {
    var random = SplitMix64(seed: 99)
    var filter = BayesianFilter()
    var digest: UInt64 = 0
    for sample in 0..<5000 {
      let time = Self.after(Double(sample) * 0.33)
      filter.add(Self.report(sample % 100 < 50 ? -60 : -75, fade: 8, &random), at: time)
      let estimated = try Self.estimated(&filter, time)
      digest = digest &* 31 &+ estimated.dBm.bitPattern
      digest = digest &* 31 &+ estimated.standardError.bitPattern
    }
    #expect(digest == 1_726_271_169_934_123_596)
  }
}
