// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

internal import BeaconCore

/// Decodes btsnoop, which is big-endian throughout.
///
/// A file header (`btsnoop` and a zero byte, version, data link) is followed by records of original length, included
/// length, flags, cumulative drops and time, and the included bytes.
struct BtsnoopDecoder: CaptureFormatDecoder {
  static let magic = Array("btsnoop\0".utf8)
  static let fileHeaderCount = 16
  static let recordHeaderCount = 24
  /// Microseconds from the format's epoch, the year 0, to 1970.
  static let epoch: Int64 = 62_168_256_000_000_000

  enum DataLink: UInt32 {
    /// HCI packets without their type, which follows from the flags.
    case h1 = 1001
    /// HCI packets with their type byte.
    case h4 = 1002
    /// Packets of the Linux monitor channel; the flags hold adapter and opcode.
    case linuxMonitor = 2001
  }

  private var dataLink: DataLink
  private var packets = PacketDecoder(receivers: .byAdapter)
  private var isHeaderRead = false
  private var search = CaptureSearch()

  /// Reads the file header; `nil` when the file ends within it.
  init?(_ start: borrowing Span<UInt8>) throws(CaptureFormatError) {
    guard start.count >= Self.fileHeaderCount else { return nil }
    let version = start.bigEndian32(at: 8)
    guard version == 1 else { throw .unsupported(.btsnoop, "of version \(version), not 1") }
    let number = start.bigEndian32(at: 12)
    guard let dataLink = DataLink(rawValue: number) else {
      throw .unsupported(
        .btsnoop,
        "of data link \(number)\(Self.name(number)), not 1001, 1002 or 2001"
      )
    }
    self.dataLink = dataLink
  }

  private static func name(_ dataLink: UInt32) -> String {
    switch dataLink {
    case 1003: " (BCSP)"
    case 1004: " (three-wire H5)"
    case 2002: " (the simulated radio of BlueZ)"
    default: ""
    }
  }

  var undecidedSince: Timestamp? { packets.undecidedSince }

  mutating func decode(
    _ block: borrowing Span<UInt8>,
    isLast: Bool,
    into sink: inout CaptureSink
  ) throws(CaptureDamage) -> Int {
    var start = 0
    search.begin(isHeaderRead ? -sink.inFront.count : Self.fileHeaderCount)
    if !isHeaderRead {
      isHeaderRead = true
      sink.addLinkType(Int(dataLink.rawValue))
      start = min(Self.fileHeaderCount, block.count)
    }
    repeat {
      start = decodeLoneReports(block, from: start, into: &sink)
    } while try decodeRecord(block, at: &start, into: &sink)
    noteLastTime(sink)
    if isLast {
      packets.finish(into: &sink)
      try RecordLimit.checkEnd(start, of: block.count)
    }
    return start
  }

  /// Notes the time of the last report, which the fast path does not.
  private mutating func noteLastTime(_ sink: borrowing CaptureSink) {
    guard let input = sink.inputs.last else { return }
    packets.note(input)
    let time = input.time
    guard time > packets.lastTime ?? .earliest else { return }
    packets.timeBefore = sink.inputs.dropLast().last?.time ?? packets.lastTime
    packets.lastTime = time
  }

  mutating func resume(_ rest: borrowing Span<UInt8>, after time: Timestamp?) {
    packets.breakOff(after: time)
    search.begin(0)
  }

