// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

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
