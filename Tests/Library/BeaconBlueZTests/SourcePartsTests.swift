// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

import SystemKit
import BeaconBlueZ
import BeaconCore
import DBus
import Synchronization
import Testing

/// Clocks that a test sets.
private final class ManualClock: Sendable {
  private let state = Mutex((uptime: Uptime(nanoseconds: 5_000_000_000), wall: SourceParts.start))

  var uptime: Uptime { state.withLock(\.uptime) }
  var wallClock: WallClock { WallClock { [self] in state.withLock(\.wall) } }

  var timeline: Timeline {
    Timeline(wallClock: wallClock, uptime: { [self] in state.withLock(\.uptime) })
  }

  /// Lets time pass for both clocks, and sets the wall clock forward.
  func pass(_ time: TimeSpan, setting step: TimeSpan = .zero) {
    state.withLock {
      $0.uptime = $0.uptime + time.duration
      $0.wall = $0.wall + time + step
    }
  }
}

/// The parts of a live source, each tested separately.
private enum SourceParts {
  static let start = Timestamp(microseconds: 1_800_000_000_000_000)

  static func adapter(_ number: UInt16, address: String? = nil, isCentral: Bool = true)
    -> AdapterObject
  {
    AdapterObject(
      path: "/org/bluez/hci\(number)",
      number: number,
      address: address ?? "AA:BB:CC:00:00:0\(number)",
      isCentral: isCentral,
      facts: AdapterFacts(
        path: "/org/bluez/hci\(number)",
        isPowered: true,
        isDiscovering: true,
        acceptsMonitors: false
      )
    )
  }
}

struct SourceClocksTests {
  private let manual = ManualClock()

  @Test func `the timeline passes with the uptime, and a step of the wall clock is reported`() {
    var clocks = SourceClocks(timeline: manual.timeline, wallClock: manual.wallClock)
    #expect(clocks.now == SourceParts.start)
    var steps = [clocks.checkWallClock()]
    manual.pass(.seconds(2), setting: .seconds(3600))
    #expect(clocks.now == SourceParts.start + .seconds(2))
    steps.append(clocks.checkWallClock())
    // Once a second at most.
    manual.pass(.milliseconds(999), setting: .seconds(3600))
    steps.append(clocks.checkWallClock())
    manual.pass(.milliseconds(1))
    steps.append(clocks.checkWallClock())
    #expect(steps == [nil, .seconds(3600), nil, .seconds(3600)])
    #expect(clocks.readBoth()?.now == clocks.now)
    #expect(clocks.uptime(of: clocks.now) == manual.uptime)
  }

  @Test func `a thread that checks in time was never stalled, and a late one was`() {
    let slept = Mutex(TimeSpan.zero)
    var clocks = SourceClocks(
      timeline: manual.timeline,
      wallClock: manual.wallClock,
      asleep: { slept.withLock { $0 } }
    )
    #expect(clocks.nextStallCheck == nil)
    for _ in 0..<10 {
      let found = clocks.checkStall(at: clocks.now)
      #expect(found == nil)
      #expect(clocks.nextStallCheck == clocks.now + StallWatch.interval)
      manual.pass(StallWatch.interval)
    }
    let last = clocks.now
    _ = clocks.checkStall(at: last)
    manual.pass(.seconds(30))
    slept.withLock { $0 = .seconds(20) }
    let found = clocks.checkStall(at: clocks.now)
    #expect(found?.thread == StallWatch.Stall(start: last, end: clocks.now))
    #expect(found?.machine == StallWatch.Stall(start: last + .seconds(10), end: clocks.now))
  }
}

struct ReportIntakeTests {
  private let outbox = Outbox(start: SourceParts.start, interval: .zero)

  private func report(at time: Timestamp) -> AdvertisingReport {
    AdvertisingReport(time: time, rssi: -60, payloadStart: 0, payloadCount: 0)
  }

