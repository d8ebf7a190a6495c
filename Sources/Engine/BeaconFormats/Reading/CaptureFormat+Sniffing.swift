// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

internal import BeaconCore

extension CaptureFormat {
  /// How many bytes are enough to recognize any format; the longest chain of records that is checked is much shorter, and
  /// text of hcidump may start with as many lines of other programs.
  static let sniffedCount = 16 * 1024

  /// Recognizes the format of a capture by its first bytes.
  ///
  /// - Parameter start: The first ``sniffedCount`` bytes or more, or the whole capture if it is shorter.
  /// - Returns: The format; `nil` when it is unknown.
  package static func sniff(_ start: borrowing Span<UInt8>) -> CaptureFormat? {
    if let format = sniffMagic(start) { return format }
    // These have no magic number, only records whose lengths must be consistent.
    if PacketLoggerDecoder.recognizes(start) { return .packetLogger }
    if HcidumpDecoder.recognizes(start) { return .hcidump }
    if let format = sniffCut(start) { return format }
    // Text of hcidump may follow a short recording.
    if JSONLinesDecoder.isRecorded(start) { return .jsonLines }
    if HcidumpTextDecoder.recognizes(start) { return .hcidumpText }
    if starts(start, with: wideBrace) { return nil }
    if firstVisible(start) == UInt8(ascii: "{") { return .jsonLines }
    return nil
  }

  /// Whether unknown text has lines of JSON after its first line, because messages or comments come first.
  static func hasLines(_ start: borrowing Span<UInt8>) -> Bool {
    guard firstVisible(start) != UInt8(ascii: "[") else { return false }
    let text = plainText(start)
    guard !text.contains(0), describe(text) == nil else { return false }
    return text.split(whereSeparator: { $0 == 0x0A || $0 == 0x0D }).contains {
      $0.starts(with: Array("{\"".utf8))
    }
  }

  /// Recognizes a format by its magic number.
  static func sniffMagic(_ start: borrowing Span<UInt8>) -> CaptureFormat? {
    if starts(start, with: BtsnoopDecoder.magic) { return .btsnoop }
    if starts(start, with: PcapngDecoder.magic) { return .pcapng }
    return PcapDecoder.Layout(start) != nil ? .pcap : nil
  }

  /// Recognizes a capture that begins within a file: by its magic number, or by more than its first bytes.
  static func sniffStart(_ rest: borrowing Span<UInt8>) -> CaptureFormat? {
    if let format = sniffMagic(rest) { return format }
    if PacketLoggerDecoder.recognizes(rest, beyond: 0) { return .packetLogger }
    if HcidumpDecoder.recognizes(rest, beyond: 0) { return .hcidump }
    if starts(rest, with: Array("{\"".utf8)) { return .jsonLines }
    var line = TextLine(rest, at: 0)
    if starts(rest, with: HcidumpTextDecoder.banner) { return .hcidumpText }
    return HcidumpTextDecoder.isPacket(rest, &line, isFirst: false) ? .hcidumpText : nil
  }

  /// Finds the start of a capture of another format, by more than a few bytes.
  ///
  /// - Parameters:
  ///   - block: The bytes.
  ///   - range: The possible offsets.
  ///   - format: The format in front of it.
  /// - Returns: The first start, if any.
  static func joinedStart(
    in block: borrowing Span<UInt8>,
    among range: Range<Int>,
    after format: CaptureFormat
  ) -> (CaptureFormat, offset: Int)? {
    for offset in range {
      let rest = block.extracting(offset...)
      guard let other = sniffStart(rest), other != format else { continue }
      let isStart =
        switch other {
        case .btsnoop, .pcap: (try? other.makeDecoder(rest)) != nil
        case .pcapng: rest.count >= 12 && PcapngDecoder.hasByteOrder(rest)
        case .packetLogger, .hcidump: true
        case .jsonLines: JSONLinesDecoder.isRecorded(rest)
        case .hcidumpText:
          starts(rest, with: HcidumpTextDecoder.banner) || HcidumpTextDecoder.recognizes(rest)
        }
      if isStart { return (other, offset) }
    }
    return nil
  }

  /// Recognizes a capture without a magic number that is cut within its first records, where another capture begins.
  private static func sniffCut(_ start: borrowing Span<UInt8>) -> CaptureFormat? {
    for format in [CaptureFormat.packetLogger, .hcidump] {
      let record: Int? =
        format == .packetLogger
        ? PacketLoggerDecoder.firstRecord(start) : HcidumpDecoder.firstRecord(start)
      guard let record else { continue }
      // Three records of the longest advertising reports.
      let range = 1..<min(start.count, 3 * max(record, 300))
      if joinedStart(in: start, among: range, after: format) != nil { return format }
      let isAgain = range.contains { offset in
        let rest = start.extracting(offset...)
        return format == .packetLogger
          ? PacketLoggerDecoder.recognizes(rest, beyond: 0)
          : HcidumpDecoder.recognizes(rest, beyond: 0)
      }
      if isAgain { return format }
    }
    return nil
  }

