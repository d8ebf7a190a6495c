// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

package import SystemKit
package import BeaconCore
package import BeaconFormats

/// The file of a recording, and its older files if it rotates.
///
/// Every batch is written at once. So if the program is killed, the recording is readable up to its last complete
/// record.
package struct RecordingFile {
  /// When a recording continues in a new file.
  package enum Rotation: Sendable, Equatable {
    /// When the file has this many bytes.
    case size(Int)
    /// When the file is this old on the run's timeline.
    case age(TimeSpan)
  }

  private let path: String
  private let format: RecordingWriter.Format
  private var header: CaptureHeader
  private let includesAddresses: Bool
  private let rotation: Rotation?
  private let kept: Int
  private var writer: RecordingWriter
  private var output: FileOutput?
  private var written = 0
  private var begunAt = Timestamp.earliest
  /// The last state of each receiver, which every further piece repeats.
  private var states: [UInt8: RadioState] = [:]
  /// The clients' grants as they are now, which every further piece repeats.
  package var clients: [ClientStateLine] = []
  /// How far local time is ahead of UTC now, which every piece says; `nil` where it is not known.
  package var zone: TimeSpan?

  /// Creates the description of a recording file.
  ///
  /// Nothing is written yet.
  ///
  /// - Parameters:
  ///   - path: The file; older ones are `path.1`, `path.2` and so on.
  ///   - format: The format; JSON Lines keep everything, the other formats only reports.
  ///   - header: The recording's header.
  ///   - includesAddresses: Whether device addresses are recorded unchanged.
  ///   - rotation: When the recording continues in a new file; `nil` for never.
  ///   - kept: How many older files are kept.
  package init(
    path: String,
    format: RecordingWriter.Format,
    header: CaptureHeader,
    includesAddresses: Bool,
    rotation: Rotation? = nil,
    keeping kept: Int = 4
  ) {
    self.path = path
    self.format = format
    self.header = header
    self.includesAddresses = includesAddresses
    self.rotation = rotation
    self.kept = max(0, kept)
    writer = RecordingWriter(
      format,
      header: header,
      includesAddresses: includesAddresses,
      startingAt: .earliest
    )
  }

  /// Opens the file and writes its header.
  package mutating func begin(at time: Timestamp) throws(SystemError) {
    header.begun = header.begun ?? time
    header.piece = (header.piece ?? 0) + 1
    writer = RecordingWriter(
      format,
      header: header,
      includesAddresses: includesAddresses,
      startingAt: time
    )
    output = try FileOutput(path: path)
    begunAt = time
    written = 0
    if let zone { writer.append(zone: zone, at: time) }
    try flush()
  }

  /// Writes a batch, in a new file if one is due.
  package mutating func write(_ batch: ScanBatch) throws(SystemError) {
    if let time = batch.inputs.first?.time, isDue(at: time) { try rotate(at: time) }
    if rotation != nil {
      for case .radio(let receiver, let state, _) in batch.inputs { states[receiver] = state }
    }
    writer.append(batch)
    try flush()
  }

  /// Writes a user action.
  package mutating func write(_ action: RecordedUserAction) throws(SystemError) {
    if case .zone(let offset) = action.input { zone = offset }
    writer.append(action)
    try flush()
  }

  /// Writes a client's grants at a time.
  package mutating func write(_ state: ClientStateLine, at time: Timestamp) throws(SystemError) {
    writer.append(state, at: time)
    try flush()
  }

  /// Adds the names of receivers that were plugged in since the recording started.
  package mutating func name(receivers: [String]) {
    guard receivers.count > header.receivers.count else { return }
    header.receivers = receivers
    writer.name(receivers: receivers)
  }

  /// Writes the end of the recording.
  package mutating func end(at time: Timestamp) throws(SystemError) {
    writer.end(at: time)
    try flush()
    output = nil
  }

  private func isDue(at time: Timestamp) -> Bool {
    switch rotation {
    case .size(let limit): written >= limit
    case .age(let limit): time - begunAt >= limit
    case nil: false
    }
  }

  private mutating func rotate(at time: Timestamp) throws(SystemError) {
    output = nil
    if kept > 0 {
      for number in stride(from: kept, to: 1, by: -1) {
        FileOutput.rename("\(path).\(number - 1)", to: "\(path).\(number)")
      }
      FileOutput.rename(path, to: "\(path).1")
    }
    try begin(at: time)
    // A piece can be replayed by itself: it repeats what the pieces before it stated.
    for client in clients { writer.append(client, at: time) }
    let receivers = states.sorted { $0.key < $1.key }
    writer.append(
      ScanBatch(inputs: receivers.map { .radio(receiver: $0.key, $0.value, time) })
    )
  }

  private mutating func flush() throws(SystemError) {
    let bytes = writer.drainBytes()
    guard !bytes.isEmpty else { return }
    written += bytes.count
    try output?.write(bytes)
  }
}
