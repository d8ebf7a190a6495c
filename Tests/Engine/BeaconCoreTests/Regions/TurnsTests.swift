// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

import BeaconTestSupport
import Testing

@testable import BeaconCore

/// A host that listens in turns, as a program that scans again and again: its turns count in sum (row G27).
@Suite struct TurnsTests {
  struct Turns: Sendable, CustomTestStringConvertible {
    var listens: Double
    var period: Double
    var testDescription: String { "\(listens) s of \(period) s" }

    /// A beacon's reports in the turns until a time, with the states of the receiver until another.
    func scan(
      interval: Double = 1.02,
      loss: Int = 0,
      until gone: Double,
      end: Double,
      seed: UInt64 = 1
    ) -> TestScan {
      var random = SplitMix64(seed: seed)
      var scan = TestScan()
      scan.marks(from: 0, through: end)
      for start in stride(from: 0, to: end, by: period) {
        scan.add(.radio(receiver: 0, .listening, TestScan.at(start)))
        scan.add(.radio(receiver: 0, .off, TestScan.at(start + listens)))
      }
      var sent = 0.3
      while sent < gone {
        let phase = sent.truncatingRemainder(dividingBy: period)
        if phase > 0, phase < listens, Int.random(in: 0..<100, using: &random) >= loss {
          scan.report(TestScan.beacon(1, 1), -60, at: sent)
        }
        sent += interval + Double.random(in: 0...0.01, using: &random)
      }
      return scan
    }
  }

  static let turns = [
    Turns(listens: 5, period: 15), Turns(listens: 30, period: 60), Turns(listens: 6, period: 60),
    Turns(listens: 1, period: 10), Turns(listens: 40, period: 45), Turns(listens: 0.6, period: 4),
  ]

  private static func events(_ scan: TestScan, _ configuration: Configuration = Configuration())
    -> [(time: Double, event: Event)]
  {
    var engine = Engine(configuration, startingAt: TestScan.start)
    let client = engine.connect()
    var out: [Delivery] = []
    engine.request(.monitor(ExitClockTests.region), by: client, into: &out)
    return engine.run(scan.inOrder).map { (($0.time - TestScan.start).seconds, $0.event) }
  }

  private static func exits(_ events: [(time: Double, event: Event)]) -> [Double] {
    events.compactMap { if case .regionExited = $0.event { $0.time } else { nil } }
  }

  @Test(.slow, arguments: turns) func `a beacon that has gone is left once`(_ turns: Turns) throws {
    let gone = 3600.0
    let scan = turns.scan(until: gone, end: 7200)
    let exits = Self.exits(Self.events(scan))
    #expect(exits.count == 1)
    let exit = try #require(exits.first)
    // 30 s of listening, and the rest of the turn in which it went.
    let needed = (30 / turns.listens).rounded(.up) + 2
    #expect(exit > gone && exit <= gone + needed * turns.period)
  }

  @Test(.slow, arguments: turns) func `a beacon that is present is not left`(_ turns: Turns) {
    for loss in [0, 30] {
      let scan = turns.scan(interval: 0.9, loss: loss, until: 20_000, end: 20_000)
      let exits = Self.exits(Self.events(scan)).filter { $0 < 20_000 }
      #expect(exits == [], "\(loss) % lost")
    }
  }

  @Test func `a fixed exit time is listened, in sum`() throws {
    for profile in [Profile.standard, .coreLocation14] {
      var configuration = Configuration(profile)
      configuration.regions.exitTiming = .fixed(.seconds(100))
      let scan = Turns(listens: 5, period: 15).scan(until: 600, end: 1200)
      let outside = Self.events(scan, configuration).first {
        if case .regionState(_, .outside, _, _) = $0.event { true } else { false }
      }
      let time = try #require(outside).time
      #expect(time > 600 + 285 && time <= 600 + 315)
    }
  }

  /// The times of the exits, with a new process after some inputs, to which the source states again whether it listens.
  private static func exits(
    _ scan: ScanBatch,
    _ configuration: Configuration,
    restartingAfter stops: Set<Int>
  ) -> [Double] {
    var driver = EngineDriver(configuration, startingAt: TestScan.start)
    var client = driver.connect()
    driver.request(.monitor(ExitClockTests.region), by: client)
    var state = RadioState.listening
    var found: [(time: Double, event: Event)] = []
    for (index, input) in scan.inputs.enumerated() {
      var inputs = [input]
      if stops.contains(index) {
        let saved = driver.saved(client)
        driver = EngineDriver(configuration, startingAt: driver.now)
        client = driver.connect(restoring: saved.regions)
        inputs.insert(.radio(receiver: 0, state, driver.now), at: 0)
      }
      if case .radio(_, let next, _) = input { state = next }
      driver.supply(ScanBatch(bytes: scan.bytes, inputs: inputs))
      found += driver.collectDeliveries().map { (($0.time - TestScan.start).seconds, $0.event) }
    }
    return exits(found)
  }

