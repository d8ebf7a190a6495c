// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

/// A pure source of batches: a capture, the simulator, a timeline written as text.
public protocol ScanReader {
  /// Returns the next batch, or `nil` when there is no more.
  mutating func next() throws -> ScanBatch?
}