  @Test func `without the monitor channel everything is delivered at once, in order`()
    async throws
  {
    var intake = ReportIntake(outbox: outbox, channel: nil)
    #expect(!intake.hasChannel && intake.descriptor == nil)
    let now = SourceParts.start + .seconds(1)
    intake.add(.listening, of: 0, at: now)
    intake.add(report(at: now), payload: [1, 2, 3])
    intake.addSilence(of: [0], from: now, to: now + .seconds(3))
    intake.deliver(upTo: now, BlueZStatistics())
    let batch = try #require(await outbox.next(until: nil, wake: {}))
    #expect(batch.upTo == now)
    try #require(batch.inputs.count == 4)
    guard case .radio(0, .listening, now) = batch.inputs[0],
      case .report(let first) = batch.inputs[1],
      case .radio(0, .deaf, now) = batch.inputs[2],
      case .radio(0, .listening, let end) = batch.inputs[3]
    else {
      Issue.record("\(batch.inputs)")
      return
    }
    #expect(Array(batch.payload(of: first)) == [1, 2, 3])
    // Just before the input that ends the silence.
    #expect(end < now + .seconds(3))
  }

  @Test func `with the channel a state waits for the packets before it`()
    async throws
  {
    let pair = try MonitorPair()
    var intake = ReportIntake(outbox: outbox, channel: pair.channel)
    #expect(intake.descriptor == pair.channel.descriptor)
    let wall = WallClock.system.now()
    let now = SourceParts.start + .seconds(1)
    intake.add(.off, of: 0, at: now + .milliseconds(20))
    pair.send(3, 0, MonitorPair.report(minor: 7))
    func read(at time: Timestamp, offset: TimeSpan) throws -> Timestamp {
      let reading = intake.readKernel(
        now: time,
        wall: wall + offset,
        readClocks: { nil },
        receiver: { $0 == 0 ? 0 : nil }
      )
      let found = try #require(reading)
      intake.add(found, silent: [])
      return found.settled
    }
    let early = try read(at: now, offset: .zero)
    intake.deliver(upTo: early, BlueZStatistics())
    #expect(intake.nextDelivery != nil)
    let later = TimeSpan.seconds(1)
    let settled = try read(at: now + later, offset: later)
    #expect(settled == now + later + (.zero - ReorderingWindow.length))
    intake.deliver(upTo: settled, BlueZStatistics())
    var inputs: [ScanInput] = []
    while inputs.count < 2 {
      inputs += try #require(await outbox.next(until: nil, wake: {})).inputs
    }
    #expect(inputs.map(\.time) == inputs.map(\.time).sorted())
    #expect(!intake.isBehind)
  }
}

struct ReceiverSetTests {
  @Test func `every adapter that can scan becomes a receiver, and is recognized by its address`() {
    var set = ReceiverSet(.all)
    let first = set.attach(SourceParts.adapter(0))
    let peripheral = set.attach(SourceParts.adapter(1, isCentral: false))
    let second = set.attach(SourceParts.adapter(2))
    #expect(first?.isNew == true && peripheral == nil && second?.index == 1)
    set.detach(0)
    #expect(set.index(ofAdapter: 0) == nil && set.isAnyPresent)
    let again = set.attach(SourceParts.adapter(7, address: "AA:BB:CC:00:00:00"))
    #expect(again?.index == 0 && again?.isNew == false)
    #expect(set.index(ofAdapter: 7) == 0 && set[0].name == "hci0")
  }

  @Test func `the receivers are bounded`() {
    var set = ReceiverSet(.all)
    for number in 0..<100 {
      _ = set.attach(SourceParts.adapter(UInt16(number), address: "address \(number)"))
    }
    #expect(set.count == ReceiverSet.maximumCount)
  }

  @Test func `an adapter that is named is the only one, and its absence has a reason`() {
    var set = ReceiverSet(.named("hci1"))
    let other = set.attach(SourceParts.adapter(0))
    #expect(other == nil)
    let adapters = [SourceParts.adapter(0)]
    #expect(set.failure(among: adapters) == .adapterNotFound("hci1", nearest: "hci0"))
    #expect(ReceiverSet(.all).failure(among: []) == .noAdapter)
    let named = set.attach(SourceParts.adapter(1))
    let later = set.attach(SourceParts.adapter(2))
    #expect(named?.index == 0 && later == nil)
    #expect(set.failure(among: adapters) == nil)
  }

