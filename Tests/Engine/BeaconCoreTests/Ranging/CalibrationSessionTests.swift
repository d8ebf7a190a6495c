// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

import BeaconTestSupport
import Testing

@testable import BeaconCore

@Suite struct CalibrationSessionTests {
  /// Two minutes of the seeded channel at a distance: three reports a second, 4 dB of noise, 15 % of fades.
  static func session(
    at meters: Double,
    power: Double = -59,
    exponent: Double = 2,
    fade: Double = 8,
    seconds: Int = 120,
    seed: UInt64
  ) -> CalibrationSession {
    var random = SplitMix64(seed: seed)
    var session = CalibrationSession(at: meters)
    let level = power - 10 * exponent * DeterministicMath.log10(meters)
    for _ in 0..<seconds * 3 {
      session.add(BayesianFilterTests.report(level, fade: fade, &random))
    }
    return session
  }

  /// The power is the mean, as makers announce it: 15 % of the reports are faded.
  /// Of fades deeper than usual some remain out of the mean.
  @Test(arguments: [(4.0, 1.0), (8, 1), (12, 1.5)])
  func `the channel's power is found within a decibel and its exponent within a fifth`(
    _ fade: Double,
    _ decibels: Double
  ) throws {
    let mean = -59 - 0.15 * fade
    for seed in UInt64(0)..<UInt64(Effort.rounds(20)) {
      let exponent = 1.6 + Double(seed) / 10
      let near = Self.session(at: 1, exponent: exponent, fade: fade, seed: seed)
      let far = Self.session(at: 8, exponent: exponent, fade: fade, seed: 100 + seed)
      #expect(near.verdict.isUsable && far.verdict.isUsable)
      var survey = SiteSurvey()
      survey.add(near)
      survey.add(far)
      let fit = try #require(survey.fit)
      #expect(abs(fit.powerAtOneMeter - mean) < decibels, "seed \(seed)")
      #expect(abs(fit.exponent - exponent) < 0.2, "seed \(seed)")
      #expect(fit.shadowing == nil)
      // √2 · 4 dB over 9 dB, which is ten times the decades from 1 to 8 m.
      #expect(abs(fit.exponentError - 0.626) < 0.001)
      let model = try #require(fit.calibration)
      #expect(abs(model.exponent - fit.heldExponent) < 1e-9)
      // Two places determine an exponent only this well: a value far from 2 gets a weight of two fifths.
      #expect(abs(fit.heldExponent - 2 - 0.39 * (fit.exponent - 2)) < 0.01)
      let power = try #require(near.measuredPower(exponent: fit.exponent))
      #expect(abs(power - mean) < decibels, "seed \(seed)")
    }
  }

  @Test func `a session at another distance finds the power at one meter`() throws {
    let session = Self.session(at: 3, exponent: 2.5, seed: 5)
    let power = try #require(session.measuredPower(exponent: 2.5))
    #expect(abs(power + 59 + 0.15 * 8) < 1)
  }

