// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

/// Finds the name that someone most likely meant, for messages about a mistyped one.
///
/// The command line and every JSON5 file share it, so that a slip is answered alike everywhere.
package enum NearestName {
  /// Names longer than this are not compared: no name of ours is, and the work grows with the square.
  static let longestCompared = 64

  /// Returns the candidate with the fewest slips from a name, the first of equals.
  ///
  /// A slip is a letter more, fewer, other or swapped with its neighbor; case does not count. One slip in three letters
  /// is taken for a typing mistake, more for another word, which is not guessed at.
  ///
  /// - Returns: The nearest candidate, or `nil` when none is near.
  package static func find(_ name: String, in candidates: some Sequence<String>) -> String? {
    let wanted = folded(name)
    guard !wanted.isEmpty, wanted.count <= longestCompared else { return nil }
    var best: (name: String, slips: Int)?
    for candidate in candidates {
      let letters = folded(candidate)
      guard !letters.isEmpty, letters.count <= longestCompared else { continue }
      let slips = distance(wanted, letters)
      let allowed = max(1, max(wanted.count, letters.count) / 3)
      // One letter alone is near every other letter.
      guard slips <= allowed, slips < max(wanted.count, letters.count) else { continue }
      if slips < best?.slips ?? .max { best = (candidate, slips) }
    }
    return best?.name
  }

  /// Returns `; did you mean 'NAME'?` with the nearest candidate, or nothing when none is near.
  package static func hint(for name: String, in candidates: some Sequence<String>) -> String {
    guard let nearest = find(name, in: candidates) else { return "" }
    return "; did you mean '\(nearest)'?"
  }

  /// Returns the number of slips between two words, a swap of neighbors counting once.
  static func distance(_ first: [UInt32], _ second: [UInt32]) -> Int {
    if first.isEmpty || second.isEmpty { return max(first.count, second.count) }
    var beforeLast = [Int](repeating: 0, count: second.count + 1)
    var last = Array(0...second.count)
    var row = last
    for i in 1...first.count {
      row[0] = i
      for j in 1...second.count {
        let same = first[i - 1] == second[j - 1]
        var slips = min(last[j] + 1, row[j - 1] + 1, last[j - 1] + (same ? 0 : 1))
        if i > 1, j > 1, first[i - 1] == second[j - 2], first[i - 2] == second[j - 1] {
          slips = min(slips, beforeLast[j - 2] + 1)
        }
        row[j] = slips
      }
      (beforeLast, last, row) = (last, row, beforeLast)
    }
    return last[second.count]
  }

  /// The letters of a name with ASCII capitals made small.
  private static func folded(_ name: String) -> [UInt32] {
    name.unicodeScalars.prefix(longestCompared + 1).map { scalar in
      (0x41...0x5A).contains(scalar.value) ? scalar.value + 0x20 : scalar.value
    }
  }
}