  @Test func `reports are accepted on one of the two ways, and only while the adapter scans`() {
    var set = ReceiverSet(.all)
    _ = set.attach(SourceParts.adapter(0))
    #expect(!set.acceptsReportsOverBus(0) && set.kernelReceiver(ofAdapter: 0) == nil)
    let now = SourceParts.start
    let filter = DiscoveryFilter.ofOldDaemons
    _ = set.update(0) { $0.found(SourceParts.adapter(0).facts, at: now) }
    for (request, outcome): (AdapterRequest, RequestOutcome) in [
      (.askFilterKeys, .failed("")), (.setFilter(filter), .done),
    ] {
      _ = set.update(0) { $0.answered(request, outcome, attempt: 1, at: now) }
      _ = set.update(0) { $0.kernelMonitor(isThere: true) }
    }
    _ = set.update(0) { $0.answered(.start, .done, attempt: 1, at: now) }
    #expect(set.acceptsReportsOverBus(0) && set.isReceivingOverBus)
    #expect(set.receivingOverBus == [0] && set.receivingByKernel == [])
    set.setReceivedByKernel(true, 0)
    #expect(!set.acceptsReportsOverBus(0) && !set.isReceivingOverBus)
    #expect(set.kernelReceiver(ofAdapter: 0) == 0 && set.receivingByKernel == [0])
  }

  @Test func `a duplicate filter is reported once`() {
    var set = ReceiverSet(.all)
    _ = set.attach(SourceParts.adapter(0))
    func shows(_ scans: Range<Int64>) -> Int {
      scans.count {
        set.showsFilter(0, reportOf: 1, at: SourceParts.start + .milliseconds($0 * 10_240))
      }
    }
    let unwatched = shows(0..<20)
    set.watchFilter(0)
    let watched = shows(20..<40)
    set.watchFilter(0)
    set.stopWatchingFilter(0)
    let stopped = shows(40..<60)
    #expect([unwatched, watched, stopped] == [0, 1, 0])
  }
}

struct SourceLifecycleTests {
  private let start = Uptime(nanoseconds: 1_000_000_000)

  @Test func `a start that takes too long fails once, with the last reason`() {
    var lifecycle = SourceLifecycle(startingAt: start)
    let due = start + SourceLifecycle.startTimeout
    #expect(lifecycle.nextDeadline == due)
    lifecycle.expect(.refused("a.b"))
    let failures = [start, due, due].map { lifecycle.drainStartTimeout(at: $0) }
    #expect(failures == [nil, .refused("a.b"), nil])
    #expect(lifecycle.nextDeadline == nil)
  }

  @Test func `the end begins once and has a deadline`() {
    var lifecycle = SourceLifecycle(startingAt: start)
    #expect(!lifecycle.isStopping)
    let begins = [start, start + .seconds(1)].map { lifecycle.stop(at: $0) }
    #expect(begins == [true, false])
    #expect(lifecycle.isStopping && !lifecycle.isStopOverdue(at: start))
    let due = start + SourceLifecycle.stopTimeout
    #expect(lifecycle.isStopOverdue(at: due) && lifecycle.nextDeadline == due)
  }

  @Test func `objects are requested again once, unless BlueZ ends`() {
    var lifecycle = SourceLifecycle(startingAt: start)
    let due = start + SourceLifecycle.askAgainTimeout
    lifecycle.askAgain(after: start)
    let asks = [start, due, due].map { lifecycle.drainAskAgain(at: $0) }
    #expect(asks == [false, true, false])
    lifecycle.askAgain(after: start)
    lifecycle.cancelAskAgain()
    let asksAfterwards = lifecycle.drainAskAgain(at: due)
    #expect(!asksAfterwards)
  }

  @Test func `the wait for the bus doubles up to a limit, and starts again after a success`() {
    var lifecycle = SourceLifecycle(startingAt: start)
    let waits = (0..<8).map { _ in lifecycle.reconnectWait() }
    #expect(waits.first == .milliseconds(100) && waits.last == .seconds(5))
    #expect(waits == waits.sorted() && waits[1] == waits[0] * 2)
    lifecycle.connected()
    let again = lifecycle.reconnectWait()
    #expect(again == waits[0])
  }
}
