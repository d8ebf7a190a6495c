// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

import BeaconTestSupport

@testable import BeaconCore

/// The faults of the earlier loops; an oracle reproduces each one unless it is corrected.
enum LoopFault: CaseIterable {
  /// Deadlines before a user action reached the program only after the action was performed.
  case answersComeTooLate
  /// An action came before inputs with a stamp a microsecond earlier, if one of them had been answered or was in a
  /// separate batch.
  case overtakesInputs
  /// The time that the source had reached was not recorded if an action followed the last input of a batch.
  case losesReachedTime
  /// User actions during the delivery of the last deadlines were dropped.
  case dropsLastActions
}

/// The command's loop before the driver existed: `EngineStage`.
struct StageOracle {
  private var engine: Engine
  private var queue: [TimedUserAction] = []
  private var delivered: [Delivery] = []
  private var answered = 0
  private var log = DriverLog()
  private let script: DriverScript
  private let corrected: Set<LoopFault>
  private let records: Bool

  private static let instant = TimeSpan(microseconds: 1)

  static func run(
    _ script: DriverScript,
    correcting corrected: Set<LoopFault> = Set(LoopFault.allCases),
    recording: Bool
  ) -> DriverLog {
    var oracle = StageOracle(script, corrected, recording)
    oracle.run()
    return oracle.log
  }

  private init(_ script: DriverScript, _ corrected: Set<LoopFault>, _ records: Bool) {
    (self.script, self.corrected, self.records) = (script, corrected, records)
    engine = Engine(startingAt: TestScan.start)
  }

  private mutating func run() {
    let client = engine.connect(
      DriverScript.manifest,
      restoring: DriverScript.saved,
      into: &delivered
    )
    for request in DriverScript.firstRequests {
      engine.request(request, by: client, into: &delivered)
    }
    script.actions.forEach { add($0) }
    if records { engine.keepAdmissions() }
    hand()
    performDue(always: true)
    for batch in script.batches {
      process(batch)
      performDue(always: true)
    }
    while let action = queue.first {
      queue.removeFirst()
      perform(action)
    }
    while engine.end(into: &delivered) {
      hand()
      if corrected.contains(.dropsLastActions) { performDue(always: true) }
    }
  }

  private mutating func add(_ action: TimedUserAction) {
    let place = queue.firstIndex { action.time < $0.time } ?? queue.count
    queue.insert(action, at: place)
  }

  private mutating func process(_ batch: ScanBatch) {
    var rest = batch
    while let action = queue.first, let place = Self.place(of: action.time, in: rest) {
      let before = ScanBatch(bytes: rest.bytes, inputs: Array(rest.inputs[..<place]))
      process(piece: before, isLast: false)
      rest.inputs.removeFirst(place)
      guard queue.first == action else { continue }
      queue.removeFirst()
      perform(action)
    }
    process(piece: rest, isLast: true)
  }

  private static func place(of time: Timestamp, in batch: ScanBatch) -> Int? {
    if let place = batch.inputs.firstIndex(where: { $0.time >= time }) { return place }
    return batch.upTo.map { $0 >= time } ?? false ? batch.inputs.count : nil
  }

  private mutating func process(piece: ScanBatch, isLast: Bool) {
    var next: Int? = 0
    var (kept, isReached) = (0, false)
    while let from = next {
      next = process(piece, from: from)
      hand()
      guard isDue(always: next == nil && isLast) else { continue }
      let processed = next ?? piece.inputs.count
      keep(piece, kept..<processed, upTo: next == nil ? piece.upTo : nil)
      (kept, isReached) = (processed, next == nil)
      performDue(always: next == nil && isLast)
    }
    let isWanted = kept == 0 || kept < piece.inputs.count
    if isWanted || corrected.contains(.losesReachedTime), !isReached {
      keep(piece, kept..<piece.inputs.count, upTo: piece.upTo)
    }
  }

  private mutating func process(_ piece: ScanBatch, from index: Int) -> Int? {
    if let next = engine.process(piece, in: index..<piece.inputs.count, into: &delivered) {
      return next
    }
    guard let upTo = piece.upTo, engine.reach(upTo, into: &delivered) else { return nil }
    return piece.inputs.count
  }

