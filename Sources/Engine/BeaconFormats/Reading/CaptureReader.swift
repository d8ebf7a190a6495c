// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

public import BeaconCore

/// Reads a capture of any known format, a block at a time.
///
/// The bytes of a batch are the block it was read from, so payloads are not copied. Memory does not depend on the
/// length of the capture, nor on what its headers claim.
public struct CaptureReader<Bytes: ByteSource>: ScanReader {
  /// How many bytes are read at a time: about eight hundred records, so that the cost of a read and of a batch does not
  /// matter.
  ///
  /// Two blocks with their inputs are in use alternately and stay in the second-level cache; twice or half the size is
  /// 4 % slower.
  static var blockCount: Int { 48 * 1024 }
  /// The size to which a single record or line may grow the block: room for the longest record that Wireshark reads
  /// (256 KiB), written as hexadecimal text with spaces.
  static var maximumBlockCount: Int { 1024 * 1024 }

  /// The format; `nil` when the capture is empty.
  public let format: CaptureFormat?
  /// How many bytes were read.
  public private(set) var bytesRead = 0
  /// Bytes from the start of the capture to the first that could not be read; `nil` without damage.
  ///
  /// Everything in front of it has been read. A capture whose recorder was killed ends like this, so it is not an
  /// error.
  public private(set) var damagedAt: Int?
  /// The fault at ``damagedAt``, in a phrase.
  public private(set) var damage: String?

  /// How many records were read, of whatever kind.
  public var records: Int { sink.records }
  /// The link types found, as the format numbers them, in the order they first occurred.
  public var linkTypes: [Int] { sink.linkTypes }
  /// The omissions, with reasons.
  public var drops: Tally<DropReason> { sink.drops }
  /// Notes for a user on the capture.
  public var notes: [String] { sink.notes }
  /// The names of the receivers, by their number in reports; empty when the capture does not distinguish receivers.
  public var receiverNames: [String] { sink.receiverNames }

  /// The first line of a recording, which describes it; `nil` for other captures or if it is missing.
  package var header: CaptureHeader? { recording.header }
  /// The header of the last part read of a recording; `nil` for other captures or if it is missing.
  package var lastHeader: CaptureHeader? { recording.lastHeader }
  /// How far local time is ahead of UTC at the start of a recording; `nil` if it is not stated.
  package var zone: TimeSpan? { recording.zone }
  /// The end of a recording as its last line states it; `nil` until that line is read, or if it is missing.
  package var end: Timestamp? { recording.end }

  /// Whether no line of a file of JSON is one of a recording: any text that starts with a brace looks like one at first.
  package var isNoRecording: Bool {
    format == .jsonLines && records > 0 && drops[.malformedRecord] >= records
  }

  private var source: Bytes
  private var recording = RecordingNotes()
  private var decoder: (any CaptureFormatDecoder)?
  private var sink = CaptureSink()
  /// The inputs since the time at which a receiver may have stopped to listen, until that is decided.
  private var held = ScanBatch()
  /// Bytes read and not yet consumed.
  private var pending: [UInt8] = []
  /// Bytes read after a block, in order to find the start of another capture.
  private var ahead: [UInt8] = []
  /// The last two batches returned, the older first, for their storage.
  ///
  /// When the next batch is requested, the caller has finished with the older one. New storage for each batch would be
  /// allocated from the system and returned every time.
  private var recentBatches: [ScanBatch] = []
  private var hasStarted = false
  private var isAtEnd = false
  private var holdsEnd = false
  private var lastInputCount = 0
  /// The time of the last input that was returned.
  private var lastTime: Timestamp?
  /// How many bytes lie in front of the capture that is being read, in a file made of several.
  private var captureStart = 0

  /// Starts to read a capture.
  ///
  /// - Parameter source: The bytes; read until the format is known.
  /// - Throws: ``CaptureFormatError`` when it is not a capture or contains nothing that can be read, and errors of the
  ///   source.
  public init(_ source: Bytes) throws {
    self.source = source
    (format, pending) = try Self.sniff(&self.source)
    bytesRead = pending.count
    guard let format else {
      guard pending.isEmpty else {
        throw CaptureFormatError.unknownFormat(found: CaptureFormat.describe(pending.span))
      }
      sink.note("the capture is empty")
      return
    }
    decoder = try format.makeDecoder(pending.span)
    if decoder == nil {
      damagedAt = 0
      damage = "the capture ends within its header"
    }
  }

  private static func sniff(_ source: inout Bytes) throws -> (CaptureFormat?, [UInt8]) {
    var start: [UInt8] = []
    while start.count < CaptureFormat.sniffedCount {
      let before = start.count
      try source.read(upTo: blockCount, into: &start)
      let isAtEnd = start.count == before
      guard isAtEnd || start.count >= fewestSniffedCount else { continue }
      if let format = CaptureFormat.sniff(start.span) { return (format, start) }
      if isAtEnd { break }
    }
    return (CaptureFormat.hasLines(start.span) ? .jsonLines : nil, start)
  }

