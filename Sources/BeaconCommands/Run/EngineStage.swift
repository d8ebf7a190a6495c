// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

package import BeaconCore
internal import BeaconFormats
package import Beacons

/// An engine at work: the air and persons go in, each at its time, what is told goes out, and what went in is recorded.
///
/// A person's input is admitted later than every input before it, by a microsecond if need be, and goes in before the
/// inputs of the air at its time. So a recording needs no more than the times to be replayed in the same order.
package struct EngineStage {
  package private(set) var engine: Engine
  private var recorder: Recorder?
  private let userActions: RunUserActions
  private let deliver: ([Delivery]) throws -> Void
  /// Takes what was heard, when it was admitted, and the receivers' names by now; `nil` where nobody wants to know.
  private let heard: Received?
  private var told: [Delivery] = []

  private static let instant = TimeSpan(microseconds: 1)

  /// Takes a batch that was heard, when its inputs were admitted, and the receivers' names where they may have changed.
  package typealias Received = (ScanBatch, [Timestamp], [String]?) -> Void

  package init(
    _ engine: Engine,
    userActions: RunUserActions,
    deliver: @escaping ([Delivery]) throws -> Void,
    heard: Received? = nil
  ) {
    self.engine = engine
    self.userActions = userActions
    self.deliver = deliver
    self.heard = heard
  }

  /// Lets clients be connected and their first requests be made, then tells what came of it.
  package mutating func begin(
    _ prepare: (inout Engine) throws -> [Delivery],
    recorder makeRecorder: () throws -> Recorder?
  ) throws {
    told = try prepare(&engine)
    recorder = try makeRecorder()
    if recorder != nil || heard != nil { engine.keepAdmissions() }
    if told.isEmpty { try userActions.afterTelling([], engine) }
    try hand()
    try doWhatIsDue()
  }

  /// Takes in a batch, with what persons do in its time.
  ///
  /// - Parameters:
  ///   - batch: The inputs of the air.
  ///   - receivers: The receivers' names by now, for the recording; `nil` where they cannot have changed.
  /// - Throws: What delivering, asking persons and recording throw.
  package mutating func hear(_ batch: ScanBatch, receivers: [String]? = nil) throws {
    var rest = batch
    while let moment = userActions.queue.next, let place = Self.place(of: moment.time, in: rest) {
      let before = ScanBatch(bytes: rest.bytes, inputs: Array(rest.inputs[..<place]))
      try hear(piece: before, receivers: receivers)
      rest.inputs.removeFirst(place)
      // Someone may have acted in the meantime, and then comes first.
      guard userActions.queue.next == moment else { continue }
      userActions.queue.removeFirst()
      try put(moment)
    }
    try hear(piece: rest, receivers: receivers)
  }

  /// How many inputs of a batch come before a time; `nil` where the batch does not reach it.
  private static func place(of time: Timestamp, in batch: ScanBatch) -> Int? {
    if let place = batch.inputs.firstIndex(where: { $0.time >= time }) { return place }
    return batch.upTo.map { $0 >= time } ?? false ? batch.inputs.count : nil
  }

  private mutating func hear(piece: ScanBatch, receivers: [String]?) throws {
    var next: Int? = 0
    var kept = 0
    while let from = next {
      next = engine.hear(piece, from: from, into: &told)
      try hand()
      guard isDue else { continue }
      let heard = next ?? piece.inputs.count
      try keep(piece, kept..<heard, upTo: next == nil ? piece.upTo : nil, receivers)
      kept = heard
      try doWhatIsDue()
    }
    if kept == 0 || kept < piece.inputs.count {
      try keep(piece, kept..<piece.inputs.count, upTo: piece.upTo, receivers)
    }
    try userActions.afterHearing(engine)
  }

  private mutating func keep(
    _ piece: ScanBatch,
    _ range: Range<Int>,
    upTo: Timestamp?,
    _ receivers: [String]?
  ) throws {
    guard recorder != nil || heard != nil else { return }
    var batch = piece
    batch.upTo = upTo
    if range.count < piece.inputs.count { batch.inputs = Array(piece.inputs[range]) }
    let times = engine.drainAdmissions()
    try recorder?.record(batch, admittedAt: times, receivers: receivers)
    heard?(batch, times, receivers)
  }

  // MARK: Persons

  private var isDue: Bool {
    userActions.queue.next.map { $0.time <= engine.now + Self.instant } ?? false
  }

  /// Puts in what persons do by now.
  package mutating func doWhatIsDue() throws {
    while isDue, let moment = userActions.queue.next {
      userActions.queue.removeFirst()
      try put(moment)
    }
  }

  private mutating func put(_ moment: RecordedUserAction) throws {
    guard let recipient = userActions.recipient(of: moment) else { return }
    let time = max(moment.time, engine.now + Self.instant)
    engine.user(moment.input, of: recipient, at: time, into: &told)
    try recorder?.record(
      RecordedUserAction(time: engine.now, client: moment.client, input: moment.input)
    )
    try userActions.program?.notice(moment.input, &engine, into: &told)
    try hand()
    try userActions.afterHearing(engine)
  }

  /// Looks what persons did meanwhile.
  package mutating func lookAtPersons() throws {
    try userActions.betweenBatches(engine)
    try doWhatIsDue()
  }

  // MARK: The end

  /// Tells what is still due when the source has ended.
  ///
  /// - Parameter putsInAll: Whether what persons do behind the last input goes in: it does where it was recorded.
  /// - Throws: What delivering, asking persons and recording throw.
  package mutating func end(puttingInAll putsInAll: Bool = false) throws {
    while putsInAll, let moment = userActions.queue.next {
      userActions.queue.removeFirst()
      try put(moment)
    }
    while engine.end(into: &told) { try hand() }
    try userActions.atEnd(engine)
  }

  /// Runs on behind the end until every region has settled.
  package mutating func drain() throws {
    while engine.drain(into: &told) { try hand() }
  }

  /// Ends the recording.
  package mutating func endRecording() throws {
    try recorder?.end(at: engine.now)
    recorder = nil
  }

  /// Hands out what was told, and lets the program answer until it has nothing more to ask.
  private mutating func hand() throws {
    while !told.isEmpty {
      let now = told
      told.removeAll(keepingCapacity: true)
      try deliver(now)
      try userActions.afterTelling(now, engine)
      guard let program = userActions.program else { continue }
      for delivery in now { try program.answer(delivery, &engine, into: &told) }
    }
  }
}
