// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

package import BeaconCore
package import BeaconFormats

/// Records the inputs of a run, so that a replay of the file delivers what the run delivered.
///
/// Every input is written with the time it was admitted at. That a live source was listening is
/// written as marks: one every 10 s, and one at either end of a gap, so that the replay sees the gap that the run saw.
package struct Recorder {
  private var file: RecordingFile
  private let gap: TimeSpan
  /// When the source was last known to listen, and when the recording last said so.
  private var lastReceived: Timestamp
  private var lastWritten: Timestamp

  /// The longest time without a line; a sixth of the silence that would count as a gap.
  private static let markInterval = TimeSpan.seconds(10)

  /// Begins a recording at the start of a run's timeline.
  ///
  /// - Parameters:
  ///   - file: Where it goes.
  ///   - start: The time of the run's first requests.
  ///   - gap: The silence that counts as a gap.
  ///   - states: How the clients stand, which is written first: a replay must know it before the first input.
  /// - Throws: ``SystemError`` when nothing can be written.
  package init(
    _ file: RecordingFile,
    startingAt start: Timestamp,
    gap: TimeSpan,
    states: [ClientStateLine] = []
  ) throws {
    self.file = file
    self.gap = gap
    lastReceived = start
    lastWritten = start
    try self.file.begin(at: start)
    for state in states { try self.file.write(state, at: start) }
    try self.file.write(ScanBatch(inputs: [.mark(start)]))
  }

  /// Keeps inputs with the times at which they were admitted.
  ///
  /// - Parameters:
  ///   - slice: The inputs.
  ///   - receivers: The names of the receivers by now; `nil` where they cannot have changed.
  /// - Throws: ``SystemError`` when nothing more can be written; what was written stays readable.
  package mutating func record(
    _ slice: ScanSlice,
    receivers: [String]? = nil
  ) throws {
    if let receivers { file.name(receivers: receivers) }
    var kept = ScanBatch(bytes: slice.batch.bytes)
    kept.inputs.reserveCapacity(slice.range.count + 2)
    for (input, time) in zip(slice.batch.inputs[slice.range], slice.admitted) {
      noteSilence(until: time, in: &kept)
      kept.inputs.append(input.admitted(at: time))
      (lastReceived, lastWritten) = (time, time)
    }
    if let time = slice.upTo, time > lastReceived {
      let isGap = time - lastReceived > gap
      noteSilence(until: time, in: &kept)
      lastReceived = time
      if isGap || time - lastWritten >= Self.markInterval {
        kept.inputs.append(.mark(time))
        lastWritten = time
      }
    }
    if !kept.inputs.isEmpty { try file.write(kept) }
  }

  /// Keeps what a person did, with the time it was admitted at.
  ///
  /// - Throws: ``SystemError`` when nothing more can be written.
  package mutating func record(_ moment: RecordedUserAction) throws {
    var silence = ScanBatch()
    noteSilence(until: moment.time, in: &silence)
    if !silence.inputs.isEmpty { try file.write(silence) }
    try file.write(moment)
    (lastReceived, lastWritten) = (moment.time, moment.time)
  }

  /// Says until when the source was heard, where what follows comes after a gap.
  private mutating func noteSilence(until time: Timestamp, in batch: inout ScanBatch) {
    guard time - lastReceived > gap, lastWritten < lastReceived else { return }
    batch.inputs.append(.mark(lastReceived))
    lastWritten = lastReceived
  }

  /// Ends the recording where the run's timeline ended.
  package mutating func end(at time: Timestamp) throws {
    try file.end(at: time)
  }
}

extension ScanInput {
  /// The input with the time it was admitted at.
  fileprivate func admitted(at time: Timestamp) -> ScanInput {
    switch self {
    case .report(var report):
      report.time = time
      return .report(report)
    case .radio(let receiver, let state, _): return .radio(receiver: receiver, state, time)
    case .mark: return .mark(time)
    }
  }
}
