// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

public import BeaconFormats
internal import Synchronization
internal import SystemKit

/// A file that cannot be read as a capture.
public struct CaptureError: BeaconError, Sendable {
  /// The file, as given to the source.
  public let path: String
  /// Why not.
  public let reason: CaptureFormatError

  /// A sentence with the file and the reason.
  public var description: String { "\(WholeFile.name(path)): \(reason)" }
}

/// A source that reads one or several captures of any supported format.
///
/// Several captures are merged by time, whatever their order: a receiver listens from the start of its capture to its
/// end, and the pieces of a rotated recording are one receiver.
public final class CaptureSource: ScanSource, ScanReader, @unchecked Sendable {
  /// How the times and lines of a capture are read.
  package enum Reading: Sendable {
    /// Times are kept on one clock, for an engine.
    case steady
    /// Times of a single capture are as they were recorded.
    case recorded
    /// Times and the lines of a recording are kept as they are, for a conversion.
    case verbatim
  }

  /// The captures, as given to the initializer, each file once.
  public let paths: [String]
  /// False: a capture is read only as fast as its listeners process it.
  public var isLive: Bool { false }

  private let reading: Reading
  /// A sentence about each file that was named again.
  private let repeated: [String]
  private let files: [FileByteSource]
  // What follows is read and written only while `lock` is held, which makes the class Sendable.
  private let lock = Mutex(())
  private var reader: MergingReader<CaptureReader<FileByteSource>>
  /// A batch that was read early to find the start of the timeline.
  private var first: ScanBatch?
  private var start: Timestamp?
  /// The time of the last input.
  private var latest: Timestamp?
  private var hasEnded = false

  /// Opens a capture; `-` is standard input.
  ///
  /// - Parameters:
  ///   - path: The capture.
  ///   - timing: How faults of the recorder's clock are recognized.
  /// - Throws: `SystemError` when it cannot be opened, ``CaptureError`` when it is not a capture.
  public convenience init(
    path: String,
    timing: TimingConfiguration = TimingConfiguration()
  ) throws {
    try self.init(paths: [path], timing: timing)
  }

  /// Opens captures; `-` is standard input.
  ///
  /// A file that is named twice is read once.
  ///
  /// - Parameters:
  ///   - paths: The captures, in any order.
  ///   - timing: How faults of a recorder's clock, and the pieces of a recording, are recognized.
  /// - Throws: `SystemError` when one cannot be opened or read, ``CaptureError`` when one is not a capture.
  public convenience init(
    paths: [String],
    timing: TimingConfiguration = TimingConfiguration()
  ) throws {
    try self.init(paths, .steady, timing: timing)
  }

  /// Opens captures.
  ///
  /// - Parameters:
  ///   - paths: The captures.
  ///   - reading: How times and lines are read.
  ///   - timing: How faults of a recorder's clock, and the parts of a recording, are recognized.
  ///   - beforeWaiting: Called by the reading thread before a read that has to wait for data of a pipe.
  /// - Throws: `SystemError` when one cannot be opened or read, ``CaptureError`` when one is not a capture.
  package init(
    _ paths: [String],
    _ reading: Reading = .steady,
    timing: TimingConfiguration = TimingConfiguration(),
    beforeWaiting: @escaping () throws -> Void = {}
  ) throws {
    (self.paths, repeated) = Self.distinct(paths)
    self.reading = reading
    let canStayOpen = FileDescriptor.allow(self.paths.count)
    var files: [FileByteSource] = []
    var captures: [(label: String, capture: CaptureReader<FileByteSource>)] = []
    for path in self.paths {
      let file = try FileByteSource(
        path: path,
        isCancelled: { Interruption.cause != nil },
        beforeWaiting: beforeWaiting,
        staysOpen: canStayOpen
      )
      do {
        var capture = try CaptureReader(file)
        if reading == .verbatim { capture.readVerbatim() }
        captures.append((path, capture))
      } catch let error as CaptureFormatError {
        throw CaptureError(path: path, reason: error)
      }
      files.append(file)
    }
    self.files = files
    reader = try MergingReader(captures, timing: reading == .steady ? timing : nil)
    // Captures that are merged have been read up to their first input.
    if files.count > 1 { try checkLines() }
  }

