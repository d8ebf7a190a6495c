// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

/// Where a capture's bytes come from: a file, a pipe, bytes in memory.
public protocol ByteSource {
  /// Returns the next bytes, at most as many as asked for; none at the end.
  ///
  /// It may return fewer than asked for, as a pipe does, and is not asked again after it returned none.
  mutating func read(upTo count: Int) throws -> [UInt8]

  /// Appends the next bytes to a buffer, at most as many as asked for; none at the end.
  ///
  /// The default appends what ``read(upTo:)`` returns. A source of large files saves that copy by reading into the
  /// buffer.
  mutating func read(upTo count: Int, into buffer: inout [UInt8]) throws
}

extension ByteSource {
  /// Appends what ``read(upTo:)`` returns.
  public mutating func read(upTo count: Int, into buffer: inout [UInt8]) throws {
    buffer += try read(upTo: count)
  }
}
