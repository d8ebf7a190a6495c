// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

/// A pure source of scan batches: a capture, the simulator, a timeline as text.
package protocol ScanReader {
  /// Returns the next batch; `nil` at the end.
  ///
  /// - Throws: The error because of which the reader cannot continue. Earlier inputs have been returned.
  mutating func next() throws -> ScanBatch?
}
