// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

internal import BeaconCore

/// The budgets of all programs, and the common use of each account's programs.
///
/// A program has a budget from its first call or message on, until it left the bus or is not served. An account may have
/// hundreds of programs, so that it has a share, which leaves something to every other one.
package struct PeerBudgets: Sendable {
  /// Calls of all accounts together, and a second in the long run: each account that calls has an equal part of them.
  ///
  /// If one account calls, it may start as many programs as it may have sessions.
  static let burst = 4000.0
  static let callsPerSecond = 2000.0
  /// How often the parts of accounts are computed, in seconds.
  private static let recoveryInterval = 0.05
  /// How many bytes all programs together may leave unread before each is sent only ``PeerBudget/least`` more.
  static let unreadLimit = 48 << 20
  /// An account may use one part in so many of the rest that the others leave: ten greedy accounts leave the next one more
  /// than a program may leave unread.
  static let partsOfUnread = 5

  /// The common use of an account's programs.
  private struct Account {
    /// The bytes beyond ``PeerBudget/least`` of each program.
    var excess = 0
    /// Its calls, less those that its part of the time since allowed.
    var calls = 0.0
  }

  /// How many bytes all programs together are not known to have read, and those beyond what each may leave in any case.
  package private(set) var unread = 0
  private var excess = 0
  /// Whether the bus does not report its contents for a program.
  package var onlySignsOfLife = false
  private var budgets: [String: PeerBudget] = [:]
  /// By number; those of programs that are not identified yet count as one.
  private var accounts: [UInt32?: Account] = [:]
  /// How many accounts have calls that count.
  private var callers = 0
  /// The latest time that was given, and that of the last recovery, in seconds.
  private var latest = 0.0
  private var recovered = 0.0
  /// Programs to which something was to be sent since it was last looked at whether they read.
  private var questionable: Set<String> = []

  /// How many programs have a budget.
  package var count: Int { budgets.count }

  /// Brings the counts to a time.
  mutating func pass(to now: Double) {
    latest = max(latest, now)
    let elapsed = latest - recovered
    guard elapsed >= Self.recoveryInterval else { return }
    recovered = latest
    let allowed = elapsed * Self.callsPerSecond / Double(max(1, callers))
    for number in accounts.keys { accounts[number]?.calls.recover(allowed) }
    accounts = accounts.filter { $0.value.calls > 0 || $0.value.excess > 0 }
    callers = accounts.values.count { $0.calls > 0 }
  }

  /// Notes a program's account; its use so far is the account's.
  mutating func identify(_ peer: String, uid: UInt32) {
    var budget = budgets[peer] ?? PeerBudget()
    guard budget.account != uid else { return }
    accounts[budget.account]?.excess -= budget.excess
    budget.account = uid
    budgets[peer] = budget
    accounts[uid, default: Account()].excess += budget.excess
    charge(budget.used, to: uid)
  }

  /// Returns whether a call of a program may be handled, and counts it.
  mutating func call(of peer: String) -> Bool {
    guard let account = budgets[peer]?.account else {
      // Few calls of a program wait for its identification.
      return budgets[peer, default: PeerBudget()].call()
    }
    let own = accounts[account]?.calls ?? 0
    guard own + 1 <= Self.burst / Double(max(1, callers + (own > 0 ? 0 : 1))),
      budgets[peer]?.call() == true
    else { return false }
    charge(1, to: account)
    return true
  }

  private mutating func charge(_ calls: Double, to account: UInt32) {
    guard calls > 0 else { return }
    let before = accounts[account]?.calls ?? 0
    accounts[account, default: Account()].calls = before + calls
    if before == 0 { callers += 1 }
  }

  /// Returns whether a message may be sent to a program.
  package mutating func maySend(to peer: String) -> Bool {
    let isFull = isFull(accountOf: peer)
    return changePresent(peer) { $0.maySend(isFull) }
  }

  /// Counts a signal about a time on the timeline; returns whether it may be sent.
  mutating func signals(_ bytes: Int, of time: Timestamp, to peer: String) -> Bool {
    let isFull = isFull(accountOf: peer)
    return changePresent(peer) { $0.signal(bytes, of: time, isFull) }
  }

  /// Whether the programs of an account leave as much unread as they may together.
  private func isFull(accountOf peer: String) -> Bool {
    let own = accounts[budgets[peer]?.account]?.excess ?? 0
    return own * Self.partsOfUnread >= Self.unreadLimit - (excess - own)
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
    guard let budget = budgets.removeValue(forKey: peer) else { return }
    unread -= budget.unread
    excess -= budget.excess
    accounts[budget.account]?.excess -= budget.excess
  }

  /// Returns the programs of which the service finds out now whether they read, in order, and notes that it does.
  mutating func drainQuestions() -> [String] {
    defer { questionable = [] }
    return questionable.sorted().filter { peer in
      let isFull = isFull(accountOf: peer)
      return budgets[peer]?.asks(at: latest, isFull) == true
    }
  }

  /// Notes that too many of an account's programs are asked now: a program is asked with the next message to it.
  package mutating func asksLater(_ peer: String) { budgets[peer]?.asksLater() }

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
    var budget = budgets[peer] ?? PeerBudget()
    let before = (unread: budget.unread, excess: budget.excess)
    let result = body(&budget)
    budgets[peer] = budget
    unread += budget.unread - before.unread
    excess += budget.excess - before.excess
    accounts[budget.account, default: Account()].excess += budget.excess - before.excess
    return result
  }
}

