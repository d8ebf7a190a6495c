// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

package import BeaconCore

/// A capture that ``MergingReader`` merges with others.
package protocol MergedCapture: AnyObject, ScanReader {
  /// What the capture is called; its receivers are called after it where others have the same names.
  var label: String { get }
  /// The names of the receivers found so far, by their number; empty where the capture does not distinguish them.
  var receiverNames: [String] { get }
  /// The header of the recording's first part, and of the last part read; `nil` for other captures.
  var headers: (first: CaptureHeader?, last: CaptureHeader?) { get }
  /// Whether the last line read is the end of a recording.
  var hasEnded: Bool { get }
}

/// Merges captures into one in order of time.
///
/// The order in which the captures are given has no effect. Each keeps the order of its own inputs; an input that is
/// earlier than one before it counts as simultaneous with that one. At one time the capture that starts first comes
/// first.
///
/// A receiver listens while its capture lasts: when the capture ends and another one goes on, its receivers are gone.
/// Captures that follow each other and have the same receivers are one ``CaptureLane``, so the pieces of a recording give
/// the inputs of the whole.
package struct MergingReader: ScanReader {
  /// How many inputs a merged batch has at least, unless the captures give fewer: enough that the cost of a batch does
  /// not matter.
  private static let batchCount = 512

  /// A capture that is being read.
  private struct Source {
    var capture: any MergedCapture
    /// Its place among all captures, by when they start and what they contain.
    var rank = 0
    var batch: ScanBatch
    var index = 0
    /// The latest time up to its next input.
    var time: Timestamp
    /// The lane of the capture; of a waiting one, the lane that it continues.
    var lane: Int?
    /// The receivers' numbers in the merged inputs, by their number in the capture.
    var numbers: [UInt8] = []
  }

  /// Captures that have not started, the first one first.
  private var waiting: [Source] = []
  private var active: [Source] = []
  private var lanes: [CaptureLane] = []
  /// Lanes that have ended; their receivers are gone as soon as another capture gives an input.
  private var departing: [Int] = []
  private var receivers = MergedReceivers()
  private var merged = ScanBatch()

  /// The captures, ordered by when they start; those without any input come last.
  package private(set) var captures: [any MergedCapture] = []
  /// The names of the receivers met so far, by their number.
  package var receiverNames: [String] { receivers.names }

  /// Merges captures.
  ///
  /// - Throws: What reading the first inputs throws.
  package init(_ captures: [any MergedCapture]) throws {
    var empty: [any MergedCapture] = []
    for capture in captures {
      var capture = capture
      var batch = try capture.next()
      while let found = batch, found.inputs.isEmpty { batch = try capture.next() }
      guard let batch, let first = batch.inputs.first else {
        empty.append(capture)
        continue
      }
      waiting.append(Source(capture: capture, batch: batch, time: first.time))
    }
    waiting.sort(by: Self.precedes)
    for rank in waiting.indices {
      waiting[rank].rank = rank
      for name in waiting[rank].capture.receiverNames { receivers.announce(name) }
    }
    self.captures = waiting.map(\.capture) + empty.sorted { $0.label < $1.label }
  }

  /// The order of captures: by their start, then by what they contain, so that the order of arguments has no effect.
  private static func precedes(_ first: Source, _ second: Source) -> Bool {
    if first.time != second.time { return first.time < second.time }
    let headers = (first.capture.headers.first, second.capture.headers.first)
    let begun = (headers.0?.begun ?? .earliest, headers.1?.begun ?? .earliest)
    if begun.0 != begun.1 { return begun.0 < begun.1 }
    let pieces = (headers.0?.piece ?? 0, headers.1?.piece ?? 0)
    if pieces.0 != pieces.1 { return pieces.0 < pieces.1 }
    let names = (first.capture.receiverNames, second.capture.receiverNames)
    if names.0 != names.1 { return names.0.lexicographicallyPrecedes(names.1) }
    if first.batch.bytes != second.batch.bytes {
      return first.batch.bytes.lexicographicallyPrecedes(second.batch.bytes)
    }
    return first.capture.label < second.capture.label
  }

  // MARK: Reading

  /// Returns the next inputs in order, never an empty batch; `nil` when all captures are at their end.
  package mutating func next() throws -> ScanBatch? {
    while true {
      while let spent = active.firstIndex(where: { $0.index == $0.batch.inputs.count }) {
        // A pipe may make the next read wait, so what is merged goes first.
        if !merged.inputs.isEmpty { return drainMerged() }
        try refill(spent)
      }
      guard let first = active.indices.min(by: { isBefore(active[$0], active[$1]) }) else {
        if waiting.isEmpty { return merged.inputs.isEmpty ? nil : drainMerged() }
        start()
        continue
      }
      if let next = waiting.first, next.time < active[first].time {
        start()
        continue
      }
      if let whole = merge(first) { return whole }
      if merged.inputs.count >= Self.batchCount { return drainMerged() }
    }
  }

  private mutating func drainMerged() -> ScanBatch {
    defer { merged = ScanBatch() }
    return merged
  }

  private func isBefore(_ first: Source, _ second: Source) -> Bool {
    (first.time, first.rank) < (second.time, second.rank)
  }

  private mutating func refill(_ index: Int) throws {
    while let batch = try active[index].capture.next() {
      guard let first = batch.inputs.first else { continue }
      active[index].batch = batch
      active[index].index = 0
      active[index].time = max(active[index].time, first.time)
      return
    }
    end(active.remove(at: index))
  }

  /// Merges inputs of the capture that is first: those before the next input of any other one.
  ///
  /// - Returns: The inputs, where they need no copy.
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
        let input = renumbered(input, of: first, into: &merged)
        if case .report(let report) = input {
          merged.append(report, payload: batch.payload(of: report))
        } else {
          merged.inputs.append(input)
        }
      }
      self.merged = merged
      return nil
    }
    var whole = ScanBatch(bytes: batch.bytes)
    whole.inputs.reserveCapacity(range.count)
    for input in batch.inputs[range] {
      whole.inputs.append(renumbered(input, of: first, into: &whole))
    }
    return whole
  }

  /// Returns where another capture's input comes before the next one of the capture that is first.
  private mutating func endOfRun(of first: Int) -> Int {
    let others = active.indices.lazy.filter { $0 != first }
    let other = others.min { isBefore(active[$0], active[$1]) }
    let limit = other.map { active[$0].time } ?? .latest
    let winsTies = other.map { active[first].rank < active[$0].rank } ?? true
    let start = waiting.first?.time ?? .latest
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

  /// Returns an input with its receiver's number among all captures.
  ///
  /// A receiver that was gone with the part of the recording before listens from its first report, unless the recording
  /// states it.
  private mutating func renumbered(
    _ input: ScanInput,
    of source: Int,
    into batch: inout ScanBatch
  ) -> ScanInput {
    guard let lane = active[source].lane else { return input }
    switch input {
    case .report(var report):
      report.receiver = number(report.receiver, of: source)
      if lanes[lane].isGone(report.receiver) {
        lanes[lane].states[report.receiver] = .listening
        batch.inputs.append(.radio(receiver: report.receiver, .listening, report.time))
      }
      return .report(report)
    case .radio(let receiver, let state, let time):
      let receiver = number(receiver, of: source)
      lanes[lane].states[receiver] = state
      lanes[lane].gone.remove(receiver)
      return .radio(receiver: receiver, state, time)
    case .mark, .notice: return input
    }
  }

  private mutating func number(_ receiver: UInt8, of source: Int) -> UInt8 {
    let known = active[source].numbers
    if Int(receiver) < known.count { return known[Int(receiver)] }
    for next in UInt8(clamping: known.count)...receiver {
      let names = active[source].capture.receiverNames
      let name = Int(next) < names.count && !names[Int(next)].isEmpty ? names[Int(next)] : nil
      let lane = active[source].lane ?? 0
      active[source].numbers.append(
        receivers.number(of: name, next, lane: lane, label: lanes[lane].label)
      )
    }
    return active[source].numbers[Int(receiver)]
  }

  // MARK: Lanes

  /// Starts the next capture that waits.
  private mutating func start() {
    var source = waiting.removeFirst()
    let lane = source.lane ?? laneToJoin(source)
    source.lane = lane
    departing.removeAll { $0 == lane }
    if lanes[lane].isOver { depart(lane) }
    lanes[lane].isOver = false
    lanes[lane].add(names: source.capture.receiverNames)
    active.append(source)
  }

  /// Returns the lane that a capture joins, where it does not continue one: an ended one with the same receivers, or a
  /// new one.
  private mutating func laneToJoin(_ source: Source) -> Int {
    let joined = lanes.indices.last { index in
      lanes[index].isOver && lanes[index].belongs(source.capture)
    }
    if let joined { return joined }
    lanes.append(CaptureLane(source.capture))
    return lanes.count - 1
  }

  /// Ends a capture: the piece of its recording that follows continues its lane, else the lane is over.
  private mutating func end(_ source: Source) {
    guard let lane = source.lane else { return }
    lanes[lane].add(names: source.capture.receiverNames)
    lanes[lane].ended(source.capture, at: source.time)
    let next = waiting.firstIndex { piece in
      piece.lane == nil && lanes[lane].isContinued(by: piece.capture, at: piece.time)
    }
    if let next {
      waiting[next].lane = lane
    } else {
      lanes[lane].isOver = true
      departing.append(lane)
    }
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
