// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

/// Inputs of a batch that were admitted one after another, with their times: what a recording is made of.
///
/// It shares the batch's memory. Whoever keeps it makes the source allocate that memory for each batch.
public struct ScanSlice: Sendable {
  /// The batch as the source gave it.
  public let batch: ScanBatch
  /// Which of its inputs were admitted.
  public let range: Range<Int>
  /// When each of these was admitted.
  public let admitted: [Timestamp]
  /// The time that the source had reached; `nil` where the batch goes on, or where its inputs say all.
  public let upTo: Timestamp?

  /// Creates a slice.
  public init(batch: ScanBatch, range: Range<Int>, admitted: [Timestamp], upTo: Timestamp?) {
    self.batch = batch
    self.range = range
    self.admitted = admitted
    self.upTo = upTo
  }

  /// The inputs as a batch of their own; copied only where they are not all of their batch.
  public var piece: ScanBatch {
    var piece = batch
    piece.upTo = upTo
    if range != batch.inputs.indices { piece.inputs = Array(batch.inputs[range]) }
    return piece
  }
}

/// What a user did, and when.
public struct TimedUserAction: Sendable, Hashable {
  /// When, on the timeline.
  public var time: Timestamp
  /// The client concerned; `nil` concerns every client.
  public var client: ClientID?
  /// What was done.
  public var action: UserAction

  /// Creates a timed action.
  public init(time: Timestamp, client: ClientID?, action: UserAction) {
    self.time = time
    self.client = client
    self.action = action
  }
}
