// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

/// Turns a capture's bytes into scan inputs, a block at a time.
///
/// A decoder is fed a growing window of the file. It decodes the whole records the window starts with, leaves a record
/// that is cut off by the window's end for the next call, and never looks back.
package protocol CaptureFormatDecoder: Sendable {
  /// Decodes the whole records at the start of a block.
  ///
  /// - Parameters:
  ///   - block: The next bytes of the file, starting with the first byte not yet consumed.
  ///   - isLast: Whether the file ends with this block, so that a record it cuts off will never be whole.
  ///   - sink: Where the inputs go; their payloads are found by offset into `block`, or into the sink's own bytes.
  /// - Returns: How many bytes were consumed; 0 asks for a larger block.
  /// - Throws: ``CaptureDamage`` when nothing after a point can be read; what was decoded before it stays in the sink.
  mutating func decode(
    _ block: borrowing Span<UInt8>,
    isLast: Bool,
    into sink: inout CaptureSink
  ) throws(CaptureDamage) -> Int

  /// Returns and clears what the blocks decoded since the last call contained besides scan inputs.
  mutating func drainNotes() -> RecordingNotes
}

extension CaptureFormatDecoder {
  package mutating func drainNotes() -> RecordingNotes { RecordingNotes() }
}
