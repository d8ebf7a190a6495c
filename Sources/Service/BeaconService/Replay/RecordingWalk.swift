// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

internal import BeaconCore
internal import BeaconFormats
internal import Beacons

/// Reads a recording of a service in the order of its lines: the inputs, and every other line at its place.
struct RecordingWalk {
  /// What stands in a recording.
  enum Step {
    /// A header: of the recording, or of a further part or piece.
    case header(CaptureHeader)
    /// Inputs with nothing else between them.
    case inputs(ScanBatch, receivers: [String])
    /// Any other line.
    case line(UserActionLine)
  }

  /// Notes for a user on the files.
  private(set) var remarks: [String] = []
  private let paths: [String]

  /// Orders the files of a recording by when they begin.
  ///
  /// - Throws: Errors of the files.
  init(_ paths: [String]) throws {
    var files: [(path: String, begun: Timestamp, piece: Int)] = []
    for path in paths {
      var reader = try Self.reader(path)
      // The header is read with the first block.
      _ = try Self.next(&reader, path)
      let header = reader.header
      files.append((path, header?.begun ?? .latest, header?.piece ?? 1))
    }
    files.sort { ($0.begun, $0.piece, $0.path) < ($1.begun, $1.piece, $1.path) }
    self.paths = files.map(\.path)
  }

  private static func reader(_ path: String) throws -> CaptureReader<FileByteSource> {
    let source = try FileByteSource(path: path)
    do {
      var reader = try CaptureReader(source)
      reader.readVerbatim()
      return reader
    } catch let error as CaptureFormatError {
      throw ServiceReplay.Failure.unreadable(path, "\(error)")
    }
  }

  private static func next(
    _ reader: inout CaptureReader<FileByteSource>,
    _ path: String
  ) throws -> ScanBatch? {
    do {
      return try reader.next()
    } catch let error as CaptureFormatError {
      throw ServiceReplay.Failure.unreadable(path, "\(error)")
    }
  }

  /// Reads everything, up to the first damage of a file.
  ///
  /// - Parameters:
  ///   - isInterrupted: Asked for each block whether to stop.
  ///   - take: Receives the steps.
  /// - Returns: Whether everything was read.
  /// - Throws: Errors of the files and of the closure.
  mutating func run(
    until isInterrupted: () -> Bool,
    _ take: (Step) throws -> Void
  ) throws -> Bool {
    remarks = []
    for path in paths where try !read(path, until: isInterrupted, take) { return false }
    return true
  }

  private mutating func read(
    _ path: String,
    until isInterrupted: () -> Bool,
    _ take: (Step) throws -> Void
  ) throws -> Bool {
    var reader = try Self.reader(path)
    var hasHeader = false
    var count = 0
    while true {
      if isInterrupted() { return false }
      let batch = try Self.next(&reader, path)
      if !hasHeader, let header = reader.header {
        hasHeader = true
        try take(.header(header))
      }
      let lines = reader.drainUserActionLines()
      guard let batch else {
        for line in lines { try Self.pass(line, take) }
        break
      }
      var index = 0
      for line in lines {
        let end = min(max(line.scanInputsBefore - count, index), batch.inputs.count)
        try Self.pass(batch, index..<end, reader.receiverNames, take)
        index = end
        try Self.pass(line, take)
      }
      try Self.pass(batch, index..<batch.inputs.count, reader.receiverNames, take)
      count += batch.inputs.count
    }
    if let offset = reader.damagedAt {
      remarks.append("\(path): read up to byte \(offset): \(reader.damage ?? "damaged")")
    }
    remarks += reader.notes.map { "\(path): \($0)" }
    return true
  }

  private static func pass(_ line: UserActionLine, _ take: (Step) throws -> Void) throws {
    if let header = line.header { return try take(.header(header)) }
    try take(.line(line))
  }

  private static func pass(
    _ batch: ScanBatch,
    _ range: Range<Int>,
    _ receivers: [String],
    _ take: (Step) throws -> Void
  ) throws {
    guard !range.isEmpty else { return }
    let part = ScanBatch(bytes: batch.bytes, inputs: Array(batch.inputs[range]))
    try take(.inputs(part, receivers: receivers))
  }
}
