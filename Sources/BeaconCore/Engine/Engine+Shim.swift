// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

extension Engine {
  /// Processes a batch from an index on, for the loops that do not use the driver yet.
  public mutating func hear(
    _ batch: borrowing ScanBatch,
    from index: Int = 0,
    into out: inout [Delivery]
  ) -> Int? {
    if let next = process(batch, in: index..<max(index, batch.inputs.count), into: &out) {
      return next
    }
    guard let upTo = batch.upTo, reach(upTo, into: &out) else { return nil }
    return batch.inputs.count
  }

  /// Performs a user action, for the loops that do not use the driver yet.
  public mutating func user(
    _ input: UserAction,
    of client: ClientID?,
    at time: Timestamp,
    into out: inout [Delivery]
  ) {
    perform(input, by: client, at: time, into: &out)
  }
}