  /// Finds the start of a capture of this format near damage: there, or before, if the last record took its first bytes.
  ///
  /// - Parameters:
  ///   - block: The bytes.
  ///   - first: The first possible offset.
  ///   - damage: The offset of the damage.
  /// - Returns: The offset, if any.
  func nextStart(
    in block: borrowing Span<UInt8>,
    from first: Int,
    damagedAt damage: Int
  ) -> Int? {
    let first = max(first, damage - Int(RecordLimit.maximumCount), 0)
    // A header that was cut ends in the next capture.
    let last = min(damage + Int(RecordLimit.maximumCount), block.count)
    guard first < last else { return nil }
    // A header that is known by its first bytes: the one in front of the damage, then a later one.
    let near = min(max(first, damage + 1), last)
    let order: [Int] =
      switch self {
      case .btsnoop, .pcap, .pcapng: (first..<near).reversed() + (near..<last)
      // The damage itself may be a start that was found.
      default: [min(max(first, damage), last - 1)] + (first..<last)
      }
    for start in order {
      let rest = block.extracting(start...)
      let isStart =
        switch self {
        case .btsnoop, .pcap, .pcapng: Self.sniffMagic(rest) == self
        case .packetLogger: PacketLoggerDecoder.recognizes(rest, beyond: damage - start)
        case .hcidump: HcidumpDecoder.recognizes(rest, beyond: damage - start)
        case .hcidumpText, .jsonLines: false
        }
      if isStart { return start }
    }
    return nil
  }

  private static func starts(_ start: borrowing Span<UInt8>, with magic: [UInt8]) -> Bool {
    guard start.count >= magic.count else { return false }
    for index in magic.indices where start[index] != magic[index] { return false }
    return true
  }

  /// The first byte that is not white space; a byte order mark counts as white space.
  private static func firstVisible(_ start: borrowing Span<UInt8>) -> UInt8? {
    var index = starts(start, with: [0xEF, 0xBB, 0xBF]) ? 3 : 0
    while index < start.count {
      switch start[index] {
      case 0x20, 0x09, 0x0A, 0x0D: index += 1
      default: return start[index]
      }
    }
    return nil
  }

  /// Describes the first bytes of a file that is not a capture, by name if the kind of file is well known.
  package static func describe(_ start: borrowing Span<UInt8>) -> String {
    for (magic, words) in lookAlikes where starts(start, with: magic) { return words }
    if let words = describe(plainText(start)) { return words }
    let shown = min(start.count, 16)
    var text = ""
    var hex = ""
    var isText = true
    for index in 0..<shown {
      let byte = start[index]
      let digits = String(byte, radix: 16)
      hex += (index == 0 ? "" : " ") + (digits.count == 1 ? "0" : "") + digits
      if (0x20..<0x7F).contains(byte) {
        text.unicodeScalars.append(Unicode.Scalar(byte))
      } else if byte == 0x0A || byte == 0x0D || byte == 0x09 {
        text += " "
      } else {
        isText = false
      }
    }
    return isText ? "the text \"\(text)\"" : "the bytes \(hex)"
  }

  /// Text without a byte order mark and without the colors of a terminal.
  private static func plainText(_ start: borrowing Span<UInt8>) -> [UInt8] {
    var text: [UInt8] = []
    var index = starts(start, with: [0xEF, 0xBB, 0xBF]) ? 3 : 0
    while index < start.count {
      if start[index] == 0x1B, index + 1 < start.count, start[index + 1] == UInt8(ascii: "[") {
        index += 2
        while index < start.count, !(0x40...0x7E).contains(start[index]) { index += 1 }
      } else {
        text.append(start[index])
      }
      index += 1
    }
    return text
  }

  /// Describes text of other programs; `nil` if it is of none that is known.
  private static func describe(_ text: [UInt8]) -> String? {
    for line in text.split(whereSeparator: { $0 == 0x0A || $0 == 0x0D }) {
      let line = String(decoding: line, as: UTF8.self)
      let isEntry = ["> HCI ", "< HCI ", "= ", "@ "].contains(where: line.hasPrefix)
      let hasAdapter = line.split(separator: "[").dropFirst().contains { $0.hasPrefix("hci") }
      if line.hasPrefix("Bluetooth monitor ver") || isEntry && hasAdapter {
        return "the text of btmon (record with btmon -w instead)"
      }
      if ["[NEW] ", "[CHG] ", "[DEL] ", "[bluetooth]#"].contains(where: line.hasPrefix) {
        return "the text of bluetoothctl, without advertisements (record with btmon -w instead)"
      }
    }
    if HcidumpTextDecoder.isParsed(text.span) {
      return "the text of hcidump in a form that is not read (run hcidump with -t --raw instead)"
    }
    let visible = text.lazy.filter { ![0x20, 0x09, 0x0A, 0x0D].contains($0) }.prefix(2)
    if visible.elementsEqual("[{".utf8),
      text.prefix(4096).split(separator: UInt8(ascii: "\"")).contains(where: {
        $0.elementsEqual("_source".utf8)
      })
    {
      return "the JSON of tshark (give the capture itself)"
    }
    if visible.elementsEqual("[{".utf8) || visible.elementsEqual("[]".utf8) {
      return "a JSON array (write each of its objects on a line, as jq -c '.[]' does)"
    }
    return isTable(text)
      ? "a table (the page JSON Lines has the few lines of Python that turn one into a recording)"
      : nil
  }

