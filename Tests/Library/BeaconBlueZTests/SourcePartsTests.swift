// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

import SystemKit
import BeaconBlueZ
import BeaconCore
import DBus
import Synchronization
import Testing

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
  private let outbox = ReportQueue(start: SourceParts.start, interval: .zero)

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

  /// What an intake with a channel delivers, with the time up to which it did, a second at a time.
  private func delivered(
    _ states: [(Double, UInt8, RadioState)],
    upTo end: Int
  ) async throws -> (inputs: [ScanInput], times: [Timestamp]) {
    let pair = try MonitorPair()
    var intake = ReportIntake(outbox: outbox, channel: pair.channel)
    var states = states[...]
    var (inputs, times): ([ScanInput], [Timestamp]) = ([], [])
    for second in 0...end {
      let now = SourceParts.start + .seconds(Int64(second))
      while let (time, receiver, state) = states.first, time <= Double(second) {
        states.removeFirst()
        intake.add(state, of: receiver, at: SourceParts.start + TimeSpan(seconds: time))
      }
      _ = intake.readKernel(now: now, wall: nil, readClocks: { nil }, receiver: { _ in nil })
        .map { intake.add($0, silent: []) }
      intake.deliver(upTo: now, BlueZStatistics())
      let batch = try #require(
        await outbox.next(until: SourceParts.start - .seconds(1), wake: {})
      )
      inputs += batch.inputs
      times.append(batch.upTo ?? .earliest)
    }
    return (inputs, times)
  }

  private static func at(_ seconds: Double) -> Timestamp {
    SourceParts.start + TimeSpan(seconds: seconds)
  }

  @Test func `a scan that resumes within three seconds changes nothing, and time waits for it`()
    async throws
  {
    let (inputs, times) = try await delivered(
      [(0, 0, .listening), (1.5, 0, .off), (4.25, 0, .listening)],
      upTo: 5
    )
    #expect(inputs == [.radio(receiver: 0, .listening, Self.at(0))])
    #expect(times == [0, 1, 1.5, 1.5, 1.5, 5].map(Self.at))
  }

  @Test func `a scan that stops for longer stopped when it did`() async throws {
    let (inputs, times) = try await delivered(
      [(0, 0, .listening), (1.5, 0, .off), (1.75, 0, .gone), (7, 0, .listening)],
      upTo: 8
    )
    #expect(
      inputs == [
        .radio(receiver: 0, .listening, Self.at(0)), .radio(receiver: 0, .gone, Self.at(1.5)),
        .radio(receiver: 0, .listening, Self.at(7)),
      ]
    )
    #expect(times == [0, 1, 1.5, 1.5, 1.5, 5, 6, 7, 8].map(Self.at))
  }

  @Test func `while another receiver listens, time does not wait`() async throws {
    let (inputs, times) = try await delivered(
      [(0, 0, .listening), (0, 1, .listening), (1.5, 0, .off)],
      upTo: 5
    )
    #expect(inputs.suffix(1) == [.radio(receiver: 0, .off, Self.at(4))])
    #expect(times == [0, 1, 2, 3, 4, 5].map(Self.at))
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
      (.askFilterKeys, .failed(.unknownMethod)), (.setFilter(filter), .done),
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

  /// A set of adapters whose first call for discovery ended with a failure, or is open.
  private static func set(_ failures: [BlueZFailure?]) -> ReceiverSet {
    var set = ReceiverSet(.all)
    for (index, failure) in failures.enumerated() {
      let adapter = SourceParts.adapter(UInt16(index))
      _ = set.attach(adapter)
      _ = set.update(index) { $0.found(adapter.facts, at: SourceParts.start) }
      guard let failure else { continue }
      let filter = AdapterRequest.setFilter(.ofOldDaemons)
      for (request, outcome) in [
        (.askFilterKeys, .failed(.unknownMethod)), (filter, .failed(failure)),
      ] as [(AdapterRequest, RequestOutcome)] {
        _ = set.update(index) {
          $0.answered(request, outcome, attempt: 1, at: SourceParts.start)
        }
      }
    }
    return set
  }

  private static let denied = BlueZFailure.bluez("NotAuthorized")
  private static let unsupported = BlueZFailure.bluez("NotSupported")
  private static let failed = BlueZFailure.bluez("Failed")

  @Test(
    arguments: [
      ([denied], .failure(.notPermitted(denied))), ([unsupported], .failure(.failed(unsupported))),
      ([denied, unsupported], .failure(.notPermitted(denied))), ([denied, nil], nil),
      ([denied, failed], nil), ([failed], nil), ([.noAnswer], nil), ([.bluez("NotReady")], nil),
      ([.bluez("InProgress")], nil), ([.bluez("Busy")], nil), ([.unknownMethod], nil),
      ([.bluez("Blocked")], .success(())), ([failed, .bluez("Blocked")], .success(())), ([], nil),
    ] as [([BlueZFailure?], Result<Void, BlueZUnavailable>?)]
  )
  func `a start fails at once only if no other try can help`(
    failures: [BlueZFailure?],
    outcome: Result<Void, BlueZUnavailable>?
  ) {
    let found = Self.set(failures).startOutcome
    switch (found, outcome) {
    case (.success?, .success?), (nil, nil): break
    case (.failure(let found)?, .failure(let expected)?): #expect(found == expected)
    default: Issue.record("\(String(describing: found))")
    }
  }

  @Test func `a start waits for adapters that are off, and its reason is what failed last`() {
    var set = Self.set([Self.failed])
    #expect(set.failure == .failed(Self.failed))
    _ = set.update(0) { $0.powered(false, at: SourceParts.start) }
    guard case .success? = set.startOutcome else {
      Issue.record("it is not waited for")
      return
    }
    set.detach(0)
    #expect(set.startOutcome == nil && set.failure == .noAdapter)
    #expect(ReceiverSet(.all).failure == nil)
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
    lifecycle.failed(.failed(.noAnswer))
    lifecycle.failed(.noBus("lost"))
    #expect(lifecycle.failure == .noBus("lost"))
    lifecycle.connected()
    #expect(lifecycle.failure == nil)
    let isOver = [start, due, due].map { lifecycle.drainStartTimeout(at: $0) }
    #expect(isOver == [false, true, false])
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
    lifecycle.askAgain(after: start)
    let due = start + .milliseconds(800)
    let asks = [start, due, due].map { lifecycle.drainAskAgain(at: $0) }
    #expect(asks == [false, true, false])
    lifecycle.askAgain(after: start)
    lifecycle.cancelAskAgain()
    let asksAfterwards = lifecycle.drainAskAgain(at: start + .seconds(100))
    #expect(!asksAfterwards)
  }

  @Test func `five requests fit into the start, and the waits begin again after a success`() {
    var lifecycle = SourceLifecycle(startingAt: start)
    let due = start + SourceLifecycle.startTimeout
    var asks = [start]
    for _ in 0..<20 {
      let last = asks[asks.count - 1]
      lifecycle.askAgain(after: last)
      guard let next = lifecycle.nextDeadline, next < due else { break }
      asks.append(next)
    }
    #expect(asks.map { $0 - start } == [0, 800, 2400, 5600, 12000].map { .milliseconds($0) })
    lifecycle.succeeded()
    lifecycle.askAgain(after: start)
    #expect(lifecycle.nextDeadline == start + .milliseconds(800))
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
