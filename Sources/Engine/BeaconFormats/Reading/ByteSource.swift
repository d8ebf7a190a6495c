// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

/// The bytes of a capture: a file, a pipe, or an array in memory.
public protocol ByteSource {
  /// Returns the next bytes, at most `count`; an empty array at the end.
  ///
  /// It may return fewer, as a pipe does. It is not called again after it returned an empty array.
  ///
  /// - Throws: The error that ends the reading.
  mutating func read(upTo count: Int) throws -> [UInt8]

  /// Appends the next bytes to a buffer, at most `count`; none at the end.
  ///
  /// The default implementation appends what ``read(upTo:)`` returns. A source of large files avoids that copy by
  /// reading into the buffer.
  ///
  /// - Throws: The error that ends the reading.
  mutating func read(upTo count: Int, into buffer: inout [UInt8]) throws
}

extension ByteSource {
  /// Appends what ``read(upTo:)`` returns.
  ///
  /// - Throws: What ``read(upTo:)`` throws.
  public mutating func read(upTo count: Int, into buffer: inout [UInt8]) throws {
    buffer += try read(upTo: count)
  }
}

/// A source of bytes in memory.
public struct MemorySource: ByteSource, Sendable {
  private let bytes: [UInt8]
  private var position = 0
  private let blockSizes: [Int]
  private var reads = 0

  /// Creates a source of bytes.
  ///
  /// - Parameters:
  ///   - bytes: The bytes of the capture.
  ///   - blockSizes: The most bytes that the first, second, … read returns, over and over, as a pipe would; at least
  ///     1. Empty: every read returns as many as requested.
  public init(_ bytes: [UInt8], blockSizes: [Int] = []) {
    self.bytes = bytes
    self.blockSizes = blockSizes
  }

  /// Returns the next bytes.
  public mutating func read(upTo count: Int) -> [UInt8] {
    var most = min(max(count, 0), bytes.count - position)
    if !blockSizes.isEmpty { most = min(most, max(blockSizes[reads % blockSizes.count], 1)) }
    reads += 1
    defer { position += most }
    return Array(bytes[position..<position + most])
  }
}
