// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

package import BeaconCore

/// The results of a ``CaptureFormatDecoder``: the inputs of one block, and counts for the whole capture.
package struct CaptureSink: Sendable {
  /// The inputs of the block with their payloads; the HCI and link-layer decoders write here directly.
  package var scan: ScanSink
  /// The number of records, of any kind.
  package var records = 0
  /// The offset in the block of another capture that has begun, in a file made of several; `nil` if none has.
  package var captureStart: Int?
  /// How many bytes before a damaged record are searched for the start of another capture: several of the longest records
  /// of an advertising report.
  static let keptInFront = 2048
  /// The last bytes before the block: the last record in them may contain the start of another capture.
  package private(set) var inFront: [UInt8] = []
  /// The names of the receivers, by index; empty if the format does not name them.
  package var receiverNames: [String] = []
  /// The states of receivers that did not listen at the end of the capture, as far as nothing showed before.
  package var endStates: [ScanInput] = []
  /// The link types, in the order of their first occurrence.
  package private(set) var linkTypes: [Int] = []
  /// Notes about the capture for the user, each once.
  package private(set) var notes: [String] = []

  /// The most notes and link types to keep: a hostile capture can cause a new one with every record, and a user does not read
  /// more than this.
  private static let maximumListed = 32

  package init(blockCount: Int = 0) {
    scan = ScanSink(blockCount: blockCount)
  }

  /// The inputs of the block, in the order of the file.
  package var inputs: [ScanInput] {
    get { scan.inputs }
    _modify { yield &scan.inputs }
  }

  /// The counts of dropped records and packets, by reason.
  package var drops: Tally<DropReason> {
    get { scan.drops }
    _modify { yield &scan.drops }
  }

  /// Payload bytes that are not part of the block.
  ///
  /// In the batch they follow the block's bytes.
  package var extraBytes: [UInt8] { scan.extraBytes }

  /// Adds payload bytes that are not part of the block.
  ///
  /// - Returns: Their start in the batch, for ``AdvertisingReport/payloadStart``.
  package mutating func keep(_ bytes: some Collection<UInt8>) -> UInt32 { scan.keep(bytes) }

  /// Keeps the last bytes of a block that was decoded, from a position on.
  mutating func keepInFront(_ block: ArraySlice<UInt8>) {
    let excess = inFront.count + block.count - Self.keptInFront
    inFront.removeFirst(min(inFront.count, max(0, excess)))
    // `suffix` would be that of a sequence here, which looks at each byte.
    inFront += block[max(block.startIndex, block.endIndex - Self.keptInFront)...]
  }

  /// Forgets the bytes in front of the block, since another capture begins.
  mutating func forgetInFront() { inFront = [] }

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

  /// Returns the number of the receiver with a name; a new name gets the next number.
  package mutating func receiver(named name: String) -> UInt8 {
    if let index = receiverNames.firstIndex(of: name) { return UInt8(clamping: index) }
    guard receiverNames.count <= Int(UInt8.max) else {
      note("receivers beyond the 256th are shown as the 256th")
      return .max
    }
    receiverNames.append(name)
    return UInt8(clamping: receiverNames.count - 1)
  }

  /// Names each receiver up to a number like the Linux adapter with its number, unless it has a name.
  package mutating func nameReceivers(through receiver: UInt8) {
    while receiverNames.count <= Int(receiver) {
      receiverNames.append("hci\(receiverNames.count)".distinct(from: Set(receiverNames)))
    }
  }
}

extension String {
  /// The string up to a length, with a number at its end if others have it.
  func distinct(from others: Set<String>, upTo count: Int = .max) -> String {
    var (name, number) = (String(prefix(count)), 1)
    while others.contains(name) {
      number += 1
      let ending = "~\(number)"
      name = prefix(count - ending.count) + ending
    }
    return name
  }
}
