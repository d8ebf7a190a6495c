// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

import BeaconTestSupport
import Testing

@testable import BeaconCore

/// Beacons that rest, and receivers that listen only now and then: one advice, and nothing is learned (row G25).
@Suite struct RestsTests {
  /// A beacon that sends for a part of each period, or a receiver that listens for it.
  struct DutyCycle: Sendable, CustomTestStringConvertible {
    var sends: Double
    var period: Double
    var interval = 1.02
    /// The constant that is advised, and the longest time that may be.
    var constant = "region.exit"

    var testDescription: String { "\(sends) s of \(period) s" }

    func scan(hours: Double, beacons: UInt16 = 1) -> TestScan {
      var scan = TestScan()
      scan.marks(from: 0, through: hours * 3600)
      for start in stride(from: 0, to: hours * 3600, by: period) {
        for seconds in stride(from: start, to: start + sends, by: interval) {
          for beacon in 1...beacons { scan.report(TestScan.beacon(1, beacon), -60, at: seconds) }
        }
      }
      return scan
    }
  }

  /// The deliveries of an engine about a region.
  struct Delivered {
    var advice: [Reception] = []
    /// How long the silences were after which the region was left.
    var exits: [Double] = []
  }

  static func deliver(
    _ scan: TestScan,
    _ configuration: Configuration = Configuration(),
    _ region: Region = ExitClockTests.region
  ) -> Delivered {
    var engine = Engine(configuration, startingAt: TestScan.start)
    let client = engine.connect()
    var out: [Delivery] = []
    engine.request(.monitor(region), by: client, into: &out)
    var found = Delivered()
    for delivery in engine.run(scan.inOrder) {
      switch delivery.event {
      case .diagnostic(.exitTimeTooShort(_, let reception, _)): found.advice.append(reception)
      case .regionExited(_, _, let explanation):
        found.exits.append(explanation.gap?.seconds ?? 0)
      default: continue
      }
    }
    return found
  }

  /// The configuration that the advice names.
  static func configuration(advised: Reception) -> Configuration {
    var configuration = Configuration()
    if advised.advised <= ExitLearning.longestCap {
      configuration.regions.learning.cap = advised.advised
    } else {
      configuration.regions.exitTiming = .fixed(advised.advised)
    }
    return configuration
  }

  static let cycles = [
    DutyCycle(sends: 3, period: 35), DutyCycle(sends: 2, period: 60),
    DutyCycle(sends: 6, period: 60), DutyCycle(sends: 25, period: 60),
    DutyCycle(sends: 10, period: 100), DutyCycle(sends: 60, period: 120),
    DutyCycle(sends: 5, period: 300), DutyCycle(sends: 2, period: 600),
    DutyCycle(sends: 300, period: 350), DutyCycle(sends: 1, period: 60),
  ]

  @Test(arguments: cycles)
  func `a resting beacon gets one advice, which holds`(_ cycle: DutyCycle) throws {
    let hours = max(1, cycle.period * 14 / 3600)
    let scan = cycle.scan(hours: hours)
    let before = Self.deliver(scan)
    let advice = try #require(before.advice.first)
    #expect(before.advice.count == 1)
    #expect(before.exits.count >= 10)
    #expect(advice.silence.seconds > cycle.period - cycle.sends - 1)
    #expect(advice.advised > advice.silence)
    #expect(advice.advised.seconds <= cycle.period * 1.2 + 5)
    let after = Self.deliver(scan, Self.configuration(advised: advice))
    #expect(after.exits == [])
    #expect(after.advice == [])
  }

  /// A beacon that sends for 2 s, with rests of these lengths in turn, for five hours.
  static func bursts(_ rests: [Double]) -> TestScan {
    var scan = TestScan()
    scan.marks(from: 0, through: 18_000)
    var (start, number) = (0.0, 0)
    while start < 18_000 {
      for tenth in 0..<20 {
        scan.report(TestScan.beacon(1, 1), -60, at: start + Double(tenth) / 10)
      }
      start += 2 + rests[number % rests.count]
      number += 1
    }
    return scan
  }

