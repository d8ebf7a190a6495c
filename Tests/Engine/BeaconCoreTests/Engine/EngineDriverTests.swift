// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

import BeaconTestSupport
import Testing

@testable import BeaconCore

/// The driver does the same as the earlier loops, except for their faults, and replaying its recording gives the same.
@Suite struct EngineDriverTests {
  static let seeds = 0..<UInt64(100)

  /// Runs a script as the command does.
  static func drive(
    _ script: DriverScript,
    recording: Bool,
    actsAtOnce: Bool = true,
    ending: EngineDriver.Ending = .atEnd(performingScheduled: true)
  ) -> DriverLog {
    var log = DriverLog()
    var driver = EngineDriver(startingAt: TestScan.start, keepsSlices: recording)
    let client = driver.connect(DriverScript.manifest, restoring: DriverScript.saved)
    for request in DriverScript.firstRequests { driver.request(request, by: client) }
    script.actions.forEach { driver.schedule($0) }
    var batches = script.batches[...]
    var answered = 0
    while true {
      switch driver.next() {
      case .deliver(let deliveries):
        log.deliveries += deliveries
        for delivery in deliveries {
          answered += 1
          let (requests, action) = script.answer(to: delivery, number: answered)
          for request in requests { driver.request(request, by: client) }
          if actsAtOnce, let action { driver.perform(action, by: client) }
        }
      case .record(let slice): log.add(slice)
      case .recordAction(let action): if recording { log.records.append(.action(action)) }
      case .willPerform, .sourceEnded: continue
      case .pull:
        if let batch = batches.popFirst() { driver.supply(batch) } else { driver.endSource(ending) }
      case .ended: return log
      }
    }
  }

  /// Runs a script as a session does on a replay.
  private static func driveSession(_ script: DriverScript, recording: Bool) -> DriverLog {
    var log = DriverLog()
    var queue: [Delivery] = []
    var answered = 0
    var driver = EngineDriver(startingAt: TestScan.start, keepsSlices: recording)
    let client = driver.connect(DriverScript.manifest, restoring: DriverScript.saved)
    for request in DriverScript.firstRequests { driver.request(request, by: client) }
    var batches = script.batches[...]
    func handle(_ step: EngineDriver.Step) {
      switch step {
      case .deliver(let deliveries):
        log.deliveries += deliveries
        queue += deliveries
      case .record(let slice): log.add(slice)
      case .recordAction(let action): if recording { log.records.append(.action(action)) }
      case .willPerform, .pull, .sourceEnded, .ended: break
      }
    }
    while true {
      let step = driver.next()
      handle(step)
      while !queue.isEmpty {
        answered += 1
        let (requests, action) = script.answer(to: queue.removeFirst(), number: answered)
        for request in requests {
          driver.request(request, by: client)
          handle(.deliver(driver.drainDeliveries()))
        }
        guard let action else { continue }
        driver.perform(action, by: client)
        while let step = driver.nextBeforeInput() { handle(step) }
      }
      if case .ended = step { return log }
      guard case .pull = step else { continue }
      if let batch = batches.popFirst() {
        driver.supply(batch)
      } else {
        driver.endSource(.atEnd(performingScheduled: true))
      }
    }
  }

  @Test(arguments: [true, false])
  func `it does what the command's loop did but for its faults`(recording: Bool) {
    for seed in Self.seeds {
      let script = DriverScript(seed: seed, hasGaps: false)
      let (log, expected) = (
        Self.drive(script, recording: recording), StageOracle.run(script, recording: recording)
      )
      let isEqual = log == expected
      #expect(isEqual, "seed \(seed): \(Self.difference(log, expected))")
      if !isEqual { return }
    }
  }

  @Test(.slow, arguments: LoopFault.allCases)
  func `each known fault of the command's loop is a difference`(_ fault: LoopFault) {
    let others = Set(LoopFault.allCases).subtracting([fault])
    // Some faults are rare; the search stops at the first script that shows the fault.
    let differ = (0..<UInt64(3000)).contains { seed in
      let script = DriverScript(seed: seed, hasGaps: false)
      return StageOracle.run(script, correcting: others, recording: true)
        != Self.drive(script, recording: true)
    }
    #expect(differ)
  }