  @Test(arguments: turns.filter { $0.listens < 10 }, [0, 25])
  func `restarts in any order keep the listened time`(_ turns: Turns, _ fixed: Int64) {
    var configuration = Configuration()
    if fixed > 0 { configuration.regions.exitTiming = .fixed(.seconds(fixed)) }
    for seed in 1...UInt64(Effort.rounds(10)) {
      var random = SplitMix64(seed: seed)
      let gone = Double.random(in: 200..<260, using: &random)
      let scan = turns.scan(until: gone, end: 1100, seed: seed).inOrder
      let stops = scan.inputs.indices.filter { _ in Int.random(in: 0..<6, using: &random) == 0 }
      let whole = Self.exits(scan, configuration, restartingAfter: [])
      #expect(whole.contains { $0 > gone })
      #expect(Self.exits(scan, configuration, restartingAfter: Set(stops)) == whole, "seed \(seed)")
    }
  }

  /// A state of a receiver schedules the deadline of each region again.
  @Test func `deadlines do not add up with the receivers`() {
    var engine = Engine(Configuration(), startingAt: TestScan.start)
    let client = engine.connect()
    var out: [Delivery] = []
    engine.request(.monitor(ExitClockTests.region), by: client, into: &out)
    var scan = TestScan()
    for number in 0..<1000 {
      let receiver = UInt8(number % 250)
      scan.report(TestScan.beacon(1, 1), -60, at: Double(number) * 20, receiver: receiver)
    }
    _ = engine.run(scan.inOrder)
    #expect(engine.regionDeadlines.count == 1)
  }

  @Test func `reports although no receiver listens are reported once`() {
    func contradictions(_ states: [(RadioState, Double)], of receivers: UInt8 = 1) -> [Double] {
      var scan = TestScan()
      for receiver in 0..<receivers {
        scan.add(.radio(receiver: receiver, .listening, TestScan.at(0)))
      }
      for second in 0..<60 { scan.report(TestScan.beacon(1, 1), -60, at: Double(second) + 0.5) }
      for (state, time) in states { scan.add(.radio(receiver: 0, state, TestScan.at(time))) }
      return Self.events(scan).compactMap {
        if case .diagnostic(.stateContradicted(let reason)) = $0.event {
          reason.isLackOfRadio || reason == .radioDeaf ? $0.time : nil
        } else {
          nil
        }
      }
    }
    #expect(contradictions([(.off, 10)]) == [11.5])
    #expect(contradictions([(.deaf, 10), (.listening, 20), (.gone, 30)]) == [11.5])
    // Reports that the host still had.
    #expect(contradictions([(.off, 10), (.listening, 11.2), (.off, 30), (.listening, 31.4)]) == [])
    #expect(contradictions([(.off, 10)], of: 2) == [])
    #expect(contradictions([]) == [])
  }

  @Test(
    .slow,
    arguments: [
      (Turns(listens: 5, period: 15), 50), (Turns(listens: 1, period: 10), 0),
      (Turns(listens: 0.6, period: 4), 30), (Turns(listens: 2, period: 10), 30),
    ]
  )
  func `a beacon that is too slow for the turns gets one advice, which helps`(
    _ turns: Turns,
    _ loss: Int
  ) throws {
    let scan = turns.scan(interval: 10.24, loss: loss, until: 43_200, end: 43_200)
    let before = RestsTests.deliver(scan)
    let advice = try #require(before.advice.first)
    #expect(before.advice.count == 1 && before.exits.allSatisfy { $0 == 30 })
    let after = RestsTests.deliver(scan, RestsTests.configuration(advised: advice))
    #expect(after.exits.count * 4 < before.exits.count)
  }

  @Test func `turns are reported once, to the operator`() {
    let turns = Turns(listens: 5, period: 15)
    let found = Self.events(turns.scan(until: 3600, end: 3600)).compactMap {
      if case .diagnostic(.listensInTurns(let listened, let span)) = $0.event {
        (listened.seconds, span.seconds)
      } else {
        nil
      }
    }
    #expect(found.count == 1)
    #expect(found.first.map { $0 == (5, 15) } ?? false)
    // A radio that is switched off at night listens by day.
    let nights = Turns(listens: 36_000, period: 86_400)
    #expect(
      !Self.events(nights.scan(interval: 20, until: 864_000, end: 864_000)).contains {
        if case .diagnostic(.listensInTurns) = $0.event { true } else { false }
      }
    )
  }

  @Test func `the time listened between two reports leaves out pauses`() {
    func at(_ seconds: Double) -> Timestamp { TestScan.at(seconds) }
    var time = ListenedTime(startingAt: at(0))
    #expect(time.listened(from: at(0), to: at(5)) == nil)
    time.lost(at: at(5))
    #expect(time.listened(from: at(0), to: at(6)) == nil)
    _ = time.regained(at: at(15))
    time.stoodStill(from: at(20), to: at(100))
    time.lost(at: at(102))
    time.stoodStill(from: at(103), to: at(200))
    _ = time.regained(at: at(210))
    #expect(time.listened(from: at(4), to: at(211)) == .seconds(1 + 5 + 2 + 1))
    #expect(time.listened(from: at(50), to: at(211)) == .seconds(3))
    #expect(time.listened(from: at(210), to: at(211)) == .seconds(1))
    for second in 0..<300 {
      time.lost(at: at(300 + Double(second) * 2))
      _ = time.regained(at: at(301 + Double(second) * 2))
    }
    #expect(time.listened(from: at(4), to: at(1000)) == nil)
    #expect(time.listened(from: at(890), to: at(902)) == .seconds(7))
  }
}
