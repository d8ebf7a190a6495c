// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

import BeaconBlueZ
import BeaconCore
import BeaconTestSupport
import DBusTestSupport
import Synchronization
import Testing

@Suite struct ServiceWatchTests {
  private static func at(_ second: Double) -> Timestamp { TestScan.at(second) }

  @Test func `a service that sends is not asked, and a silent one not often`() {
    var watch = ServiceWatch()
    #expect(watch.deadline == nil && !watch.isDue(at: Self.at(100)))
    for step in 0..<50 {
      watch.heard(at: Self.at(Double(step)))
      #expect(!watch.isDue(at: Self.at(Double(step) + 2.4)))
    }
    var questions = 0
    for step in 0..<1000 {
      let time = Self.at(49 + Double(step) / 10)
      #expect(watch.horizon(at: time) == time)
      guard watch.isDue(at: time) else { continue }
      questions += 1
      let number = watch.ask(at: time)
      #expect(watch.answered(number, isAnswer: true, at: time) == false)
    }
    #expect((38...40).contains(questions))
  }

  @Test func `time waits for an answer, and messages before a late one are left out`() {
    var watch = ServiceWatch()
    watch.heard(at: Self.at(0))
    #expect(watch.deadline == Self.at(2.5))
    let first = watch.ask(at: Self.at(2.5))
    #expect(watch.horizon(at: Self.at(2.9)) == Self.at(2.9))
    #expect(watch.horizon(at: Self.at(6)) == Self.at(3) && watch.deadline == Self.at(6.5))
    let hangs = [6.4, 6.5, 7].map { watch.hangs(at: Self.at($0)) }
    #expect(hangs == [false, true, false] && watch.isBehind)
    #expect(watch.horizon(at: Self.at(20)) == Self.at(20))
    // The bus gave up; the next question counts.
    #expect(watch.answered(first, isAnswer: false, at: Self.at(12.5)) == false)
    #expect(watch.isDue(at: Self.at(12.5)))
    let second = watch.ask(at: Self.at(12.5))
    let answers = [first, second].map { watch.answered($0, isAnswer: true, at: Self.at(13)) }
    #expect(answers == [false, true] && !watch.isBehind)
  }

  @Test func `after a stall an answer to an earlier question shows nothing`() {
    var watch = ServiceWatch()
    watch.heard(at: Self.at(0))
    let early = watch.ask(at: Self.at(2.5))
    watch.stalled()
    let number = watch.ask(at: Self.at(40))
    let answers = [early, number].map { watch.answered($0, isAnswer: true, at: Self.at(41)) }
    #expect(answers == [false, true] && !watch.isBehind)
  }

  @Test(.enabled(if: PrivateBus.isAvailable, "\(PrivateBus.absence)"), .timeLimit(.minutes(1)))
  func `reports that waited while this program stood still count for nothing`() async throws {
    let (bus, clock) = (try PrivateBus(), ManualClock())
    let daemon = try await FakeBlueZ.start(on: bus)
    var options = BlueZScanOptions(bus: bus.address)
    clock.drive(&options)
    var listener = Listener(try await BlueZSource.start(options))
    daemon.report(1, -60)
    await daemon.settle()
    clock.pass(.seconds(1))
    await listener.listen { !$0.reports.isEmpty }
    clock.pass(.seconds(40))
    daemon.report(1, -61)
    await daemon.settle()
    clock.pass(.seconds(1))
    await listener.listen { $0.radio.suffix(2) == [.deaf, .listening] }
    daemon.report(1, -62)
    await daemon.settle()
    clock.pass(.seconds(1))
    await listener.listen { $0.reports.count > 1 }
    #expect(listener.strengths == [-60, -62])
    #expect(listener.radio == [.listening, .deaf, .listening])
    #expect(listener.source.drainDiagnostics().contains(.stalled(for: .seconds(40))))
    await listener.source.stop()
  }

  @Test(
    .slow,
    .enabled(if: PrivateBus.isAvailable, "\(PrivateBus.absence)"),
    .timeLimit(.minutes(1))
  )
  func `a daemon that hangs makes its adapters deaf until it answers`() async throws {
    let bus = try PrivateBus()
    let daemon = try await FakeBlueZ.start(on: bus)
    var listener = Listener(try await BlueZSource.start(BlueZScanOptions(bus: bus.address)))
    daemon.report(1, -60)
    await listener.listen { !$0.reports.isEmpty }
    daemon.state.withLock { ($0.isHanging, $0.hangingTime) = (true, 9) }
    await listener.listen { $0.radio.contains(.deaf) }
    // No time passed of which it is not known whether it was silent.
    let deaf = listener.inputs.compactMap {
      if case .radio(_, .deaf, let time) = $0 { time } else { nil }
    }
    let heard = listener.reports.map(\.time)
    #expect(deaf.first.map { $0 - heard[0] <= .milliseconds(3100) } ?? false)
    daemon.state.withLock { $0.isHanging = false }
    await listener.listen { $0.radio.last == .listening }
    #expect(listener.radio == [.listening, .deaf, .listening])
    #expect(listener.source.drainDiagnostics() == [.serviceSilent, .serviceAnswers])
    await listener.source.stop()
  }
}
