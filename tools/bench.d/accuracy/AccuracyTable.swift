// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

import BeaconCore
import Foundation

/// The table: a row for each measure, a column for each filter.
struct AccuracyTable {
  private(set) var columns: [String] = []
  private(set) var rows: [(label: String, cells: [String])] = []

  init(columns: [String]) { self.columns = columns }

  mutating func heading(_ label: String) { rows.append((label, [])) }

  mutating func row(_ label: String, digits: Int = 1, _ values: [Double?]) {
    rows.append((label, values.map { Self.text($0, digits: digits) }))
  }

  mutating func row(_ label: String, texts: [String]) { rows.append((label, texts)) }

  static func text(_ value: Double?, digits: Int) -> String {
    guard let value, !value.isNaN else { return "-" }
    return value.isInfinite ? "never" : String(format: "%.\(digits)f", value)
  }

  var text: String {
    let first = (rows.map(\.label.count).max() ?? 0) + 2
    let width = (columns.map(\.count).max() ?? 0) + 2
    func padded(_ text: String, _ width: Int) -> String {
      String(repeating: " ", count: max(0, width - text.count)) + text
    }
    var lines = [String(repeating: " ", count: first) + columns.map { padded($0, width) }.joined()]
    for row in rows {
      if row.cells.isEmpty {
        lines += ["", row.label]
      } else {
        let label = row.label + String(repeating: " ", count: first - row.label.count)
        lines.append(label + row.cells.map { padded($0, width) }.joined())
      }
    }
    return lines.joined(separator: "\n")
  }
}