  private mutating func keep(_ piece: ScanBatch, _ range: Range<Int>, upTo: Timestamp?) {
    guard records else { return }
    let times = engine.drainAdmissions()
    log.add(ScanSlice(batch: piece, range: range, admitted: times, upTo: upTo))
  }

  private func isDue(always: Bool) -> Bool {
    guard let action = queue.first else { return false }
    if corrected.contains(.overtakesInputs) {
      return action.time == .earliest || always && action.time <= engine.now
    }
    return action.time <= engine.now + Self.instant
  }

  private mutating func performDue(always: Bool) {
    while isDue(always: always), let action = queue.first {
      queue.removeFirst()
      perform(action)
    }
  }

  private mutating func perform(_ action: TimedUserAction) {
    let time = max(action.time, engine.now + Self.instant)
    while corrected.contains(.answersComeTooLate), engine.pass(before: time, into: &delivered) {
      hand()
      guard let earlier = queue.first, earlier.time < action.time, engine.now < time else {
        continue
      }
      // The program that answered has also acted, and its action comes first.
      queue.removeFirst()
      perform(earlier)
      return perform(action)
    }
    while engine.pass(before: time, into: &delivered) {}
    engine.perform(action.action, by: action.client, at: time, into: &delivered)
    if records {
      log.records.append(
        .action(.init(time: engine.now, client: action.client, action: action.action))
      )
    }
    hand()
  }

  private mutating func hand() {
    while !delivered.isEmpty {
      let now = delivered
      delivered = []
      log.deliveries += now
      for delivery in now {
        answered += 1
        let (requests, action) = script.answer(to: delivery, number: answered)
        for request in requests {
          engine.request(request, by: DriverScript.client, into: &delivered)
        }
        if let action { add(.init(time: .earliest, client: DriverScript.client, action: action)) }
      }
    }
  }
}

/// The loop of the library's session before the driver existed, on a replay: clients' actions take effect at once.
struct SessionOracle {
  static func run(_ script: DriverScript, recording: Bool) -> DriverLog {
    var log = DriverLog()
    var engine = Engine(startingAt: TestScan.start)
    var delivered: [Delivery] = []
    var queue: [Delivery] = []
    var answered = 0
    var (batch, written, processed, isSpent) = (ScanBatch(), 0, 0, false)
    let client = engine.connect(
      DriverScript.manifest,
      restoring: DriverScript.saved,
      into: &delivered
    )
    for request in DriverScript.firstRequests {
      engine.request(request, by: client, into: &delivered)
    }
    if recording { engine.keepAdmissions() }
    func write() {
      guard recording, written < processed || isSpent else { return }
      log.add(
        ScanSlice(
          batch: batch,
          range: written..<processed,
          admitted: engine.drainAdmissions(),
          upTo: isSpent ? batch.upTo : nil
        )
      )
      (written, isSpent) = (processed, false)
    }
    func deliver() {
      log.deliveries += delivered
      queue += delivered
      delivered = []
    }
    func settle() {
      deliver()
      while !queue.isEmpty {
        answered += 1
        let (requests, action) = script.answer(to: queue.removeFirst(), number: answered)
        for request in requests {
          engine.request(request, by: client, into: &delivered)
          deliver()
        }
        guard let action else { continue }
        write()
        // The session added the microsecond only while it recorded; that was a fault.
        let time = engine.now + TimeSpan(microseconds: 1)
        while engine.pass(before: time, into: &delivered) {}
        engine.perform(action, by: client, at: time, into: &delivered)
        if recording {
          log.records.append(.action(.init(time: engine.now, client: client, action: action)))
        }
        deliver()
      }
    }
    settle()
    for next in script.batches {
      (batch, written, processed, isSpent) = (next, 0, 0, false)
      var index: Int? = 0
      while let from = index {
        index = engine.process(batch, in: from..<batch.inputs.count, into: &delivered)
        processed = index ?? batch.inputs.count
        if index == nil, let upTo = batch.upTo, engine.reach(upTo, into: &delivered) {
          index = processed
        }
        isSpent = index == nil
        settle()
      }
      write()
    }
    while engine.end(into: &delivered) { settle() }
    return log
  }
}