  /// Whether the first lines have equally many columns, and the first line has letters.
  private static func isTable(_ text: [UInt8]) -> Bool {
    let lines = text.split(whereSeparator: { $0 == 0x0A || $0 == 0x0D }).prefix(2)
    return [",", ";", "\t"].contains { (separator: Character) in
      let counts = lines.map { line in line.count { $0 == separator.asciiValue } }
      guard let first = counts.first, first >= 2, first == counts.last, counts.count == 2,
        !lines.contains(where: isProse)
      else { return false }
      return lines.allSatisfy { $0.allSatisfy { $0 >= 0x20 || $0 == 0x09 } }
        && lines.first.map { $0.contains { (UInt8(ascii: "a")...UInt8(ascii: "z")).contains($0) } }
          ?? false
    }
  }

  /// Whether a line is a sentence or has an object: after each comma comes a space, or a brace stands before a quote.
  private static func isProse(_ line: ArraySlice<UInt8>) -> Bool {
    let pairs = zip(line, line.dropFirst())
    let commas = pairs.filter { $0.0 == UInt8(ascii: ",") }
    let words = line.split(separator: UInt8(ascii: ","))
    let isSpaced = !commas.isEmpty && commas.allSatisfy { $0.1 == UInt8(ascii: " ") }
    return isSpaced && words.contains { $0.split(separator: UInt8(ascii: " ")).count > 2 }
      || pairs.contains { $0.0 == UInt8(ascii: "{") && $0.1 == UInt8(ascii: "\"") }
  }

  private static let wideBrace = Array("{\0".utf8)
  private static let utf16 =
    "text in UTF-16 (convert it to UTF-8, as iconv -f UTF-16 -t UTF-8 does)"
  private static let utf32 =
    "text in UTF-32 (convert it to UTF-8, as iconv -f UTF-32 -t UTF-8 does)"

  private static let lookAlikes: [([UInt8], String)] = [
    ([0x1F, 0x8B], "gzip data (unpack it first)"),
    ([0x28, 0xB5, 0x2F, 0xFD], "zstd data (unpack it first)"),
    ([0xFD, 0x37, 0x7A, 0x58, 0x5A], "xz data (unpack it first)"),
    ([0x42, 0x5A, 0x68], "bzip2 data (unpack it first)"),
    (
      [0x50, 0x4B, 0x03, 0x04],
      "a zip archive (unpack it first; an Android bug report holds btsnoop_hci.log)"
    ),
    ([0x7F, 0x45, 0x4C, 0x46], "a program"),
    (Array("snoop\0".utf8), "a Solaris snoop capture, which is not btsnoop"),
    (Array("bplist00".utf8), "a property list"),
    ([0xFF, 0xFE, 0, 0], utf32),
    ([0, 0, 0xFE, 0xFF], utf32),
    (Array("{\0\0\0".utf8), utf32),
    (Array("\0\0\0{".utf8), utf32),
    ([0xFF, 0xFE], utf16),
    ([0xFE, 0xFF], utf16),
    (wideBrace, utf16),
    (Array("\0{".utf8), utf16),
  ]
}

extension CaptureFormat {
  /// Makes the decoder for a capture of this format.
  ///
  /// - Parameter start: The first bytes of the capture: its whole header, unless it has less than that.
  /// - Returns: The decoder; `nil` when the capture ends within its header.
  /// - Throws: ``CaptureFormatError/unsupported(_:_:)`` when the header announces records that cannot be read.
  package func makeDecoder(
    _ start: borrowing Span<UInt8>
  ) throws(CaptureFormatError) -> (any CaptureFormatDecoder)? {
    switch self {
    case .btsnoop: try BtsnoopDecoder(start)
    case .pcap: try PcapDecoder(start)
    case .pcapng: PcapngDecoder()
    case .hcidumpText: HcidumpTextDecoder()
    case .hcidump: HcidumpDecoder()
    case .packetLogger: PacketLoggerDecoder(start)
    case .jsonLines: JSONLinesDecoder()
    }
  }
}
