// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

package import BeaconCore

/// Reads and writes times in the format of RFC 3339.
package enum RFC3339 {
  /// Reads a time with any offset from UTC and up to nine digits of a fraction, rounded to microseconds, half up.
  ///
  /// A second of 60 (a leap second) is the second after it, as in POSIX time.
  ///
  /// - Returns: The time; `nil` when the text is not a time of the years 1970 to 9999.
  package static func parse(_ text: some StringProtocol) -> Timestamp? {
    // No valid time is longer than this.
    let bytes = Array(text.utf8.prefix(longest + 1))
    return parse(bytes.span, in: 0..<bytes.count)
  }

  /// The longest text read: `2015-03-10T17:20:01.123456789+01:00`.
  static let longest = 35

  /// Reads a time from a range of bytes.
  package static func parse(
    _ bytes: borrowing Span<UInt8>,
    in range: Range<Int>
  ) -> Timestamp? {
    let start = range.lowerBound
    guard start >= 0, range.upperBound <= bytes.count, range.count >= 20, range.count <= longest,
      let year = number(bytes, at: start, digits: 4), bytes[start + 4] == UInt8(ascii: "-"),
      let month = number(bytes, at: start + 5, digits: 2), bytes[start + 7] == UInt8(ascii: "-"),
      let day = number(bytes, at: start + 8, digits: 2), bytes[start + 10] | 0x20 == 0x74,
      let hour = number(bytes, at: start + 11, digits: 2), bytes[start + 13] == colon,
      let minute = number(bytes, at: start + 14, digits: 2), bytes[start + 16] == colon,
      let second = number(bytes, at: start + 17, digits: 2),
      (1...12).contains(month), hour < 24, minute < 60, second <= 60,
      (1...CivilDate.daysInMonth(month, year: year)).contains(day)
    else { return nil }
    var index = start + 19
    guard let fraction = fraction(bytes, at: &index, end: range.upperBound),
      let offset = offset(bytes, at: index, end: range.upperBound)
    else { return nil }
    let days = CivilDate.days(year: year, month: month, day: day)
    let seconds = days * 86_400 + hour * 3600 + minute * 60 + second - offset
    let microseconds = seconds * 1_000_000 + fraction
    guard seconds >= 0, microseconds <= Timestamp.latest.microseconds else { return nil }
    return Timestamp(microseconds: Int64(microseconds))
  }

  private static let colon = UInt8(ascii: ":")

  /// Reads `.` and up to nine digits as microseconds; 0, without moving the index, without a decimal point.
  private static func fraction(
    _ bytes: borrowing Span<UInt8>,
    at index: inout Int,
    end: Int
  ) -> Int? {
    guard index < end, bytes[index] == UInt8(ascii: ".") else { return 0 }
    index += 1
    var nanoseconds = 0
    var digits = 0
    while index < end, Hex.isDecimal(bytes[index]) {
      guard digits < 9 else { return nil }
      nanoseconds = nanoseconds * 10 + Int(bytes[index] - UInt8(ascii: "0"))
      digits += 1
      index += 1
    }
    guard digits > 0 else { return nil }
    for _ in digits..<9 { nanoseconds *= 10 }
    return (nanoseconds + 500) / 1000
  }

  /// Reads `Z` or `±HH:MM` up to the end, as seconds east of UTC.
  private static func offset(_ bytes: borrowing Span<UInt8>, at index: Int, end: Int) -> Int? {
    guard index < end else { return nil }
    if bytes[index] | 0x20 == 0x7A { return index + 1 == end ? 0 : nil }
    let isEast = bytes[index] == UInt8(ascii: "+")
    guard isEast || bytes[index] == UInt8(ascii: "-"), index + 6 == end,
      let hours = number(bytes, at: index + 1, digits: 2), bytes[index + 3] == colon,
      let minutes = number(bytes, at: index + 4, digits: 2), hours < 24, minutes < 60
    else { return nil }
    let seconds = hours * 3600 + minutes * 60
    return isEast ? seconds : -seconds
  }

  /// Reads digits; the range must lie within the bytes.
  @inline(__always)
  private static func number(_ bytes: borrowing Span<UInt8>, at start: Int, digits: Int) -> Int? {
    var value = 0
    for index in start..<start + digits {
      guard Hex.isDecimal(bytes[index]) else { return nil }
      value = value * 10 + Int(bytes[index] &- UInt8(ascii: "0"))
    }
    return value
  }
}

extension RFC3339 {
  /// Returns a time in UTC with microseconds: `2015-03-10T17:20:01.123456Z`.
  package static func string(_ time: Timestamp) -> String {
    var bytes: [UInt8] = []
    var clock = SecondCache()
    clock.append(time, to: &bytes)
    return String(decoding: bytes.dropFirst().dropLast(), as: UTF8.self)
  }

  /// Returns the time of day in UTC with milliseconds, not rounded: `17:20:01.123`.
  package static func timeOfDay(_ time: Timestamp) -> String {
    String(string(time).dropFirst(11).prefix(12))
  }
}
