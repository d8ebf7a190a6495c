// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

import BeaconTestSupport
import Testing

@testable import BeaconCore

@Suite struct RSSIFilterTests {
  static let start = Timestamp(microseconds: 1_600_000_000_000_000)
  static let all: [RSSIFilterConfiguration] = RSSIFilterConfiguration.names.compactMap {
    RSSIFilterConfiguration(named: $0)
  }
  /// The filters whose result for one sample is its own value; the Bayesian filter allows for a fade.
  static let plain = all.filter { $0.name != "bayes" }

  static func after(_ seconds: Double) -> Timestamp { start + TimeSpan(seconds: seconds) }

  @Test func `every name is read back`() {
    #expect(Self.all.map(\.name) == RSSIFilterConfiguration.names)
    #expect(RSSIFilterConfiguration(named: "mean") == nil)
    #expect(RSSIFilterConfiguration.standard == RSSIFilterConfiguration(named: "bayes"))
  }

  @Test(arguments: [UInt64(1), 2, 3, 4, 5, 6])
  func `windows equal their plain reference at every step`(_ seed: UInt64) {
    var random = SplitMix64(seed: seed)
    var reference = WindowReference()
    var altBeacon = RSSIFilterConfiguration.altBeacon(AltBeaconFilter.Parameters()).makeFilter()
    var trimmed = RSSIFilterConfiguration.trimmedWindow(
      TrimmedWindowFilter.Parameters(sampleCap: 4096)
    ).makeFilter()
    var time = Self.start
    for step in 0..<3000 {
      // Repeated times, ordinary gaps, pauses longer than one slot can hold, and silences longer than every window.
      let gap: TimeSpan =
        switch Int.random(in: 0..<100, using: &random) {
        case 0..<20: .zero
        case 20..<95: TimeSpan(microseconds: .random(in: 1...700_000, using: &random))
        case 95..<99: TimeSpan(microseconds: .random(in: 1_000_000...19_999_999, using: &random))
        default: TimeSpan(microseconds: .random(in: 16_777_214...45_000_000, using: &random))
        }
      time = time + gap
      let rssi = Int8.random(in: -128...126, using: &random)
      reference.add(rssi, at: time)
      altBeacon.add(rssi, at: time)
      trimmed.add(rssi, at: time)
      reference.samples.removeAll { time.microseconds - $0.time > 60_000_000 }
      guard step % 3 == 0 else { continue }
      let asked = time + TimeSpan(microseconds: .random(in: 0...300_000, using: &random))
      time = asked
      #expect(altBeacon.estimate(at: asked)?.dBm == reference.altBeacon(at: asked), "step \(step)")
      #expect(trimmed.estimate(at: asked)?.dBm == reference.trimmed(at: asked), "step \(step)")
    }
  }

