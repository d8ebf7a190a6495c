// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

internal import BeaconFormats

/// A source that reads a capture file of any supported format.
public actor CaptureSource: ScanSource {
  /// The path, as given to the initializer.
  public nonisolated let path: String
  /// False: a capture is read only as fast as its listeners process it.
  public nonisolated var isLive: Bool { false }

  private var reader: CaptureReader<FileByteSource>
  private var clock: SteadyClock
  /// The first batch, read early to find the start of the timeline.
  private var first: ScanBatch?
  private var hasRead = false

  /// Opens a capture; `-` is standard input.
  ///
  /// - Parameters:
  ///   - path: The capture.
  ///   - timing: How faults of the recorder's clock are recognized.
  /// - Throws: `SystemError` when it cannot be opened, `CaptureFormatError` when it is not a capture.
  public init(path: String, timing: TimingConfiguration = TimingConfiguration()) throws {
    self.path = path
    clock = SteadyClock(timing)
    reader = try CaptureReader(FileByteSource(path: path))
  }

  /// The time of the capture's first input; an empty capture starts in 1970.
  ///
  /// It throws what ``next(until:)`` throws.
  public var now: Timestamp {
    get throws {
      try readFirst()
      return first?.inputs.first?.time ?? .earliest
    }
  }

  /// How far local time is ahead of UTC at the start; `nil` where the capture does not say so.
  public var utcOffset: TimeSpan? {
    try? readFirst()
    return reader.zone
  }

  /// The names of the receivers found in the part read so far.
  public var receiverNames: [String] { reader.receiverNames }

  /// Remarks to show to the user about the part read so far: where the capture is damaged, what is unusual.
  public var remarks: [String] {
    var remarks = reader.notes
    if let offset = reader.damagedAt {
      remarks.insert("read up to byte \(offset): \(reader.damage ?? "damaged")", at: 0)
    }
    return remarks
  }

  /// Returns the next inputs.
  ///
  /// A capture ignores the deadline. Damage is no error: what is before it is returned, and ``remarks`` names it.
  ///
  /// - Returns: The inputs; `nil` at the end.
  /// - Throws: `SystemError` when the file cannot be read.
  public func next(until deadline: Timestamp?) throws -> ScanBatch? {
    try readFirst()
    if let batch = first.take() { return batch }
    return try nextSteady()
  }

  private func readFirst() throws {
    guard !hasRead else { return }
    hasRead = true
    first = try nextSteady()
  }

  private func nextSteady() throws -> ScanBatch? {
    while let batch = try reader.next() {
      let steady = clock.steady(batch)
      if !steady.inputs.isEmpty { return steady }
    }
    let rest = clock.finish(hasEnded: reader.end != nil)
    return rest.inputs.isEmpty ? nil : rest
  }
}