  @Test func `twenty samples are needed`() {
    var session = CalibrationSession()
    #expect(session.verdict == .wait(20) && session.level == nil && session.median == nil)
    for _ in 0..<19 { session.add(-60) }
    session.add(127)
    #expect(
      session.verdict == .wait(1) && session.verdict.description == "1 more sample: stand still"
    )
    session.add(-60)
    #expect(session.verdict == .steady(0) && session.verdict.isUsable)
  }

  @Test(arguments: [
    (2, "spread 2 dB: good"), (7, "spread 7 dB: usable; turn a little and try again"),
    (11, "level ± 2 dB: turn it, clear the line, or take more samples"),
  ])
  func `spread and standard error decide the verdict`(_ spread: Int, _ sentence: String) {
    var session = CalibrationSession()
    for index in 0..<30 { session.add(Int8(-60 + (index % 2 == 0 ? spread : -spread))) }
    #expect(session.verdict.description == sentence)
    #expect(session.verdict.isUsable == (spread < 9))
  }

  @Test func `the level of many samples is certain, however they scatter`() throws {
    var session = CalibrationSession()
    for index in 0..<400 { session.add(Int8(-60 + (index % 2 == 0 ? 11 : -11))) }
    #expect(session.verdict == .uneven(11) && session.verdict.isUsable)
    #expect(try #require(session.standardError) < 0.6)
  }

  @Test(arguments: [(Int8(-5), false), (-19, false), (-60, true), (-105, false)])
  func `what no beacon has at a meter is not believed`(_ rssi: Int8, _ isUsable: Bool) {
    var session = CalibrationSession()
    for _ in 0..<40 { session.add(rssi) }
    #expect(session.verdict.isUsable == isUsable)
  }

  @Test func `median and spread are those of the samples`() {
    var session = CalibrationSession()
    for rssi in [Int8(-60), -70, -50] { session.add(rssi) }
    #expect(session.median == -60)
    session.add(-61)
    #expect(session.median == -60.5)
    for rssi in Int8(-69)...(-62) { session.add(rssi) }
    #expect(session.spread == 4)
  }

  @Test func `a survey of many places finds law and shadowing`() throws {
    var survey = SiteSurvey()
    for meters in [0.5, 1, 2, 4, 8] {
      let decades = DeterministicMath.log10(meters)
      survey.add(level: -60 - 24 * decades + (meters == 2 ? 3 : 0), at: meters)
    }
    let fit = try #require(survey.fit)
    #expect(abs(fit.exponent - 2.4) < 0.001)
    #expect(abs(fit.powerAtOneMeter + 59.4) < 0.1)
    #expect(try abs(#require(fit.shadowing) - 1.55) < 0.01)
    // The root of 6 · 16 and 3 · 2.4 dB² by nine degrees of freedom, divided by ten times the root of the sum of squared
    // decades around their mean.
    #expect(abs(fit.exponentError - 0.356) < 0.001)
  }

  @Test func `the law to range by goes through the middle of the places`() throws {
    var survey = SiteSurvey()
    survey.add(level: -60, at: 1)
    survey.add(level: -81, at: 10)
    let two = try #require(survey.fit)
    #expect(abs(two.exponent - 2.1) < 1e-9)
    // 0.25 for 0.25 + 0.32: 4 dB of shadowing at both ends of a decade.
    #expect(abs(two.heldExponent - 2.0439) < 0.001)
    #expect(abs(two.heldPower + 10 * -two.heldExponent * 0.5 + 70.5) < 1e-9)
    // Five places that agree get two thirds of the weight: by chance they may agree too well.
    survey = SiteSurvey()
    for meters in [0.5, 1, 2, 4, 8] {
      survey.add(level: -60 - 35 * DeterministicMath.log10(meters), at: meters)
    }
    let five = try #require(survey.fit)
    #expect(abs(five.heldExponent - 3.0) < 0.1)
    #expect(abs(five.heldPower + 60) < 2)
  }

  /// The places of surveys, and how often the exponent's error should contain the truth once and twice.
  @Test(arguments: [
    [1.0, 8], [1, 4, 10], [1, 2, 3, 5, 8], [0.5, 1, 1.5, 2, 3, 4, 6, 8],
  ])
  func `the error of an exponent contains the truth as often as it should, however few the places`(
    _ places: [Double]
  ) throws {
    var random = SplitMix64(seed: 7)
    let count = 4000
    var (once, twice) = (0, 0)
    for _ in 0..<count {
      var survey = SiteSurvey()
      for meters in places {
        let sum = (0..<12).reduce(0.0) { total, _ in
          total + Double.random(in: 0...1, using: &random)
        }
        survey.add(level: -60 - 20 * DeterministicMath.log10(meters) + 4 * (sum - 6), at: meters)
      }
      let fit = try #require(survey.fit)
      let error = abs(fit.measuredExponent - 2) / fit.exponentError
      once += error <= 1 ? 1 : 0
      twice += error <= 2 ? 1 : 0
    }
    #expect((0.65...0.71).contains(Double(once) / Double(count)), "\(once)")
    #expect((0.935...0.965).contains(Double(twice) / Double(count)), "\(twice)")
  }

  @Test func `a farther place that is louder than shadowing explains is found`() throws {
    func inversion(_ places: [(Double, Double)]) -> SiteSurvey.Inversion? {
      var survey = SiteSurvey()
      for (meters, level) in places { survey.add(level: level, at: meters) }
      return survey.inversion()
    }
    let found = try #require(inversion([(1, -77), (8, -59)]))
    #expect(abs(found.near - 1) < 1e-9 && abs(found.far - 8) < 1e-9 && found.decibels == 18)
    // Equal levels, and 5 dB more, can be a place in a fade.
    #expect(inversion([(1, -60), (8, -60)]) == nil && inversion([(1, -60), (8, -55)]) == nil)
    #expect(inversion([(1, -60), (8, -54)]) != nil)
    // One of three is exchanged: the signal falls, and then rises too much.
    #expect(inversion([(1, -60), (4, -85), (10, -72)])?.near.rounded() == 4)
    #expect(inversion([(1, -60), (4, -75), (10, -72)]) == nil)
    #expect(inversion([(1, -80), (4, -72), (10, -60)])?.decibels == 20)
    // Twice the same distance is no order.
    #expect(inversion([(2, -80), (2, -50)]) == nil && inversion([]) == nil)
  }

  @Test func `a clamped exponent is known to be one`() throws {
    var survey = SiteSurvey()
    survey.add(level: -60, at: 1)
    survey.add(level: -60, at: 8)
    let equal = try #require(survey.fit)
    #expect(equal.isClamped && equal.exponent == 1 && abs(equal.measuredExponent) < 1e-9)
    survey = SiteSurvey()
    survey.add(level: -60, at: 1)
    survey.add(level: -80, at: 10)
    let usual = try #require(survey.fit)
    #expect(!usual.isClamped && usual.exponent == usual.measuredExponent)
  }

  @Test func `beacons of different power share one exponent`() throws {
    var survey = SiteSurvey()
    for (beacon, power) in [-60.0, -70, -52].enumerated() {
      for meters in beacon == 2 ? [2.0] : [1, 4] {
        let bend = beacon == 0 && meters == 4 ? -2.0 : 0
        survey.add(
          level: power - 22 * DeterministicMath.log10(meters) + bend,
          at: meters,
          of: beacon
        )
      }
    }
    // The first beacon alone has 22 + 2 / log 4; both together have half of the excess.
    let (first, second) = try (#require(survey.fit(of: 0)), #require(survey.fit(of: 1)))
    let exponent = 2.2 + 0.1 / DeterministicMath.log10(4)
    #expect(abs(first.exponent - exponent) < 1e-9 && second.exponent == first.exponent)
    // Four levels less two powers and an exponent leave one degree of freedom.
    #expect(try abs(#require(first.shadowing) - 1) < 1e-9)
    // A beacon with one place has its power by the others' law.
    let third = try #require(survey.fit(of: 2))
    let level = -52 - 22 * DeterministicMath.log10(2)
    #expect(
      abs(third.heldPower - 10 * third.heldExponent * DeterministicMath.log10(2) - level) < 1e-9
    )
    #expect(survey.fit(of: 3) == nil)
  }

  @Test func `distances too alike make no law, nor do odd numbers`() {
    var survey = SiteSurvey()
    survey.add(level: -60, at: 1)
    survey.add(level: -62, at: 1.9)
    survey.add(level: .nan, at: 8)
    survey.add(level: -80, at: 0)
    survey.add(level: -80, at: .infinity)
    #expect(survey.fit == nil)
    survey.add(level: -66, at: 2)
    #expect(survey.fit != nil)
    #expect(CalibrationSession(at: .nan).meters == 1 && CalibrationSession(at: -3).meters == 0.1)
  }

  @Test func `a receiver's offset is the median over beacons of known place`() {
    var session = ReceiverOffsetSession(exponent: 2)
    #expect(session.offset == nil && session.standardError == nil)
    session.add(level: -66, measuredPower: -59, at: 1)
    session.add(level: -86, measuredPower: -59, at: 10)
    #expect(session.offset == 7 && session.beacons == 2)
    #expect(session.standardError.map { abs($0 - 4 / 2.0.squareRoot()) < 1e-9 } == true)
    // Behind a pillar.
    session.add(level: -90, measuredPower: -59, at: 1)
    #expect(session.offset == 7)
    session.add(level: .nan, measuredPower: -59, at: 1)
    session.add(level: -66, measuredPower: 4, at: 1)
    session.add(level: -66, measuredPower: -59, at: 0)
    #expect(session.offset == 7)
    for _ in 0..<9 { session.add(level: -127, measuredPower: -20, at: 1) }
    #expect(session.offset == 40)
  }
}
