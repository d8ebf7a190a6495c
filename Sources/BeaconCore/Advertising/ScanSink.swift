// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

/// Where the decoders of HCI events and link-layer packets put what they found.
///
/// A decoder reads a block of bytes that becomes the batch's own, so a report only points at its payload; only what
/// does not stand in the block as it was on the air (joined fragments, text turned into bytes) is kept beside it.
package struct ScanSink: Sendable {
  /// The inputs found, in the order they came.
  package var inputs: [ScanInput] = []
  /// Payload bytes that do not stand in the block; in the batch they lie behind it.
  package private(set) var extraBytes: [UInt8] = []
  /// What was left out, with reasons.
  package var drops = Tally<DropReason>()
  /// Where the span that is being decoded lies in the batch: 0 while it is the block itself.
  package var origin = 0
  /// Bytes of the block, behind which ``extraBytes`` will lie.
  package private(set) var blockCount: Int

  package init(blockCount: Int = 0) {
    self.blockCount = blockCount
  }

  /// Keeps payload bytes that do not stand in the block.
  ///
  /// - Returns: Where they will start in the batch, for ``AdvertisingReport/payloadStart``.
  package mutating func keep(_ bytes: some Collection<UInt8>) -> UInt32 {
    let start = blockCount + extraBytes.count
    extraBytes.append(contentsOf: bytes)
    return UInt32(truncatingIfNeeded: start)
  }

  /// Begins a block, with nothing found in it yet; counts go on.
  ///
  /// - Parameters:
  ///   - blockCount: How many bytes it has.
  ///   - expected: How many inputs to make room for: as many as the last block held is a good guess.
  ///   - storage: Where to put the inputs: empty, with whatever room it has.
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
