// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

internal import BeaconCore

/// The kind of a line of `hcidump --raw`, recognized by its first characters.
enum HcidumpLine {
  /// The first line of a packet, in front of the bytes.
  struct Packet {
    var isIncoming: Bool
    var time: Timestamp?
    var isLocalTime = false
  }

  /// The first line of a packet, which its bytes follow.
  case packet(Packet)
  /// Another line of the preceding packet.
  case continuation
  /// Another line: the banner, a message.
  case other

  /// Reads the start of a line, up to the bytes.
  init(_ block: borrowing Span<UInt8>, _ line: inout TextLine) {
    let isIndented = line.peek(block) == 0x20 || line.peek(block) == 0x09
    let time = Self.time(block, line)
    if let time { line = time.rest }
    line.skipSpaces(block)
    switch line.peek(block) {
    case UInt8(ascii: ">"), UInt8(ascii: "<"):
      self = .packet(
        Packet(
          isIncoming: line.peek(block) == UInt8(ascii: ">"),
          time: time?.value,
          isLocalTime: time?.isLocal ?? false
        )
      )
    default:
      self = isIndented && time == nil ? .continuation : .other
      return
    }
    _ = line.skip(line.peek(block) ?? 0, block)
  }

  /// Reads a time: seconds since 1970 with a fraction, or date and time of day, which hcidump writes with `-V`.
  ///
  /// The latter is local time of an unknown time zone, so it is read as UTC.
  private static func time(
    _ block: borrowing Span<UInt8>,
    _ line: TextLine
  ) -> (value: Timestamp, isLocal: Bool, rest: TextLine)? {
    var line = line
    line.skipSpaces(block)
    guard let first = line.nextNumber(block) else { return nil }
    var seconds = first.value
    let isLocal = line.skip(UInt8(ascii: "-"), block)
    if isLocal {
      guard let date = restOfDate(block, &line, year: first.value) else { return nil }
      seconds = date
    }
    guard line.skip(UInt8(ascii: "."), block), let fraction = microseconds(block, &line),
      line.skip(0x20, block), seconds < Timestamp.latest.microseconds / 1_000_000
    else { return nil }
    return (Timestamp(microseconds: seconds * 1_000_000 + fraction), isLocal, line)
  }

  private static func microseconds(
    _ block: borrowing Span<UInt8>,
    _ line: inout TextLine
  ) -> Int64? {
    guard let fraction = line.nextNumber(block), fraction.digits == 6 else { return nil }
    return fraction.value
  }

  /// Reads `MM-DD hh:mm:ss` and returns the seconds since 1970.
  private static func restOfDate(
    _ block: borrowing Span<UInt8>,
    _ line: inout TextLine,
    year: Int64
  ) -> Int64? {
    guard let month = line.nextNumber(block)?.value, line.skip(UInt8(ascii: "-"), block),
      let day = line.nextNumber(block)?.value, line.skip(0x20, block),
      let hour = line.nextNumber(block)?.value, line.skip(UInt8(ascii: ":"), block),
      let minute = line.nextNumber(block)?.value, line.skip(UInt8(ascii: ":"), block),
      let second = line.nextNumber(block)?.value
    else { return nil }
    guard (1970...9999).contains(year), (1...12).contains(month), (1...31).contains(day),
      (0...23).contains(hour), (0...59).contains(minute), (0...60).contains(second)
    else { return nil }
    let days = CivilDate.days(year: Int(year), month: Int(month), day: Int(day))
    return Int64(days) * 86_400 + hour * 3600 + minute * 60 + second
  }
}