  /// The most sentences of a kind about the files of a command: a shell's pattern may name thousands.
  package static let mostRemarks = 20

  /// Returns each file once, whatever its names, with a sentence about each that is named again.
  ///
  /// A capture that is merged with itself would be two receivers, each of which receives everything. Standard input may
  /// be one of the files, too.
  package static func distinct(_ paths: [String]) -> (paths: [String], remarks: [String]) {
    var distinct: [String] = []
    // Not their texts: two names are one to Swift that only differ in their form, and two to the system.
    var known: Set<[UInt8]> = []
    var names: [FileIdentity: String] = [:]
    var remarks: [String] = []
    for path in paths {
      let status = path == "-" ? FileDescriptor.standardInput.status : FileStatus(path)
      let name = WholeFile.name(path)
      if known.contains(Array(path.utf8)) {
        remarks.append("\(name) is named twice; it is read once")
      } else if let first = status.flatMap({ names[$0.identity] }) {
        remarks.append("\(name) is the same file as \(WholeFile.name(first)); it is read once")
      } else {
        distinct.append(path)
        known.insert(Array(path.utf8))
        if let identity = status?.identity { names[identity] = path }
      }
    }
    let further = remarks.count - mostRemarks
    if further > 0 {
      remarks =
        remarks.prefix(mostRemarks) + ["and \(further) more repeated files; each is read once"]
    }
    return (distinct, remarks)
  }

  private func checkLines() throws(CaptureError) {
    guard let file = reader.captures.first(where: \.capture.isNoRecording) else { return }
    let fault = file.capture.notes.first { $0.hasPrefix("line") }
    throw CaptureError(path: file.label, reason: .noRecording(fault: fault))
  }

  // MARK: Reading

  /// The time of the first input; captures without inputs start in 1970.
  ///
  /// It throws what ``next(until:)`` throws.
  public var now: Timestamp {
    get async throws { try await readStart() }
  }

  /// How far local time is ahead of UTC at the start; `nil` where no capture says so.
  public var utcOffset: TimeSpan? {
    get async {
      _ = try? await readStart()
      return zone
    }
  }

  /// Returns the next inputs.
  ///
  /// A capture ignores the deadline. Damage is not an error: everything before it is returned, and ``remarks`` names it.
  ///
  /// - Returns: The inputs; `nil` at the end.
  /// - Throws: `SystemError` when a file cannot be read, ``CaptureError`` when it is not a capture.
  @concurrent public func next(until deadline: Timestamp?) async throws -> ScanBatch? {
    try next()
  }

  /// Returns the next inputs, as ``next(until:)`` does; the calling thread waits for a pipe.
  public func next() throws -> ScanBatch? {
    try lock.withLock { _ in try first.take() ?? read() }
  }

  @concurrent private func readStart() async throws -> Timestamp {
    try lock.withLock { _ in
      if start == nil {
        first = try read()
        start = first?.inputs.first?.time ?? .earliest
      }
      return start ?? .earliest
    }
  }

  private func read() throws -> ScanBatch? {
    if let batch = try reader.next() {
      if let time = batch.inputs.last?.time { latest = max(latest ?? time, time) }
      return batch
    }
    defer { hasEnded = true }
    guard let latest else {
      try checkLines()
      return nil
    }
    // At the end stands what all captures left out, however they are divided into files.
    let losses = hasEnded || reading != .steady ? [] : left.occurred.filter { $0.reason.isLoss }
    guard !losses.isEmpty else { return nil }
    return ScanBatch(
      inputs: losses.map { .notice(.dropped($0.reason, count: $0.count), latest) }
    )
  }

  // MARK: Contents

  /// The captures, in the order in which they start.
  package var captures: [CaptureReader<FileByteSource>] {
    lock.withLock { _ in reader.captures.map(\.capture) }
  }

  /// The names of the receivers found in the part read so far, by their number; of several with the same name, all but the
  /// first one have their capture's name before it.
  public var receiverNames: [String] { lock.withLock { _ in reader.receiverNames } }

  /// The records of the part read so far that were left out, by reason.
  public var drops: Tally<DropReason> { lock.withLock { _ in left } }

