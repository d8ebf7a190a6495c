// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

/// Finds the name that a user most likely meant, for messages about a mistyped name.
///
/// The command line and every JSON5 file use it, so that every message gives the same suggestion.
package enum NearestName {
  /// Longer names are not compared: no known name is this long, and the work grows with the square of the length.
  static let longestCompared = 64

  /// Returns the candidate that differs from a name by the fewest mistakes, the first among equals.
  ///
  /// A mistake is one letter inserted, deleted, replaced or swapped with its neighbor; case does not count. Up to one
  /// mistake in three letters counts as a typing mistake; with more, it is another word and not suggested.
  ///
  /// - Returns: The nearest candidate; `nil` when none is near.
  package static func find(_ name: String, in candidates: some Sequence<String>) -> String? {
    let wanted = folded(name)
    guard !wanted.isEmpty, wanted.count <= longestCompared else { return nil }
    var best: (name: String, edits: Int)?
    for candidate in candidates {
      let letters = folded(candidate)
      guard !letters.isEmpty, letters.count <= longestCompared else { continue }
      let edits = distance(wanted, letters)
      let allowed = max(1, max(wanted.count, letters.count) / 3)
      // A single letter would be near every other letter.
      guard edits <= allowed, edits < max(wanted.count, letters.count) else { continue }
      if edits < best?.edits ?? .max { best = (candidate, edits) }
    }
    return best?.name
  }

  /// Returns `; did you mean 'NAME'?` with the nearest candidate; an empty text when none is near.
  package static func hint(for name: String, in candidates: some Sequence<String>) -> String {
    guard let nearest = find(name, in: candidates) else { return "" }
    return "; did you mean '\(nearest)'?"
  }

  /// Returns the number of mistakes between two words; a swap of neighbors counts once.
  static func distance(_ first: [UInt32], _ second: [UInt32]) -> Int {
    if first.isEmpty || second.isEmpty { return max(first.count, second.count) }
    var beforeLast = [Int](repeating: 0, count: second.count + 1)
    var last = Array(0...second.count)
    var row = last
    for i in 1...first.count {
      row[0] = i
      for j in 1...second.count {
        let same = first[i - 1] == second[j - 1]
        var edits = min(last[j] + 1, row[j - 1] + 1, last[j - 1] + (same ? 0 : 1))
        if i > 1, j > 1, first[i - 1] == second[j - 2], first[i - 2] == second[j - 1] {
          edits = min(edits, beforeLast[j - 2] + 1)
        }
        row[j] = edits
      }
      (beforeLast, last, row) = (last, row, beforeLast)
    }
    return last[second.count]
  }

  /// The letters of a name with ASCII capitals in lower case.
  private static func folded(_ name: String) -> [UInt32] {
    name.unicodeScalars.prefix(longestCompared + 1).map { scalar in
      (0x41...0x5A).contains(scalar.value) ? scalar.value + 0x20 : scalar.value
    }
  }
}
