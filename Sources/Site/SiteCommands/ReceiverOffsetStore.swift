// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

internal import BeaconSites
internal import Beacons
internal import SystemKit

/// The learned offsets of a model's receivers, in the store of the account that receives them.
///
/// A survey that replaces the model starts without offsets. A store that cannot be read or written costs some minutes of
/// learning, so no user is warned of it.
struct ReceiverOffsetStore: Sendable {
  private let model: String
  private let store: ClientStore
  private let writer = CoalescingWriter("beacons.offsets")

  init(_ model: SiteModel, _ store: ClientStore) {
    self.model = Checksum.text(SiteModelFile.bytes(of: model))
    self.store = store
  }

  /// The offsets that an earlier run learned.
  func read() -> [String: Int] { store.receiverOffsets(ofModel: model) }

  /// Keeps offsets; the disk may take long, which holds up no delivery.
  func keep(_ offsets: [String: Int]) {
    writer.schedule { [store, model] in try? store.keep(receiverOffsets: offsets, ofModel: model) }
  }

  /// Waits until everything kept before is on the disk, or writing it has failed.
  func wait() { writer.wait {} }
}

/// The offsets that a run starts with: live those that are kept, in a replay those of its recordings' headers.
struct StartingOffsets: Sendable {
  private let kept: [String: Int]?
  private let captures: CaptureSource?

  /// Reads those that are kept once, so that a recording has those that its run starts with.
  init(_ store: ReceiverOffsetStore, of source: any ScanSource) {
    kept = source.isLive ? store.read() : nil
    captures = source as? CaptureSource
  }

  /// The offsets, once the first inputs were read.
  var values: [String: Int] { kept ?? SiteFiles.offsets(of: captures) }
}