  @Test(arguments: [true, false])
  func `it does what the session's loop did`(recording: Bool) {
    for seed in Self.seeds {
      var script = DriverScript(seed: seed, hasGaps: false)
      script.actions = []
      let (log, expected) = (
        Self.driveSession(script, recording: recording),
        SessionOracle.run(script, recording: recording)
      )
      let isEqual = log == expected
      #expect(isEqual, "seed \(seed): \(Self.difference(log, expected))")
      if !isEqual { return }
    }
  }

  @Test func `recording changes nothing`() {
    for seed in Self.seeds {
      let script = DriverScript(seed: seed)
      let (plain, recorded) = (
        Self.drive(script, recording: false), Self.drive(script, recording: true)
      )
      let isEqual = plain.deliveries == recorded.deliveries
      #expect(isEqual, "seed \(seed)")
      let (session, recordedSession) = (
        Self.driveSession(script, recording: false), Self.driveSession(script, recording: true)
      )
      let areEqual = session.deliveries == recordedSession.deliveries
      #expect(areEqual, "seed \(seed)")
    }
  }

  /// The recorded inputs as a capture contains them: with their admission times, in batches of any size.
  private static func replay(of log: DriverLog, _ script: DriverScript, size: Int) -> DriverScript {
    var replay = script
    replay.actions = []
    replay.batches = []
    var batch = ScanBatch()
    for record in log.records {
      switch record {
      case .input(let input, let payload, let time):
        batch.append(input.at(time), pointingTo: payload)
      case .reached(let time): batch.inputs.append(.mark(time))
      case .action(let action): replay.actions.append(action)
      }
      guard batch.inputs.count >= size else { continue }
      replay.batches.append(batch)
      batch = ScanBatch()
    }
    replay.batches.append(batch)
    return replay
  }

