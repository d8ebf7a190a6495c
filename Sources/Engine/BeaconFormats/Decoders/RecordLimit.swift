// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

/// The checks of record lengths that all binary decoders share.
enum RecordLimit {
  /// The longest record that is read, as in Wireshark.
  ///
  /// A longer length means that the file is damaged there.
  static let maximumCount: UInt32 = 256 * 1024

  /// Checks a record's length.
  @inline(__always)
  static func check(_ count: UInt32, at offset: Int) throws(CaptureDamage) {
    guard count > maximumCount else { return }
    throw CaptureDamage(
      offset: offset,
      reason: "a record claims \(count) bytes, more than \(maximumCount)"
    )
  }

  /// Checks that the last record ends at the end of the capture.
  static func checkEnd(_ end: Int, of count: Int) throws(CaptureDamage) {
    guard end < count else { return }
    throw CaptureDamage(offset: end, reason: "the capture ends in the middle of a record")
  }
}
