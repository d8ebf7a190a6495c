// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

import BeaconTestSupport
import Testing

@testable import BeaconCore

@Suite struct PathLossTests {
  static let site = TwoPointCalibration(powerAtOneMeter: -60, powerAtFar: -81, farDistance: 10)
  static let models: [PathLoss] =
    AltBeaconCurve.allCases.map { .altBeacon($0) }
    + [1, 1.7, 2, 2.7, 4, 8, .nan, -3, .infinity].map { .logDistance(exponent: $0) }
    + [site.map { .twoPoint($0) }].compactMap(\.self)

  /// The table of Core Location's behavior: the distances of −45 to −80 dBm for a power of −59. Row R13.
  @Test(arguments: [
    (-45.0, 0.20, 0.07), (-65, 2.00, 2.01), (-68, 2.82, 2.80), (-69, 3.16, 3.12), (-80, 11.2, 9.5),
    (-59, 1.00, 1.01), (-50, 0.35, 0.19), (-71, 3.98, 3.86), (-90, 35.5, 23.4), (-100, 112, 52.7),
  ])
  func `published distances are met`(_ rssi: Double, _ log: Double, _ curve: Double) {
    func rounded(_ value: Double, like wanted: Double) -> Bool {
      let step = wanted >= 100 ? 1.0 : wanted >= 9 ? 0.1 : 0.01
      return abs(value - wanted) <= step / 2 + 1e-9
    }
    let free = PathLoss.standard.distance(rssi: rssi, measuredPower: -59)
    let legacy = PathLoss.altBeacon(.legacy).distance(rssi: rssi, measuredPower: -59)
    #expect(rounded(free, like: log), "\(free)")
    #expect(rounded(legacy, like: curve), "\(legacy)")
  }

  @Test(arguments: [
    (-50.0, 0.19, 0.19, 0.19), (-71, 2.07, 2.95, 0.40), (-80, 4.04, 6.15, 1.83),
    (-90, 8.46, 12.7, 5.58), (-100, 17.0, 24.4, 13.9), (-59, 0.97, 0.94, -0.27),
  ])
  func `other curves are as published`(
    _ rssi: Double,
    _ nexus: Double,
    _ motoX: Double,
    _ xt1092: Double
  ) {
    for (curve, wanted) in [(AltBeaconCurve.nexus, nexus), (.motoXPro, motoX), (.xt1092, xt1092)] {
      let distance = curve.publishedDistance(rssi: rssi, measuredPower: -59)
      #expect(abs(distance - wanted) <= (wanted > 9 ? 0.05 : 0.005) + 1e-9, "\(curve) \(distance)")
    }
  }

  @Test func `curves are fixed around one meter and untouched beyond`() {
    for curve in AltBeaconCurve.allCases {
      let model = PathLoss.altBeacon(curve)
      let atPower = model.distance(rssi: -59, measuredPower: -59)
      #expect(atPower >= 1 && atPower < 1.02, "\(curve)")
      #expect(model.distance(rssi: -58.99, measuredPower: -59) <= atPower)
      let far = curve.publishedDistance(rssi: -90, measuredPower: -59)
      #expect(model.distance(rssi: -90, measuredPower: -59) == far)
    }
  }

  @Test(arguments: [UInt64(1), 2, 3])
  func `distance is finite, never negative and never less for a weaker signal`(_ seed: UInt64) {
    var random = SplitMix64(seed: seed)
    for model in Self.models {
      for _ in 0..<200 {
        let power = Double.random(in: -127.9 ... -0.1, using: &random)
        var last = 0.0
        var rssi = 30.0
        while rssi > -140 {
          let distance = model.distance(rssi: rssi, measuredPower: power)
          #expect(distance.isFinite && distance >= last, "\(model) at \(rssi), power \(power)")
          #expect(distance <= PathLoss.maximumDistance)
          last = distance
          rssi -= Double.random(in: 0...3, using: &random)
        }
        // Around the joint, where the published curves fall.
        let seam = [0.01, 1e-9, 0, -1e-9, -0.01].map {
          model.distance(rssi: power + $0, measuredPower: power)
        }
        #expect(seam == seam.sorted(), "\(model), power \(power)")
      }
    }
  }

  @Test(arguments: [UInt64(4), 5])
  func `no number traps or escapes the range`(_ seed: UInt64) {
    var random = SplitMix64(seed: seed)
    for model in Self.models {
      for _ in 0..<Effort.rounds(5000) {
        let distance = model.distance(
          rssi: Double(bitPattern: random.next()),
          measuredPower: Double(bitPattern: random.next())
        )
        #expect(distance >= 0 && distance <= PathLoss.maximumDistance)
      }
      for odd in [Double.nan, .infinity, -.infinity, 0, -0.0] {
        for other in [odd, -59] {
          for (rssi, power) in [(odd, other), (other, odd)] {
            let distance = model.distance(rssi: rssi, measuredPower: power)
            #expect(distance >= 0 && distance <= PathLoss.maximumDistance)
          }
        }
      }
    }
  }

