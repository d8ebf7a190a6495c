// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

internal import BeaconCore

/// Why a line is not valid for its type.
struct LineFault: Error {
  /// The fault, in a phrase.
  let message: String

  init(_ message: String) {
    self.message = message
  }
}

/// The fields of one line, read from its JSON value, in any form that JSON allows.
struct LineFields {
  /// The line.
  let value: JSON5Value
  /// The line's type.
  private(set) var type = ""

  init(_ value: JSON5Value) throws(LineFault) {
    guard case .object = value.content else {
      throw LineFault("it is \(value.kindName), not an object")
    }
    self.value = value
    if let version = try integer("v", in: 0...Int.max), version != 1 {
      throw LineFault("it is of version \(version); version 1 is known")
    }
    guard let type = try string("type") else { throw LineFault("'type' is missing") }
    self.type = type
  }

  // MARK: Fields

  /// The text of a key; `nil` if it is `null` or missing.
  func string(_ key: String) throws(LineFault) -> String? {
    switch value[key]?.content {
    case nil, .null: return nil
    case .string(let text): return text
    case let other?: throw LineFault("'\(key)' is \(other.kindName), not text")
    }
  }

  /// The whole number of a key; `nil` if it is `null` or missing.
  func integer(_ key: String, in range: ClosedRange<Int>) throws(LineFault) -> Int? {
    switch value[key]?.content {
    case nil, .null: return nil
    case .number(let number):
      // To JSON, -60.0 and -6e1 are the same number as -60.
      guard let integer = number.integer.map({ Int($0) }) ?? Int(exactly: number.value),
        range.contains(integer)
      else {
        throw LineFault(
          "'\(key)' is not a whole number from \(range.lowerBound) to \(range.upperBound)"
        )
      }
      return integer
    case let other?: throw LineFault("'\(key)' is \(other.kindName), not a number")
    }
  }

  /// A time, the line's own unless another key is given.
  func time(_ key: String = "t") throws(LineFault) -> Timestamp {
    guard let content = value[key]?.content, content != .null else {
      throw LineFault("'\(key)' is missing; write a time such as \"\(Self.exampleTime)\"")
    }
    guard case .string(let text) = content else {
      throw LineFault(
        "'\(key)' is \(content.kindName), not a time in quotes such as \"\(Self.exampleTime)\""
      )
    }
    if let time = RFC3339.parse(text) { return time }
    throw LineFault(
      "'\(key)' \(Self.fault(ofTime: text)); write a time such as \"\(Self.exampleTime)\""
    )
  }

  private static let exampleTime = "2026-05-02T10:00:00Z"

  /// The fault of a text that is not a time.
  private static func fault(ofTime text: String) -> String {
    if RFC3339.parse(text + "Z") != nil { return "has no time zone" }
    let bytes = Array(text.utf8)
    guard bytes.count > 10, bytes[10] == UInt8(ascii: " ") else { return "is not a time" }
    let joined = String(decoding: bytes[..<10] + [UInt8(ascii: "T")] + bytes[11...], as: UTF8.self)
    if RFC3339.parse(joined) != nil { return "has a space in place of the T" }
    return RFC3339.parse(joined + "Z") != nil
      ? "has a space in place of the T, and no time zone" : "is not a time"
  }

  /// A signal strength, rounded; `nil` if it cannot be one, such as 127, which means "unknown" in HCI, or 0.
  private func rssi() throws(LineFault) -> Int8? {
    guard case .number(let number) = value["rssi"]?.content, number.value.magnitude <= 128 else {
      return try integer("rssi", in: -128...127).map { Int8(truncatingIfNeeded: $0) }
    }
    let rssi = Int(number.value.rounded())
    guard rssi != 128 else { return try integer("rssi", in: -128...127).map { Int8(clamping: $0) } }
    return AdvertisingReport.rssi(UInt8(bitPattern: Int8(rssi)))
  }

  /// An RSSI above 0, which cannot be a level; that of 127 has a meaning in HCI.
  var positiveRSSI: Int? {
    guard case .number(let number) = value["rssi"]?.content, (1..<127).contains(number.value) else {
      return nil
    }
    return Int(number.value.rounded())
  }

