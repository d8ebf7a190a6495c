// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

import BeaconTestSupport
import Testing

@testable import BeaconCore

@Suite struct ProximityTests {
  /// A quarter of the distance and three seconds, without the filter's error.
  static let byShare = ProximityRule(hysteresis: 0.25, dwell: .seconds(3), certainty: 0)

  /// Classifies one distance each second and writes the results: unknown -, immediate I, near N, far F.
  static func timeline(_ meters: [Double?], by rule: ProximityRule) -> String {
    var classifier = ProximityClassifier()
    return String(
      meters.enumerated().map { second, distance -> Character in
        let time = Timestamp(microseconds: Int64(second) * 1_000_000)
        return switch classifier.update(distance, at: time, by: rule) {
        case .unknown: "-"
        case .immediate: "I"
        case .near: "N"
        case .far: "F"
        }
      }
    )
  }

  /// Row R9.
  @Test func `raw values and names are Core Location's`() {
    #expect(Proximity.allCases.map(\.rawValue) == [0, 1, 2, 3])
    #expect(Proximity.allCases.map(\.name) == ["unknown", "immediate", "near", "far"])
  }

  @Test func `without hysteresis and dwell the limits are plain and belong to the nearer zone`() {
    let meters: [Double?] = [0, 0.5, 0.500_001, 3, 3.000_001, 1000, nil, 3, 0.5, .nan, 9]
    #expect(Self.timeline(meters, by: .coreLocation) == "IINNFF-NI-F")
  }

  @Test(arguments: [UInt64(1), 2])
  func `the plain rule has no memory`(_ seed: UInt64) {
    var random = SplitMix64(seed: seed)
    var classifier = ProximityClassifier()
    for second in 0..<2000 {
      let meters = Double.random(in: 0...5, using: &random)
      let wanted: Proximity = meters <= 0.5 ? .immediate : meters <= 3 ? .near : .far
      let time = Timestamp(microseconds: Int64(second) * 1_000_000)
      #expect(classifier.update(meters, at: time, by: .coreLocation) == wanted)
    }
  }

  @Test func `the first zone applies at once and a change only after the dwell time`() {
    #expect(Self.timeline([2, 5, 5, 5, 5], by: Self.byShare) == "NNNNF")
    #expect(Self.timeline([5, 1, 1, 1, 1], by: Self.byShare) == "FFFFN")
  }

  @Test func `a limit is left farther out than it is entered`() {
    let rule = ProximityRule(hysteresis: 0.25, dwell: .zero)
    #expect(Self.timeline([2.9, 3.7, 3.75, 3.76, 3.1, 2.41, 2.4], by: rule) == "NNNFFFN")
    #expect(Self.timeline([0.6, 0.41, 0.4, 0.62, 0.63], by: rule) == "NNIIN")
  }

  @Test func `turning back starts the dwell again`() {
    #expect(Self.timeline([2, 5, 5, 2, 5, 5, 5, 5], by: Self.byShare) == "NNNNNNNF")
  }

  @Test func `walking on through a second zone does not`() {
    // A distance within the opposite zone counts as near at once.
    #expect(Self.timeline([0.2, 1, 1, 9, 9], by: Self.byShare) == "IIINF")
    #expect(Self.timeline([9, 1, 9, 0.2, 1, 0.2, 2], by: Self.byShare) == "FFFNNNN")
    #expect(Self.timeline([1, 9, 0.1, 9, 0.1, 9, 9, 9, 9], by: Self.byShare) == "NNNNNNNNF")
  }

  @Test func `unknown applies at once and the zone before is remembered for a minute`() {
    #expect(Self.timeline([5, nil, 2.9, nil, 2.3], by: Self.byShare) == "F-F-N")
    for (seconds, zone) in [(60, Proximity.far), (61, .near)] {
      var classifier = ProximityClassifier()
      for meters in [5, nil] as [Double?] {
        _ = classifier.update(meters, at: Timestamp(microseconds: 0), by: Self.byShare)
      }
      // A later absence does not start the minute again.
      let later = Timestamp(microseconds: 30_000_000)
      _ = classifier.update(nil as Double?, at: later, by: Self.byShare)
      let returned = Timestamp(microseconds: Int64(seconds) * 1_000_000)
      #expect(classifier.update(2.9, at: returned, by: Self.byShare) == zone)
    }
  }