  private var left: Tally<DropReason> {
    reader.captures.reduce(into: Tally()) { $0.add($1.capture.drops) }
  }

  /// How far local time is ahead of UTC at the start, as far as it was read.
  package var zone: TimeSpan? {
    lock.withLock { _ in reader.captures.lazy.compactMap(\.capture.zone).first }
  }

  /// Returns and clears the recorded user actions of the part read so far.
  package func drainUserActionLines() -> [UserActionLine] {
    lock.withLock { _ in reader.drainUserActionLines() }
  }

  /// How many inputs got another time than their stamp.
  package var moved: Int {
    lock.withLock { _ in reader.clocks.reduce(0) { $0 + $1.clock.moved } }
  }

  /// How much was read, from 0 to 1; `nil` if a size is not known.
  package var progress: Double? {
    let parts = files.compactMap { file in
      file.size.map { $0 > 0 ? Double(file.bytesRead) / Double($0) : 1 }
    }
    return parts.count == files.count ? parts.reduce(0, +) / Double(max(1, parts.count)) : nil
  }

  /// A line for each capture: format, link types, size.
  package var summaries: [String] {
    lock.withLock { _ in
      reader.captures.map { path, capture in
        let types = capture.linkTypes.map { String($0) }.joined(separator: ", ")
        let format = capture.format?.name ?? "empty"
        return "\(WholeFile.name(path)): \(format)" + (types.isEmpty ? "" : ", link type \(types)")
          + ", \(capture.records) records, \(capture.bytesRead) bytes"
      }
    }
  }

  /// Remarks to show to the user about the part read so far: damage, oddities, omissions.
  public var remarks: [String] {
    lock.withLock { _ in
      let isMerged = files.count > 1
      return repeated
        + Self.remarks(onRepeated: reader.repeated)
        + reader.captures.flatMap { path, capture in
          Self.remarks(on: capture, of: path, isMerged ? [] : reader.clocks.map(\.clock))
        } + (isMerged ? reader.clocks.flatMap { Self.remarks(on: $0.clock, of: $0.label) } : [])
    }
  }

  private static func remarks(onRepeated parts: [(label: String, of: String)]) -> [String] {
    let further = parts.count - mostRemarks
    return parts.prefix(mostRemarks).map { label, other in
      "\(WholeFile.name(label)) repeats a part of the recording in \(WholeFile.name(other)); that is read once"
    } + (further > 0 ? ["and \(further) more files repeat a part of a recording"] : [])
  }

  private static func remarks(
    on capture: CaptureReader<FileByteSource>,
    of path: String,
    _ clocks: [SteadyClock]
  ) -> [String] {
    let name = WholeFile.name(path)
    var remarks: [String] = []
    if let offset = capture.damagedAt {
      let records = capture.records == 1 ? "1 record" : "\(capture.records) records"
      remarks.append(
        "\(name): read \(records) up to byte \(offset): \(capture.damage ?? "damaged")"
      )
    }
    remarks += capture.notes.map { "\(name): \($0)" }
    remarks += clocks.flatMap { Self.remarks(on: $0, of: path) }
    let losses = capture.drops.occurred.filter { $0.reason.isLoss }
    if !losses.isEmpty {
      let reasons = losses.map { "\($0.count) \($0.reason.name)" }.joined(separator: ", ")
      remarks.append("\(name): left out: \(reasons)")
    }
    return remarks
  }

  private static func remarks(on clock: SteadyClock, of path: String) -> [String] {
    var remarks: [String] = []
    if clock.stepsBack.count > 0 {
      let times = clock.stepsBack.count == 1 ? "" : ", the first of \(clock.stepsBack.count) times"
      let seconds = DecimalText.seconds(clock.stepsBack.first)
      remarks.append(
        "the clock was set back by \(seconds) s\(times); later inputs are moved so that time continues"
      )
    }
    if clock.wrongStamps > 0 {
      remarks.append(
        clock.wrongStamps == 1
          ? "1 record has a time far from its neighbors'; it is placed between them"
          : "\(clock.wrongStamps) records have a time far from their neighbors'; they are placed between them"
      )
    }
    return remarks.map { "\(WholeFile.name(path)): \($0)" }
  }
}
