// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

package import BeaconCore

/// Turns a capture's bytes into scan inputs, a block at a time.
///
/// A decoder gets the file block by block. It decodes the complete records at the start of a block, leaves a record
/// that the block's end cuts off for the next call, and never looks back.
package protocol CaptureFormatDecoder: Sendable {
  /// Decodes the complete records at the start of a block.
  ///
  /// - Parameters:
  ///   - block: The next bytes of the file, starting with the first byte not yet consumed.
  ///   - isLast: Whether the file ends with this block, so that a record that it cuts off will never be complete.
  ///   - sink: Receives the inputs. Their payloads are offsets into `block`, or into the sink's own bytes.
  /// - Returns: The number of bytes consumed; 0 requests a larger block.
  /// - Throws: ``CaptureDamage`` if nothing after a point can be read; the inputs decoded before it stay in the sink.
  mutating func decode(
    _ block: borrowing Span<UInt8>,
    isLast: Bool,
    into sink: inout CaptureSink
  ) throws(CaptureDamage) -> Int

  /// Since when a receiver may not listen, as long as only later records can show it; `nil` otherwise.
  var undecidedSince: Timestamp? { get }

  /// Continues with another capture of the format, at its first bytes, after one that broke off.
  ///
  /// - Parameters:
  ///   - rest: The bytes.
  ///   - time: The time of the last input that is whole, if any.
  mutating func resume(_ rest: borrowing Span<UInt8>, after time: Timestamp?)

  /// Returns, and removes, everything except scan inputs that was decoded since the last call.
  mutating func drainNotes() -> RecordingNotes
}

extension CaptureFormatDecoder {
  package var undecidedSince: Timestamp? { nil }
  /// A header in place of a record is read as that of another capture.
  package mutating func resume(_ rest: borrowing Span<UInt8>, after time: Timestamp?) {}
  package mutating func drainNotes() -> RecordingNotes { RecordingNotes() }
}
