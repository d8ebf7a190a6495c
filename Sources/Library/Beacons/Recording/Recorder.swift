// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

package import BeaconCore
package import BeaconFormats

/// Records the inputs of a run, so that a replay of the file delivers the same as the run.
///
/// Every input is written with its admission time. Marks show that a live source was receiving: one every 10 s and one
/// at each end of a gap, so that the replay has the same gaps as the run. A queue writes them: a live run does not wait for the
/// disk.
package struct Recorder {
  private let file: RecordingQueue
  private let gap: TimeSpan
  /// When the source was last known to receive, and when the recording last noted it.
  private var lastReceived: Timestamp
  private var lastWritten: Timestamp

  /// The longest time without a line: a sixth of the silence that counts as a gap.
  private static let markInterval = TimeSpan.seconds(10)

  /// Starts a recording at the start of a run's timeline.
  ///
  /// - Parameters:
  ///   - file: The file to write.
  ///   - start: The time of the run's first requests.
  ///   - gap: The silence that counts as a gap.
  ///   - zone: How far local time is ahead of UTC; `nil` if it is not known.
  ///   - states: The clients' grants. They are written first, because a replay needs them before the first input.
  /// - Throws: `SystemError` when nothing can be written.
  package init(
    _ file: RecordingFile,
    startingAt start: Timestamp,
    gap: TimeSpan,
    zone: TimeSpan? = nil,
    states: [ClientStateLine] = []
  ) throws {
    self.file = RecordingQueue(file)
    self.gap = gap
    lastReceived = start
    lastWritten = start
    try self.file.begin(at: start, zone: zone, states)
    for state in states { try self.file.put(.state(state, start)) }
    try self.file.put(.batch(ScanBatch(inputs: [.mark(start)])))
  }

  /// Notes the clients' grants as they are now, for the next piece of a recording that rotates.
  package mutating func note(_ states: [ClientStateLine]) throws {
    try file.put(.clients(states))
  }

  /// Records inputs with their admission times.
  ///
  /// - Parameters:
  ///   - slice: The inputs.
  ///   - receivers: The current names of the receivers; `nil` if they cannot have changed.
  /// - Throws: `SystemError` when nothing more can be written; everything written before stays readable.
  package mutating func record(
    _ slice: ScanSlice,
    receivers: [String]? = nil
  ) throws {
    if let receivers { try file.put(.receivers(receivers)) }
    var kept = ScanBatch(bytes: slice.batch.bytes)
    kept.inputs.reserveCapacity(slice.range.count + 2)
    for (input, time) in zip(slice.batch.inputs[slice.range], slice.admitted) {
      noteSilence(until: time, in: &kept)
      kept.inputs.append(input.at(time))
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
    if kept.inputs.isEmpty { try file.check() } else { try file.put(.batch(kept)) }
  }

  /// Records a user action with its admission time.
  ///
  /// - Throws: `SystemError` when nothing more can be written.
  package mutating func record(_ action: RecordedUserAction) throws {
    try markReceived()
    try file.put(.action(action))
  }

  /// Records a service's action for a client, at the current time of the run's timeline.
  ///
  /// - Throws: `SystemError` when nothing more can be written.
  package mutating func record(_ line: RequestLine) throws {
    try markReceived()
    try file.put(.request(line))
  }

  /// Marks until when the source was received: an action does not, and a gap may follow it.
  private mutating func markReceived() throws {
    guard lastWritten < lastReceived else { return }
    try file.put(.batch(ScanBatch(inputs: [.mark(lastReceived)])))
    lastWritten = lastReceived
  }

  /// Adds a mark for the time until which the source was received, if a gap follows.
  private mutating func noteSilence(until time: Timestamp, in batch: inout ScanBatch) {
    guard time - lastReceived > gap, lastWritten < lastReceived else { return }
    batch.inputs.append(.mark(lastReceived))
    lastWritten = lastReceived
  }

  /// Returns what happened to the file since the last call, for the user.
  package mutating func drainNotices() -> [RecordingNotice] { file.drainNotices() }

  /// Ends the recording of a run that did not end; one that is written whole leaves no file.
  package func abandon() { file.abandon() }

  /// Ends the recording at the end of the run's timeline.
  package mutating func end(at time: Timestamp) throws {
    try file.end(at: time)
  }
}
