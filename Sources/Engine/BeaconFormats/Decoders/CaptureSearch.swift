// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

internal import BeaconCore

/// Finds the header of another capture in bytes that were read as records, if the capture in front of it was cut off.
struct CaptureSearch: Sendable {
  /// Two records that follow each other are hardly ever further apart: a day.
  private static let far = TimeSpan.seconds(86_400)
  /// The end of the part of the block that was searched; negative in front of the block.
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
    _ sink: borrowing CaptureSink,
    upTo end: Int,
    for format: CaptureFormat
  ) throws(CaptureDamage) {
    try check(block, sink, upTo: end) { rest, _ in
      // Anyone can send the first bytes of a header.
      CaptureFormat.sniffMagic(rest) == format && (try? format.makeDecoder(rest)) != nil
    }
  }

  /// Throws if another capture starts in front of the content of a record that looks wrong.
  ///
  /// - Parameters:
  ///   - block: The block.
  ///   - sink: The bytes in front of the block.
  ///   - end: The start of the record's content.
  ///   - isStart: Whether another capture starts at the first of some bytes, so many in front of the record.
  /// - Throws: ``CaptureDamage`` at the start of the other capture.
  mutating func check(
    _ block: borrowing Span<UInt8>,
    _ sink: borrowing CaptureSink,
    upTo end: Int,
    _ isStart: (_ rest: borrowing Span<UInt8>, _ distance: Int) -> Bool
  ) throws(CaptureDamage) {
    let first = max(searched, end - CaptureSink.keptInFront)
    searched = max(searched, end)
    guard first < end else { return }
    var bytes = Array(sink.inFront.suffix(max(-first, 0)))
    let inFront = bytes.count
    if inFront > 0 { for index in block.indices { bytes.append(block[index]) } }
    for start in first..<end {
      let isFound =
        inFront > 0
        ? isStart(bytes.span.extracting((inFront + start)...), end - start)
        : isStart(block.extracting(start...), end - start)
      guard isFound else { continue }
      throw CaptureDamage(
        offset: start,
        reason: "another capture starts in the middle of a record"
      )
    }
  }
}
