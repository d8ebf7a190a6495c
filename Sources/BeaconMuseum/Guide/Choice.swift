// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

internal import BeaconCore

/// Chooses one of several by how probable each is, and does not flap: another is chosen only once it has been more probable,
/// by a margin, for a while.
struct Choice: Sendable {
  /// When another is chosen.
  struct Rule: Sendable {
    /// How probable it must be.
    var confidence: Double
    /// How many times more probable than the one chosen.
    var margin: Double
    /// For how long.
    var dwell: TimeSpan
    /// Below what probability the one chosen is given up, even if no other takes its place; 0 for never.
    var floor: Double
  }

  private let rule: Rule
  /// The one chosen, by its place.
  private(set) var chosen: Int?
  private var rival: (choice: Int?, since: Timestamp)?

  init(_ rule: Rule) {
    self.rule = rule
  }

  /// Forgets everything.
  mutating func forget() {
    chosen = nil
    rival = nil
  }

  /// Takes in how probable each is now.
  ///
  /// - Returns: Whether the choice changed.
  mutating func weigh(_ shares: [Double], at time: Timestamp) -> Bool {
    guard let wanted = wanted(shares) else {
      rival = nil
      return false
    }
    if rival == nil || rival?.choice != wanted.choice { rival = (wanted.choice, time) }
    guard let rival, time - rival.since >= rule.dwell else { return false }
    chosen = rival.choice
    self.rival = nil
    return true
  }

  /// Another choice than the one made; `nil` is none.
  private struct Change {
    var choice: Int?
  }

  /// What would be chosen, if not what is; `nil` where it stays.
  private func wanted(_ shares: [Double]) -> Change? {
    let own = chosen.map { shares[safe: $0] ?? 0 } ?? 0
    let best = shares.indices.max { shares[$0] < shares[$1] }
    if let best, best != chosen, shares[best] >= rule.confidence, shares[best] >= own * rule.margin
    {
      return Change(choice: best)
    }
    if chosen != nil, own < rule.floor { return Change(choice: nil) }
    return nil
  }
}
