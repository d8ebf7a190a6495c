// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

package import BeaconCore

/// Appends JSON values to a buffer, keys in the order they are given.
///
/// It writes numbers, times and identities directly into the buffer, by table and without a String, and adds commas
/// in their places. Callers keep arrays, objects and lines balanced. For a line that is written a million times a
/// second, the constant parts are written as they are and only the values between them are encoded.
package struct JSONLineWriter: Sendable {
  /// The bytes written since the last ``removeAll()``.
  package private(set) var bytes: [UInt8] = []
  /// Whether the next key or element needs a comma in front of it.
  private var needsComma = false
  private var clock = SecondCache()

  /// Creates a writer with an empty buffer.
  package init() {}

  /// Removes the written bytes and keeps the buffer's storage.
  package mutating func removeAll() {
    bytes.removeAll(keepingCapacity: true)
    needsComma = false
  }

  // MARK: Structure

  /// Starts an object: a line, an element or the value of a key.
  package mutating func beginObject() {
    separate()
    bytes.append(UInt8(ascii: "{"))
    needsComma = false
  }

  /// Ends an object.
  package mutating func endObject() {
    bytes.append(UInt8(ascii: "}"))
    needsComma = true
  }

  /// Starts an array.
  package mutating func beginArray() {
    separate()
    bytes.append(UInt8(ascii: "["))
    needsComma = false
  }

  /// Ends an array.
  package mutating func endArray() {
    bytes.append(UInt8(ascii: "]"))
    needsComma = true
  }

  /// Writes a key that needs no escape; its value must follow.
  package mutating func key(_ name: StaticString) {
    separate()
    bytes.append(UInt8(ascii: "\""))
    append(name)
    bytes.append(UInt8(ascii: "\""))
    bytes.append(UInt8(ascii: ":"))
  }

  /// Writes a key of any text; its value must follow.
  package mutating func key(_ name: String) {
    separate()
    appendString(name)
    bytes.append(UInt8(ascii: ":"))
  }

  /// Writes a 16-bit number in four hexadecimal digits as a key; its value must follow.
  package mutating func hexKey(_ number: UInt16) {
    separate()
    bytes.append(UInt8(ascii: "\""))
    for shift: UInt16 in [12, 8, 4, 0] { bytes.append(Hex.lowercase[Int(number >> shift & 15)]) }
    bytes.append(UInt8(ascii: "\""))
    bytes.append(UInt8(ascii: ":"))
  }

  /// Starts a line: `{"v":1,"type":TYPE`.
  package mutating func beginLine(_ type: StaticString) {
    beginObject()
    key("v")
    integer(1)
    key("type")
    string(type)
  }

  /// Ends a line's object and the line.
  package mutating func endLine() {
    bytes.append(UInt8(ascii: "}"))
    bytes.append(UInt8(ascii: "\n"))
    needsComma = false
  }

  /// Writes a constant part of a line, such as `,"receiver":`, with its own commas.
  @inline(__always)
  package mutating func fragment(_ text: StaticString) {
    append(text)
    needsComma = true
  }

  /// Writes bytes that were encoded before; the fragment contains its own commas.
  @inline(__always)
  package mutating func fragment(_ fragment: JSONFragment) {
    bytes.append(contentsOf: fragment.bytes)
    needsComma = true
  }

  /// Writes a line that was encoded before; it is given without its line end.
  package mutating func line(_ line: some Collection<UInt8>) {
    bytes.append(contentsOf: line)
    bytes.append(UInt8(ascii: "\n"))
    needsComma = false
  }

  // MARK: Values

  /// Writes `null`.
  package mutating func null() {
    separate()
    append("null")
    needsComma = true
  }

  /// Writes `true` or `false`.
  package mutating func bool(_ value: Bool) {
    separate()
    append(value ? "true" : "false")
    needsComma = true
  }

  /// Writes a text, escaped; `nil` as `null`.
  package mutating func string(_ value: String?) {
    guard let value else { return null() }
    separate()
    appendString(value)
    needsComma = true
  }

  /// Writes a text that needs no escape.
  package mutating func string(_ value: StaticString) {
    separate()
    bytes.append(UInt8(ascii: "\""))
    append(value)
    bytes.append(UInt8(ascii: "\""))
    needsComma = true
  }

  /// Writes a whole number; `nil` as `null`.
  package mutating func integer(_ value: (some FixedWidthInteger & Sendable)?) {
    guard let value else { return null() }
    separate()
    appendInteger(Int64(clamping: value))
    needsComma = true
  }

  /// Writes a number with exactly two decimals, as for distances; `nil` and numbers that are not finite as `null`.
  ///
  /// The product with 100, rounded to a Double by IEEE 754, is rounded half away from zero: the same bytes on every
  /// machine. Values beyond ±10¹³ are clamped; zero has no sign.
  package mutating func hundredths(_ value: Double?) {
    guard let value, value.isFinite else { return null() }
    separate()
    let scaled = Int64((min(max(value, -1e13), 1e13) * 100).rounded(.toNearestOrAwayFromZero))
    if scaled < 0 { bytes.append(UInt8(ascii: "-")) }
    let magnitude = scaled.magnitude
    appendInteger(Int64(magnitude / 100))
    let rest = Int(magnitude % 100)
    bytes.append(UInt8(ascii: "."))
    bytes.append(UInt8(ascii: "0") &+ UInt8(rest / 10))
    bytes.append(UInt8(ascii: "0") &+ UInt8(rest % 10))
    needsComma = true
  }

  /// Writes a span in seconds with up to six decimals, without trailing zeros: `5`, `0.1`, `-1.000001`.
  package mutating func seconds(_ span: TimeSpan?) {
    guard let span else { return null() }
    separate()
    if span.microseconds < 0 { bytes.append(UInt8(ascii: "-")) }
    let magnitude = span.microseconds.magnitude
    appendInteger(Int64(magnitude / 1_000_000))
    var rest = magnitude % 1_000_000
    if rest != 0 { bytes.append(UInt8(ascii: ".")) }
    var unit: UInt64 = 100_000
    while rest != 0 {
      bytes.append(UInt8(ascii: "0") &+ UInt8(rest / unit))
      rest %= unit
      unit /= 10
    }
    needsComma = true
  }

  /// Writes a time in RFC 3339 UTC with microseconds; `nil` as `null`.
  package mutating func timestamp(_ time: Timestamp?) {
    guard let time else { return null() }
    separate()
    clock.append(time, to: &bytes)
    needsComma = true
  }

  /// Writes a UUID, upper-case with dashes.
  package mutating func uuid(_ uuid: UInt128) {
    separate()
    bytes.append(addingCapacity: 38) { (span: inout OutputSpan<UInt8>) in
      span.append(UInt8(ascii: "\""))
      Self.appendGroup(UInt64(truncatingIfNeeded: uuid >> 96), digits: 8, to: &span)
      span.append(UInt8(ascii: "-"))
      Self.appendGroup(UInt64(truncatingIfNeeded: uuid >> 80), digits: 4, to: &span)
      span.append(UInt8(ascii: "-"))
      Self.appendGroup(UInt64(truncatingIfNeeded: uuid >> 64), digits: 4, to: &span)
      span.append(UInt8(ascii: "-"))
      Self.appendGroup(UInt64(truncatingIfNeeded: uuid >> 48), digits: 4, to: &span)
      span.append(UInt8(ascii: "-"))
      Self.appendGroup(UInt64(truncatingIfNeeded: uuid), digits: 12, to: &span)
      span.append(UInt8(ascii: "\""))
    }
    needsComma = true
  }

  /// Writes a device address as `AA:BB:CC:DD:EE:FF`; `nil` as `null`.
  package mutating func address(_ address: DeviceAddress?) {
    guard let address else { return null() }
    separate()
    bytes.append(UInt8(ascii: "\""))
    for index in 0..<6 {
      if index > 0 { bytes.append(UInt8(ascii: ":")) }
      let octet = UInt8(truncatingIfNeeded: address.bits >> UInt64(40 - 8 * index))
      bytes.append(Hex.uppercase[Int(octet >> 4)])
      bytes.append(Hex.uppercase[Int(octet & 15)])
    }
    bytes.append(UInt8(ascii: "\""))
    needsComma = true
  }

  /// Writes bytes as a text of lower-case hexadecimal digits.
  package mutating func hex(_ payload: some Collection<UInt8>) {
    separate()
    bytes.append(UInt8(ascii: "\""))
    bytes.append(addingCapacity: payload.count * 2) { (span: inout OutputSpan<UInt8>) in
      for byte in payload {
        span.append(Hex.lowercase[Int(byte >> 4)])
        span.append(Hex.lowercase[Int(byte & 15)])
      }
    }
    bytes.append(UInt8(ascii: "\""))
    needsComma = true
  }

  // MARK: Constant parts with the value that follows

  /// Writes a constant part that ends in a colon, and a whole number.
  @inline(__always)
  package mutating func fragment(_ text: StaticString, then value: Int) {
    append(text)
    appendInteger(Int64(value))
    needsComma = true
  }

  /// Writes a constant part that ends in a colon, and a time.
  @inline(__always)
  package mutating func fragment(_ text: StaticString, then time: Timestamp) {
    append(text)
    clock.append(time, to: &bytes)
    needsComma = true
  }

  /// Writes a constant part that ends in a colon, and a UUID.
  @inline(__always)
  package mutating func fragment(_ text: StaticString, then uuid: UInt128) {
    append(text)
    self.uuid(uuid)
  }

  /// Records that the last fragment ended its line.
  package mutating func lineEnded() {
    needsComma = false
  }

  // MARK: Parts

  /// Writes a comma if needed; a value after a key needs no comma, since the colon is the last byte.
  @inline(__always)
  private mutating func separate() {
    if needsComma, bytes.last != UInt8(ascii: ":") { bytes.append(UInt8(ascii: ",")) }
  }

  /// A constant array would be counted as owned each time.
  private mutating func append(_ text: StaticString) {
    text.withUTF8Buffer { unsafe bytes.append(contentsOf: $0) }
  }

  @inline(__always)
  private static func appendGroup(_ value: UInt64, digits: Int, to span: inout OutputSpan<UInt8>) {
    var shift = UInt64(digits * 4)
    while shift > 0 {
      shift &-= 4
      span.append(Hex.uppercase[Int(value >> shift & 15)])
    }
  }

  private mutating func appendInteger(_ value: Int64) {
    bytes.append(addingCapacity: Self.mostDigits) { (span: inout OutputSpan<UInt8>) in
      if value < 0 { span.append(UInt8(ascii: "-")) }
      var rest = value.magnitude
      var unit: UInt64 = 1
      while rest / 10 >= unit { unit &*= 10 }
      while unit > 0 {
        span.append(UInt8(ascii: "0") &+ UInt8(truncatingIfNeeded: rest / unit))
        rest %= unit
        unit /= 10
      }
    }
  }

  /// The most bytes of a whole number: a sign and nineteen digits.
  private static let mostDigits = 20

  /// Writes a string with the escapes that JSON requires, and those of every other character that is not there to be
  /// seen: a terminal obeys a C1 control as it obeys an escape sequence, and a mark of direction turns a line around.
  private mutating func appendString(_ text: String) {
    bytes.append(UInt8(ascii: "\""))
    for scalar in text.unicodeScalars {
      switch scalar {
      case "\"", "\\":
        bytes.append(UInt8(ascii: "\\"))
        bytes.append(UInt8(truncatingIfNeeded: scalar.value))
      case "\n": bytes.append(contentsOf: [0x5C, 0x6E])
      case "\r": bytes.append(contentsOf: [0x5C, 0x72])
      case "\t": bytes.append(contentsOf: [0x5C, 0x74])
      case " "..."~": bytes.append(UInt8(truncatingIfNeeded: scalar.value))
      case let scalar where scalar.isUnprintable:
        for unit in String(scalar).utf16 { appendEscape(unit) }
      default: bytes.append(contentsOf: UTF8.encode(scalar) ?? Self.replacement)
      }
    }
    bytes.append(UInt8(ascii: "\""))
  }

  private mutating func appendEscape(_ unit: UInt16) {
    bytes.append(contentsOf: [0x5C, 0x75])
    for shift: UInt16 in [12, 8, 4, 0] { bytes.append(Hex.lowercase[Int(unit >> shift & 15)]) }
  }

  private static let replacement = UTF8.encodedReplacementCharacter
}

