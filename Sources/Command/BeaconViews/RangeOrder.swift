// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

internal import BeaconCore

/// The orders of rows.
package enum RangeOrder: String, Sendable, CaseIterable {
  /// Nearest first, unknown last.
  case distance
  /// Strongest first.
  case signal
  /// By UUID, major and minor.
  case name
  /// Most reports first.
  case rate
  /// Last received first.
  case age

  /// The next order; after the last, the first.
  package var next: RangeOrder {
    let all = RangeOrder.allCases
    let index = all.firstIndex(of: self) ?? 0
    return all[(index + 1) % all.count]
  }

  /// Returns whether a row stands before another; of equal rows, the one that was received first.
  func puts(_ row: RangeRow, before other: RangeRow) -> Bool {
    let (one, two) = (rank(of: row), rank(of: other))
    if one != two { return one < two }
    if row.key.identity != other.key.identity { return row.key.identity < other.key.identity }
    return row.beacon.firstReceivedOrder < other.beacon.firstReceivedOrder
  }

  private func rank(of row: RangeRow) -> Double {
    switch self {
    case .distance:
      row.beacon.proximity == .unknown
        ? .infinity : row.beacon.distance?.meters ?? .greatestFiniteMagnitude
    case .signal: -(row.lastStrength ?? -.greatestFiniteMagnitude)
    case .name: 0
    case .rate: -row.rate
    case .age: -Double(row.beacon.lastReceived.microseconds)
    }
  }
}
