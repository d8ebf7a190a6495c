// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

internal import BeaconCore

/// How much of the service a program may use; what exceeds a quota is answered with `LimitExceeded`.
package struct ServiceQuotas: Sendable {
  /// Sessions of a connection: a program needs one.
  package var sessionsOfPeer = 8
  /// Sessions of an account: one for each of many programs.
  package var sessionsOfAccount = 64
  /// Sessions in all; each costs a stream of a quarter of a megabyte at most.
  package var sessions = 256
  /// Clients of an account, with their files: labels are free, so that they must be few.
  package var clientsOfAccount = 64
  /// Clients in all.
  package var clients = 1024
  /// Regions of a client (Core Location's).
  package var regions = 20
  /// Constraints that a session ranges.
  package var constraints = 64
  /// Streams of a session: one, and one more while it is opened again.
  package var streams = 2
  /// What an account's programs may ask of the engine before it is done: two programs start with 84 requests each.
  package var openRequestsOfAccount = 512
  /// Agents of an account, and in all.
  package var agentsOfAccount = 4
  /// Agents in all.
  package var agents = 32
  /// The longest identifier of a region, in bytes.
  package var regionBytes = 255
  /// The longest text of a manifest, in bytes.
  package var textBytes = 1024

  /// Creates the default quotas.
  package init() {}
}

/// How many calls a program may make, and how much may be sent to it that it is not known to have read.
///
/// What the bus holds for a program that does not read counts as the sender's: enough of it and the bus takes nothing
/// more from the service, for anybody. Answers count like signals, since a program can call without reading. So the
/// service finds out whether such a program reads, and sends nothing more until it does. Signals of one time are sent all
/// or not at all: a tick with many constraints is no reason to call its program stalled.
package struct PeerBudget: Sendable {
  /// Calls at once, and calls a second in the long run.
  static let burst = 200.0
  static let callsPerSecond = 50.0
  /// How many bytes are sent to a program that is not known to read: 256 connections of an account are a quarter of
  /// what the bus holds (133,169,152 bytes).
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

  /// Brings the budget to a time; where the bus says nothing of what it holds, unread bytes are forgotten.
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

  /// Returns whether a message may be sent now, where this much is unread by all programs together.
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