  /// The address; without a kind, as in a `sighting`, it counts as random, as most beacons' addresses are.
  private func address() throws(LineFault) -> DeviceAddress? {
    guard let text = try string("address") else { return nil }
    let quoted = Array(text.utf8) + [UInt8(ascii: "\"")]
    var index = 0
    guard let bits = LineScanner.address(quoted.span, at: &index), index == quoted.count else {
      let digits = text.utf8.filter { Hex.values[Int($0)] < 16 }.count
      let isPlain = digits == 12 && text.utf8.count == 12
      throw LineFault(
        "'address' \(isPlain ? "has no colons" : "is not an address"); write AA:BB:CC:DD:EE:FF"
      )
    }
    guard let name = try string("address_type") else { return DeviceAddress(bits, kind: .random) }
    guard let kind = DeviceAddress.Kind.allCases.first(where: { "\($0.lineName)" == name }) else {
      throw LineFault("'address_type' '\(name.shortened)' is not known")
    }
    return DeviceAddress(bits, kind: kind)
  }

  /// Appends the bytes of a key's text.
  private func hex(
    _ text: String,
    of key: String,
    onto payload: inout [UInt8]
  ) throws(LineFault) {
    let quoted = Array(text.utf8) + [UInt8(ascii: "\"")]
    var index = 0
    let limit = JSONLinesDecoder.longestPayload
    if LineScanner.hex(quoted.span, at: &index, atMost: limit, onto: &payload),
      index == quoted.count
    {
      return
    }
    let digits = text.utf8.count { Hex.values[Int($0)] < 16 }
    let fault =
      text.hasPrefix("0x") || text.hasPrefix("0X")
      ? "begins with 0x"
      : digits < text.utf8.count
        ? "has other characters than hexadecimal digits"
        : digits % 2 != 0
          ? "has an odd number of hexadecimal digits" : "has more than \(limit) bytes"
    throw LineFault("'\(key)' \(fault); write pairs of digits such as \"02011A\"")
  }

  /// A beacon's identity, whose keys are all there.
  func identity() throws(LineFault) -> BeaconIdentity {
    guard let text = try string("uuid") else { throw LineFault("'uuid' is missing") }
    let isInBraces = text.first == "{" && text.last == "}" && text.utf8.count > 2
    guard let uuid = UUIDText.parse(isInBraces ? text.dropFirst().dropLast() : text[...]) else {
      throw LineFault(
        "'uuid' '\(text.shortened)' is not a UUID; write 2F234454-CF6D-4A0F-ADF2-F4911BA9FFA6"
      )
    }
    guard let major = try integer("major", in: 0...65_535) else {
      throw LineFault("'major' is missing")
    }
    guard let minor = try integer("minor", in: 0...65_535) else {
      throw LineFault("'minor' is missing")
    }
    return BeaconIdentity(
      uuid: uuid,
      major: UInt16(truncatingIfNeeded: major),
      minor: UInt16(truncatingIfNeeded: minor)
    )
  }

  // MARK: Lines

  /// A `report`; its payload is appended to a buffer.
  func report(payload: inout [UInt8]) throws(LineFault) -> AdvertisingReport {
    var report = AdvertisingReport(
      time: try time(),
      rssi: try rssi(),
      address: try address(),
      payloadStart: 0,
      payloadCount: 0
    )
    if let name = try string("event") {
      guard let kind = AdvertisingEventKind.allCases.first(where: { "\($0.lineName)" == name })
      else {
        let names = AdvertisingEventKind.allCases.map { "\($0.lineName)" }.joined(separator: ", ")
        throw LineFault("'event' '\(name.shortened)' is not one of \(names)")
      }
      report.kind = kind
    }
    if let ad = try string("ad") {
      try hex(ad, of: "ad", onto: &payload)
    } else {
      report.content = .rebuiltManufacturerData
      try manufacturer(onto: &payload)
    }
    return report
  }

