// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

internal import BeaconCore

/// Writes times and computes the calendar date only when the second changes.
///
/// In a capture hundreds of reports have the same second; their times differ only in six digits.
struct SecondCache: Sendable {
  private var second: Int64 = -1
  /// `"2015-03-10T17:20:01.` of the last second written, quote included.
  private var text: [UInt8] = []

  /// Appends a time in quotes.
  @inline(__always)
  mutating func append(_ time: Timestamp, to bytes: inout [UInt8]) {
    let second = time.microseconds / 1_000_000
    if second != self.second { refresh(second) }
    bytes.append(contentsOf: text)
    let rest = UInt32(truncatingIfNeeded: time.microseconds &- second &* 1_000_000)
    bytes.append(addingCapacity: 8) { (span: inout OutputSpan<UInt8>) in
      var unit: UInt32 = 100_000
      while unit > 0 {
        span.append(UInt8(ascii: "0") &+ UInt8(truncatingIfNeeded: rest / unit % 10))
        unit /= 10
      }
      span.append(UInt8(ascii: "Z"))
      span.append(UInt8(ascii: "\""))
    }
  }

  private mutating func refresh(_ second: Int64) {
    self.second = second
    let days = Int(second / 86_400)
    let rest = Int(second % 86_400)
    let date = CivilDate.date(days: days)
    text.removeAll(keepingCapacity: true)
    text.append(UInt8(ascii: "\""))
    append(date.year, digits: 4, then: "-")
    append(date.month, digits: 2, then: "-")
    append(date.day, digits: 2, then: "T")
    append(rest / 3600, digits: 2, then: ":")
    append(rest / 60 % 60, digits: 2, then: ":")
    append(rest % 60, digits: 2, then: ".")
  }

  private mutating func append(_ value: Int, digits: Int, then end: Unicode.Scalar) {
    var unit = 1
    for _ in 1..<digits { unit *= 10 }
    while unit > 0 {
      text.append(UInt8(ascii: "0") + UInt8(value / unit % 10))
      unit /= 10
    }
    text.append(UInt8(ascii: end))
  }
}