  @Test func `AltBeacon drops a tenth and one more at each end by whole division`() {
    var filter = AltBeaconFilter()
    let rows: [(add: Int8, mean: Double)] = [
      (-60, -60), (-70, -65), (-90, -70), (-50, -65), (-100, -220.0 / 3), (-40, -67.5),
      (-71, -341.0 / 5), (-72, -413.0 / 6), (-73, -486.0 / 7),
      // Of ten samples, two are removed at each end.
      (-74, -70),
    ]
    for (index, row) in rows.enumerated() {
      filter.add(row.add, at: Self.after(Double(index)))
      #expect(
        filter.estimate(at: Self.after(Double(index)))?.dBm == row.mean,
        "\(index + 1) samples"
      )
    }
  }

  @Test(arguments: [
    (RSSIFilterConfiguration.trimmedWindow(TrimmedWindowFilter.Parameters()), 6.0),
    (.altBeacon(AltBeaconFilter.Parameters()), 20),
    (.kalman(KalmanFilter.Parameters()), 20),
    (.latest(LatestFilter.Parameters()), 6),
  ])
  func `a sample counts until it is as old as the window is long`(
    _ configuration: RSSIFilterConfiguration,
    _ window: Double
  ) {
    var filter = configuration.makeFilter()
    #expect(filter.estimate(at: Self.start) == nil)
    filter.add(-70, at: Self.start)
    #expect(filter.estimate(at: Self.start)?.dBm == -70)
    #expect(filter.estimate(at: Self.after(window - 0.000_001))?.dBm == -70)
    #expect(filter.estimate(at: Self.after(window)) == nil)
    filter.add(-60, at: Self.after(window))
    #expect(filter.estimate(at: Self.after(window))?.dBm == -60)
  }

  @Test func `the oldest samples leave one by one`() {
    var filter = TrimmedWindowFilter(.init(lowPercent: 0, highPercent: 0))
    for second in 0..<6 { filter.add(Int8(-80 + second), at: Self.after(Double(second))) }
    #expect(filter.estimate(at: Self.after(5.9))?.dBm == -77.5)
    #expect(filter.estimate(at: Self.after(6))?.dBm == -77)
    #expect(filter.estimate(at: Self.after(10.9))?.effectiveSamples == 1)
    #expect(filter.estimate(at: Self.after(11)) == nil)
  }

  @Test(arguments: [UInt64(7), 8, 9])
  func `the order of samples within one time does not matter to a window`(_ seed: UInt64) {
    var random = SplitMix64(seed: seed)
    for _ in 0..<200 {
      let values = (0..<Int.random(in: 1...40, using: &random)).map { _ in
        Int8.random(in: -100...(-30), using: &random)
      }
      for configuration in Self.all where ["trimmed", "altbeacon"].contains(configuration.name) {
        var (one, other) = (configuration.makeFilter(), configuration.makeFilter())
        for value in values { one.add(value, at: Self.start) }
        for value in values.shuffled(using: &random) { other.add(value, at: Self.start) }
        #expect(one.estimate(at: Self.start) == other.estimate(at: Self.start))
      }
    }
  }

  @Test(arguments: [UInt64(10), 11])
  func `any time and any byte are survived and every estimate is finite`(_ seed: UInt64) {
    var random = SplitMix64(seed: seed)
    for configuration in Self.all {
      var filter = configuration.makeFilter()
      for _ in 0..<5000 {
        let wild = Int.random(in: 0..<10, using: &random) == 0
        let micros: Int64 =
          wild
          ? .random(in: .min ... .max, using: &random) : .random(in: 0...3e7.asInt, using: &random)
        let time = Timestamp(microseconds: micros)
        filter.add(Int8.random(in: -128...127, using: &random), at: time)
        if let estimate = filter.estimate(at: time) {
          #expect(estimate.dBm >= -128 && estimate.dBm <= 126)
          #expect(estimate.standardError > 0 && estimate.standardError.isFinite)
          #expect(estimate.settledError > 0 && estimate.settledError <= estimate.standardError)
          #expect(estimate.effectiveSamples >= 1 && estimate.effectiveSamples.isFinite)
        }
      }
    }
  }

  @Test func `a time that goes back counts as the last`() {
    for configuration in Self.plain {
      var filter = configuration.makeFilter()
      filter.add(-70, at: Self.after(3))
      filter.add(-70, at: Self.start)
      #expect(filter.estimate(at: Self.start)?.dBm == -70, "\(configuration.name)")
      #expect(filter.estimate(at: Self.after(8.9))?.dBm == -70, "\(configuration.name)")
    }
  }

  @Test func `not available is no sample`() {
    for configuration in Self.all {
      var filter = configuration.makeFilter()
      filter.add(127, at: Self.start)
      #expect(filter.estimate(at: Self.start) == nil, "\(configuration.name)")
    }
  }

  @Test func `beyond the cap the latest samples are kept`() {
    var filter = TrimmedWindowFilter(.init(lowPercent: 0, highPercent: 0))
    for index in 0..<1000 {
      filter.add(index < 936 ? -90 : -50, at: Self.after(Double(index) / 1000))
    }
    let estimate = filter.estimate(at: Self.after(1))
    #expect(estimate?.dBm == -50 && estimate?.effectiveSamples == 64)
  }

  @Test func `fades are dropped and glitches too`() {
    var filter = TrimmedWindowFilter()
    for (index, rssi) in [Int8(-70), -95, -71, -92, -69, -96, -70, -30, -71, -70].enumerated() {
      filter.add(rssi, at: Self.after(Double(index) / 2))
    }
    #expect(filter.estimate(at: Self.after(5))?.dBm == -421.0 / 6)
  }

  @Test(arguments: [UInt64(12), 13])
  func `the standard error is that of the winsorized samples`(_ seed: UInt64) {
    var random = SplitMix64(seed: seed)
    for count in 1...64 {
      var filter = TrimmedWindowFilter()
      var reference = WindowReference()
      for _ in 0..<count {
        let rssi = Int8.random(in: -100...(-30), using: &random)
        filter.add(rssi, at: Self.start)
        reference.add(rssi, at: Self.start)
      }
      let wanted = WindowReference.standardError(
        reference.sorted(at: Self.start, window: .seconds(6)),
        low: count * 30 / 100,
        high: count * 10 / 100
      )
      let ours = filter.estimate(at: Self.start)?.standardError ?? .nan
      #expect(abs(ours - wanted) < 1e-9, "\(count) samples")
    }
  }

  @Test func `more samples raise the confidence and larger spread lowers it`() throws {
    func error(_ count: Int, spread: Int8) throws -> Double {
      var filter = TrimmedWindowFilter()
      for index in 0..<count {
        filter.add(-70 + (index % 2 == 0 ? spread : -spread), at: Self.after(Double(index) / 20))
      }
      let estimate = filter.estimate(at: Self.after(4))
      return try #require(estimate).standardError
    }
    #expect(try error(1, spread: 0) > FilteredRSSI.assumedDeviation)
    #expect(try error(30, spread: 4) < error(5, spread: 4))
    #expect(try error(30, spread: 8) > 1.5 * error(30, spread: 4))
  }

  @Test func `a copied filter is another filter`() {
    for configuration in Self.plain {
      var one = configuration.makeFilter()
      one.add(-70, at: Self.start)
      var other = one
      other.add(-60, at: Self.after(1))
      #expect(one.estimate(at: Self.after(1))?.dBm == -70, "\(configuration.name)")
      #expect(other.estimate(at: Self.after(1))?.dBm != -70, "\(configuration.name)")
    }
  }

  @Test func `the Kalman filter agrees with other implementations`() throws {
    var filter = KalmanFilter()
    var (value, variance) = (-70.0, 4.0)
    filter.add(-70, at: Self.start)
    for (index, rssi) in [Int8(-60), -62, -80, -75, -70].enumerated() {
      filter.add(rssi, at: Self.after(Double(index) * 2))
      let predicted = variance + Double(Float(0.008))
      let gain = predicted / (predicted + 4)
      value += gain * (Double(rssi) - value)
      variance = predicted - gain * predicted
    }
    let estimate = filter.estimate(at: Self.after(10))
    #expect(try abs(#require(estimate).dBm - value) < 1e-9)
    #expect(try abs(#require(estimate).standardError - variance.squareRoot()) < 1e-9)
  }

  @Test func `drift makes a silent Kalman filter less confident and quicker`() throws {
    var (still, drifting) = (KalmanFilter(), KalmanFilter(.init(drift: 1)))
    for index in 0..<20 {
      still.add(-70, at: Self.after(Double(index) / 10))
      drifting.add(-70, at: Self.after(Double(index) / 10))
    }
    let (soon, later) = (drifting.estimate(at: Self.after(2)), drifting.estimate(at: Self.after(8)))
    #expect(try #require(later).standardError > #require(soon).standardError)
    still.add(-60, at: Self.after(8))
    drifting.add(-60, at: Self.after(8))
    let (slow, quick) = (still.estimate(at: Self.after(8)), drifting.estimate(at: Self.after(8)))
    #expect(try #require(quick).dBm > #require(slow).dBm + 3)
  }

  @Test func `a filter stays small`() {
    #expect(MemoryLayout<TrimmedWindowFilter>.size <= 40)
    // It stores the Bayesian filter's levels itself; a track keeps every other filter in a box.
    #expect(MemoryLayout<RSSIFilter>.stride <= 160)
  }
}

extension Double {
  fileprivate var asInt: Int64 { Int64(self) }
}