  /// Row R21.
  @Test func `a beacon that has stayed changes its zone for a walk at once, for less after 20 s`() {
    func seconds(after stay: Int, at meters: Double, by rule: ProximityRule) -> Int? {
      var classifier = ProximityClassifier()
      func update(_ meters: Double, _ second: Int) -> Proximity {
        let time = Timestamp(microseconds: Int64(second) * 1_000_000)
        return classifier.update(meters, at: time, by: rule)
      }
      for second in 0..<stay { _ = update(2.5, second) }
      return (0..<60).first { update(meters, stay + $0) == .far }
    }
    #expect(seconds(after: 60, at: 3.5, by: .standard) == 20)
    #expect(seconds(after: 60, at: 4.9, by: .standard) == 20)
    #expect(seconds(after: 60, at: 5.1, by: .standard) == 1)
    #expect(seconds(after: 29, at: 3.5, by: .standard) == 1)
    // Core Location's rule has no part in it.
    #expect(seconds(after: 60, at: 3.5, by: .coreLocation) == 0)
  }

  /// A distance whose filter has an error of 2 dB, with the interval that is delivered.
  private static func estimate(
    _ meters: Double
  ) -> (reach: DistanceReach, interval: DistanceEstimate) {
    let dBm = -59 - 20 * DeterministicMath.log10(meters)
    let rssi = FilteredRSSI(dBm: dBm, standardError: 2, effectiveSamples: 6)
    return (
      DistanceReach(rssi, measuredPower: -59, pathLoss: .standard, deviations: 1.645),
      DistanceEstimate(rssi: rssi, measuredPower: -59, pathLoss: .standard, shadowing: 5)
    )
  }

  /// Classifies one distance each second as the engine does; a negative one is that of a silent beacon.
  private static func engineTimeline(_ meters: [Double]) -> String {
    var classifier = ProximityClassifier()
    return String(
      meters.enumerated().map { second, meters -> Character in
        let (reach, interval) = estimate(abs(meters))
        let zone = classifier.update(
          reach,
          interval: interval,
          silentFor: meters < 0 ? .seconds(1) : .zero,
          at: Timestamp(microseconds: Int64(second) * 1_000_000),
          by: .standard
        )
        return zone.name.first ?? "-"
      }
    )
  }

  /// Row R22.
  @Test func `the first reports decide no zone`() {
    // One strong report, then a rest beyond the limit by less than the filter's error.
    #expect(Self.engineTimeline([0.3] + Array(repeating: 0.61, count: 5)) == "innnnn")
    // Ten seconds with reports are thin; silence adds nothing to them.
    let thin = Array(repeating: 2.5, count: 9)
    #expect(Self.engineTimeline(thin + [3.3]).last == "f")
    #expect(Self.engineTimeline(thin + [2.5, 3.3]).last == "n")
    #expect(Self.engineTimeline(thin + Array(repeating: -2.5, count: 9) + [3.3]).last == "f")
  }

  /// Row R22.
  @Test func `a zone is not held against the evidence`() {
    let stay = Array(repeating: 2.5, count: 20)
    let held = Self.engineTimeline(stay + Array(repeating: 3.3, count: 70))
    #expect(held.firstIndex(of: "f") == held.index(held.startIndex, offsetBy: 80))
    // As often within as beyond, it is held for as long as one likes.
    let between = (0..<400).map { $0 % 2 == 0 ? 3.3 : 2.7 }
    #expect(!Self.engineTimeline(stay + between).contains("f"))
    // In silence for five seconds.
    let silent = Self.engineTimeline(stay + [3.3] + Array(repeating: -3.3, count: 6))
    #expect(silent.hasSuffix("nnnnnff"))
    // Not at all if the interval excludes it.
    #expect(Self.engineTimeline(stay + [9]).last == "f")
    #expect(Self.engineTimeline(stay + [5]).last == "n")
  }

  /// Row R22.
  @Test func `a zone is held if its distance is printed in another one`() {
    let rule = ProximityRule.standard
    #expect(rule.isHeld(.near, at: 3.01) && rule.isHeld(.far, at: 3) && rule.isHeld(.far, at: 0.2))
    #expect(!rule.isHeld(.near, at: 3) && !rule.isHeld(.far, at: 3.01))
    // In centimeters: 3.004 is printed as 3.00.
    #expect(rule.isHeld(.far, at: 3.004) && !rule.isHeld(.near, at: 3.004))
    #expect(!ProximityRule.coreLocation.isHeld(.far, at: 3.004))
  }