  /// Enough for every file header, and for two records of the formats without one.
  private static var fewestSniffedCount: Int { 64 }

  /// Keeps the lines of a recording as they are, for a conversion: ends and further headers come with the user actions.
  package mutating func readVerbatim() {
    guard var lines = decoder as? JSONLinesDecoder else { return }
    lines.isVerbatim = true
    decoder = lines
  }

  /// Keeps the states of ``drainEndStates()`` apart, for a reader that knows whether another capture continues this one.
  package mutating func holdEndStates() { holdsEnd = true }

  /// Returns and clears the states of receivers whose scan had stopped at the end of the capture.
  package mutating func drainEndStates() -> [ScanInput] {
    defer { sink.endStates = [] }
    return sink.endStates
  }

  /// Returns the next inputs, never an empty batch; `nil` at the end of the capture or of what can be read of it.
  ///
  /// - Throws: Errors of the source. Damage is not thrown; see ``damagedAt``.
  public mutating func next() throws -> ScanBatch? {
    while decoder != nil {
      var (block, inputs) = recycledStorage()
      block += pending
      pending.removeAll(keepingCapacity: true)
      // The bytes that the format was recognized by are the first block.
      if hasStarted, !isAtEnd { try fill(&block, upTo: Self.blockCount) }
      hasStarted = true
      let consumed = decode(block, reusing: &inputs)
      if let batch = drainBatch(&block, consumed) { return batch }
    }
    return nil
  }

  /// Returns empty storage for a block and its inputs: that of an earlier batch if there is one.
  private mutating func recycledStorage() -> ([UInt8], [ScanInput]) {
    guard recentBatches.count > 1 else { return ([], []) }
    var batch = recentBatches.removeFirst()
    batch.bytes.removeAll(keepingCapacity: true)
    batch.inputs.removeAll(keepingCapacity: true)
    return (batch.bytes, batch.inputs)
  }

  /// Returns and clears the user actions read so far.
  ///
  /// A user action is returned no later than the scan inputs that follow it.
  package mutating func drainUserActionLines() -> [UserActionLine] {
    defer { recording.userActions = [] }
    return recording.userActions
  }

  /// Decodes a block and returns how many of its bytes were consumed.
  private mutating func decode(_ block: [UInt8], reusing inputs: inout [ScanInput]) -> Int {
    let offset = bytesRead - block.count
    sink.scan.begin(blockCount: block.count, expecting: lastInputCount, reusing: inputs)
    // Only the sink refers to them now, so that appending copies nothing.
    inputs = []
    if !held.inputs.isEmpty { addHeld() }
    sink.captureStart = nil
    defer { if let start = sink.captureStart { captureStart = offset + start } }
    do throws(CaptureDamage) {
      let consumed = try decodeNoting(block)
      keepInFront(block[..<min(consumed, block.count)], from: offset)
      if isAtEnd {
        decoder = nil
        if !holdsEnd {
          let states = drainEndStates()
          sink.inputs += states
        }
      }
      if block.count - consumed >= Self.maximumBlockCount {
        throw CaptureDamage(
          offset: consumed,
          reason: "a record is longer than \(Self.maximumBlockCount) bytes"
        )
      }
      return consumed
    } catch {
      return resume(block, at: offset, after: error)
    }
  }

  /// Continues with another capture of the format, if the one before it is cut off; otherwise reading ends.
  ///
  /// - Returns: How many bytes of the block were consumed.
  private mutating func resume(
    _ block: [UInt8],
    at offset: Int,
    after error: CaptureDamage
  ) -> Int {
    var error = error
    // A record at the end of the block before may have taken the first bytes of the next capture, whose other ones may be
    // missing.
    let inFront = sink.inFront.count
    var bytes = sink.inFront + block
    let hasMagic = format != .packetLogger && format != .hcidump
    let needed =
      inFront + error.offset + (hasMagic ? Self.fewestSniffedCount : CaptureSink.keptInFront)
    // An error of the source comes again when its next bytes are read.
    while bytes.count < needed, !isAtEnd, (try? fill(&bytes, upTo: Self.blockCount)) != nil {}
    ahead = Array(bytes[(inFront + block.count)...])
    let first = (sink.captureStart ?? captureStart - offset) + 1
    let place = nextStart(in: bytes, from: inFront + first, damagedAt: inFront + error.offset)
    if let (other, start) = otherStart(in: bytes, damagedAt: inFront + error.offset),
      start < place ?? .max
    {
      removeReports(from: start - inFront, damagedAt: error.offset, in: block)
      error = CaptureDamage(offset: start - inFront, joining: other)
    } else if let place {
      let start = place - inFront
      let states = drainEndStates()
      sink.inputs += states
      removeReports(from: start, damagedAt: nil, in: block)
      while case .mark = sink.inputs.last { sink.inputs.removeLast() }
      sink.captureStart = start
      sink.note(
        "a capture breaks off in the middle of a record at byte \(offset + start), where another one begins"
      )
      decoder?.resume(bytes.span.extracting(place...), after: sink.inputs.last?.time ?? lastTime)
      if start >= 0 { sink.forgetInFront() }
      return start
    }
    damagedAt = offset + error.offset
    damage = error.reason
    decoder = nil
    return block.count
  }

