// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

/// One message as the spool's files hold it.
///
/// A record is `B`, the length of what follows the checksum, the checksum, the length of the topic, topic and payload;
/// numbers have the low byte first. A file that was cut off anywhere is read up to its last whole record.
package struct SpoolRecord: Sendable, Equatable {
  /// The most bytes of topic and payload together.
  package static let longest = 256 * 1024
  /// The bytes before the topic.
  package static let headCount = 11

  package var topic: String
  package var payload: [UInt8]

  package init(topic: String, payload: [UInt8]) {
    self.topic = topic
    self.payload = payload
  }

  /// The record as bytes; `nil` if it is too long.
  package var bytes: [UInt8]? {
    let topic = Array(topic.utf8)
    guard topic.count <= UInt16.max, topic.count + payload.count <= Self.longest else {
      return nil
    }
    let body: [UInt8] = Array(Self.bytes(UInt32(topic.count)).prefix(2)) + topic + payload
    var record: [UInt8] = [UInt8(ascii: "B")]
    record += Self.bytes(UInt32(body.count))
    record += Self.bytes(Self.checksum(body))
    return record + body
  }

  /// Reads the record that starts at a place.
  ///
  /// - Returns: The record and the start of the next one; `nil` if no whole record starts there.
  package static func read(
    _ bytes: [UInt8],
    at start: Int
  ) -> (record: SpoolRecord, end: Int)? {
    guard start >= 0, bytes.count - start >= headCount, bytes[start] == UInt8(ascii: "B") else {
      return nil
    }
    let count = Int(number(bytes[start + 1..<start + 5]))
    let end = start + 9 + count
    guard (2...longest + 2).contains(count), end <= bytes.count else { return nil }
    let body = bytes[start + 9..<end]
    guard checksum(body) == number(bytes[start + 5..<start + 9]) else { return nil }
    let topicEnd = start + headCount + Int(number(body.prefix(2)))
    guard topicEnd <= end else { return nil }
    let topic = String(decoding: bytes[start + headCount..<topicEnd], as: UTF8.self)
    return (SpoolRecord(topic: topic, payload: Array(bytes[topicEnd..<end])), end)
  }

  private static func bytes(_ number: UInt32) -> [UInt8] {
    (0..<4).map { UInt8(truncatingIfNeeded: number >> (8 * $0)) }
  }

  private static func number(_ bytes: ArraySlice<UInt8>) -> UInt32 {
    bytes.reversed().reduce(0) { $0 << 8 | UInt32($1) }
  }

  /// FNV-1a: it finds the damage of a cut; it need not prevent forging a separate record disk.
  private static func checksum(_ bytes: some Sequence<UInt8>) -> UInt32 {
    bytes.reduce(0x811C_9DC5) { ($0 ^ UInt32($1)) &* 0x0100_0193 }
  }
}
