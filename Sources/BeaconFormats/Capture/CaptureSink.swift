// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

package import BeaconCore

/// What a ``CaptureFormatDecoder`` finds in a capture: the inputs of one block, and counts over all of it.
package struct CaptureSink: Sendable {
  /// The inputs of the block and what belongs to them; HCI and link-layer decoders write here directly.
  package var scan: ScanSink
  /// Records seen, of whatever kind.
  package var records = 0
  /// The names of the receivers, by index; empty where the format does not name them.
  package var receiverNames: [String] = []
  /// Link types found, in the order they first occurred.
  package private(set) var linkTypes: [Int] = []
  /// What a user should know about the capture, each note once.
  package private(set) var notes: [String] = []

  /// The most notes and link types that are kept: a hostile capture can cause a new one with every record, and nobody
  /// reads more than this.
  private static let maximumListed = 32

  package init(blockCount: Int = 0) {
    scan = ScanSink(blockCount: blockCount)
  }

  /// The inputs found in the block, in the order of the file.
  package var inputs: [ScanInput] {
    get { scan.inputs }
    _modify { yield &scan.inputs }
  }

  /// What was left out, with reasons.
  package var drops: Tally<DropReason> {
    get { scan.drops }
    _modify { yield &scan.drops }
  }

  /// Payload bytes that are not part of the block; in the batch they follow it.
  package var extraBytes: [UInt8] { scan.extraBytes }

  /// Keeps payload bytes that are not part of the block.
  ///
  /// - Returns: Where they will start in the batch, for ``AdvertisingReport/payloadStart``.
  package mutating func keep(_ bytes: some Collection<UInt8>) -> UInt32 { scan.keep(bytes) }

  /// Adds a note, unless it was added before.
  package mutating func note(_ text: String) {
    guard notes.count < Self.maximumListed, !notes.contains(text) else { return }
    notes.append(text)
  }

  /// Adds a link type, unless it was added before.
  package mutating func addLinkType(_ linkType: Int) {
    guard linkTypes.count < Self.maximumListed, !linkTypes.contains(linkType) else { return }
    linkTypes.append(linkType)
  }

  /// Returns the number of a receiver by its name; a new name gets the next number.
  package mutating func receiver(named name: String) -> UInt8 {
    if let index = receiverNames.firstIndex(of: name) { return UInt8(clamping: index) }
    guard receiverNames.count <= Int(UInt8.max) else {
      note("receivers beyond the 256th are shown as the 256th")
      return .max
    }
    receiverNames.append(name)
    return UInt8(clamping: receiverNames.count - 1)
  }

  /// Gives receivers up to a number the name of the Linux adapter of that number, where they have no name yet.
  package mutating func nameReceivers(through receiver: UInt8) {
    while receiverNames.count <= Int(receiver) { receiverNames.append("hci\(receiverNames.count)") }
  }
}