  /// Rebuilds AD structures from `manufacturer`, the smallest company first.
  private func manufacturer(onto payload: inout [UInt8]) throws(LineFault) {
    guard case .object(let members) = value["manufacturer"]?.content else {
      throw LineFault("a report has 'ad' or 'manufacturer'")
    }
    var companies: [(company: UInt16, data: [UInt8])] = []
    for member in members {
      guard member.key.utf8.count == 4, let company = UInt16(member.key, radix: 16) else {
        throw LineFault(
          "'manufacturer' has the company '\(member.key.shortened)'; write four hexadecimal digits, as 004C"
        )
      }
      guard case .string(let text) = member.value.content else {
        throw LineFault("'manufacturer' has \(member.value.kindName) as data, not text")
      }
      var data: [UInt8] = []
      try hex(text, of: "manufacturer", onto: &data)
      guard data.count <= ManufacturerStructures.longestData else {
        throw LineFault(
          "manufacturer data has more than \(ManufacturerStructures.longestData) bytes"
        )
      }
      companies.append((company: company, data: data))
    }
    companies.sort { $0.company < $1.company }
    for (index, pair) in companies.enumerated() {
      if index > 0, companies[index - 1].company == pair.company {
        throw LineFault("'manufacturer' names a company twice")
      }
      ManufacturerStructures.append(company: pair.company, data: pair.data, to: &payload)
    }
    guard payload.count <= JSONLinesDecoder.longestPayload else {
      throw LineFault("the payload is too long")
    }
  }

  /// A `sighting`; its rebuilt frame is appended to a buffer.
  func sighting(payload: inout [UInt8]) throws(LineFault) -> AdvertisingReport {
    let identity = try identity()
    let power = try integer("power", in: -128...127).map { Int8(truncatingIfNeeded: $0) }
    BeaconEncoder.append(identity, measuredPower: power, to: &payload)
    return AdvertisingReport(
      time: try time(),
      rssi: try rssi(),
      address: try address(),
      content: .rebuiltManufacturerData,
      payloadStart: 0,
      payloadCount: 0
    )
  }

  /// A `radio` line's state.
  func radioState() throws(LineFault) -> RadioState {
    guard let name = try string("state"), let state = RadioState(rawValue: name) else {
      throw LineFault("'state' is one of listening, off, deaf, gone")
    }
    return state
  }

  /// A `zone` line's offset.
  func utcOffset() throws(LineFault) -> TimeSpan {
    guard case .number(let offset) = value["offset"]?.content, offset.value.magnitude <= 86_400
    else { throw LineFault("'offset' is no number of seconds within a day") }
    return TimeSpan(seconds: offset.value)
  }

  /// A `late` or `dropped` line.
  func notice() throws(LineFault) -> SourceNotice {
    if type == "late" {
      guard case .number(let by) = value["by"]?.content, by.value.isFinite else {
        throw LineFault("'by' is no number of seconds")
      }
      // No two times are farther apart than the calendar is long.
      let milliseconds = (min(max(by.value, -1e12), 1e12) * 1000).rounded()
      return .late(by: TimeSpan(microseconds: Int64(milliseconds) * 1000))
    }
    guard let name = try string("reason") else { throw LineFault("'reason' is missing") }
    guard let reason = DropReason.allCases.first(where: { $0.name == name }) else {
      throw LineFault("'reason' '\(name.shortened)' is not known")
    }
    guard let count = try integer("count", in: 0...Int.max) else {
      throw LineFault("'count' is missing")
    }
    return .dropped(reason, count: count)
  }

  /// A `capture` line.
  func header() throws(LineFault) -> CaptureHeader {
    var header = CaptureHeader(
      tool: try string("tool"),
      version: try string("version"),
      profile: try string("profile")
    )
    if case .array(let values) = value["receivers"]?.content {
      for value in values {
        guard case .string(let name) = value.content else {
          throw LineFault("'receivers' is no array of texts")
        }
        header.receivers.append(name.exactName)
      }
    }
    if case .bool(let isRedacted) = value["redacted"]?.content {
      header.isRedacted = isRedacted
    }
    if try string("begun") != nil { header.begun = try time("begun") }
    header.piece = try integer("piece", in: 1...Int.max)
    if let offsets = value["offsets"] {
      for key in offsets.keys {
        guard case .number(let number) = offsets[key]?.content, let decibels = number.integer,
          abs(Double(decibels)) <= Calibration.offsetRange.upperBound
        else { throw LineFault("'offsets' has no whole decibels") }
        header.offsets[key.exactName] = Int(decibels)
      }
    }
    if case .bool(let isCut) = value["cut"]?.content { header.isCut = isCut }
    return header
  }
}

extension UserActionLine {
  /// The header that the line is; `nil` for any other line.
  package var header: CaptureHeader? {
    input == "capture" ? try? LineFields(value).header() : nil
  }
}
