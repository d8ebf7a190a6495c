// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

package import BeaconCore

/// What a ``CaptureFormatDecoder`` found in a block.
package struct CaptureSink: Sendable {
  /// The inputs found, in the order of the file.
  package var inputs: [AirInput] = []
  /// Payload bytes that are not in the block as they stand: joined fragments, text turned into bytes.
  package private(set) var extraBytes: [UInt8] = []
  /// Records seen, of whatever kind.
  package var records = 0
  /// What was left out, with reasons.
  package var drops = Tally<DropReason>()
  /// Receivers met, by index; a format that does not name them leaves this empty.
  package var receiverNames: [String] = []
  /// Oddities worth telling a person, each once.
  package private(set) var notes: [String] = []
  /// Bytes of the block being decoded, behind which ``extraBytes`` will lie in the batch.
  package let blockCount: Int

  package init(blockCount: Int) {
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

  /// Notes an oddity once.
  package mutating func note(_ text: String) {
    if !notes.contains(text) { notes.append(text) }
  }
}