extension JSONLineWriter {
  /// Writes a value that was read, keys in its order; a number that JSON cannot write becomes `null`.
  package mutating func value(_ value: JSON5Value) { self.value(FormValue(value)) }

  /// Writes a value of a form.
  package mutating func value(_ value: FormValue) {
    switch value {
    case .null: null()
    case .text(let text): string(text)
    case .boolean(let bool): self.bool(bool)
    case .integer(let number): integer(number)
    case .number(let number): self.number(number)
    case .hundredths(let number): hundredths(number)
    case .span(let span): seconds(span)
    case .time(let time): timestamp(time)
    case .list(let values):
      beginArray()
      for value in values { self.value(value) }
      endArray()
    case .object(let fields):
      beginObject()
      self.fields(fields)
      endObject()
    }
  }

  /// The bytes written, with each key and each element on its own line, so that people can read them.
  package var indentedBytes: [UInt8] {
    var (out, depth, isText, isEscaped, isOpen): ([UInt8], Int, Bool, Bool, Bool) =
      ([], 0, false, false, false)
    for byte in bytes {
      if isText {
        out.append(byte)
        isText = isEscaped || byte != UInt8(ascii: "\"")
        isEscaped = !isEscaped && byte == UInt8(ascii: "\\")
        continue
      }
      let isEnd = byte == UInt8(ascii: "}") || byte == UInt8(ascii: "]")
      if isEnd { depth -= 1 }
      if isOpen != isEnd { Self.appendLine(indented: depth, to: &out) }
      isOpen = false
      out.append(byte)
      switch byte {
      case UInt8(ascii: "{"), UInt8(ascii: "["): (depth, isOpen) = (depth + 1, true)
      case UInt8(ascii: ","): Self.appendLine(indented: depth, to: &out)
      case UInt8(ascii: ":"): out.append(UInt8(ascii: " "))
      case UInt8(ascii: "\""): isText = true
      default: break
      }
    }
    return out
  }

