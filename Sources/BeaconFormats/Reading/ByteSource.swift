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

/// Bytes in memory as a source.
public struct MemorySource: ByteSource, Sendable {
  private let bytes: [UInt8]
  private var position = 0
  private let blockSizes: [Int]
  private var reads = 0

  /// Creates a source of bytes.
  ///
  /// - Parameters:
  ///   - bytes: What the capture holds.
  ///   - blockSizes: The most to give at the first, second, … read, over and over, as a pipe would; at least 1 is
  ///     given. Empty gives all that is asked for.
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
