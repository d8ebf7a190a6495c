// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

/// How often each of a closed set of reasons occurred.
///
/// Counting is an array access, and the counts come out in the order the reasons are declared, never in that of a hash.
public struct Tally<Reason: CaseIterable & Hashable & Sendable>: Sendable, Equatable
where Reason: RawRepresentable, Reason.RawValue == String {
  private var counts: [Int]

  /// Creates a tally of nothing.
  public init() {
    counts = Array(repeating: 0, count: Reason.allCases.count)
  }

  /// Counts a reason once more, or several times at once.
  public mutating func count(_ reason: Reason, times: Int = 1) {
    counts[Self.ordinal(of: reason)] &+= times
  }

  /// How often a reason occurred.
  public subscript(reason: Reason) -> Int { counts[Self.ordinal(of: reason)] }

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

  // Reasons are few and occur seldom, so a walk over them beats a table to keep.
  private static func ordinal(of reason: Reason) -> Int {
    var ordinal = 0
    for candidate in Reason.allCases {
      if candidate == reason { return ordinal }
      ordinal += 1
    }
    return ordinal
  }
}
