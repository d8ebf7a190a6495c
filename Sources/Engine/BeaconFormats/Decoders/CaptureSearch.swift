// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

internal import BeaconCore

/// Finds the header of another capture in bytes that were read as records, if the capture in front of it was cut off.
struct CaptureSearch: Sendable {
  /// Two records that follow each other are hardly ever further apart: a day.
  private static let far = TimeSpan.seconds(86_400)
  /// How far in front of a record that cannot be one a header is looked for: the longest record of an advertising report,
  /// several times.
  private static let reach = 2048

  /// The end of the part of the block that was searched.
  private var searched = 0

  /// Starts at a position in a block: the first that can be a header.
  mutating func begin(_ position: Int) { searched = position }

  /// Whether two times are so far apart that other bytes may have been read as a record.
  static func isFar(_ time: Timestamp, from last: Timestamp) -> Bool {
    let step = time - last
    return step > far || step < TimeSpan.zero - far
  }

  /// Throws if a header lies in front of the content of a record that looks wrong.
  mutating func check(
    _ block: borrowing Span<UInt8>,
    upTo end: Int,
    for format: CaptureFormat
  ) throws(CaptureDamage) {
    try check(block, upTo: end) { block, start in
      let rest = block.extracting(start...)
      // Anyone can send the first bytes of a header.
      return CaptureFormat.sniffMagic(rest) == format && (try? format.makeDecoder(rest)) != nil
    }
  }

  /// Throws if another capture starts in front of the content of a record that looks wrong.
  mutating func check(
    _ block: borrowing Span<UInt8>,
    upTo end: Int,
    _ isStart: (borrowing Span<UInt8>, Int) -> Bool
  ) throws(CaptureDamage) {
    let first = max(searched, end - Self.reach)
    searched = max(searched, end)
    guard first < end else { return }
    for start in first..<end where isStart(block, start) {
      throw CaptureDamage(offset: start, reason: "another capture starts in the middle of a record")
    }
  }
}
