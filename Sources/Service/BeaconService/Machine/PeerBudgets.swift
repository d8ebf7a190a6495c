// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

internal import BeaconCore

/// The budgets of all programs, and what all of them together are not known to have read.
///
/// A program has a budget from its first call or message on, until it left the bus or is not served.
package struct PeerBudgets: Sendable {
  /// How many bytes all programs together are not known to have read.
  package private(set) var unread = 0
  /// Whether the bus does not report its contents for a program.
  package var onlySignsOfLife = false
  private var budgets: [String: PeerBudget] = [:]
  /// The latest time that was given, in seconds.
  private var latest = 0.0
  /// Programs to which something was to be sent since it was last looked at whether they read.
  private var questionable: Set<String> = []

  /// How many programs have a budget.
  package var count: Int { budgets.count }

  /// Brings the counts to a time.
  mutating func pass(to now: Double) { latest = max(latest, now) }

  /// Returns whether a call of a program may be handled, and counts it.
  mutating func call(of peer: String) -> Bool { budgets[peer, default: PeerBudget()].call() }

  /// Returns whether a message may be sent to a program.
  package mutating func maySend(to peer: String) -> Bool {
    let all = unread
    return changePresent(peer) { $0.maySend(ofAll: all) }
  }

  /// Counts a signal about a time on the timeline; returns whether it may be sent.
  mutating func signals(_ bytes: Int, of time: Timestamp, to peer: String) -> Bool {
    let all = unread
    return changePresent(peer) { $0.signal(bytes, of: time, ofAll: all) }
  }

  /// Counts a message that was sent to a program.
  package mutating func sent(_ bytes: Int, to peer: String) {
    if budgets[peer] != nil { change(peer) { $0.sent(bytes) } }
  }

  /// Notes that a program reads; returns how many signals it was not sent before, `nil` if it has no budget.
  mutating func reads(_ peer: String) -> Int? {
    budgets[peer] == nil ? nil : change(peer) { $0.read() }
  }

  /// Forgets a program.
  mutating func forget(_ peer: String) {
    unread -= budgets.removeValue(forKey: peer)?.unread ?? 0
  }

  /// Returns the programs of which the service finds out now whether they read, in order, and notes that it does.
  mutating func drainQuestions() -> [String] {
    let (now, all) = (latest, unread)
    defer { questionable = [] }
    return questionable.sorted().filter { budgets[$0]?.asks(at: now, ofAll: all) == true }
  }

  /// Changes the budget of a program to which something is to be sent, as of the latest time.
  private mutating func changePresent<Result>(
    _ peer: String,
    _ body: (inout PeerBudget) -> Result
  ) -> Result {
    questionable.insert(peer)
    let (now, forgets) = (latest, onlySignsOfLife)
    return change(peer) { budget in
      budget.pass(to: now, forgets: forgets)
      return body(&budget)
    }
  }

  private mutating func change<Result>(
    _ peer: String,
    _ body: (inout PeerBudget) -> Result
  ) -> Result {
    let before = budgets[peer]?.unread ?? 0
    let result = body(&budgets[peer, default: PeerBudget()])
    unread += (budgets[peer]?.unread ?? 0) - before
    return result
  }
}

/// How many calls a program may make, and how much may be sent to it that it is not known to have read.
///
/// The unread bytes of a program count as the sender's: with enough of them the bus accepts nothing
/// more from the service, for any program. Answers count like signals, since a program can call without reading. So the
/// service finds out whether such a program reads, and sends nothing more until it does. Signals of one time are sent all
/// or not at all: a tick with many constraints is not a reason to call its program stalled.
struct PeerBudget: Sendable {
  /// Calls immediately, and calls a second in the long run.
  static let burst = 200.0
  static let callsPerSecond = 50.0
  /// How many bytes are sent to a program that is not known to read: 256 connections of an account are a quarter of
  /// the limit of the bus (133,169,152 bytes).
  static let unread = 128 << 10
  /// Where more than that comes at one time: for how many such times signals are sent to a program that is not known to
  /// read, as to one that is busy for some seconds.
  static let unreadTimes = 4
  /// The most signals of one time: more than all sessions of a program can get in a tick with all their constraints.
  static let mostAtOnce = 1024
  /// After how many unread bytes the service finds out, and how soon again, in seconds.
  static let questionAfter = 16 << 10
  static let questionInterval = 5.0
  /// How many bytes are sent to each program, although too much is held for all of them together.
  static let unreadOfAll = 48 << 20
  static let least = 4 << 10
  /// How many unread bytes are forgotten in a second where only a sign of life shows that a program reads: one that
  /// only calls, and waits for each answer, reads and gives none.
  static let forgottenPerSecond = 256.0

  private var calls = burst
  private var time: Double?
  private var asked: (at: Double, bytes: Int)?
  /// The time of the last signal on the timeline, its signals and their bytes, and whether they are sent.
  private var instant: (time: Timestamp, signals: Int, bytes: Int, isSent: Bool)?
  /// The most bytes that one time had since the program was last known to read.
  private var largest = 0
  /// How many bytes the program is not known to have read.
  private(set) var unread = 0
  /// How many signals were not sent.
  private(set) var missed = 0

  /// Brings the budget to a time; if the bus does not report its contents, unread bytes are forgotten.
  mutating func pass(to now: Double, forgets: Bool) {
    let elapsed = max(0, now - (time ?? now))
    time = now
    calls = min(Self.burst, calls + elapsed * Self.callsPerSecond)
    if forgets { unread = max(0, unread - Int(min(1e6, elapsed * Self.forgottenPerSecond))) }
  }

  /// Returns whether a call may be handled, and counts it.
  mutating func call() -> Bool {
    guard calls >= 1 else { return false }
    calls -= 1
    return true
  }

  /// Returns whether a message may be sent now, if this much is unread by all programs together.
  func maySend(ofAll: Int) -> Bool {
    unread < (ofAll < Self.unreadOfAll ? max(Self.unread, Self.unreadTimes * largest) : Self.least)
  }

  /// Counts a signal about a time on the timeline; returns whether it may be sent.
  mutating func signal(_ bytes: Int, of time: Timestamp, ofAll: Int) -> Bool {
    var current = instant ?? (time, 0, 0, true)
    if instant?.time != time { current = (time, 0, 0, maySend(ofAll: ofAll)) }
    current.signals += 1
    current.bytes += bytes
    instant = current
    guard current.isSent, current.signals <= Self.mostAtOnce else {
      missed += 1
      return false
    }
    largest = max(largest, current.bytes)
    unread += bytes
    return true
  }

  /// Returns whether to find out now if the program reads, and notes that this is done.
  mutating func asks(at now: Double, ofAll: Int) -> Bool {
    guard unread >= Self.questionAfter || !maySend(ofAll: ofAll),
      asked.map({ now - $0.at >= Self.questionInterval }) ?? true
    else { return false }
    asked = (now, unread)
    return true
  }

  /// Counts a message that was sent.
  mutating func sent(_ bytes: Int) { unread += bytes }

  /// Notes that the program has read what had been sent when the service began to find out; returns how many signals
  /// were not sent before.
  mutating func read() -> Int {
    unread = max(0, unread - (asked?.bytes ?? unread))
    (asked, largest, instant) = (nil, 0, nil)
    defer { missed = 0 }
    return missed
  }
}
