// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

package import BeaconCore

/// A capture that ``MergingReader`` merges with others; its times are as they were recorded.
package protocol MergedCapture: ScanReader {
  /// The names of the receivers found so far, by their number; empty where the capture does not distinguish them.
  var receiverNames: [String] { get }
  /// The header of the recording's first part; `nil` for other captures.
  var header: CaptureHeader? { get }
  /// The header of the last part read of a recording; `nil` for other captures.
  var lastHeader: CaptureHeader? { get }
  /// The end of a recording, if the last line read is one.
  var end: Timestamp? { get }
  /// The format; `nil` when the capture is empty.
  var format: CaptureFormat? { get }
  /// Returns and clears the user actions read so far.
  mutating func drainUserActionLines() -> [UserActionLine]
}

extension MergedCapture {
  fileprivate mutating func note(_ names: inout [String]) { names = receiverNames }
}

extension CaptureReader: MergedCapture {}

/// Merges captures into one in order of time.
///
/// The order in which the captures are given has no effect. Each keeps the order of its inputs; an input that is
/// earlier than one before it counts as simultaneous with that one. At one time the capture that starts first comes
/// first.
///
/// A receiver listens while its capture lasts: when the capture ends and another one continues, its receivers are gone.
/// If a capture continues one that has ended (``CapturePartEnd``), both are read as one, on one ``SteadyClock``: so
/// the pieces of a recording give the inputs of the whole.
///
/// A single capture is kept on one clock as it is read.
package struct MergingReader<Capture: MergedCapture>: ScanReader {
  /// How many inputs a merged batch has at least, unless the captures give fewer: enough that the cost of a batch does
  /// not matter.
  private static var batchCount: Int { 512 }

  /// A capture with its name; its receivers are called after it where others have the same names.
  package typealias Labeled = (label: String, capture: Capture)

  /// A capture that has not started.
  private struct Waiting {
    /// Its number in ``captures``.
    var capture: Int
    /// What was read of it to find its start.
    var batches: [ScanBatch]
    var start: Timestamp
    /// When the first part of its recording starts.
    var recordingStart: Timestamp
    var begun: Timestamp?
  }

  /// Captures that are read one after the other.
  private struct Source {
    /// The number of the capture that is being read.
    var capture: Int
    /// That of its first capture.
    var rank: Int
    var lane: Int
    var clock: SteadyClock
    var end = CapturePartEnd()
    /// Batches of the capture as it was recorded, read to find its start.
    var raw: [ScanBatch]
    /// The receivers' numbers in the merged inputs, by their number in the capture.
    var numbers: [UInt8] = []
    var isAtEnd = false
    /// Batches that were read ahead.
    var ahead: [ScanBatch] = []
    var batch = ScanBatch()
    var index = 0
    /// The latest time up to its next input.
    var time = Timestamp.earliest
  }

  private let timing: TimingConfiguration
  /// Captures that have not started, the first one first.
  private var waiting: [Waiting] = []
  private var active: [Source] = []
  private var lanes: [CaptureLane] = []
  /// Lanes that have ended; their receivers are gone as soon as another capture gives an input.
  private var departing: [Int] = []
  private var receivers = MergedReceivers()
  private var merged = ScanBatch()

  /// The captures, ordered by when they start and what they contain; those without any input come last.
  package private(set) var captures: [Labeled]
  /// The clock of a single capture.
  private var lone: SteadyClock?
  /// The names of its receivers, as far as it was read.
  private var loneNames: [String] = []
  /// The names of the receivers met so far, by their number.
  package var receiverNames: [String] {
    captures.count == 1 ? loneNames : receivers.names
  }
  /// The clocks of the recorders that were read to their end, each with what its first capture is called.
  private var endedClocks: [(label: String, clock: SteadyClock)] = []

  /// Merges captures.
  ///
  /// - Parameters:
  ///   - captures: The captures.
  ///   - timing: How faults of a recorder's clock, and the parts of a recording, are recognized; `nil` leaves the times of
  ///     a single capture as they were recorded.
  /// - Throws: What reading the first inputs throws.
  package init(
    _ captures: [Labeled],
    timing: TimingConfiguration? = TimingConfiguration()
  ) throws {
    self.timing = timing ?? TimingConfiguration()
    self.captures = captures
    guard captures.count > 1 else {
      lone = captures.isEmpty ? nil : timing.map { SteadyClock($0) }
      return
    }
    var empty: [Int] = []
    for index in captures.indices {
      if let opened = try open(index) { waiting.append(opened) } else { empty.append(index) }
    }
    var firstParts: [Timestamp: Int] = [:]
    for index in waiting.indices {
      guard let begun = waiting[index].begun else { continue }
      let first = firstParts[begun] ?? index
      firstParts[begun] = isEarlierPart(waiting[index], waiting[first]) ? index : first
    }
    for index in waiting.indices {
      guard let begun = waiting[index].begun, let first = firstParts[begun] else { continue }
      waiting[index].recordingStart = waiting[first].start
    }
    waiting.sort(by: precedes)
    empty.sort { captures[$0].label < captures[$1].label }
    let opened = self.captures
    self.captures = (waiting.map(\.capture) + empty).map { opened[$0] }
    for rank in waiting.indices {
      waiting[rank].capture = rank
      for name in self.captures[rank].capture.receiverNames { receivers.announce(name) }
    }
  }

  /// Returns and clears the user actions read so far.
  package mutating func drainUserActionLines() -> [UserActionLine] {
    captures.indices.flatMap { captures[$0].capture.drainUserActionLines() }
  }

  /// The clocks of the recorders, each with what its first capture is called.
  package var clocks: [(label: String, clock: SteadyClock)] {
    lone.map { [(captures[0].label, $0)] } ?? endedClocks
  }

  /// Reads the start of a capture; `nil` where it has no inputs.
  private mutating func open(_ capture: Int) throws -> Waiting? {
    var clock = SteadyClock(timing)
    var batches: [ScanBatch] = []
    var first: ScanInput?
    while first == nil, let batch = try captures[capture].capture.next() {
      batches.append(batch)
      first = clock.steady(batch).inputs.first
    }
    return (first ?? clock.finish().inputs.first).map { first in
      Waiting(
        capture: capture,
        batches: batches,
        start: first.time,
        recordingStart: first.time,
        begun: captures[capture].capture.header?.begun
      )
    }
  }

  private func isEarlierPart(_ first: Waiting, _ second: Waiting) -> Bool {
    let numbers = [first, second].map { captures[$0.capture].capture.header?.piece ?? 0 }
    return numbers[0] == numbers[1] ? first.start < second.start : numbers[0] < numbers[1]
  }

  /// The order of captures: by their start, then by their contents, so that the order of arguments has no effect.
  ///
  /// The parts of a recording have the order of their numbers.
  private func precedes(_ first: Waiting, _ second: Waiting) -> Bool {
    if first.recordingStart != second.recordingStart {
      return first.recordingStart < second.recordingStart
    }
    let begun = (first.begun ?? .earliest, second.begun ?? .earliest)
    if begun.0 != begun.1 { return begun.0 < begun.1 }
    if isEarlierPart(first, second) { return true }
    if isEarlierPart(second, first) { return false }
    let (one, other) = (captures[first.capture], captures[second.capture])
    let names = (one.capture.receiverNames, other.capture.receiverNames)
    if names.0 != names.1 { return names.0.lexicographicallyPrecedes(names.1) }
    let bytes = (first.batches.first?.bytes ?? [], second.batches.first?.bytes ?? [])
    if bytes.0 != bytes.1 { return bytes.0.lexicographicallyPrecedes(bytes.1) }
    return one.label < other.label
  }

  // MARK: Reading

  /// Returns the next inputs in order, never an empty batch; `nil` when all captures are at their end.
  package mutating func next() throws -> ScanBatch? {
    if captures.count == 1 { return try nextAlone() }
    while true {
      while let spent = active.firstIndex(where: { $0.index == $0.batch.inputs.count }) {
        // A pipe may make the next read wait, so merged inputs go first.
        if !merged.inputs.isEmpty { return drainMerged() }
        try refill(spent)
      }
      guard let first = active.indices.min(by: { isBefore(active[$0], active[$1]) }) else {
        if waiting.isEmpty { return merged.inputs.isEmpty ? nil : drainMerged() }
        start(0)
        continue
      }
      if let next = nextToStart, waiting[next].start < active[first].time {
        if try !readAheadTo(next) { start(next) }
        continue
      }
      if let whole = merge(first) { return whole }
      if merged.inputs.count >= Self.batchCount { return drainMerged() }
    }
  }

  private mutating func nextAlone() throws -> ScanBatch? {
    // In place: to read a property of an element copies the capture, which costs four instructions a report.
    defer { captures[0].capture.note(&loneNames) }
    while let batch = try captures[0].capture.next() {
      guard let steady = lone?.steady(batch) else { return batch }
      // An input after a jump of the clock waits for the next ones.
      if !steady.inputs.isEmpty { return steady }
    }
    let rest = lone?.finish(hasEnded: captures[0].capture.end != nil)
    return rest.flatMap { $0.inputs.isEmpty ? nil : $0 }
  }

  private mutating func drainMerged() -> ScanBatch {
    defer { merged = ScanBatch() }
    return merged
  }

  private func isBefore(_ first: Source, _ second: Source) -> Bool {
    (first.time, first.rank) < (second.time, second.rank)
  }

  private mutating func refill(_ index: Int) throws {
    guard
      let batch = try active[index].ahead.isEmpty ? read(index) : active[index].ahead.removeFirst()
    else {
      end(active.remove(at: index))
      return
    }
    active[index].batch = batch
    active[index].index = 0
    active[index].time = max(active[index].time, batch.inputs.first?.time ?? .earliest)
  }

  /// Reads the next inputs of a source, never an empty batch; `nil` at its end.
  ///
  /// At the end of its capture it continues with the one that continues it.
  private mutating func read(_ index: Int) throws -> ScanBatch? {
    while !active[index].isAtEnd {
      let raw =
        try active[index].raw.isEmpty
        ? captures[active[index].capture].capture.next() : active[index].raw.removeFirst()
      if let raw {
        let batch = active[index].clock.steady(renumbered(raw, of: index))
        if !batch.inputs.isEmpty { return batch }
        continue
      }
      let lane = active[index].lane
      let ended = captures[active[index].capture].capture
      lanes[lane].note(ended)
      active[index].end.note(ended)
      if let next = continuation(of: index) {
        let next = waiting.remove(at: next)
        lanes[lane].note(captures[next.capture].capture)
        active[index].capture = next.capture
        active[index].raw = next.batches
        active[index].numbers = []
      } else {
        active[index].isAtEnd = true
        let rest = active[index].clock.finish(hasEnded: active[index].end.hasEnded)
        if !rest.inputs.isEmpty { return rest }
      }
    }
    return nil
  }

  /// Returns which waiting capture continues a source's ended capture.
  ///
  /// The first one that fits does. But where several recordings were split, only their first parts have a header: a part
  /// without one does not continue with a recording if the name of another one is more like its own.
  private mutating func continuation(of index: Int) -> Int? {
    active[index].end.time = active[index].clock.latestStamp ?? .earliest
    let (end, lane) = (active[index].end, lanes[active[index].lane])
    let label = captures[active[index].capture].label
    var others = active.indices.filter { $0 != index }.map { captures[active[$0].capture].label }
    others += waiting.filter { $0.begun != nil }.map { captures[$0.capture].label }
    return waiting.firstIndex { next in
      let (name, capture) = captures[next.capture]
      func likeness(_ label: String) -> Int {
        zip(label, name).prefix { $0 == $1 }.count
      }
      return lane.belongs(capture)
        && end.isContinued(by: capture, at: next.start, timing)
        && (next.begun != nil || !others.contains { likeness($0) > likeness(label) })
    }
  }

  // MARK: Starting

  /// The waiting capture that starts first; a part of a recording waits for the parts before it.
  private var nextToStart: Int? {
    var recordings = active.compactMap { captures[$0.capture].capture.lastHeader?.begun }
    var next: Int?
    for index in waiting.indices {
      if let begun = waiting[index].begun {
        if recordings.contains(begun) { continue }
        recordings.append(begun)
      }
      if next.map({ waiting[index].start < waiting[$0].start }) ?? true { next = index }
    }
    return next
  }

  /// Reads sources as far as inputs may be out of order, if a capture may continue one of them.
  ///
  /// - Returns: Whether it does, and so does not start by itself.
  private mutating func readAheadTo(_ next: Int) throws -> Bool {
    guard waiting[next].begun == nil else { return false }
    let rank = waiting[next].capture
    let capture = captures[rank].capture
    let limit = waiting[next].start + timing.disorder
    for index in active.indices where lanes[active[index].lane].belongs(capture) {
      func isBefore(_ batch: ScanBatch) -> Bool {
        batch.inputs.allSatisfy { $0.time <= limit }
      }
      while isBefore(active[index].ahead.last ?? active[index].batch),
        let batch = try read(index)
      {
        active[index].ahead.append(batch)
        if !waiting.contains(where: { $0.capture == rank }) { return true }
      }
      if !waiting.contains(where: { $0.capture == rank }) { return true }
    }
    return false
  }

  /// Merges inputs of the capture that is first: those before the next input of any other one.
  ///
  /// - Returns: The inputs, if they need no copy.
  private mutating func merge(_ first: Int) -> ScanBatch? {
    for lane in departing { depart(lane) }
    departing = []
    let batch = active[first].batch
    let range = active[first].index..<endOfRun(of: first)
    active[first].index = range.upperBound
    let isAlone = active.count == 1 || range.count >= Self.batchCount
    guard isAlone, merged.inputs.isEmpty else {
      var merged = drainMerged()
      for input in batch.inputs[range] {
        let input = withState(input, of: first, into: &merged)
        merged.append(input, pointingTo: batch.payload(of: input))
      }
      self.merged = merged
      return nil
    }
    var whole = ScanBatch(bytes: batch.bytes)
    whole.inputs.reserveCapacity(range.count)
    for input in batch.inputs[range] {
      whole.inputs.append(withState(input, of: first, into: &whole))
    }
    return whole
  }

  /// Returns where another capture's input comes before the next one of the capture that is first.
  private mutating func endOfRun(of first: Int) -> Int {
    let others = active.indices.lazy.filter { $0 != first }
    let other = others.min { isBefore(active[$0], active[$1]) }
    let limit = other.map { active[$0].time } ?? .latest
    let winsTies = other.map { active[first].rank < active[$0].rank } ?? true
    let start = nextToStart.map { waiting[$0].start } ?? .latest
    let inputs = active[first].batch.inputs
    var (end, time) = (active[first].index, active[first].time)
    while end < inputs.count {
      time = max(time, inputs[end].time)
      if time > start || time > limit || time == limit && !winsTies { break }
      end += 1
    }
    active[first].time = time
    return end
  }

  /// Returns an input, and notes its receiver's state.
  ///
  /// A receiver that was gone with the part of the recording before listens from its first report, unless the recording
  /// states it.
  private mutating func withState(
    _ input: ScanInput,
    of source: Int,
    into batch: inout ScanBatch
  ) -> ScanInput {
    let lane = active[source].lane
    switch input {
    case .radio(let receiver, let state, _):
      lanes[lane].states[receiver] = state
      lanes[lane].gone.remove(receiver)
    case .report(let report), .level(let report):
      if lanes[lane].isGone(report.receiver) {
        lanes[lane].states[report.receiver] = .listening
        batch.inputs.append(.radio(receiver: report.receiver, .listening, report.time))
      }
    case .mark, .notice, .place: break
    }
    return input
  }

  /// Returns a batch with its receivers' numbers among all captures.
  private mutating func renumbered(_ batch: ScanBatch, of source: Int) -> ScanBatch {
    var batch = batch
    for index in batch.inputs.indices {
      guard let receiver = batch.inputs[index].receiver else { continue }
      let number = number(receiver, of: source)
      if number != receiver { batch.inputs[index].receiver = number }
    }
    return batch
  }

  private mutating func number(_ receiver: UInt8, of source: Int) -> UInt8 {
    let known = active[source].numbers
    if Int(receiver) < known.count { return known[Int(receiver)] }
    let names = captures[active[source].capture].capture.receiverNames
    for next in UInt8(clamping: known.count)...receiver {
      let name = Int(next) < names.count && !names[Int(next)].isEmpty ? names[Int(next)] : nil
      let lane = active[source].lane
      active[source].numbers.append(
        receivers.number(of: name, next, lane: lane, label: lanes[lane].label)
      )
    }
    return active[source].numbers[Int(receiver)]
  }

  // MARK: Lanes

  /// Starts a capture that waits.
  private mutating func start(_ index: Int) {
    let next = waiting.remove(at: index)
    let capture = captures[next.capture]
    let lane = laneToJoin(capture)
    departing.removeAll { $0 == lane }
    if lanes[lane].isOver { depart(lane) }
    lanes[lane].isOver = false
    lanes[lane].note(capture.capture)
    active.append(
      Source(
        capture: next.capture,
        rank: next.capture,
        lane: lane,
        clock: SteadyClock(timing),
        raw: next.batches,
        time: next.start
      )
    )
  }

  /// Returns the lane that a capture joins: an ended one with the same receivers, or a new one.
  private mutating func laneToJoin(_ next: Labeled) -> Int {
    let joined = lanes.indices.last { lanes[$0].isOver && lanes[$0].belongs(next.capture) }
    if let joined { return joined }
    lanes.append(CaptureLane(label: next.label))
    return lanes.count - 1
  }

  /// Ends a source: its lane is over.
  private mutating func end(_ source: Source) {
    lanes[source.lane].end = source.time
    lanes[source.lane].isOver = true
    departing.append(source.lane)
    endedClocks.append((lanes[source.lane].label, source.clock))
  }

  /// Adds that the receivers of a lane that is over are gone.
  private mutating func depart(_ lane: Int) {
    for receiver in receivers.ofLane(lane) where lanes[lane].states[receiver] != .gone {
      merged.inputs.append(.radio(receiver: receiver, .gone, lanes[lane].end))
      lanes[lane].states[receiver] = .gone
      lanes[lane].gone.insert(receiver)
    }
  }
}
