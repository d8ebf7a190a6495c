// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

public import BeaconCore

/// Reads a capture of any format it can be, a block at a time.
///
/// The bytes of a batch are the block it was read from, so payloads are not copied. Memory does not depend on the
/// length of the capture, nor on what its headers claim.
public struct CaptureReader<Bytes: ByteSource>: ScanReader {
  /// How much is read at a time: some eight hundred records, over which the cost of a read and of a batch vanishes.
  ///
  /// Two blocks with their inputs are in use in turn, and stay in the second-level cache; twice as much at a time is
  /// 4 % slower, half as much too.
  static var blockCount: Int { 48 * 1024 }
  /// The most a single record or line may make the block grow to: room for the longest record that Wireshark reads
  /// (256 KiB), written as hexadecimal text with spaces.
  static var maximumBlockCount: Int { 1024 * 1024 }

  /// The format; `nil` when the capture is empty.
  public let format: CaptureFormat?
  /// How many bytes were read.
  public private(set) var bytesRead = 0
  /// Bytes from the start of the capture to the first that could not be read; `nil` while it is sound.
  ///
  /// What comes before has been read. A capture whose recorder was killed ends like this, so it is no error.
  public private(set) var damagedAt: Int?
  /// What is wrong at ``damagedAt``, in a phrase.
  public private(set) var damage: String?

  /// How many records were read, of whatever kind.
  public var records: Int { sink.records }
  /// The link types met, as the format numbers them, in the order they were first met.
  public var linkTypes: [Int] { sink.linkTypes }
  /// What was left out, with reasons.
  public var drops: Tally<DropReason> { sink.drops }
  /// Oddities worth telling a person.
  public var notes: [String] { sink.notes }
  /// The names of the receivers, by their number in reports; empty when the capture does not tell receivers apart.
  public var receiverNames: [String] { sink.receiverNames }

  /// What a recording says of itself in its first line; `nil` where it is none, or has none.
  package var header: CaptureHeader? { recording.header }
  /// Where a recording says it ends; `nil` before that was read, and where nothing says so.
  package var end: Timestamp? { recording.end }

  private var source: Bytes
  private var recording = RecordingNotes()
  private var decoder: (any CaptureFormatDecoder)?
  private var sink = CaptureSink()
  /// Bytes read and not yet consumed.
  private var pending: [UInt8] = []
  /// The last two batches given out, the older first, for their storage.
  ///
  /// When the next is asked for, whoever got the older one is done with it. Fresh storage for each batch would be memory
  /// from the system and back each time.
  private var given: [ScanBatch] = []
  private var isBegun = false
  private var isAtEnd = false
  private var lastInputCount = 0

  /// Begins to read a capture.
  ///
  /// - Parameter source: Where its bytes come from; read until its format is known.
  /// - Throws: ``CaptureFormatError`` when it is no capture or holds nothing that can be read, and what the source
  ///   throws.
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
    return (nil, start)
  }

  /// Enough for every file header, and for two records of the formats that have none.
  private static var fewestSniffedCount: Int { 64 }

  /// Returns the next inputs, never an empty batch; `nil` at the end of the capture or of what can be read of it.
  ///
  /// - Throws: What the source throws; damage is not thrown, see ``damagedAt``.
  public mutating func next() throws -> ScanBatch? {
    while decoder != nil {
      var (block, inputs) = takeStorage()
      block += pending
      pending.removeAll(keepingCapacity: true)
      // What the format was told by is the first block.
      if isBegun, !isAtEnd { try fill(&block, upTo: Self.blockCount) }
      isBegun = true
      let consumed = decode(block, reusing: &inputs)
      if let batch = drainBatch(&block, consumed) { return batch }
    }
    return nil
  }

  /// Returns storage for a block and its inputs, emptied; that of an earlier batch unless someone still has it.
  private mutating func takeStorage() -> ([UInt8], [ScanInput]) {
    guard given.count > 1 else { return ([], []) }
    var batch = given.removeFirst()
    batch.bytes.removeAll(keepingCapacity: true)
    batch.inputs.removeAll(keepingCapacity: true)
    return (batch.bytes, batch.inputs)
  }

  /// Returns what persons did according to the inputs read so far, and forgets it.
  ///
  /// A person's input is known no later than the inputs of the air that come after it.
  package mutating func drainUserActionLines() -> [UserActionLine] {
    defer { recording.userActions = [] }
    return recording.userActions
  }

  /// Decodes a block and tells how much of it is done with.
  private mutating func decode(_ block: [UInt8], reusing inputs: inout [ScanInput]) -> Int {
    let offset = bytesRead - block.count
    sink.scan.begin(blockCount: block.count, expecting: lastInputCount, reusing: inputs)
    // The sink's alone now, so that appending to them copies nothing.
    inputs = []
    do throws(CaptureDamage) {
      let consumed = try decodeNoting(block)
      if isAtEnd { decoder = nil }
      if block.count - consumed >= Self.maximumBlockCount {
        throw CaptureDamage(
          offset: consumed,
          reason: "a record is longer than \(Self.maximumBlockCount) bytes"
        )
      }
      return consumed
    } catch {
      damagedAt = offset + error.offset
      damage = error.reason
      decoder = nil
      return block.count
    }
  }

  private mutating func decodeNoting(_ block: [UInt8]) throws(CaptureDamage) -> Int {
    defer { if let notes = decoder?.drainNotes() { recording.add(notes) } }
    return try decoder?.decode(block.span, isLast: isAtEnd, into: &sink) ?? 0
  }

  /// Makes the block a batch, and keeps what was not consumed of it for the next.
  private mutating func drainBatch(_ block: inout [UInt8], _ consumed: Int) -> ScanBatch? {
    if decoder != nil { pending += block[min(consumed, block.count)...] }
    guard !sink.inputs.isEmpty else { return nil }
    lastInputCount = sink.inputs.count
    block += sink.extraBytes
    let batch = ScanBatch(bytes: block, inputs: sink.inputs)
    sink.inputs = []
    given.append(batch)
    return batch
  }

  private mutating func fill(_ buffer: inout [UInt8], upTo count: Int) throws {
    let before = buffer.count
    try source.read(upTo: count, into: &buffer)
    bytesRead += buffer.count - before
    isAtEnd = buffer.count == before
  }
}

extension CaptureReader: Sendable where Bytes: Sendable {}