  static let uneven: [[Double]] = [
    [35, 90], [45, 200], [62, 80], [61, 66, 71, 76], [100, 120],
    [73, 119, 64, 98, 107, 61, 88, 115, 70, 93, 102],
  ]

  @Test(arguments: uneven) func `rests of different lengths get one advice, which holds`(
    _ rests: [Double]
  ) throws {
    let scan = Self.bursts(rests)
    let before = Self.deliver(scan)
    let advice = try #require(before.advice.first)
    #expect(before.advice.count == 1 && !advice.isFixed)
    #expect(advice.advised.seconds > rests.max() ?? 0 && advice.advised <= .seconds(240))
    let after = Self.deliver(scan, Self.configuration(advised: advice))
    #expect(after.exits == [] && after.advice == [])
  }

  /// The longest of a few rests is not the longest that there is.
  @Test(.slow) func `rests of random lengths seldom refute the advice`() {
    var refuted = 0
    for seed in 1...UInt64(Effort.rounds(6)) {
      for (least, most) in [(60.0, 200.0), (35, 150)] {
        var random = SplitMix64(seed: seed)
        let found = Self.deliver(
          Self.bursts((0..<300).map { _ in Double.random(in: least...most, using: &random) })
        )
        guard let advice = found.advice.first else { continue }
        let scan = Self.bursts(
          (0..<300).map { _ in Double.random(in: least...most, using: &random) }
        )
        let after = Self.deliver(scan, Self.configuration(advised: advice))
        if !after.exits.isEmpty { refuted += 1 }
        #expect(found.advice.count == 1 && after.advice == [])
      }
    }
    #expect(refuted <= 1)
  }

  @Test(arguments: [
    (60, [50, 100], true), (30, [50], true), (60, [50], false), (110, [50, 100], false),
  ])
  func `a fixed time that is too short gets one advice as well`(
    _ fixed: Int64,
    _ rests: [Double],
    _ isTooShort: Bool
  ) {
    for profile in [Profile.standard, .coreLocation14] {
      var configuration = Configuration(profile)
      configuration.regions.exitTiming = .fixed(.seconds(fixed))
      let scan = Self.bursts(rests)
      let found = Self.deliver(scan, configuration)
      #expect(found.advice.count == (isTooShort ? 1 : 0) && found.exits.isEmpty == !isTooShort)
      guard let advice = found.advice.first else { continue }
      #expect(advice.isFixed)
      configuration.regions.exitTiming = .fixed(advice.advised)
      #expect(Self.deliver(scan, configuration).exits == [])
    }
  }

  @Test func `the advice for a region with a separate exit time concerns that`() throws {
    var region = ExitClockTests.region
    region.exitTiming = .fixed(.seconds(30))
    let scan = Self.bursts([50])
    let advice = try #require(Self.deliver(scan, Configuration(), region).advice.first)
    #expect(advice.isFixed && advice.isOwn)
    region.exitTiming = .fixed(advice.advised)
    #expect(Self.deliver(scan, Configuration(), region).exits == [])
  }

  @Test func `beyond the longest cap the advice is another time`() throws {
    var configuration = Configuration()
    configuration.regions.learning.cap = ExitLearning.longestCap
    let found = Self.deliver(DutyCycle(sends: 6, period: 70).scan(hours: 2), configuration)
    #expect(found.advice.count == 1)
    #expect(try #require(found.advice.first).advised == .seconds(75))
  }

  @Test func `several beacons of a receiver that listens now and then get one advice`() {
    let found = Self.deliver(DutyCycle(sends: 6, period: 60).scan(hours: 2, beacons: 4))
    #expect(found.advice.count == 1)
  }

  @Test func `a region that another beacon keeps inside gets no advice`() {
    var scan = DutyCycle(sends: 6, period: 60).scan(hours: 2)
    for seconds in stride(from: 0.0, to: 7200, by: 0.5) {
      scan.report(TestScan.beacon(1, 7), -60, at: seconds)
    }
    let found = Self.deliver(scan)
    #expect(found.advice == [])
    #expect(found.exits == [])
  }