  /// Rows L2 and T8.
  @Test(arguments: [1, 7, 10_000])
  func `live equals replay`(size: Int) {
    for seed in Self.seeds {
      let script = DriverScript(seed: seed)
      let live = Self.drive(script, recording: true)
      let replay = Self.replay(of: live, script, size: size)
      let replayed = Self.drive(replay, recording: false, actsAtOnce: false)
      let isEqual = live.deliveries == replayed.deliveries
      #expect(
        isEqual,
        "seed \(seed): \(Self.difference(live, replayed))"
      )
      if !isEqual { return }
    }
  }

  private static func difference(_ log: DriverLog, _ expected: DriverLog) -> String {
    for (index, pair) in zip(log.deliveries, expected.deliveries).enumerated()
    where pair.0 != pair.1 { return "delivery \(index): \(pair.0), expected \(pair.1)" }
    for (index, pair) in zip(log.records, expected.records).enumerated()
    where pair.0 != pair.1 { return "record \(index): \(pair.0), expected \(pair.1)" }
    return "\(log.deliveries.count) deliveries of \(expected.deliveries.count), "
      + "\(log.records.count) records of \(expected.records.count)"
  }

  // MARK: Gaps

  /// Runs a beacon's reports from 0.5 to 11.5 s and from 105.5 s on, with a user who acts meanwhile.
  private static func runGap(
    _ actions: [TimedUserAction],
    answering isAnswering: Bool = false,
    batchSize: Int
  ) -> DriverLog {
    var script = DriverScript(seed: 1, hasGaps: false)
    script.batches = []
    var scan = TestScan()
    for second in 0..<12 { scan.report(TestScan.beacon(1, 1), -60, at: Double(second) + 0.5) }
    for second in 105..<110 { scan.report(TestScan.beacon(1, 1), -60, at: Double(second) + 0.5) }
    var batch = ScanBatch(bytes: scan.batch.bytes)
    for input in scan.batch.inputs {
      batch.inputs.append(input)
      guard batch.inputs.count == batchSize else { continue }
      script.batches.append(batch)
      batch.inputs = []
    }
    script.batches.append(batch)
    var log = DriverLog()
    var driver = EngineDriver(startingAt: TestScan.start, keepsSlices: true)
    let client = driver.connect(DriverScript.manifest, restoring: DriverScript.saved)
    for request in DriverScript.firstRequests { driver.request(request, by: client) }
    _ = driver.connect()
    actions.forEach { driver.schedule($0) }
    var batches = script.batches[...]
    var hasAnswered = false
    while true {
      switch driver.next() {
      case .deliver(let deliveries):
        log.deliveries += deliveries
        // The program asks for more inside the gap, once.
        guard isAnswering, !hasAnswered, driver.now > TestScan.at(12) else { continue }
        hasAnswered = true
        driver.request(.range(.minor(TestScan.beacon(1, 1))), by: client)
        driver.request(.monitor(Region("late", DriverScript.museum)), by: client)
      case .record(let slice): log.add(slice)
      case .recordAction(let action): log.records.append(.action(action))
      case .willPerform, .sourceEnded: continue
      case .pull:
        if let batch = batches.popFirst() {
          driver.supply(batch)
        } else {
          driver.endSource(.atEnd(performingScheduled: true))
        }
      case .ended: return log
      }
    }
  }

  @Test(arguments: [1, 5, 100])
  func `a user action in a gap neither ends it nor makes it silence`(batchSize: Int) {
    let plain = Self.runGap([], batchSize: batchSize)
    let time = TestScan.at(60)
    for action in [UserAction.screenOn, .foreground, .services(on: true)] {
      let timed = TimedUserAction(time: time, client: nil, action: action)
      let log = Self.runGap([timed], batchSize: batchSize)
      #expect(log.deliveries == plain.deliveries, "\(action)")
      #expect(log.records.contains(.action(timed)))
    }
    let gaps = plain.deliveries.filter {
      $0.event == .diagnostic(.timeGap(from: TestScan.at(11.5), to: TestScan.at(105.5)))
    }
    #expect(gaps.count == 1 && gaps.first?.recipient != .client(DriverScript.client))
  }

  @Test(arguments: [1, 5, 100])
  func `what a program requests in a gap waits for the gap's end`(batchSize: Int) {
    // The client leaves the foreground, so something is delivered in the gap and answered there.
    let background = TimedUserAction(
      time: TestScan.at(40),
      client: DriverScript.client,
      action: .settings(precise: false)
    )
    let foreground = TimedUserAction(
      time: TestScan.at(50),
      client: DriverScript.client,
      action: .settings(precise: true)
    )
    let log = Self.runGap([background, foreground], answering: true, batchSize: batchSize)
    for delivery in log.deliveries where delivery.time > TestScan.at(12) {
      guard delivery.time < TestScan.at(105.5) else { continue }
      switch delivery.event {
      case .ranged, .regionExited, .regionEntered: Issue.record("\(delivery)")
      case .regionState(_, let state, _, _): #expect(state == .unknown)
      default: continue
      }
    }
    let states = log.deliveries.compactMap { delivery -> String? in
      guard case .regionState(let name, let state, _, _) = delivery.event,
        delivery.time > TestScan.at(105)
      else { return nil }
      return "\(name) \(state)"
    }
    #expect(states == ["all inside", "late inside", "one inside"], "\(states)")
  }

  // MARK: Endings

  @Test func `an interruption records what was admitted and delivers nothing more`() {
    var scan = TestScan()
    for second in 0..<5 { scan.report(TestScan.beacon(1, 1), -60, at: Double(second) + 0.5) }
    var driver = EngineDriver(startingAt: TestScan.start, keepsSlices: true)
    let client = driver.connect()
    driver.request(.range(DriverScript.museum), by: client)
    driver.perform(.screenOn, by: nil)
    driver.supply(scan.batch)
    var log = DriverLog()
    var end: Timestamp?
    loop: while true {
      switch driver.next() {
      case .deliver(let deliveries):
        log.deliveries += deliveries
        driver.schedule(TimedUserAction(time: TestScan.at(1), client: nil, action: .screenOn))
        driver.endSource(.interrupted)
      case .record(let slice): log.add(slice)
      case .recordAction(let action): log.records.append(.action(action))
      case .willPerform, .pull: continue
      case .sourceEnded(let time): end = time
      case .ended: break loop
      }
    }
    #expect(log.deliveries.map(\.seconds) == [1])
    let first = TestScan.start + TimeSpan(microseconds: 1)
    #expect(
      log.records == [
        .action(.init(time: first, client: nil, action: .screenOn)),
        .input(
          scan.batch.inputs[0],
          BeaconEncoder.advertisingData(TestScan.beacon(1, 1), measuredPower: -59),
          TestScan.at(0.5)
        ),
      ]
    )
    #expect(end == TestScan.at(1))
  }

  @Test func `at the end what is scheduled is performed or dropped`() {
    for performs in [true, false] {
      var script = DriverScript(seed: 1)
      script.batches = [ScanBatch(inputs: [.mark(TestScan.at(2))])]
      script.actions = [
        .init(time: TestScan.at(9), client: DriverScript.client, action: .background)
      ]
      let log = Self.drive(
        script,
        recording: true,
        actsAtOnce: false,
        ending: .atEnd(performingScheduled: performs)
      )
      #expect(log.records.contains(.action(script.actions[0])) == performs)
    }
  }

  @Test func `a shutdown makes regions unknown after the end, and a drain lets them settle`() {
    for drains in [true, false] {
      var scan = TestScan()
      scan.report(TestScan.beacon(1, 1), -60, at: 0.5)
      var driver = EngineDriver(startingAt: TestScan.start)
      let client = driver.connect()
      for request in DriverScript.firstRequests { driver.request(request, by: client) }
      driver.supply(scan.batch)
      _ = driver.collectDeliveries()
      driver.endSource(.atEnd(performingScheduled: false))
      var after: [Event]?
      loop: while true {
        switch driver.next() {
        case .deliver(let deliveries): after?.append(contentsOf: deliveries.map(\.event))
        case .sourceEnded:
          after = []
          if drains { driver.drain() } else { driver.shutDown() }
        case .ended: break loop
        default: continue
        }
      }
      let exits = after?.count { if case .regionExited = $0 { true } else { false } }
      let unknowns = after?.count {
        if case .regionState(_, .unknown, _, .shutdown) = $0 { true } else { false }
      }
      #expect(exits == (drains ? 2 : 0))
      #expect(unknowns == (drains ? 0 : 2))
    }
  }

  // MARK: Order

  @Test func `deadlines before an action are answered before it`() {
    var driver = EngineDriver(startingAt: TestScan.start)
    let client = driver.connect(DriverScript.manifest, restoring: DriverScript.saved)
    driver.request(.range(DriverScript.museum), by: client)
    driver.schedule(
      TimedUserAction(time: TestScan.at(2.5), client: client, action: .settings(precise: false))
    )
    var scan = TestScan()
    scan.report(TestScan.beacon(1, 1), -60, at: 0.5)
    scan.mark(at: 4)
    driver.supply(scan.batch)
    var seen: [String] = []
    loop: while true {
      switch driver.next() {
      case .deliver(let deliveries):
        for delivery in deliveries where delivery.ranged != nil {
          seen.append("tick \(delivery.seconds), \(driver.snapshot(of: client)?.accuracy == .full)")
        }
      case .recordAction: seen.append("action")
      case .pull: break loop
      default: continue
      }
    }
    #expect(seen == ["tick 1.0, true", "tick 2.0, true", "action"])
  }

  @Test func `an action at once comes a microsecond after all that was admitted`() {
    for recording in [true, false] {
      var driver = EngineDriver(startingAt: TestScan.start, keepsSlices: recording)
      _ = driver.connect()
      driver.supply(ScanBatch(inputs: [.mark(TestScan.at(3))]))
      _ = driver.collectDeliveries()
      driver.perform(.screenOn, by: nil)
      _ = driver.collectDeliveries()
      #expect(driver.now == TestScan.at(3) + TimeSpan(microseconds: 1))
    }
  }

  @Test func `the driver has released its batch when it requests the next`() {
    var driver = EngineDriver(startingAt: TestScan.start, keepsSlices: true)
    var bytes = [UInt8](repeating: 0, count: 64)
    let address = bytes.withUnsafeBufferPointer { $0.baseAddress.map(UInt.init(bitPattern:)) }
    driver.supply(ScanBatch(bytes: bytes, inputs: [.mark(TestScan.at(1))]))
    _ = driver.collectDeliveries()
    // A write does not copy storage that nobody else holds.
    bytes[0] = 1
    let after = bytes.withUnsafeBufferPointer { $0.baseAddress.map(UInt.init(bitPattern:)) }
    #expect(address == after)
  }
}