  private static func appendLine(indented depth: Int, to out: inout [UInt8]) {
    out.append(UInt8(ascii: "\n"))
    out += Array(repeating: UInt8(ascii: " "), count: 2 * depth)
  }

  /// Writes keys with their values into the object that is open.
  package mutating func fields(_ fields: [FormField]) {
    for field in fields {
      key(field.name)
      value(field.value)
    }
  }

  /// Writes a number so that a reader gets exactly it; an infinite one becomes `null`.
  package mutating func number(_ number: Double) {
    guard number.isFinite else { return null() }
    separate()
    bytes.append(contentsOf: "\(number)".utf8)
    needsComma = true
  }
}

extension JSONLineWriter {
  /// Writes the three keys of an identity into the object that is open.
  package mutating func identity(_ identity: BeaconIdentity) {
    key("uuid")
    uuid(identity.uuid)
    key("major")
    integer(identity.major)
    key("minor")
    integer(identity.minor)
  }

  /// Writes an object with the reasons that occurred, in their order, each with its count.
  package mutating func tally<Reason>(_ tally: Tally<Reason>) {
    beginObject()
    for (reason, count) in tally.occurred {
      key(reason.name)
      integer(count)
    }
    endObject()
  }
}

// MARK: A key with its value

extension JSONLineWriter {
  @inline(__always)
  package mutating func string(_ name: StaticString, _ value: String?) {
    key(name)
    string(value)
  }

  @inline(__always)
  package mutating func bool(_ name: StaticString, _ value: Bool) {
    key(name)
    bool(value)
  }

  @inline(__always)
  package mutating func hundredths(_ name: StaticString, _ value: Double?) {
    key(name)
    hundredths(value)
  }

  @inline(__always)
  package mutating func seconds(_ name: StaticString, _ value: TimeSpan?) {
    key(name)
    seconds(value)
  }

  @inline(__always)
  package mutating func timestamp(_ name: StaticString, _ value: Timestamp?) {
    key(name)
    timestamp(value)
  }

  @inline(__always)
  package mutating func number(_ name: StaticString, _ value: Double) {
    key(name)
    number(value)
  }

  @inline(__always)
  package mutating func integer(
    _ name: StaticString,
    _ value: (some FixedWidthInteger & Sendable)?
  ) {
    key(name)
    integer(value)
  }
}
