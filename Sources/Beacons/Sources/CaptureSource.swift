// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

internal import BeaconFormats

/// A capture file of any format, as a source.
public actor CaptureSource: ScanSource {
  /// The path as it was given.
  public nonisolated let path: String
  /// False: a capture is read as fast as its listeners take it.
  public nonisolated var isLive: Bool { false }

  private var reader: CaptureReader<FileByteSource>
  /// The first batch, read to know where the timeline begins.
  private var first: ScanBatch?
  private var hasRead = false

  /// Opens a capture; `-` is standard input.
  ///
  /// - Throws: ``SystemError`` when it cannot be opened, `CaptureFormatError` when it is no capture.
  public init(path: String) throws {
    self.path = path
    reader = try CaptureReader(FileByteSource(path: path))
  }

  /// The time of the capture's first input; an empty capture has no time, and begins in 1970.
  public var now: Timestamp {
    get throws {
      try readFirst()
      return first?.inputs.first?.time ?? .earliest
    }
  }

  /// The receivers' names, as far as the capture was read.
  public var receiverNames: [String] { reader.receiverNames }

  /// What a person should know of the capture as far as it was read: where it breaks, what is odd.
  public var remarks: [String] {
    var remarks = reader.notes
    if let offset = reader.damagedAt {
      remarks.insert("read up to byte \(offset): \(reader.damage ?? "damaged")", at: 0)
    }
    return remarks
  }

  /// Returns the next inputs; the deadline does not matter to what was recorded.
  public func next(until deadline: Timestamp?) throws -> ScanBatch? {
    try readFirst()
    if let batch = first.take() { return batch }
    return try reader.next()
  }

  private func readFirst() throws {
    guard !hasRead else { return }
    hasRead = true
    first = try reader.next()
  }
}
