// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

internal import BeaconCore

/// Chooses one of several options by probability, without switching back and forth: it chooses another option only
/// after that has been more probable, by a margin, for a while.
struct Choice: Sendable {
  /// The conditions for choosing another option.
  struct Rule: Sendable {
    /// The least probability of another option.
    var confidence: Double
    /// The least probability of the first option, when none is chosen; `nil` for that of another one.
    var first: Double?
    /// How many times more probable another option must be than the chosen one.
    var margin: Double
    /// How long these conditions must hold.
    var dwell: TimeSpan
    /// The probability below which the chosen option is dropped even if no other replaces it; 0 for never.
    var floor: Double
    /// How many times more probable anything else must be than the chosen option for it to be dropped immediately; 0 for
    /// never.
    var behind = 0.0
  }

  private let rule: Rule
  /// The index of the chosen option.
  private(set) var chosen: Int?
  private var rival: (choice: Int?, since: Timestamp)?

  init(_ rule: Rule) {
    self.rule = rule
  }

  /// Resets the choice.
  mutating func forget() {
    chosen = nil
    rival = nil
  }

  /// Updates the choice with the current probabilities.
  ///
  /// - Returns: Whether the choice changed.
  mutating func weigh(_ shares: [Double], at time: Timestamp) -> Bool {
    guard isFarBehind(shares) else { return change(shares, at: time) }
    chosen = nil
    _ = change(shares, at: time)
    return true
  }

  private mutating func change(_ shares: [Double], at time: Timestamp) -> Bool {
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

  /// Returns whether another option, or none, is so much more probable than the chosen one that it cannot stay.
  private func isFarBehind(_ shares: [Double]) -> Bool {
    guard rule.behind > 0, let chosen else { return false }
    let own = shares[safe: chosen] ?? 0
    let none = 1 - shares.reduce(0, +)
    let best = shares.indices.reduce(none) { $1 == chosen ? $0 : max($0, shares[$1]) }
    return best >= rule.behind * own
  }

  /// A possible change of the choice; `nil` stands for no option.
  private struct Change {
    var choice: Int?
  }

  /// Returns the change that the probabilities suggest; `nil` if the choice stays.
  private func wanted(_ shares: [Double]) -> Change? {
    let own = chosen.map { shares[safe: $0] ?? 0 } ?? 0
    let best = shares.indices.max { shares[$0] < shares[$1] }
    let least = chosen == nil ? rule.first ?? rule.confidence : rule.confidence
    if let best, best != chosen, shares[best] >= least, shares[best] >= own * rule.margin {
      return Change(choice: best)
    }
    if chosen != nil, own < rule.floor { return Change(choice: nil) }
    return nil
  }
}
