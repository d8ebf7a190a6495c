// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

package import BeaconCore

/// Reads a recording: the capture lines of JSON Lines, version 1, and `sighting` lines as a scan writes them.
///
/// A specialized scanner reads lines in exactly the form that ``CaptureLineWriter`` writes. The JSON5 reader reads
/// every other form of the same object, since JSON is a subset of JSON5. Unknown keys are ignored, lines of an unknown
/// type are counted as dropped, blank lines are skipped.
package struct JSONLinesDecoder: CaptureFormatDecoder {
  /// The longest line read; the longest possible report takes 3,500 bytes.
  package static let longestLine = 1 << 20
  /// The most `user` and `request` lines kept before they are drained; no user answers 100,000 prompts.
  package static let mostUserActionLines = 100_000
  /// The most unknown types that notes name; a file of another kind may have any number of them.
  private static let mostTypesNoted = 8

  /// The recording's description of itself; `nil` before the header is read, or if it is missing.
  package private(set) var header: CaptureHeader?
  /// The header of the part that is being read: a recording may have several, one after the other.
  private var part: CaptureHeader?
  /// The time of the last `end` line of the part that is being read.
  private var lastEnd: Timestamp?
  /// How many scan inputs there were up to that line.
  private var inputsAtEnd = 0
  /// The end of the recording; `nil` before the `end` line is read, or if it is missing or anything follows it.
  package var end: Timestamp? { scanInputs == inputsAtEnd ? lastEnd : nil }
  /// The `user` lines read since the last ``drainUserActionLines()``.
  package private(set) var userActionLines: [UserActionLine] = []

  var receivers = ReceiverTable()
  /// The receiver of the last line that the scanner read; the next line probably has the same one.
  var lastReceiver = 0
  /// The payload that is being read.
  var scratch: [UInt8] = []
  private var scanInputs = 0
  /// The time of the last scan input of the blocks before.
  private var lastTime = Timestamp.earliest
  /// The receivers' states as far as the recording states them.
  private var states: [UInt8: RadioState] = [:]
  /// How far local time is ahead of UTC at the start; `nil` before a `zone` line is read, or without one.
  private var zone: TimeSpan?
  /// The receivers that listen again from their next report on, each with the time from which one shows it: those that are
  /// gone because a part ended, and those that do not listen by a line that was written by hand.
  private var returning: [UInt8: Timestamp] = [:]
  /// Whether lines are kept as they are, for a conversion: nothing is added between two parts.
  package var isVerbatim = false
  private var line = 0
  /// The type of the line that is being read; `nil` before it is known.
  private var lineType: String?
  private var (hasNotedMalformed, hasNotedMagnitude) = (false, false)
  private var typesNoted: [String] = []
  /// Whether the next bytes belong to a line that is too long and is skipped.
  private var isInsideLongLine = false
  /// Whether the scanner is used; tests switch it off to compare it with the general reader.
  package var usesScanner = true

  /// Creates a decoder for a file from its start.
  package init() {}

  /// Whether a file that starts with these bytes can be JSON Lines: its first character is a `{`.
  package static func recognizes(_ bytes: borrowing Span<UInt8>) -> Bool {
    for index in 0..<bytes.count {
      switch bytes[index] {
      // White space and the bytes of a byte order mark.
      case 0x09, 0x0A, 0x0D, 0x20, 0xEF, 0xBB, 0xBF: continue
      case UInt8(ascii: "{"): return true
      default: return false
      }
    }
    return false
  }

  /// Returns and clears the `user` lines read so far.
  package mutating func drainUserActionLines() -> [UserActionLine] {
    defer { userActionLines = [] }
    return userActionLines
  }

  package mutating func drainNotes() -> RecordingNotes {
    var notes = RecordingNotes()
    notes.header = header
    notes.lastHeader = part
    notes.end = end
    notes.zone = zone
    notes.userActions = drainUserActionLines()
    return notes
  }

  /// Decodes the whole lines at the start of a block.
  ///
  /// - Throws: ``CaptureDamage`` if the file ends in the middle of a line.
  package mutating func decode(
    _ block: borrowing Span<UInt8>,
    isLast: Bool,
    into sink: inout CaptureSink
  ) throws(CaptureDamage) -> Int {
    defer { if !receivers.names.isEmpty { sink.receiverNames = receivers.names } }
    let inputsBefore = sink.inputs.count
    let scanInputsBefore = scanInputs
    let linesBefore = userActionLines.count
    var offset = 0
    while offset < block.count {
      if usesScanner, !isInsideLongLine, scan(block, at: &offset, into: &sink) {
        line += 1
        sink.records += 1
        continue
      }
      scanInputs = scanInputsBefore + sink.inputs.count - inputsBefore
      guard let (lineEnd, next) = Self.lineEnd(block, from: offset, isLast: isLast) else {
        offset = try lastLine(block, from: offset, isLast: isLast, into: &sink)
        break
      }
      line += 1
      if isInsideLongLine {
        isInsideLongLine = false
      } else {
        read(Self.copy(block, offset..<lineEnd), into: &sink)
      }
      offset = next
    }
    scanInputs = scanInputsBefore + sink.inputs.count - inputsBefore
    if !isVerbatim {
      for index in linesBefore..<userActionLines.count {
        place(index, at: userActionLines[index].scanInputsBefore - scanInputsBefore, &sink)
      }
    }
    lastTime = sink.inputs.last?.time ?? lastTime
    return offset
  }

  /// Places a line between the inputs around it if its time is far from theirs, as wrong stamps of inputs are placed.
  private mutating func place(_ line: Int, at index: Int, _ sink: inout CaptureSink) {
    let inputs = sink.inputs
    guard inputs.indices.contains(index) else { return }
    let (before, after) = (index > 0 ? inputs[index - 1].time : lastTime, inputs[index].time)
    let time = userActionLines[line].time
    let isFar = time < before - Self.disorder || time > after + Self.disorder
    guard isFar, before > .earliest, before <= after else { return }
    userActionLines[line].time = time < before ? before : after
    sink.note("a line has a time far from its neighbors'; it is placed between them")
  }

  private static let disorder = TimingConfiguration().disorder

  // MARK: Lines

  /// The end of a line and the start of the next: after LF, CR or both, or between two objects without a line end, as
  /// programs write them that leave out line ends.
  private static func lineEnd(
    _ block: borrowing Span<UInt8>,
    from offset: Int,
    isLast: Bool
  ) -> (end: Int, next: Int)? {
    var (depth, quote, isEscaped) = (0, nil as UInt8?, false)
    for index in offset..<block.count {
      let byte = block[index]
      switch byte {
      case UInt8(ascii: "\n"): return (index, index + 1)
      case UInt8(ascii: "\r"):
        if index + 1 == block.count { return isLast ? (index, index + 1) : nil }
        return (index, index + (block[index + 1] == UInt8(ascii: "\n") ? 2 : 1))
      case _ where isEscaped: isEscaped = false
      case UInt8(ascii: "\\"): isEscaped = quote != nil
      case UInt8(ascii: "\""), UInt8(ascii: "'"):
        if quote == nil { quote = byte } else if quote == byte { quote = nil }
      case _ where quote != nil: break
      case UInt8(ascii: "{"):
        if depth == 0, index > offset, block[index - 1] == UInt8(ascii: "}") {
          return (index, index)
        }
        depth += 1
      case UInt8(ascii: "}"): depth -= 1
      default: break
      }
    }
    return nil
  }

  private static func copy(_ block: borrowing Span<UInt8>, _ range: Range<Int>) -> [UInt8] {
    var bytes: [UInt8] = []
    bytes.reserveCapacity(range.count)
    for index in range { bytes.append(block[index]) }
    return bytes
  }

  /// Reads the bytes behind the last line end.
  ///
  /// - Returns: How many bytes of the block are consumed.
  private mutating func lastLine(
    _ block: borrowing Span<UInt8>,
    from offset: Int,
    isLast: Bool,
    into sink: inout CaptureSink
  ) throws(CaptureDamage) -> Int {
    if isInsideLongLine { return block.count }
    if block.count - offset > Self.longestLine {
      isInsideLongLine = true
      sink.records += 1
      drop("line \(line + 1) is longer than \(Self.longestLine) bytes", into: &sink)
      loseStates(into: &sink)
      return block.count
    }
    guard isLast else { return offset }
    line += 1
    let bytes = Self.copy(block, offset..<block.count)
    guard Self.isBlank(bytes) || (try? JSON5.parse(bytes, limits: Self.limits)) != nil else {
      throw CaptureDamage(offset: offset, reason: "the file ends in the middle of a line")
    }
    read(bytes, into: &sink)
    return block.count
  }

  private static let limits = JSON5Limits(
    bytes: longestLine,
    depth: 16,
    values: 100_000,
    faults: 1,
    plainNumbers: true
  )

  /// Whether the first line is one of a recording, and not of another program that writes JSON.
  static func isRecorded(_ start: borrowing Span<UInt8>) -> Bool {
    guard start.count > 1, start[0] == UInt8(ascii: "{"), start[1] == UInt8(ascii: "\"") else {
      return false
    }
    let limit = min(start.count, 8192)
    guard let (end, _) = lineEnd(start.extracting(..<limit), from: 0, isLast: true),
      let value = try? JSON5.parse(copy(start, 0..<end), limits: limits),
      let type = try? LineFields(value).type
    else { return false }
    return ["capture", "report", "sighting", "radio", "mark"].contains(type)
  }

  private static func isBlank(_ bytes: [UInt8]) -> Bool {
    bytes.allSatisfy { $0 == 0x20 || $0 == 0x09 }
  }

  /// Reads one line through the general reader.
  private mutating func read(_ bytes: [UInt8], into sink: inout CaptureSink) {
    guard !Self.isBlank(bytes) else { return }
    sink.records += 1
    let left = sink.drops[.malformedRecord]
    lineType = nil
    defer {
      if sink.drops[.malformedRecord] != left, Self.mayBeState(bytes, lineType) {
        loseStates(into: &sink)
      }
    }
    let first = bytes.first { $0 != 0x20 && $0 != 0x09 }
    guard Self.recognizes(bytes.span) || first == UInt8(ascii: "[") else {
      return drop("line \(line) is text, not an object", into: &sink)
    }
    do {
      let value = try JSON5.parse(bytes, limits: Self.limits)
      try record(value, bytes: bytes, into: &sink)
    } catch let faults as JSON5Faults {
      if Self.isOpen(bytes) {
        return drop(
          "line \(line) is only a part of an object; write each object on one line, as jq -c does",
          into: &sink
        )
      }
      let first = faults.faults.first
      let place = first.map { ", column \($0.column): \($0.message)" } ?? ""
      drop("line \(line)\(place)", into: &sink)
    } catch let fault as LineFault {
      drop("line \(line): \(fault.message)", into: &sink)
    } catch {
      drop("line \(line) cannot be read", into: &sink)
    }
  }

  /// Whether a line starts an object that it does not end, as in a file that is written for people.
  private static func isOpen(_ bytes: [UInt8]) -> Bool {
    let first = bytes.first { $0 != 0x20 && $0 != 0x09 }
    return first == UInt8(ascii: "{")
      && bytes.count { $0 == UInt8(ascii: "{") } > bytes.count { $0 == UInt8(ascii: "}") }
  }

  /// Whether a line that cannot be read may have been a receiver's state, or the start of a run.
  ///
  /// - Parameters:
  ///   - bytes: The line.
  ///   - type: The line's type; `nil` if it is not known, as of a torn line.
  /// - Returns: Whether it may.
  private static func mayBeState(_ bytes: [UInt8], _ type: String?) -> Bool {
    if let type { return type == "radio" || type == "capture" }
    let start = bytes.lazy.filter { $0 != 0x20 && $0 != 0x09 }
    let isOther = ["report", "sighting", "mark", "user", "zone", "place", "end"].contains { type in
      [#"{"v":1,"type":"\#(type)""#, #"{"type":"\#(type)""#].contains {
        start.starts(with: $0.utf8)
      }
    }
    return !isOther || bytes.indices.contains { bytes[$0...].starts(with: #""radio""#.utf8) }
  }

  /// Adds that every receiver of a recording is deaf until it reports again: a lost line may state that it stopped.
  private mutating func loseStates(into sink: inout CaptureSink) {
    guard part != nil || !states.isEmpty else { return }
    let time = sink.inputs.last?.time ?? lastTime
    for index in 0..<max(1, receivers.names.count) {
      let receiver = UInt8(truncatingIfNeeded: index)
      returning[receiver] = .earliest
      guard [nil, .listening].contains(states[receiver]) else { continue }
      sink.inputs.append(.radio(receiver: receiver, .deaf, time))
      states[receiver] = .deaf
    }
  }

  /// Counts a line that is left out, and adds a note about the first of them.
  private mutating func drop(_ note: String, into sink: inout CaptureSink) {
    sink.drops.count(.malformedRecord)
    guard !hasNotedMalformed else { return }
    hasNotedMalformed = true
    sink.note(note)
  }

  private mutating func record(
    _ value: JSON5Value,
    bytes: [UInt8],
    into sink: inout CaptureSink
  ) throws(LineFault) {
    let fields = try LineFields(value)
    lineType = fields.type
    switch fields.type {
    case "report", "sighting":
      scratch.removeAll(keepingCapacity: true)
      var report =
        fields.type == "report"
        ? try fields.report(payload: &scratch) : try fields.sighting(payload: &scratch)
      report.receiver = try receiver(fields)
      noteMagnitude(fields, into: &sink)
      keep(report, into: &sink)
    case "radio":
      let (state, receiver) = (try fields.radioState(), try receiver(fields))
      sink.inputs.append(.radio(receiver: receiver, state, try fields.time()))
      states[receiver] = state
      returning[receiver] = nil
      // A header states that the lines of a program follow, which contain all states.
      if part == nil, state != .listening {
        returning[receiver] = try fields.time() + ScanWatch.stragglers
      }
    case "mark":
      sink.inputs.append(.mark(try fields.time()))
    case "zone":
      let offset = try fields.utcOffset()
      zone = zone ?? offset
      try keep(fields, "zone", at: try fields.time(), bytes: bytes)
    case "place":
      // The bytes of places come behind those of the block, as payloads that were written as text do.
      var place = ScanBatch()
      place.append(try fields.place(), at: try fields.time())
      guard case .place(var report) = place.inputs.first else { return }
      report.start = sink.keep(place.bytes)
      sink.inputs.append(.place(report))
    case "late", "dropped":
      sink.inputs.append(.notice(try fields.notice(), try fields.time()))
    case "end":
      let time = try fields.time()
      (lastEnd, inputsAtEnd) = (time, isVerbatim ? scanInputs : scanInputs + 1)
      if isVerbatim { return try keep(fields, "end", at: time, bytes: bytes) }
      // The time of a replay continues to the end of the recording, as the recorder's time did.
      sink.inputs.append(.mark(time))
    case "capture":
      let isFirst = part == nil
      try accept(try fields.header(), into: &sink)
      if isVerbatim, !isFirst { try keep(fields, "capture", at: lastTime, bytes: bytes) }
    case "user":
      try accept(user: fields, bytes: bytes)
    case "request":
      try keep(fields, "request", at: try fields.time(), bytes: bytes)
    case let type:
      noteUnknownType(type, into: &sink)
    }
  }

  /// Adds a note about an RSSI above 0, probably the magnitude of a level.
  private mutating func noteMagnitude(_ fields: LineFields, into sink: inout CaptureSink) {
    guard !hasNotedMagnitude, let magnitude = fields.positiveRSSI else { return }
    hasNotedMagnitude = true
    sink.note(
      "an RSSI of \(magnitude) counts as unknown; a level of −\(magnitude) dBm is written -\(magnitude)"
    )
  }

  /// Puts a report whose payload is in ``scratch`` into the sink.
  @inline(__always)
  mutating func keep(_ report: AdvertisingReport, into sink: inout CaptureSink) {
    var report = report
    if !returning.isEmpty, let start = returning[report.receiver], report.time >= start {
      returning[report.receiver] = nil
      states[report.receiver] = .listening
      sink.inputs.append(.radio(receiver: report.receiver, .listening, report.time))
    }
    report.payloadStart = sink.keep(scratch)
    report.payloadCount = UInt16(truncatingIfNeeded: scratch.count)
    sink.inputs.append(.report(report))
  }

  private mutating func receiver(_ fields: LineFields) throws(LineFault) -> UInt8 {
    guard let name = try fields.string("receiver") else { return receivers.unnamed() }
    guard let index = receivers.index(of: name.exactName) else {
      throw LineFault("more than \(ReceiverTable.capacity) receivers")
    }
    return index
  }

  private mutating func accept(
    _ header: CaptureHeader,
    into sink: inout CaptureSink
  ) throws(LineFault) {
    if !isVerbatim, !isSeamless(to: header) { depart(into: &sink) }
    if scanInputs == 0 { self.header = self.header ?? header }
    part = header
    lastEnd = nil
    for name in header.receivers where receivers.index(of: name) == nil {
      throw LineFault("more than \(ReceiverTable.capacity) receivers")
    }
  }

  /// Whether the part that starts with a header continues the read part.
  private func isSeamless(to header: CaptureHeader) -> Bool {
    if let part {
      return CaptureHeader.isSeamless(from: part, hasEnded: end != nil, to: header)
    }
    // In a file that was cut, the header of the part before stands in another file.
    if scanInputs == 0 { return true }
    return end == nil && !header.isCut && (header.begun == nil || header.piece ?? 1 > 1)
  }

  /// Adds that every receiver is gone, since there was no recorder between this part and the next.
  private mutating func depart(into sink: inout CaptureSink) {
    let time = sink.inputs.last?.time ?? lastTime
    for index in 0..<max(1, receivers.names.count) {
      let receiver = UInt8(truncatingIfNeeded: index)
      guard states[receiver] != .gone else { continue }
      sink.inputs.append(.radio(receiver: receiver, .gone, time))
      states[receiver] = .gone
      returning[receiver] = .earliest
    }
  }

  private mutating func accept(
    user fields: LineFields,
    bytes: [UInt8]
  ) throws(LineFault) {
    guard let input = try fields.string("input") else { throw LineFault("'input' is missing") }
    try keep(fields, input, at: try fields.time(), bytes: bytes)
  }

  /// Keeps a line that is not a scan input; in a verbatim reading also a header and an end.
  private mutating func keep(
    _ fields: LineFields,
    _ input: String,
    at time: Timestamp,
    bytes: [UInt8]
  ) throws(LineFault) {
    guard userActionLines.count < Self.mostUserActionLines else {
      throw LineFault("more than \(Self.mostUserActionLines) user actions")
    }
    userActionLines.append(
      UserActionLine(
        scanInputsBefore: scanInputs,
        time: time,
        client: try fields.string("client"),
        input: input,
        value: fields.value,
        bytes: bytes,
        part: part
      )
    )
  }

  private mutating func noteUnknownType(_ type: String, into sink: inout CaptureSink) {
    sink.drops.count(.malformedRecord)
    guard !typesNoted.contains(type), typesNoted.count < Self.mostTypesNoted else { return }
    typesNoted.append(type)
    sink.note("lines of type '\(type.shortened)' are left out: they are no inputs")
  }
}

/// The receivers a recording names, by index.
struct ReceiverTable: Sendable, Equatable {
  /// The most receivers: as many as the index in a report can distinguish.
  static let capacity = 256

  /// The names, in the order they first occurred.
  private(set) var names: [String] = []
  /// Each name in quotes, as written in a line; a name that needs escapes is never found this way.
  private(set) var quoted: [[UInt8]] = []
  /// Whether a line without a receiver came before any name; it is then a separate receiver.
  private var hasUnnamed = false

  /// Returns the index of the receiver of a line that names none: that of the empty name, else the first, as in a file
  /// without names.
  mutating func unnamed() -> UInt8 {
    if names.isEmpty { hasUnnamed = true }
    return UInt8(truncatingIfNeeded: names.firstIndex(of: "") ?? 0)
  }

  /// Returns the index of a name; an unknown name gets a new one, or `nil` when the table is full.
  mutating func index(of name: String) -> UInt8? {
    if let index = names.firstIndex(of: name) { return UInt8(truncatingIfNeeded: index) }
    if hasUnnamed, names.isEmpty, !name.isEmpty { _ = index(of: "") }
    guard names.count < Self.capacity else { return nil }
    names.append(name)
    quoted.append([UInt8(ascii: "\"")] + Array(name.utf8) + [UInt8(ascii: "\"")])
    return UInt8(truncatingIfNeeded: names.count - 1)
  }
}