  /// Decodes records as long as each contains a single legacy report, as nearly all do.
  ///
  /// A fast path: it takes half the time of the general path, because it does only what these records need.
  ///
  /// - Returns: The offset of the first record of another kind.
  private func decodeLoneReports(
    _ block: Span<UInt8>,
    from start: Int,
    into sink: inout CaptureSink
  ) -> Int {
    // While time can change whether the receiver listens, every record is looked at.
    guard dataLink == .h4, !packets.isWatching else { return start }
    let rest = block.extracting(start...)
    let (origin, before) = (sink.scan.origin &+ start, sink.inputs.count)
    let room = rest.count / Self.fewestLoneBytes
    // To append nothing to an empty array writes to the storage that all empty arrays of all threads share.
    guard room > 0 else { return start }
    var decoded = 0
    sink.scan.inputs.append(addingCapacity: room) { (reports: inout OutputSpan<ScanInput>) in
      // A local variable, since a captured one would be read from memory each time.
      var offset = 0
      while let (report, count) = Self.loneReport(
        rest.extracting(offset...),
        at: origin &+ offset
      ) {
        reports.append(.report(report))
        offset &+= count
      }
      decoded = offset
    }
    sink.records &+= sink.inputs.count &- before
    return start &+ decoded
  }

  /// The size of a record with its type byte and a legacy report without a payload.
  private static let fewestLoneBytes = recordHeaderCount + 1 + AdvertisingReport.fewestLoneBytes

  /// Returns the report of a record of data link 1002 that contains nothing else, and the size of the record.
  ///
  /// - Parameters:
  ///   - rest: The block from the record on.
  ///   - origin: The position of the record in the batch.
  /// - Returns: The report and the count; `nil` for any other record, valid or not.
  @inline(__always)
  private static func loneReport(
    _ rest: Span<UInt8>,
    at origin: Int
  ) -> (AdvertisingReport, count: Int)? {
    // After this check a load at a fixed offset needs no bounds check.
    guard rest.count >= fewestLoneBytes else { return nil }
    let included = Int(rest.bigEndian32(at: 4))
    guard included > AdvertisingReport.fewestLoneBytes,
      included <= rest.count &- recordHeaderCount,
      // The version of a header, if the record ends with one.
      rest.bigEndian32(at: recordHeaderCount &+ included &- 8) != 1,
      rest.bigEndian32(at: 0) <= UInt32(truncatingIfNeeded: included),
      rest[recordHeaderCount] == PacketDecoder.PacketType.event
    else { return nil }
    // A stamp out of range is clamped by the general path.
    let sinceEpoch = rest.bigEndian64(at: 16) &- UInt64(bitPattern: epoch)
    guard sinceEpoch <= UInt64(bitPattern: Timestamp.latest.microseconds) else { return nil }
    let count = recordHeaderCount &+ included
    guard
      let report = AdvertisingReport(
        loneIn: rest.extracting(recordHeaderCount &+ 1..<count),
        at: origin &+ recordHeaderCount &+ 1,
        receiver: 0,
        time: Timestamp(microseconds: Int64(bitPattern: sinceEpoch))
      )
    else { return nil }
    return (report, count)
  }

  /// Decodes the record at an offset, and moves the offset to its end.
  ///
  /// - Returns: `false` when the rest of the block is not a whole record.
  private mutating func decodeRecord(
    _ block: borrowing Span<UInt8>,
    at start: inout Int,
    into sink: inout CaptureSink
  ) throws(CaptureDamage) -> Bool {
    // A file header is shorter than that of a record.
    guard block.count &- start >= Self.fileHeaderCount else { return false }
    let included = block.bigEndian32(at: start &+ 4)
    if included > RecordLimit.maximumCount {
      noteLastTime(sink)
      try startNextCapture(block, at: start, into: &sink)
      start &+= Self.fileHeaderCount
      return true
    }
    guard block.count &- start >= Self.recordHeaderCount else { return false }
    let data = start &+ Self.recordHeaderCount
    let end = data &+ Int(included)
    let original = block.bigEndian32(at: start)
    let time = Self.time(block.bigEndian64(at: start &+ 16))
    if original < included || original > RecordLimit.maximumCount || isFar(time, sink) {
      try search.check(block, sink, upTo: data, for: .btsnoop)
    }
    guard end <= block.count else { return false }
    if let header = Self.header(in: block.extracting(data..<end)) {
      noteLastTime(sink)
      throw CaptureDamage(
        offset: data &+ header,
        reason: "another capture starts in the middle of a record"
      )
    }
    sink.records &+= 1
    decodeRecord(block, at: start, data..<end, into: &sink)
    start = end
    return true
  }