extension Double {
  fileprivate mutating func recover(_ amount: Double) { self = max(0, self - amount) }
}

/// How many calls a program may make, and how much may be sent to it that it is not known to have read.
///
/// The unread bytes of a program count as the sender's: with enough of them the bus accepts nothing
/// more from the service, for any program. Answers count like signals, since a program can call without reading. So the
/// service finds out whether such a program reads, and sends nothing more until it does. Signals of one time are sent all
/// or not at all, unless they are more than its account's part: a tick with many constraints is not a reason to call its program stalled.
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
  ///
  /// Once its account has its part, they have at most ``unread`` bytes.
  static let mostAtOnce = 1024
  /// After how many unread bytes the service finds out, and how soon again, in seconds.
  static let questionAfter = 16 << 10
  static let questionInterval = 5.0
  /// How many bytes are sent to each program, although its account leaves too much unread.
  static let least = 4 << 10
  /// How many unread bytes are forgotten in a second where only a sign of life shows that a program reads: one that
  /// only calls, and waits for each answer, reads and gives none.
  static let forgottenPerSecond = 256.0

  /// Its account; `nil` before it is identified.
  var account: UInt32?
  private var calls = burst
  private var time: Double?
  private var asked: (at: Double, bytes: Int)?
  /// The time of the last signal on the timeline, its signals and their bytes, and whether they are sent.
  private var instant: (time: Timestamp, signals: Int, bytes: Int, isSent: Bool)?
  /// The most bytes that one time had since the program was last known to read.
  private var largest = 0
  /// How many bytes the program is not known to have read.
  private(set) var unread = 0
  /// Those beyond ``least``.
  var excess: Int { max(0, unread - Self.least) }
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

  /// How many calls count at the moment.
  var used: Double { Self.burst - calls }

  /// Returns whether a message may be sent now, by whether the program's account leaves as much unread as it may.
  func maySend(_ isAccountFull: Bool) -> Bool {
    unread < (isAccountFull ? Self.least : max(Self.unread, Self.unreadTimes * largest))
  }

  /// Counts a signal about a time on the timeline; returns whether it may be sent.
  mutating func signal(_ bytes: Int, of time: Timestamp, _ isAccountFull: Bool) -> Bool {
    var current = instant ?? (time, 0, 0, true)
    if instant?.time != time { current = (time, 0, 0, maySend(isAccountFull)) }
    current.signals += 1
    current.bytes += bytes
    instant = current
    guard current.isSent, current.signals <= Self.mostAtOnce,
      !isAccountFull || current.bytes <= Self.unread
    else {
      missed += 1
      return false
    }
    largest = max(largest, current.bytes)
    unread += bytes
    return true
  }

  /// Returns whether to find out now if the program reads, and notes that this is done.
  mutating func asks(at now: Double, _ isAccountFull: Bool) -> Bool {
    guard unread >= Self.questionAfter || !maySend(isAccountFull),
      asked.map({ now - $0.at >= Self.questionInterval }) ?? true
    else { return false }
    asked = (now, unread)
    return true
  }

  /// Notes that the service did not begin to find out.
  mutating func asksLater() { asked = nil }

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
