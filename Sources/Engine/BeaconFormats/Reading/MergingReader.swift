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
  /// Keeps the states of receivers whose scan had stopped at its end apart.
  mutating func holdEndStates()
  /// Returns and clears those states.
  mutating func drainEndStates() -> [ScanInput]
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
    /// When the recording began of which a part is being read, and that of the file's first part.
    var begun, opened: Timestamp?
    /// The receivers' numbers in the merged inputs, by their number in the capture.
    var numbers: [UInt8] = []
    var isAtEnd = false
    /// Whether the source has ended; another one may have its slot.
    var isOver = false
    /// Batches that were read ahead.
    var ahead: [ScanBatch] = []
    var batch = ScanBatch()
    var index = 0
    /// The latest time up to its next input.
    var time = Timestamp.earliest
  }

  private let timing: TimingConfiguration
  private var waiting = WaitingCaptures()
  private var parts = RepeatedParts()
  /// Which waiting capture starts first, if it is known: it changes with every start and every end.
  private var upcoming: Int??
  /// The captures that were started, by their number.
  private var isStarted: [Bool] = []
  /// The sources by their slots, and those that have ended.
  private var sources: [Source] = []
  private var freeSlots: [Int] = []
  /// The sources with an input, in order.
  private var order = SourceOrder()
  /// The source whose inputs were all merged.
  private var spent: Int?
  /// The sources of which more can be read.
  private var unfinished: [Int] = []
  /// How many sources are parts of a recording, by when that began.
  private var beingRead: [Timestamp: Int] = [:]
  /// The captures that may have user actions.
  private var withActions: Set<Int> = []
  private var lanes: [CaptureLane] = []
  /// The lanes whose last capture has ended without a continuation, in their order.
  private var ended: [Int] = []
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
    var opened: [WaitingCapture] = []
    var empty: [Int] = []
    for index in captures.indices {
      self.captures[index].capture.holdEndStates()
      if let found = try open(index) { opened.append(found) } else { empty.append(index) }
    }
    var firstParts: [Timestamp: Int] = [:]
    for index in opened.indices {
      guard let begun = opened[index].begun else { continue }
      let first = firstParts[begun] ?? index
      firstParts[begun] = opened[index].isEarlierPart(than: opened[first]) ? index : first
    }
    for index in opened.indices {
      guard let begun = opened[index].begun, let first = firstParts[begun] else { continue }
      opened[index].recordingStart = opened[first].start
    }
    opened.sort { $0.precedes($1) }
    empty.sort { captures[$0].label < captures[$1].label }
    let read = self.captures
    self.captures = (opened.map(\.capture) + empty).map { read[$0] }
    for rank in opened.indices {
      opened[rank].capture = rank
      for name in opened[rank].names { receivers.announce(name) }
    }
    waiting = WaitingCaptures(opened)
    parts = RepeatedParts(opened)
    isStarted = Array(repeating: false, count: captures.count)
    withActions = Set(captures.indices)
  }

  /// Returns and clears the user actions read so far.
  package mutating func drainUserActionLines() -> [UserActionLine] {
    guard captures.count > 1 else {
      return captures.isEmpty ? [] : captures[0].capture.drainUserActionLines()
    }
    let known = withActions.filter { !parts.isSuspect($0) }
    withActions.subtract(known)
    return known.sorted().flatMap {
      parts.uncovered(captures[$0].capture.drainUserActionLines(), of: $0)
    }
  }

  /// The captures that repeat a part of another one's recording, which is read once.
  package var repeated: [(label: String, of: String)] {
    parts.found.map { (captures[$0.capture].label, captures[$0.of].label) }
  }

  /// The clocks of the recorders, each with what its first capture is called.
  package var clocks: [(label: String, clock: SteadyClock)] {
    lone.map { [(captures[0].label, $0)] } ?? endedClocks
  }

  /// Reads the start of a capture; `nil` where it has no inputs.
  private mutating func open(_ capture: Int) throws -> WaitingCapture? {
    var clock = SteadyClock(timing)
    var batches: [ScanBatch] = []
    var first: ScanInput?
    while first == nil, let batch = try captures[capture].capture.next() {
      batches.append(batch)
      first = clock.steady(batch).inputs.first
    }
    guard let first = first ?? clock.finish().inputs.first else { return nil }
    let (label, opened) = captures[capture]
    return WaitingCapture(
      capture: capture,
      label: label,
      names: opened.receiverNames,
      header: opened.header,
      isLines: opened.format == .jsonLines,
      batches: batches,
      start: first.time,
      recordingStart: first.time
    )
  }

  // MARK: Reading

  /// Returns the next inputs in order, never an empty batch; `nil` when all captures are at their end.
  package mutating func next() throws -> ScanBatch? {
    if captures.count == 1 { return try nextAlone() }
    while true {
      if let slot = spent {
        // A pipe may make the next read wait, so merged inputs go first.
        if !merged.inputs.isEmpty { return drainMerged() }
        spent = nil
        try refill(slot)
      }
      guard let first = order.first else {
        if waiting.isEmpty { return merged.inputs.isEmpty ? nil : drainMerged() }
        try start(waiting.take(waiting.heads.count - 1))
        continue
      }
      if let next = nextToStart, waiting.heads[next].start < first.time {
        try startOrJoin(next)
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

  private mutating func refill(_ slot: Int) throws {
    guard
      let batch = try sources[slot].ahead.isEmpty ? read(slot) : sources[slot].ahead.removeFirst()
    else { return end(slot) }
    let time = max(sources[slot].time, batch.inputs.first?.time ?? .earliest)
    sources[slot].batch = batch
    sources[slot].index = 0
    sources[slot].time = time
    order.insert(SourceOrder.Entry(time: time, rank: sources[slot].rank, slot: slot))
  }

  /// Reads the next inputs of a source, never an empty batch; `nil` at its end.
  ///
  /// At the end of its capture it continues with the one that continues it.
  private mutating func read(_ slot: Int) throws -> ScanBatch? {
    while !sources[slot].isAtEnd {
      let raw =
        try sources[slot].raw.isEmpty
        ? readCapture(sources[slot].capture, of: slot) : sources[slot].raw.removeFirst()
      if let raw {
        let number = sources[slot].capture
        let headers = [captures[number].capture.header, captures[number].capture.lastHeader]
        parts.note(raw, of: number, headers)
        let batch = sources[slot].clock.steady(renumbered(raw, of: slot))
        if !batch.inputs.isEmpty { return batch }
        continue
      }
      let lane = sources[slot].lane
      let ended = captures[sources[slot].capture].capture
      lanes[lane].note(ended)
      sources[slot].end.note(ended)
      let next = try takeContinuation(of: slot)
      let states = endStates(of: slot, until: next?.start)
      if let next {
        let capture = captures[next.capture].capture
        isStarted[next.capture] = true
        lanes[lane].note(capture)
        sources[slot].capture = next.capture
        sources[slot].raw = next.batches
        sources[slot].numbers = []
        upcoming = nil
        note(capture.lastHeader?.begun, of: slot)
        note(capture.header?.begun, of: slot, \.opened)
        if !states.inputs.isEmpty { return states }
      } else {
        sources[slot].isAtEnd = true
        unfinished.removeAll { $0 == slot }
        var rest = states
        let last = sources[slot].clock.finish(hasEnded: sources[slot].end.hasEnded)
        for input in last.inputs { rest.append(input, pointingTo: last.payload(of: input)) }
        if !rest.inputs.isEmpty { return rest }
      }
    }
    return nil
  }

  /// Returns the states of receivers whose scan had stopped at the end of a source's capture, and that they listen from the
  /// start of the capture that continues it; none of a short pause between the two.
  private mutating func endStates(of slot: Int, until next: Timestamp?) -> ScanBatch {
    var inputs: [ScanInput] = []
    for state in captures[sources[slot].capture].capture.drainEndStates() {
      guard let next else {
        inputs.append(state)
        continue
      }
      guard next - state.time >= ScanWatch.shortestPause, let receiver = state.receiver else {
        continue
      }
      inputs += [state, .radio(receiver: receiver, .listening, next)]
    }
    guard !inputs.isEmpty else { return ScanBatch() }
    inputs.sort { $0.time < $1.time }
    return sources[slot].clock.steady(renumbered(ScanBatch(inputs: inputs), of: slot))
  }

  private mutating func readCapture(_ capture: Int, of slot: Int) throws -> ScanBatch? {
    let batch = try captures[capture].capture.next()
    withActions.insert(capture)
    note(captures[capture].capture.lastHeader?.begun, of: slot)
    return batch
  }

  /// Notes of which recording a source reads a part.
  private mutating func note(
    _ begun: Timestamp?,
    of slot: Int,
    _ field: WritableKeyPath<Source, Timestamp?> = \.begun
  ) {
    let old = sources[slot][keyPath: field]
    guard old != begun else { return }
    if let old {
      let count = beingRead[old, default: 1] - 1
      beingRead[old] = count > 0 ? count : nil
    }
    if let begun { beingRead[begun, default: 0] += 1 }
    sources[slot][keyPath: field] = begun
    upcoming = nil
  }

  /// Removes and returns the waiting capture that continues a source's ended capture.
  ///
  /// The first one that fits does. But where several recordings were split, only their first parts have a header: a part
  /// without one does not continue with a recording if the name of another one is more like its own.
  private mutating func takeContinuation(of slot: Int) throws -> WaitingCapture? {
    sources[slot].end.time = sources[slot].clock.latestStamp ?? .earliest
    let lane = lanes[sources[slot].lane]
    while true {
      let end = sources[slot].end
      let place = waiting.place(continuing: end, timing) { next in
        lane.belongs(next.names, next.begun) && end.isContinued(by: next, timing)
          && (next.begun != nil || !isMoreLikeAnother(next.label, than: slot))
      }
      guard let next = place.flatMap({ waiting.take($0) }) else { return nil }
      if let rest = try unrepeated(next) { return rest }
      // A capture of repeated inputs leaves its turn to the next one; it may be the one that did not end here.
      sources[slot].end.note(captures[next.capture].capture)
    }
  }

  /// Returns a capture without its repeated inputs; `nil` if none are left.
  private mutating func unrepeated(_ capture: WaitingCapture) throws -> WaitingCapture? {
    var next = capture
    guard let limit = parts.start(next) else { return next }
    isStarted[next.capture] = true
    upcoming = nil
    var read = next.batches[...]
    while let batch = try read.popFirst() ?? captures[next.capture].capture.next() {
      withActions.insert(next.capture)
      var rest = ScanBatch(bytes: batch.bytes)
      rest.inputs = batch.inputs.filter { !limit.covers($0) }
      guard let first = rest.inputs.first else { continue }
      (next.batches, next.start) = ([rest] + read, first.time)
      return next
    }
    return nil
  }

  /// Whether a name is more like that of another recording than like that of a source's capture.
  private func isMoreLikeAnother(_ name: String, than slot: Int) -> Bool {
    func likeness(_ label: String) -> Int { zip(label, name).prefix { $0 == $1 }.count }
    let own = likeness(captures[sources[slot].capture].label)
    let others = sources.indices.lazy.filter { $0 != slot && !sources[$0].isOver }
    return others.contains { likeness(captures[sources[$0].capture].label) > own }
      || waiting.recordingLabels.contains { likeness($0) > own }
  }

  // MARK: Starting

  /// The waiting capture that starts first; a part of a recording waits for the parts before it.
  private var nextToStart: Int? {
    mutating get {
      if let upcoming { return upcoming }
      let next = waiting.next { beingRead[$0] != nil }
      upcoming = .some(next)
      return next
    }
  }

  /// Starts a waiting capture, unless it continues a source: those that it may continue are first read as far as inputs
  /// may be out of order.
  private mutating func startOrJoin(_ next: Int) throws {
    let head = waiting.heads[next]
    if head.begun == nil {
      let limit = head.start + timing.disorder
      func isBefore(_ batch: ScanBatch) -> Bool { batch.inputs.allSatisfy { $0.time <= limit } }
      for slot in unfinished where lanes[sources[slot].lane].belongs(head.names, nil) {
        while isBefore(sources[slot].ahead.last ?? sources[slot].batch), let batch = try read(slot)
        {
          sources[slot].ahead.append(batch)
          if isStarted[head.capture] { return }
        }
        if isStarted[head.capture] { return }
      }
    }
    guard let index = waiting.heads.lastIndex(where: { $0.capture == head.capture }) else { return }
    try start(waiting.take(index))
  }

  /// Merges inputs of the capture that is first: those before the next input of any other one.
  ///
  /// - Returns: The inputs, if they need no copy.
  private mutating func merge(_ first: SourceOrder.Entry) -> ScanBatch? {
    for lane in departing { depart(lane) }
    departing = []
    let (slot, lane) = (first.slot, sources[first.slot].lane)
    let batch = sources[slot].batch
    let range = sources[slot].index..<endOfRun(of: first)
    sources[slot].index = range.upperBound
    let isAlone = order.count == 1 || range.count >= Self.batchCount
    if range.upperBound == batch.inputs.count {
      order.replaceFirst(nil)
      spent = slot
    } else {
      let time = sources[slot].time
      order.replaceFirst(SourceOrder.Entry(time: time, rank: first.rank, slot: slot))
    }
    guard isAlone, merged.inputs.isEmpty else {
      var merged = drainMerged()
      for input in batch.inputs[range] {
        let input = withState(input, in: lane, into: &merged)
        merged.append(input, pointingTo: batch.payload(of: input))
      }
      self.merged = merged
      return nil
    }
    var whole = ScanBatch(bytes: batch.bytes)
    whole.inputs.reserveCapacity(range.count)
    for input in batch.inputs[range] {
      whole.inputs.append(withState(input, in: lane, into: &whole))
    }
    return whole
  }

  /// Returns where another capture's input comes before the next one of the capture that is first.
  private mutating func endOfRun(of first: SourceOrder.Entry) -> Int {
    let other = order.second
    let limit = other?.time ?? .latest
    let winsTies = other.map { first.rank < $0.rank } ?? true
    let start = nextToStart.map { waiting.heads[$0].start } ?? .latest
    let inputs = sources[first.slot].batch.inputs
    var (end, time) = (sources[first.slot].index, sources[first.slot].time)
    while end < inputs.count {
      time = max(time, inputs[end].time)
      if time > start || time > limit || time == limit && !winsTies { break }
      end += 1
    }
    sources[first.slot].time = time
    return end
  }

  /// Returns an input, and notes its receiver's state.
  ///
  /// A receiver that was gone with the part of the recording before listens from its first report, unless the recording
  /// states it.
  private mutating func withState(
    _ input: ScanInput,
    in lane: Int,
    into batch: inout ScanBatch
  ) -> ScanInput {
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

  private mutating func number(_ receiver: UInt8, of slot: Int) -> UInt8 {
    let known = sources[slot].numbers
    if Int(receiver) < known.count { return known[Int(receiver)] }
    let names = captures[sources[slot].capture].capture.receiverNames
    let lane = sources[slot].lane
    return receivers.number(
      receiver,
      of: names,
      adding: &sources[slot].numbers,
      lane: lane,
      label: lanes[lane].label
    )
  }

  // MARK: Lanes

  /// Starts a capture.
  private mutating func start(_ waiting: WaitingCapture) throws {
    isStarted[waiting.capture] = true
    upcoming = nil
    guard let next = try unrepeated(waiting) else { return }
    let lane = laneToJoin(next)
    departing.removeAll { $0 == lane }
    let capture = captures[next.capture].capture
    lanes[lane].note(capture)
    let source = Source(
      capture: next.capture,
      rank: next.capture,
      lane: lane,
      clock: SteadyClock(timing),
      raw: next.batches,
      time: next.start
    )
    let slot = freeSlots.popLast() ?? sources.count
    if slot == sources.count { sources.append(source) } else { sources[slot] = source }
    unfinished.append(slot)
    spent = slot
    note(capture.lastHeader?.begun, of: slot)
    note(capture.header?.begun, of: slot, \.opened)
  }

  /// Returns the lane that a capture joins: an ended one with the same receivers, or a new one.
  private mutating func laneToJoin(_ next: WaitingCapture) -> Int {
    guard let place = ended.lastIndex(where: { lanes[$0].belongs(next.names, next.begun) }) else {
      lanes.append(CaptureLane(label: next.label))
      return lanes.count - 1
    }
    let lane = ended.remove(at: place)
    depart(lane)
    return lane
  }

  /// Ends a source: its lane is over.
  private mutating func end(_ slot: Int) {
    note(nil, of: slot)
    note(nil, of: slot, \.opened)
    let source = sources[slot]
    sources[slot].isOver = true
    freeSlots.append(slot)
    lanes[source.lane].end = source.time
    departing.append(source.lane)
    let place = (ended.lastIndex { $0 < source.lane } ?? -1) + 1
    ended.insert(source.lane, at: place)
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
