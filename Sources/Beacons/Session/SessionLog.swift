// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

internal import BeaconFormats

/// A session's recording while it is written: what the engine has heard of a batch goes in before what a person then did.
struct SessionLog {
  private var recorder: Recorder
  private var batch = ScanBatch()
  private var receivers: [String]
  /// The inputs of the batch that were written, and those that were heard.
  private var written = 0
  private var heard = 0
  /// Whether the batch was heard up to where its source's time had come.
  private var isSpent = false

  /// Begins the file.
  ///
  /// - Throws: ``SystemError`` when it cannot be written.
  init(
    _ recording: Recording,
    _ configuration: Configuration,
    receivers: [String],
    startingAt start: Timestamp,
    states: [ClientStateLine]
  ) throws {
    self.receivers = receivers
    let file = RecordingFile(
      path: recording.path,
      format: .lines,
      header: CaptureHeader(
        tool: "Beacons",
        version: Library.version,
        receivers: receivers,
        profile: configuration.profile.rawValue
      ),
      includesAddresses: recording.includesAddresses
    )
    recorder = try Recorder(
      file,
      startingAt: start,
      gap: configuration.timing.gap,
      states: states
    )
  }

  /// Takes the batch that is about to be heard.
  mutating func begin(_ batch: ScanBatch, receivers: [String]) {
    self.batch = batch
    self.receivers = receivers
    (written, heard, isSpent) = (0, 0, false)
  }

  /// Notes how far the engine has come; `nil` is to the batch's end.
  mutating func noteReceived(upTo index: Int?) {
    heard = index ?? batch.inputs.count
    isSpent = index == nil
  }

  /// Writes what was heard, with the times at which it was admitted.
  ///
  /// - Throws: ``SystemError`` when nothing more can be written; what was written stays readable.
  mutating func write(admittedAt times: [Timestamp]) throws {
    guard written < heard || isSpent else { return }
    var piece = ScanBatch(bytes: batch.bytes, inputs: Array(batch.inputs[written..<heard]))
    piece.upTo = isSpent ? batch.upTo : nil
    (written, isSpent) = (heard, false)
    try recorder.record(piece, admittedAt: times, receivers: receivers)
  }

  /// Writes what a person did; what was heard before is written already.
  ///
  /// - Throws: ``SystemError`` when nothing more can be written.
  mutating func write(_ moment: RecordedUserAction) throws { try recorder.record(moment) }

  /// Says where the timeline ended.
  ///
  /// - Throws: ``SystemError`` when nothing more can be written.
  mutating func end(at time: Timestamp) throws { try recorder.end(at: time) }
}
