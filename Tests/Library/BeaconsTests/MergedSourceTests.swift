// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

import BeaconTestSupport
@testable import Beacons
import Synchronization
import SystemKit
import Testing

/// Row M16: several live sources are one.
@Suite struct MergedSourceTests {
  /// The inputs of sources of a test; times in seconds.
  private struct Merge {
    private(set) var inputs: MergedInputs
    private let names: [[String]]

    init(
      _ labels: [MergedInputs.Label],
      _ names: [[String]],
      from starts: [Double],
      at now: Double = 0
    ) {
      self.names = names
      inputs = MergedInputs(labels)
      inputs.begin(starts.map(TestScan.at), names, at: TestScan.at(now))
    }

    /// Two sources with a receiver each, which listen from the start.
    init(from starts: [Double] = [0, 0], at now: Double = 0) {
      let labels = [MergedInputs.Label("mqtt://pi/home"), .init("esphome")]
      self.init(labels, [["hall"], ["attic"]], from: starts, at: now)
      for (index, start) in starts.enumerated() {
        add(index, upTo: start, at: now, state: (.listening, start))
      }
    }

    mutating func add(
      _ index: Int,
      upTo: Double,
      at now: Double? = nil,
      reports: [Double] = [],
      state: (RadioState, Double)? = nil,
      names: [String]? = nil,
      receiver: UInt8 = 0
    ) {
      var scan = TestScan()
      if let (state, time) = state {
        scan.add(.radio(receiver: receiver, state, TestScan.at(time)))
      }
      for time in reports {
        scan.report(TestScan.beacon(1, UInt16(index)), -60, at: time, receiver: receiver)
      }
      var batch = scan.batch
      batch.upTo = TestScan.at(upTo)
      inputs.add(batch, names ?? self.names[index], of: index, at: TestScan.at(now ?? upTo))
    }

    mutating func end(_ index: Int, at now: Double) {
      inputs.add(nil, names[index], of: index, at: TestScan.at(now))
    }

    /// The inputs that can be given, as text, and until when; at the end it is not a number.
    mutating func drain(_ now: Double) -> (inputs: [String], upTo: Double) {
      guard let batch = inputs.drain(at: TestScan.at(now)), let end = batch.upTo else {
        return ([], .nan)
      }
      return (
        batch.inputs.map { MergedSourceTests.text($0, batch) }, (end - TestScan.start).seconds
      )
    }

    mutating func remarks() -> [String] { inputs.drainRemarks() }
  }

  static func text(_ input: ScanInput, _ batch: ScanBatch) -> String {
    let time = (input.time - TestScan.start).seconds
    switch input {
    case .report(let report):
      let minor = batch.payload(of: report).suffix(2).first ?? 0
      return "\(time) beacon \(minor) at \(report.receiver)"
    case .radio(let receiver, let state, _): return "\(time) \(state) \(receiver)"
    default: return "\(time)"
    }
  }

