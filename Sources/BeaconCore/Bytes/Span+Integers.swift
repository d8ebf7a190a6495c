// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

extension Span where Element == UInt8 {
  /// Returns the two bytes at an offset as a little-endian number; both must lie in the span.
  @inlinable
  package func littleEndian16(at offset: Int) -> UInt16 {
    UInt16(self[offset]) | UInt16(self[offset &+ 1]) << 8
  }

  /// Returns the four bytes at an offset as a little-endian number; all must lie in the span.
  @inlinable
  package func littleEndian32(at offset: Int) -> UInt32 {
    UInt32(littleEndian16(at: offset)) | UInt32(littleEndian16(at: offset &+ 2)) << 16
  }

  /// Returns the two bytes at an offset as a big-endian number; both must lie in the span.
  @inlinable
  package func bigEndian16(at offset: Int) -> UInt16 { littleEndian16(at: offset).byteSwapped }

  /// Returns the four bytes at an offset as a big-endian number; all must lie in the span.
  @inlinable
  package func bigEndian32(at offset: Int) -> UInt32 { littleEndian32(at: offset).byteSwapped }

  /// Returns the eight bytes at an offset as a big-endian number; all must lie in the span.
  @inlinable
  package func bigEndian64(at offset: Int) -> UInt64 {
    UInt64(bigEndian32(at: offset)) << 32 | UInt64(bigEndian32(at: offset &+ 4))
  }

  /// Returns the six bytes of a device address, least significant octet first, as its 48 bits.
  @inlinable
  package func addressBits(at offset: Int) -> UInt64 {
    UInt64(littleEndian32(at: offset)) | UInt64(littleEndian16(at: offset &+ 4)) << 32
  }
}
