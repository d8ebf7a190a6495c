// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

/// When receivers listened: for how long a beacon was absent, and whether they listen in turns (row G27).
///
/// A host that scans for 5 s of each 15 s is silent too often for learning from its gaps. If it listened between two reports for
/// longer than any exit time, the beacon still rested or was away.
struct ListenedTime: Sendable {
  /// How many pauses are remembered, at least half of them: with turns of half a second, twice the longest exit time that is
  /// learned.
  private static let limit = 256
  /// So many turns in succession are a habit, and are reported.
  private static let habit = 5
  /// A longer turn, or a longer pause, is a user's, not a program's.
  private static let longest = TimeSpan.seconds(600)

  /// The time since which receivers have listened without a break; a beacon's gap that started earlier is no evidence
  /// about the beacon.
  private(set) var since: Timestamp
  /// The last pauses, in the order of time.
  private var pauses: [Range<Timestamp>] = []
  /// Since when no receiver listens; `nil` while one does.
  private var lostSince: Timestamp?
  /// When receivers started to listen after the last loss.
  private var turnStart: Timestamp
  private var turns = 0
  /// Whether a receiver reported although none listened.
  private var hasContradiction = false
  /// How long they listened and paused in these turns.
  private var sums = (listened: TimeSpan.zero, paused: TimeSpan.zero)

  init(startingAt start: Timestamp) {
    (since, turnStart) = (start, start)
  }

  /// Processes that no receiver listens any more, or another reason for it.
  mutating func lost(at time: Timestamp) {
    since = time
    if lostSince == nil { lostSince = time }
  }

  /// Processes that a receiver listens again.
  ///
  /// - Returns: A diagnostic, once, if receivers listen in turns.
  mutating func regained(at time: Timestamp) -> Diagnostic? {
    since = time
    guard let start = lostSince else { return nil }
    lostSince = nil
    add(start, time)
    let (turn, pause) = (start - turnStart, time - start)
    turnStart = time
    guard turns <= Self.habit else { return nil }
    if turn > Self.longest || pause > Self.longest { (turns, sums) = (0, (.zero, .zero)) }
    guard turn > .zero, turn <= Self.longest, pause <= Self.longest else { return nil }
    turns += 1
    sums = (sums.listened + turn, sums.paused + pause)
    guard turns == Self.habit else { return nil }
    turns += 1
    let part = Int64(Self.habit)
    return .listensInTurns(
      TimeSpan(microseconds: sums.listened.microseconds / part),
      of: TimeSpan(microseconds: (sums.listened + sums.paused).microseconds / part)
    )
  }

  /// Processes that a receiver reports although none listens.
  ///
  /// - Returns: Whether this is the first report that is too late to be one that waited somewhere.
  mutating func isContradicted(at time: Timestamp) -> Bool {
    guard !hasContradiction, time - since > ScanWatch.stragglers else { return false }
    hasContradiction = true
    return true
  }

  /// Processes a gap.
  mutating func stoodStill(from start: Timestamp, to end: Timestamp) {
    since = end
    if lostSince == nil { add(start, end) }
  }

  private mutating func add(_ start: Timestamp, _ end: Timestamp) {
    guard start < end else { return }
    if pauses.count >= Self.limit { pauses.removeFirst(Self.limit / 2) }
    pauses.append(start..<end)
  }

  /// How long receivers listened between two reports of a beacon with a pause between them; `nil` if that is not known.
  func listened(from last: Timestamp, to time: Timestamp) -> TimeSpan? {
    guard lostSince == nil, let first = pauses.first,
      first.lowerBound <= last || pauses.count < Self.limit / 2
    else { return nil }
    let since = pauses.lastIndex { $0.upperBound <= last }.map { $0 + 1 } ?? 0
    return pauses[since...].reduce(time - last) { rest, pause in
      rest - (pause.upperBound - max(pause.lowerBound, last))
    }
  }
}
