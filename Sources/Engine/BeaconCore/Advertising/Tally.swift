// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

/// How often each of a closed set of reasons occurred.
///
/// Counting is an array access, and the counts are in the order in which the reasons are declared, not in that of a
/// hash.
public struct Tally<Reason: CountedReason>: Sendable, Equatable {
  private var counts: [Int]

  /// Creates an empty tally.
  public init() {
    counts = Array(repeating: 0, count: Reason.allCases.count)
  }

  /// Counts a reason once more, or several times at a time.
  public mutating func count(_ reason: Reason, times: Int = 1) {
    counts[reason.rawValue] &+= times
  }

  /// How often a reason occurred.
  public subscript(reason: Reason) -> Int { counts[reason.rawValue] }

  /// How often anything occurred.
  public var total: Int { counts.reduce(0, &+) }

  /// The reasons that occurred with their counts, in the order they are declared.
  public var occurred: [(reason: Reason, count: Int)] {
    zip(Reason.allCases, counts).filter { $0.1 > 0 }.map { (reason: $0.0, count: $0.1) }
  }

  /// Adds another tally's counts to this one.
  public mutating func add(_ other: Tally) {
    for index in counts.indices { counts[index] &+= other.counts[index] }
  }
}