  /// Between two rests of more than a minute, a steady beacon was left after 3 s.
  @Test(arguments: [DutyCycle(sends: 60, period: 130, interval: 0.1)])
  func `nothing is learned from the presence between rests`(_ cycle: DutyCycle) {
    let found = Self.deliver(cycle.scan(hours: 2))
    #expect(found.exits.count > 50)
    #expect(found.exits.allSatisfy { $0 == 30 })
  }

  /// Visits of random lengths: a beacon that leaves gets no advice, and its exit time stays learned.
  @Test(.slow, arguments: 0..<UInt64(Effort.rounds(8)))
  func `visits do not count as rests`(_ seed: UInt64) {
    var random = SplitMix64(seed: seed)
    var scan = TestScan()
    scan.marks(from: 0, through: 86_400)
    var now = 0.0
    while now < 86_400 {
      let end = now + Double.random(in: 120...900, using: &random)
      for seconds in stride(from: now, to: min(end, 86_400), by: 1) {
        scan.report(TestScan.beacon(1, 1), -60, at: seconds)
      }
      now = end + Double.random(in: 120...900, using: &random)
    }
    let found = Self.deliver(scan)
    #expect(found.advice == [])
    #expect(found.exits.last.map { $0 < 10 } ?? false)
  }

  @Test func `absences outweigh rests`() {
    let learning = ExitLearning.standard
    var rests = Rests()
    for number in 1...UInt32(7) { rests.add(.seconds(50), presence: number * 5000, learning) }
    #expect(!rests.areEvident)
    rests.add(.seconds(50), presence: 40_000, learning)
    #expect(rests.areEvident)
    for _ in 1...7 { rests.add(.seconds(3600), presence: 1_000_000, learning) }
    #expect(rests.areEvident)
    rests.add(.seconds(3600), presence: 1_000_000, learning)
    #expect(!rests.areEvident)
    #expect(rests.longestSilence == .seconds(50))
  }

  @Test func `a stay in which the wanted rate is kept ends the evidence`() {
    let learning = ExitLearning.standard
    var rests = Rests()
    for number in 1...UInt32(20) { rests.add(.seconds(50), presence: number, learning) }
    rests.add(.seconds(50), presence: 6 * 3_600_000, learning)
    #expect(!rests.areEvident)
    #expect(rests.score == 1)
  }

  // MARK: Several beacons

  /// Beacons that send for 2 s of a period each, from a second of it on, for three hours.
  static func turns(_ beacons: [(period: Double, phase: Double)]) -> TestScan {
    var scan = TestScan()
    scan.marks(from: 0, through: 10_800)
    for (number, beacon) in beacons.enumerated() {
      for start in stride(from: beacon.phase, to: 10_800, by: beacon.period) {
        for seconds in [start, start + 1] {
          scan.report(TestScan.beacon(1, UInt16(number + 1)), -60, at: seconds)
        }
      }
    }
    return scan
  }

  @Test func `beacons that rest in turns get no more than twice the time that they need`() throws {
    let scan = Self.turns([(120, 0), (120, 60)])
    let advice = try #require(Self.deliver(scan).advice.first)
    #expect((58...60).contains(advice.silence.seconds))
    #expect(advice.advised > .seconds(59) && advice.advised <= .seconds(118))
    #expect(Self.deliver(scan, Self.configuration(advised: advice)).exits == [])
  }

  /// After a while they rest together.
  @Test func `beacons with different periods get the time of one of them`() throws {
    let scan = Self.turns([(242, 0), (324, 287), (309, 160)])
    let advice = try #require(Self.deliver(scan).advice.first)
    #expect(Self.deliver(scan, Self.configuration(advised: advice)).exits == [])
  }

  @Test(arguments: [18.0, 22, 24])
  func `an interval that is too long to be learned is at least so long`(
    _ interval: Double
  ) throws {
    var scan = TestScan()
    for packet in 0..<400 where packet % 7 != 3 {
      scan.report(TestScan.beacon(1, 1), -60, at: Double(packet) * interval)
      scan.mark(at: Double(packet) * interval + interval / 2)
    }
    let reception = try #require(Self.deliver(scan).advice.first)
    #expect(reception.interval == .seconds(16) && reception.isLeastInterval, "\(reception)")
    #expect(reception.share == nil)
  }
}
