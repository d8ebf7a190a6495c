// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

/// The formats that events can be written in.
package enum OutputFormat: String, Sendable, CaseIterable {
  /// Rows for a person.
  case table
  /// One JSON array.
  case json
  /// One JSON object a line.
  case jsonl
  /// Comma-separated values.
  case csv
  /// Nothing: all the work is done and none is shown.
  case none
}
