// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

/// The adapters to scan with.
public enum AdapterSelection: Sendable, Equatable {
  /// Every adapter, including those plugged in later.
  case all
  /// One adapter, by its name such as `hci0` or by its address. When it is plugged in again, its address identifies it.
  case named(String)

  /// Whether an adapter is selected.
  func includes(name: String, address: String) -> Bool {
    switch self {
    case .all: true
    case .named(let wanted):
      wanted.lowercased() == name.lowercased() || wanted.uppercased() == address.uppercased()
    }
  }

  /// Returns the candidate with the fewest different letters; of several, the first.
  static func nearest(to name: String, among candidates: [String]) -> String? {
    candidates.map { ($0, distance(Array(name.lowercased()), Array($0.lowercased()))) }
      .min { $0.1 < $1.1 }?.0
  }

  /// Returns how many letters must be inserted, deleted or changed (Levenshtein distance).
  private static func distance(_ from: [Character], _ to: [Character]) -> Int {
    var row = Array(0...to.count)
    for (index, letter) in from.enumerated() {
      var diagonal = row[0]
      row[0] = index + 1
      for column in to.indices {
        let changed = diagonal + (letter == to[column] ? 0 : 1)
        diagonal = row[column + 1]
        row[column + 1] = min(changed, row[column] + 1, diagonal + 1)
      }
    }
    return row[to.count]
  }
}