  /// Finds the start of another capture of the format near damage.
  private func nextStart(in bytes: [UInt8], from first: Int, damagedAt damage: Int) -> Int? {
    guard let place = format?.nextStart(in: bytes.span, from: first, damagedAt: damage),
      (try? format?.makeDecoder(bytes.span.extracting(place...))) != nil
    else { return nil }
    return place
  }

  /// Finds the start of a capture of another format at damage.
  private func otherStart(in bytes: [UInt8], damagedAt damage: Int) -> (CaptureFormat, Int)? {
    guard let format, !bytes.isEmpty, damage <= bytes.count else { return nil }
    if let other = CaptureFormat.sniffStart(bytes.span.extracting(damage...)), other != format {
      return (other, damage)
    }
    return nil
  }

  /// Removes the reports of a record that has taken bytes of the next capture.
  private mutating func removeReports(from start: Int, damagedAt damage: Int?, in block: [UInt8]) {
    guard start != damage else { return }
    sink.inputs.removeAll { input in
      guard case .report(let report) = input else { return false }
      return report.payloadRange.lowerBound < block.count
        && report.payloadRange.upperBound >= start
    }
  }

  /// Keeps the last bytes consumed of the present capture, without the first one of its header.
  private mutating func keepInFront(_ consumed: ArraySlice<UInt8>, from offset: Int) {
    if sink.captureStart != nil { sink.forgetInFront() }
    let start = sink.captureStart.map { $0 + 1 } ?? (offset == 0 ? 1 : 0)
    sink.keepInFront(consumed.dropFirst(start))
  }

  private mutating func decodeNoting(_ block: [UInt8]) throws(CaptureDamage) -> Int {
    defer { if let notes = decoder?.drainNotes() { recording.add(notes) } }
    return try decoder?.decode(block.span, isLast: isAtEnd, into: &sink) ?? 0
  }

  /// Makes a batch of the block, and keeps the bytes that were not consumed for the next block.
  private mutating func drainBatch(_ block: inout [UInt8], _ consumed: Int) -> ScanBatch? {
    if decoder != nil {
      // Another capture may have begun in front of the block.
      if consumed < 0 {
        pending += sink.inFront.suffix(-consumed)
        sink.forgetInFront()
      }
      pending += block[min(max(consumed, 0), block.count)...]
      pending += ahead.dropFirst(max(0, consumed - block.count))
      ahead = []
    }
    guard !sink.inputs.isEmpty else { return nil }
    lastInputCount = sink.inputs.count
    block += sink.extraBytes
    var batch = ScanBatch(bytes: block, inputs: sink.inputs)
    sink.inputs = []
    if let start = decoder?.undecidedSince { hold(&batch, from: start) }
    guard !batch.inputs.isEmpty else { return nil }
    if lastTime == nil, let first = batch.inputs.first?.time { judge(first) }
    lastTime = batch.inputs.last?.time
    recentBatches.append(batch)
    return batch
  }

  /// Notes once that the times of a capture cannot be right; lines of a recording may be of any time.
  private mutating func judge(_ first: Timestamp) {
    let timing = TimingConfiguration()
    guard first < timing.earliestPlausible || first > timing.latestPlausible, format != .jsonLines
    else { return }
    if format == .hcidumpText, first == .earliest { return }
    sink.note(
      "the times of the capture are improbable, it begins at \(RFC3339.string(first)):"
        + " the clock of its recorder was not set, or its times count from another start"
    )
  }

  /// The most inputs that wait: those of a busy place in the three seconds that decide.
  private static var heldLimit: Int { 16 * 1024 }

  /// Keeps the inputs after a time, to state in front of them that a receiver does not listen.
  private mutating func hold(_ batch: inout ScanBatch, from start: Timestamp) {
    let first = batch.inputs.lastIndex { $0.time <= start }.map { $0 + 1 } ?? 0
    let later = batch.inputs[first...]
    guard !later.isEmpty, later.count <= Self.heldLimit else { return }
    held = batch.piece(later)
    batch.inputs.removeSubrange(first...)
  }

  private mutating func addHeld() {
    for input in held.inputs {
      let start = sink.keep(held.payload(of: input))
      sink.inputs.append(input.pointing(to: Int(start)))
    }
    held = ScanBatch()
  }

  private mutating func fill(_ buffer: inout [UInt8], upTo count: Int) throws {
    let before = buffer.count
    try source.read(upTo: count, into: &buffer)
    bytesRead += buffer.count - before
    isAtEnd = buffer.count == before
  }
}

extension CaptureReader: Sendable where Bytes: Sendable {}