  @Test func `time passes as far as every source has reached, and inputs are in its order`() throws
  {
    var merge = Merge()
    #expect(merge.inputs.receiverNames == ["hall", "attic"])
    var drained = merge.drain(0)
    #expect(drained.inputs == ["0.0 listening 0", "0.0 listening 1"] && drained.upTo == 0)
    merge.add(1, upTo: 5, reports: [1, 2, 4])
    drained = merge.drain(5)
    #expect(drained.inputs == [] && drained.upTo == 0)
    merge.add(0, upTo: 2, at: 5, reports: [1.5, 2])
    drained = merge.drain(5)
    #expect(
      drained.inputs == [
        "1.0 beacon 1 at 1", "1.5 beacon 0 at 0", "2.0 beacon 1 at 1", "2.0 beacon 0 at 0",
      ]
    )
    #expect(drained.upTo == 2)
    merge.add(0, upTo: 6, reports: [3])
    drained = merge.drain(6)
    #expect(drained.inputs == ["3.0 beacon 0 at 0", "4.0 beacon 1 at 1"] && drained.upTo == 5)
  }

  @Test func `a source whose time stands still is gone since then, and comes back`() {
    var merge = Merge()
    merge.add(0, upTo: 3, reports: [2])
    merge.add(1, upTo: 10, reports: [9])
    var drained = merge.drain(10)
    #expect(drained.upTo == 3 && drained.inputs.last == "2.0 beacon 0 at 0")
    // Nothing later is concluded until it is gone.
    merge.add(1, upTo: 13)
    drained = merge.drain(13)
    #expect(drained.inputs == [] && drained.upTo == 3)
    merge.add(1, upTo: 13.5)
    drained = merge.drain(13.5)
    #expect(drained.inputs == ["3.0 gone 0", "9.0 beacon 1 at 1"] && drained.upTo == 13.5)
    let remarks = merge.remarks()
    #expect(remarks.count == 1)
    // A report of the time in which it was gone is of no use; then it listens as before.
    merge.add(0, upTo: 16, at: 20, reports: [12])
    merge.add(1, upTo: 20)
    drained = merge.drain(20)
    #expect(drained.inputs == ["16.0 listening 0"] && drained.upTo == 16)
    #expect(merge.inputs.drops[.noTime] == 1)
    merge.add(0, upTo: 20, reports: [19])
    drained = merge.drain(20)
    #expect(drained.inputs == ["19.0 beacon 0 at 0"] && drained.upTo == 20)
  }

  @Test func `a source without any input holds up no other one for ever`() {
    var merge = Merge()
    _ = merge.drain(0)
    merge.add(1, upTo: 11, reports: [8])
    let drained = merge.drain(11)
    #expect(drained.inputs == ["0.0 gone 0", "8.0 beacon 1 at 1"] && drained.upTo == 11)
  }

  @Test func `a state while a source is gone counts when it comes back`() {
    var merge = Merge()
    merge.add(1, upTo: 11)
    _ = merge.drain(11)
    merge.add(0, upTo: 0, at: 12, state: (.off, 0))
    merge.add(0, upTo: 11, at: 13)
    merge.add(1, upTo: 13)
    let drained = merge.drain(13)
    #expect(drained.inputs == ["11.0 off 0"])
  }

  @Test(arguments: [-5000, 5000.0])
  func `a source with another clock is moved to the present`(_ wrong: Double) {
    var merge = Merge(from: [wrong, 100], at: 100)
    let remarks = merge.remarks()
    #expect(remarks.first?.contains("5100 s behind") == (wrong < 0))
    merge.add(1, upTo: 110, reports: [107])
    merge.add(0, upTo: wrong + 9, at: 110, reports: [wrong + 8])
    let drained = merge.drain(110)
    #expect(
      drained.inputs == [
        "100.0 listening 0", "100.0 listening 1", "107.0 beacon 1 at 1", "108.0 beacon 0 at 0",
      ]
    )
    #expect(drained.upTo == 109)
  }

  @Test func `a source whose clock jumps ahead is gone for the jump`() {
    var merge = Merge()
    merge.add(0, upTo: 5)
    merge.add(1, upTo: 5)
    _ = merge.drain(5)
    merge.add(0, upTo: 3605, at: 6, reports: [3604])
    merge.add(1, upTo: 6)
    var drained = merge.drain(6)
    #expect(drained.inputs == ["5.0 gone 0", "6.0 listening 0"] && drained.upTo == 6)
    merge.add(0, upTo: 3607, at: 8, reports: [3606])
    merge.add(1, upTo: 8)
    drained = merge.drain(8)
    #expect(drained.inputs == ["7.0 beacon 0 at 0"] && drained.upTo == 8)
  }

  @Test func `receivers with one name are two, and names come while the run continues`() {
    var merge = Merge(
      [.init("mqtt://pi/home"), .init("esphome"), .init("mqtt://cabin/home", marksAll: true)],
      [["mqtt://home"], ["hall"], ["mqtt://home"]],
      from: [0, 0, 0]
    )
    let start = ["mqtt://home", "hall", "mqtt://cabin/home:mqtt://home"]
    #expect(merge.inputs.receiverNames == start)
    merge.add(2, upTo: 1, reports: [1], names: ["mqtt://home", "pi/hci0"], receiver: 1)
    merge.add(0, upTo: 1, reports: [1], names: ["mqtt://home", "hall", "pi/hci0"], receiver: 2)
    merge.add(1, upTo: 1, reports: [1])
    #expect(
      merge.inputs.receiverNames
        == start + ["mqtt://cabin/home:pi/hci0", "mqtt://pi/home:hall", "pi/hci0"]
    )
    let drained = merge.drain(1)
    #expect(
      drained.inputs == ["1.0 beacon 2 at 3", "1.0 beacon 0 at 5", "1.0 beacon 1 at 1"]
    )
  }

  // Row M16.
  @Test func `a receiver that is called as another one is shown has another name`() {
    let names = [["hall", "esphome:hall"], ["hall"], ["hall"]]
    let labels = [
      MergedInputs.Label("mqtt://pi/home"), .init("esphome"), .init("b", marksAll: true),
    ]
    let merge = Merge(labels, names, from: [0, 0, 0])
    let expected = ["hall", "esphome:hall", "esphome:esphome:hall", "b:hall"]
    #expect(merge.inputs.receiverNames == expected)
    let late = Merge(labels, [["hall"], ["hall"], ["hall"]], from: [0, 0, 0])
    var inputs = late.inputs
    inputs.add(ScanBatch(), ["hall", "b:hall"], of: 0, at: TestScan.at(1))
    #expect(inputs.receiverNames == ["hall", "esphome:hall", "b:hall", "mqtt://pi/home:b:hall"])
  }

  @Test func `more receivers than numbers are left out and counted`() {
    let names = (0..<200).map { "r\($0)" }
    var merge = Merge([.init("a"), .init("b", marksAll: true)], [names, names], from: [0, 0])
    #expect(merge.inputs.receiverNames.count == 256)
    merge.add(1, upTo: 1, reports: [1], receiver: 55)
    merge.add(1, upTo: 1, reports: [1], receiver: 56)
    merge.add(0, upTo: 1)
    let drained = merge.drain(1)
    #expect(drained.inputs == ["1.0 beacon 1 at 255"])
    #expect(merge.inputs.drops[.sourceOverflow] == 1)
  }

  @Test func `a source that ends is gone, and all that end are the end`() {
    var merge = Merge()
    merge.add(0, upTo: 3, reports: [2])
    merge.end(0, at: 4)
    merge.add(1, upTo: 4, reports: [3.5])
    var drained = merge.drain(4)
    #expect(
      drained.inputs.dropFirst(2) == ["2.0 beacon 0 at 0", "3.0 gone 0", "3.5 beacon 1 at 1"]
    )
    #expect(drained.upTo == 4)
    merge.end(1, at: 5)
    drained = merge.drain(5)
    #expect(drained.inputs == ["4.0 gone 1"])
    drained = merge.drain(5)
    #expect(drained.upTo.isNaN)
  }

  // MARK: Sources

  /// A source of a test: a second with a report each call.
  private final class Script: ScanSource {
    enum Turn { case second, fault, end, hangs }
    struct Fault: Error {}

    let receiverNames: [String]
    let drops: Tally<DropReason>
    let clock: SourceTimeline
    private let turn: @Sendable (Int) -> Turn
    private let calls = Mutex(0)

    init(
      _ name: String,
      _ clock: SourceTimeline,
      drops: Int = 0,
      _ turn: @escaping @Sendable (Int) -> Turn = { _ in .second }
    ) {
      (receiverNames, self.clock, self.turn) = ([name], clock, turn)
      var tally = Tally<DropReason>()
      tally.count(.sourceOverflow, times: drops)
      self.drops = tally
    }

    var now: Timestamp { clock.now }

    func next(until deadline: Timestamp?) async throws -> ScanBatch? {
      let call = calls.withLock { calls in
        calls += 1
        return calls
      }
      switch turn(call) {
      case .second: return ScanBatch(inputs: [.mark(clock.now)], upTo: clock.now)
      case .fault: throw Fault()
      case .end: return nil
      case .hangs:
        try await Task.sleep(for: .seconds(1000))
        return nil
      }
    }
  }

  @Test func `the error of a source ends the run, and its drops are counted`() async throws {
    let clock = SourceTimeline()
    let source = MergedSource(
      [
        .init(Script("hall", clock, drops: 2), .init("a")),
        .init(Script("attic", clock, drops: 3) { $0 < 3 ? .second : .fault }, .init("b")),
      ],
      timeline: clock
    )
    defer { source.stop() }
    let start = try await source.now
    var count = 0
    await #expect(throws: Script.Fault.self) {
      while let batch = try await source.next(until: nil) {
        #expect(batch.inputs.allSatisfy { $0.time >= start })
        count += batch.inputs.count
      }
    }
    #expect(count > 0)
    #expect(source.receiverNames == ["hall", "attic"])
    #expect(await source.drops[.sourceOverflow] == 5)
  }

  @Test func `a source that does not return holds up no other one`() async throws {
    let ahead = Mutex(Duration.zero)
    let clock = SourceTimeline(uptime: { .now + ahead.withLock { $0 } })
    let source = MergedSource(
      [
        .init(Script("hall", clock), .init("a")),
        .init(Script("attic", clock) { $0 < 2 ? .second : .hangs }, .init("b")),
      ],
      timeline: clock
    )
    defer { source.stop() }
    let start = try await source.now
    for _ in 0..<3 { _ = try await source.next(until: nil) }
    ahead.withLock { $0 = .seconds(20) }
    _ = try await source.next(until: nil)
    let batch = try #require(try await source.next(until: nil))
    #expect((try #require(batch.upTo) - start).seconds >= 20)
  }

  @Test func `sources that end are an end`() async throws {
    let clock = SourceTimeline()
    let parts = ["hall", "attic"].map { name in
      MergedSource.Part(Script(name, clock) { $0 < 3 ? .second : .end }, .init(name))
    }
    let source = MergedSource(parts, timeline: clock)
    var batches = 0
    while try await source.next(until: nil) != nil { batches += 1 }
    #expect(batches > 0)
  }
}
