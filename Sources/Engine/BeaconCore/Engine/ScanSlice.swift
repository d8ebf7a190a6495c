// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

/// Consecutive inputs of a batch that were admitted, with their times, for a recording.
///
/// It shares the batch's memory. While a slice is kept, the source must allocate new memory for each batch.
package struct ScanSlice: Sendable {
  /// The batch as the source supplied it.
  package let batch: ScanBatch
  /// The range of its inputs that were admitted.
  package let range: Range<Int>
  /// The admission time of each of these inputs.
  package let admitted: [Timestamp]
  /// The time that the source had reached; `nil` if the batch continues or its inputs already show that time.
  package let upTo: Timestamp?

  /// Creates a slice.
  package init(batch: ScanBatch, range: Range<Int>, admitted: [Timestamp], upTo: Timestamp?) {
    self.batch = batch
    self.range = range
    self.admitted = admitted
    self.upTo = upTo
  }

  /// Returns the inputs as a separate batch; they are copied only if they are not the whole batch.
  package var piece: ScanBatch {
    var piece = batch
    piece.upTo = upTo
    if range != batch.inputs.indices { piece.inputs = Array(batch.inputs[range]) }
    return piece
  }
}

/// A user action with its time.
package struct TimedUserAction: Sendable, Hashable {
  /// The time on the timeline.
  package var time: Timestamp
  /// The client concerned; `nil` concerns every client.
  package var client: ClientID?
  /// The action.
  package var action: UserAction

  /// Creates a timed action.
  package init(time: Timestamp, client: ClientID?, action: UserAction) {
    self.time = time
    self.client = client
    self.action = action
  }
}