  /// Row R22.
  @Test func `near every limit a held zone is another one than that of the printed distance`() {
    for (immediate, near) in [(0.5, 3.0), (0, 0), (2, 2), (0.011, 0.02), (4.35, 1000)] {
      let rule = ProximityRule(immediateLimit: immediate, nearLimit: near)
      for limit in [0, immediate, near, 2 * near] {
        for step in -40...40 {
          let meters = min(max(0, limit + Double(step) * 0.0007), 1000)
          let printed = Double(Int(meters * 100 + 0.5)) / 100
          for zone in [Proximity.unknown, .immediate, .near, .far] {
            #expect(rule.isHeld(zone, at: meters) == (rule.plainZone(of: printed) != zone))
          }
        }
      }
    }
  }

  @Test func `unknown starts the dwell again`() {
    #expect(Self.timeline([2, nil, 5, nil, nil, 3.5], by: Self.byShare) == "N-F--F")
    #expect(Self.timeline([2, 5, 5, nil, 2.9, 5], by: Self.byShare) == "NNN-NN")
  }

  @Test func `odd numbers make a usable rule`() {
    let rule = ProximityRule(
      immediateLimit: .nan,
      nearLimit: -1,
      hysteresis: .nan,
      dwell: TimeSpan(microseconds: -5),
      certainty: .nan
    )
    let usable = ProximityRule(
      immediateLimit: 0.5,
      nearLimit: 0.5,
      hysteresis: 0,
      dwell: .zero,
      certainty: 0
    )
    #expect(rule == usable)
    #expect(ProximityRule(certainty: .infinity).certainty == ProximityRule.largestCertainty)
    #expect(ProximityRule(hysteresis: .infinity).hysteresis == ProximityRule.largestHysteresis)
  }

  @Test func `a time that goes back does not trap`() {
    var classifier = ProximityClassifier()
    _ = classifier.update(2, at: .latest, by: Self.byShare)
    _ = classifier.update(9, at: .latest, by: Self.byShare)
    #expect(classifier.update(9, at: .earliest, by: Self.byShare) == .near)
  }

  @Test func `a zone changes only when the filter is confident, in both directions`() {
    let rule = ProximityRule(dwell: .zero)
    func classified(_ dBm: Double, error: Double, in zone: ProximityClassifier) -> Proximity {
      var zone = zone
      // Even while standing still, the zone uses the error that includes a walk, and 2 dB by which a level wanders.
      let rssi = FilteredRSSI(
        dBm: dBm,
        standardError: error,
        effectiveSamples: 1,
        settledError: error / 2
      )
      let reach = DistanceReach(
        rssi,
        measuredPower: -59,
        pathLoss: .standard,
        deviations: rule.certainty
      )
      return zone.update(reach, at: Timestamp(microseconds: 0), by: rule)
    }
    var (near, far, immediate) = (
      ProximityClassifier(), ProximityClassifier(), ProximityClassifier()
    )
    _ = near.update(2, at: .earliest, by: rule)
    _ = far.update(9, at: .earliest, by: rule)
    _ = immediate.update(0.1, at: .earliest, by: rule)
    // 3 m are -68.54 dBm at this power and exponent, half a meter -52.98.
    #expect(
      classified(-72.5, error: 1, in: near) == .far
        && classified(-72.5, error: 2, in: near) == .near
    )
    #expect(
      classified(-64.5, error: 1, in: far) == .near && classified(-64.5, error: 2, in: far) == .far
    )
    #expect(
      classified(-48.9, error: 1, in: near) == .immediate
        && classified(-48.9, error: 2, in: near) == .near
    )
    #expect(classified(-72.5, error: 2, in: immediate) == .near)
    #expect(classified(-56, error: 3, in: immediate) == .immediate)
    #expect(classified(-30, error: 2, in: far) == .immediate)
  }

  @Test func `the zone of a beacon that has stood still changes only well beyond the limit`() {
    func reach(settled: Double) -> DistanceReach {
      let rssi = FilteredRSSI(
        dBm: -70.6,
        standardError: 0.5,
        effectiveSamples: 100,
        settledError: settled
      )
      return DistanceReach(rssi, measuredPower: -59, pathLoss: .standard, deviations: 1.645)
    }
    // 2 dB beyond the limit of 3 m.
    #expect(ProximityRule.standard.zone(of: reach(settled: 0.5), from: .near) == .far)
    #expect(ProximityRule.standard.zone(of: reach(settled: 0.25), from: .near) == .near)
  }
}
