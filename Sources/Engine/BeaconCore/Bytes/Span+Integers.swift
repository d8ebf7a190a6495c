// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

// Each number is one load with one bounds check. Composed of bytes with a check each, the numbers of a record header
// would take as long as the rest of a report.
extension Span where Element == UInt8 {
  /// Returns the integer at an offset in native byte order; traps unless all its bytes lie in the span.
  @inlinable @inline(__always)
  package func load<Value: FixedWidthInteger & BitwiseCopyable>(at offset: Int, as type: Value.Type)
    -> Value
  {
    // Safe: the load checks its bounds, and any bytes are an integer.
    unsafe bytes.unsafeLoadUnaligned(fromByteOffset: offset, as: type)
  }

  /// Returns the two bytes at an offset as a little-endian number; both must lie in the span.
  @inlinable @inline(__always)
  package func littleEndian16(at offset: Int) -> UInt16 {
    UInt16(littleEndian: load(at: offset, as: UInt16.self))
  }

  /// Returns the four bytes at an offset as a little-endian number; all must lie in the span.
  @inlinable @inline(__always)
  package func littleEndian32(at offset: Int) -> UInt32 {
    UInt32(littleEndian: load(at: offset, as: UInt32.self))
  }

  /// Returns the eight bytes at an offset as a little-endian number; all must lie in the span.
  @inlinable @inline(__always)
  package func littleEndian64(at offset: Int) -> UInt64 {
    UInt64(littleEndian: load(at: offset, as: UInt64.self))
  }

  /// Returns the two bytes at an offset as a big-endian number; both must lie in the span.
  @inlinable @inline(__always)
  package func bigEndian16(at offset: Int) -> UInt16 {
    UInt16(bigEndian: load(at: offset, as: UInt16.self))
  }

  /// Returns the four bytes at an offset as a big-endian number; all must lie in the span.
  @inlinable @inline(__always)
  package func bigEndian32(at offset: Int) -> UInt32 {
    UInt32(bigEndian: load(at: offset, as: UInt32.self))
  }

  /// Returns the eight bytes at an offset as a big-endian number; all must lie in the span.
  @inlinable @inline(__always)
  package func bigEndian64(at offset: Int) -> UInt64 {
    UInt64(bigEndian: load(at: offset, as: UInt64.self))
  }

  /// Returns the six bytes of a device address, least significant octet first, as its 48 bits.
  @inlinable @inline(__always)
  package func addressBits(at offset: Int) -> UInt64 {
    UInt64(littleEndian32(at: offset)) | UInt64(littleEndian16(at: offset &+ 4)) << 32
  }
}