  /// Finds the header of another capture that took the place of the end of a record; all records after it are whole.
  ///
  /// Only a long record has room for a header and whole records.
  private static func header(in content: borrowing Span<UInt8>) -> Int? {
    guard content.count >= fileHeaderCount else { return nil }
    let last = content.count &- fileHeaderCount
    let isLong = content.count > longContent
    var offset = isLong ? 0 : last
    while offset <= last {
      if content[offset] == UInt8(ascii: "b"), isHeader(content.extracting(offset...)) {
        return offset
      }
      offset &+= 1
    }
    return nil
  }

  /// The content of a record in which a header and another record fit.
  private static let longContent = fileHeaderCount + recordHeaderCount + 2

  private static func isHeader(_ rest: borrowing Span<UInt8>) -> Bool {
    CaptureFormat.sniffMagic(rest) == .btsnoop && rest.bigEndian32(at: 8) == 1
      && DataLink(rawValue: rest.bigEndian32(at: 12)) != nil
  }

  /// Whether a record lies so far from the one in front of it that it may be other bytes.
  private func isFar(_ time: Timestamp, _ sink: borrowing CaptureSink) -> Bool {
    guard let last = sink.inputs.last?.time ?? packets.lastTime else { return false }
    return CaptureSearch.isFar(time, from: last)
  }

  /// Continues with another capture that starts in place of a record, as in a file made of several.
  ///
  /// No record can look like a header: its length would be too long.
  private mutating func startNextCapture(
    _ block: borrowing Span<UInt8>,
    at start: Int,
    into sink: inout CaptureSink
  ) throws(CaptureDamage) {
    let rest = block.extracting(start...)
    guard CaptureFormat.sniffMagic(rest) == .btsnoop else {
      try RecordLimit.check(block.bigEndian32(at: start &+ 4), at: start)
      return
    }
    let number = rest.bigEndian32(at: 12)
    guard rest.bigEndian32(at: 8) == 1, let dataLink = DataLink(rawValue: number) else {
      throw CaptureDamage(
        offset: start,
        reason:
          "another capture starts here, of data link \(number)\(Self.name(number)), which is not read"
      )
    }
    packets.startNextCapture(receiver: self.dataLink == .h4 ? 0 : nil)
    self.dataLink = dataLink
    search.begin(start &+ Self.fileHeaderCount)
    sink.captureStart = start
    sink.addLinkType(Int(number))
  }

  private mutating func decodeRecord(
    _ block: borrowing Span<UInt8>,
    at start: Int,
    _ data: Range<Int>,
    into sink: inout CaptureSink
  ) {
    let flags = block.bigEndian32(at: start &+ 8)
    let time = Self.time(block.bigEndian64(at: start &+ 16))
    let isCut = UInt32(truncatingIfNeeded: data.count) < block.bigEndian32(at: start)
    let packet = PacketDecoder.Packet(range: data, time: time, isCut: isCut)
    packets.pass(to: time, into: &sink)
    switch dataLink {
    case .h4:
      packets.decodeH4(block, packet, into: &sink)
    case .h1:
      // Bit 0: controller to host; bit 1: command or event.
      switch flags & 3 {
      case 3: packets.decodeEvent(block, packet, into: &sink)
      case 2: packets.decodeCommand(block, packet, into: &sink)
      default: break
      }
    case .linuxMonitor:
      packets.decodeMonitor(
        block,
        packet,
        opcode: UInt16(truncatingIfNeeded: flags),
        adapter: UInt16(truncatingIfNeeded: flags >> 16),
        into: &sink
      )
    }
    packets.endRecord(at: time, into: &sink)
  }

  /// Returns the time of a stamp; one beyond the year 292,000 is clamped like any other that is out of range.
  private static func time(_ stamp: UInt64) -> Timestamp {
    let (difference, overflow) = Int64(bitPattern: stamp).subtractingReportingOverflow(epoch)
    return Timestamp(microseconds: overflow ? 0 : difference)
  }
}
