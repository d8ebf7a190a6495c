// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

public import BeaconCore

/// Merges several readers into one that is ordered by time, through a bounded window.
///
/// An input waits until every reader has passed its time by the window, so records that are slightly out of order
/// within one capture are sorted too. An input that arrives later than that is passed on out of order. Inputs of the
/// same time are in the order of the readers, so the result does not depend on how the readers cut their batches.
public struct ReorderingReader: ScanReader {
  /// How the receivers of several readers are distinguished.
  public enum Receivers: Sendable {
    /// A receiver keeps its number: the readers are parts of one recording.
    case shared
    /// Receivers get new numbers in the order they occur: every reader has its own.
    case distinct
  }

  /// How long inputs wait: twice the second within which sniffers and phones deliver what they buffered.
  public static let defaultWindow = TimeSpan.seconds(2)
  /// How many inputs of each reader may wait, on average: more than a batch of a capture contains, and more than a
  /// window at 10,000 reports a second.
  public static let defaultLimit = 65_536

  /// Where each receiver comes from, by its number in the merged inputs; empty when receivers are shared.
  public private(set) var receiverOrigins: [ReceiverOrigin] = []

  private struct Source {
    var reader: any ScanReader
    /// The latest time it has reached; `nil` until its first input.
    var reached: Timestamp?
    var isAtEnd = false
    /// How many inputs it has returned; the number orders inputs of the same time.
    var inputCount = 0
  }

  private var sources: [Source]
  private var waiting = WaitingInputs()
  private let window: TimeSpan
  private let limit: Int
  private let receivers: Receivers

  /// Merges readers.
  ///
  /// - Parameters:
  ///   - readers: The readers to merge, each nearly in order of time.
  ///   - receivers: How the readers' receivers are distinguished.
  ///   - window: How long inputs wait for earlier ones.
  ///   - limit: How many inputs of each reader may wait; beyond it the earliest are passed on.
  public init(
    _ readers: [any ScanReader],
    receivers: Receivers,
    window: TimeSpan = defaultWindow,
    limit: Int = defaultLimit
  ) {
    sources = readers.map { Source(reader: $0) }
    self.receivers = receivers
    self.window = window
    self.limit = max(limit, 1)
  }

  /// Returns the next inputs in order, never an empty batch; `nil` when all readers are at their end.
  public mutating func next() throws -> ScanBatch? {
    while true {
      if let index = furthestBehind() {
        try pull(index)
      } else if waiting.isEmpty {
        return nil
      }
      var batch = ScanBatch()
      let settled = settledTime()
      while let first = waiting.earliestTime,
        settled.map({ first <= $0 }) ?? false || waiting.count > limit * sources.count
      {
        waiting.popEarliest(into: &batch)
      }
      if !batch.inputs.isEmpty { return batch }
    }
  }

  /// The reader that the others wait for: one that has returned nothing yet, else the one whose latest time is
  /// earliest.
  private func furthestBehind() -> Int? {
    var best: Int?
    for index in sources.indices where !sources[index].isAtEnd {
      guard let reached = sources[index].reached else { return index }
      if let found = best, let other = sources[found].reached, other <= reached { continue }
      best = index
    }
    return best
  }

  /// The time before which no reader is expected to return another input; `nil` while one has returned none.
  private func settledTime() -> Timestamp? {
    var settled = Timestamp.latest
    for source in sources where !source.isAtEnd {
      guard let reached = source.reached else { return nil }
      settled = min(settled, reached - window)
    }
    return settled
  }

  private mutating func pull(_ index: Int) throws {
    guard let batch = try sources[index].reader.next() else {
      sources[index].isAtEnd = true
      return
    }
    if let upTo = batch.upTo { advance(index, to: upTo) }
    for input in batch.inputs {
      advance(index, to: input.time)
      let order = WaitingInputs.Order(
        time: input.time,
        source: index,
        number: sources[index].inputCount
      )
      sources[index].inputCount += 1
      waiting.insert(renumbered(input, of: index), order, from: batch)
    }
  }

  private mutating func advance(_ index: Int, to time: Timestamp) {
    sources[index].reached = max(sources[index].reached ?? time, time)
  }

  private mutating func renumbered(_ input: ScanInput, of source: Int) -> ScanInput {
    guard receivers == .distinct else { return input }
    switch input {
    case .report(var report):
      report.receiver = number(ReceiverOrigin(reader: source, receiver: report.receiver))
      return .report(report)
    case .radio(let receiver, let state, let time):
      return .radio(
        receiver: number(ReceiverOrigin(reader: source, receiver: receiver)),
        state,
        time
      )
    case .mark: return input
    }
  }

  private mutating func number(_ origin: ReceiverOrigin) -> UInt8 {
    if let index = receiverOrigins.firstIndex(of: origin) { return UInt8(clamping: index) }
    // A 257th receiver counts as the 256th.
    if receiverOrigins.count <= Int(UInt8.max) { receiverOrigins.append(origin) }
    return UInt8(clamping: receiverOrigins.count - 1)
  }
}

/// A receiver of one of several merged readers.
public struct ReceiverOrigin: Sendable, Hashable {
  /// The reader's index among those merged.
  public var reader: Int
  /// The receiver's number in that reader.
  public var receiver: UInt8

  /// Creates the receiver of a reader.
  public init(reader: Int, receiver: UInt8) {
    self.reader = reader
    self.receiver = receiver
  }
}