  @Test func `a site's two points lie on its law`() throws {
    let site = try #require(Self.site)
    #expect(abs(site.exponent - 2.1) < 1e-12)
    let model = PathLoss.twoPoint(site)
    #expect(model.distance(rssi: -60, measuredPower: -60) == 1)
    #expect(abs(model.distance(rssi: -81, measuredPower: -60) - 10) < 1e-9)
  }

  @Test(arguments: [
    (-60.0, -60.0, 10.0), (-60, -50, 10), (0, -70, 10), (-60, -128, 10), (-60, -80, 1),
    (-60, -80, .nan), (-60, -80, .infinity), (.nan, -80, 10), (-60, .nan, 10),
  ])
  func `two points that define no law are refused`(_ one: Double, _ far: Double, _ distance: Double)
  {
    #expect(
      TwoPointCalibration(powerAtOneMeter: one, powerAtFar: far, farDistance: distance) == nil
    )
  }

  @Test(arguments: [UInt64(6), 7])
  func `an interval contains the distance and widens with uncertainty`(_ seed: UInt64) {
    var random = SplitMix64(seed: seed)
    for model in Self.models {
      for _ in 0..<500 {
        let rssi = Double.random(in: -128...20, using: &random)
        let power = Double.random(in: -127.9 ... -0.1, using: &random)
        let error = Double.random(in: 0.01...12, using: &random)
        func estimate(_ error: Double, settled: Double? = nil) -> DistanceEstimate {
          DistanceEstimate(
            rssi: FilteredRSSI(
              dBm: rssi,
              standardError: error,
              effectiveSamples: 1,
              settledError: settled
            ),
            measuredPower: power,
            pathLoss: model
          )
        }
        let (one, doubtful) = (estimate(error), estimate(error * 2))
        let settled = estimate(error * 2, settled: error)
        #expect(settled == one, "the interval follows from the settled error")
        #expect(
          0 <= one.low && one.low <= one.meters && one.meters <= one.high && one.high.isFinite
        )
        #expect(doubtful.low <= one.low && doubtful.high >= one.high)
      }
    }
  }

  @Test func `the interval adds squares of decibels`() {
    let rssi = FilteredRSSI(dBm: -65, standardError: 3, effectiveSamples: 5)
    let estimate = DistanceEstimate(rssi: rssi, measuredPower: -59, pathLoss: .standard)
    // 3 and 4 dB make 5; 1.645 of these are 8.225 dB, a factor of 2.578 in free space.
    #expect(abs(estimate.meters - 1.995_26) < 1e-5)
    #expect(abs(estimate.high / estimate.meters - 2.577_8) < 1e-3)
    #expect(abs(estimate.meters / estimate.low - 2.577_8) < 1e-3)
  }

  /// Row R10.
  @Test(arguments: [
    (-45.0, Proximity.immediate), (-65, .near), (-68, .near), (-69, .far), (-80, .far),
  ])
  func `both models give Core Location's zones`(_ rssi: Double, _ zone: Proximity) {
    for model in [PathLoss.standard, .altBeacon(.legacy)] {
      var classifier = ProximityClassifier()
      let meters = model.distance(rssi: rssi, measuredPower: -59)
      #expect(classifier.update(meters, at: .earliest, by: .coreLocation) == zone, "\(model)")
    }
  }

  @Test func `models are found by their names`() {
    #expect(PathLoss.names.count == 5)
    for name in PathLoss.names {
      #expect(PathLoss(named: name)?.name == name)
    }
    #expect(PathLoss(named: "logDistance") == .standard)
    #expect(PathLoss(named: "altBeacon") == nil)
  }

  @Test func `an offset moves the value and not its error`() {
    let rssi = FilteredRSSI(dBm: -65, standardError: 3, effectiveSamples: 5, settledError: 2)
    #expect(
      rssi.shifted(by: -4.5)
        == FilteredRSSI(dBm: -69.5, standardError: 3, effectiveSamples: 5, settledError: 2)
    )
  }

  @Test func `two receivers' errors add by their weights, settled or not`() {
    let one = FilteredRSSI(dBm: -60, standardError: 3, effectiveSamples: 1, settledError: 1.5)
    let other = FilteredRSSI(dBm: -70, standardError: 4, effectiveSamples: 1, settledError: 2)
    let both = one.combined(with: other)
    #expect(both.dBm == -65 && both.standardError == 2.5 && both.settledError == 1.25)
  }
}
