// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

internal import BeaconFormats

/// The formats that events can be written in.
package enum OutputFormat: String, Sendable, CaseIterable {
  /// Rows for a user.
  case table
  /// One JSON array.
  case json
  /// One JSON object a line.
  case jsonl
  /// Comma-separated values.
  case csv
  /// Nothing: all the work is done, without output.
  case none

  /// Makes what turns deliveries into bytes of the format.
  ///
  /// - Parameters:
  ///   - names: What numbers are called.
  ///   - kind: Which events a table of values holds.
  ///   - style: How a table for people is set off.
  /// - Returns: The formatter; `nil` if nothing is written.
  func formatter(
    _ names: EventNames,
    _ kind: EventCSVWriter.Kind,
    _ style: TextStyle
  ) -> (any EventFormatter)? {
    switch self {
    case .table: TableFormatter(names, style: style, kind: kind)
    case .json: JSONArrayFormatter(names)
    case .jsonl: EventLineWriter(names)
    case .csv: EventCSVWriter(kind, names)
    case .none: nil
    }
  }
}
