// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

/// The output of the decoders of HCI events and link-layer packets.
///
/// A decoder reads a block of bytes that becomes part of the batch, so a report only points to its payload. Only
/// payloads that are not in the block as transmitted (joined fragments, bytes written as text) are kept separately.
package struct ScanSink: Sendable {
  /// The inputs found, in the order of the block.
  package var inputs: [ScanInput] = []
  /// Payload bytes that are not part of the block; in the batch they follow it.
  package private(set) var extraBytes: [UInt8] = []
  /// The omissions, with reasons.
  package var drops = Tally<DropReason>()
  /// The offset in the batch of the span that is being decoded: 0 while it is the block itself.
  package var origin = 0
  /// The size of the block, which ``extraBytes`` will follow.
  package private(set) var blockCount: Int

  package init(blockCount: Int = 0) {
    self.blockCount = blockCount
  }

  /// Keeps payload bytes that are not part of the block.
  ///
  /// - Returns: If they will start in the batch, for ``AdvertisingReport/payloadStart``.
  package mutating func keep(_ bytes: some Collection<UInt8>) -> UInt32 {
    let start = blockCount + extraBytes.count
    extraBytes.append(contentsOf: bytes)
    return UInt32(truncatingIfNeeded: start)
  }

  /// Starts a new block without inputs; counts continue.
  ///
  /// - Parameters:
  ///   - blockCount: How many bytes it has.
  ///   - expected: How many inputs to reserve capacity for; the number in the last block is a good estimate.
  ///   - storage: An empty array whose capacity is reused for the inputs.
  package mutating func begin(
    blockCount: Int,
    expecting expected: Int,
    reusing storage: consuming [ScanInput] = []
  ) {
    self.blockCount = blockCount
    origin = 0
    extraBytes = []
    inputs = storage
    inputs.reserveCapacity(expected)
  }
}
