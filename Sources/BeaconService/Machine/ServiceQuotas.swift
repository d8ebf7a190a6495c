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

/// How many calls a program may make, and how much may be sent to it that it has not been seen to read.
///
/// What the bus holds for a program that does not read counts as the sender's: enough of it and the bus takes nothing
/// more from the service, for anybody. So the service asks such a program for a sign of life, and sends nothing more
/// until it comes. Signals of one time are sent all or not at all: a tick with many constraints is no reason to call its
/// program stalled.
package struct PeerBudget: Sendable {
  /// Calls at once, and calls a second in the long run.
  static let burst = 200.0
  static let callsPerSecond = 50.0
  /// How many signals are sent without a sign of life, and after how many one is asked for.
  static let unread = 32.0
  static let pingAfter = 8.0
  /// Where more than that comes at one time: for how many such times signals are sent without a sign of life, as to a
  /// program that is busy for some seconds.
  static let unreadTimes = 4.0
  /// The most signals of one time: more than all sessions of a program can get in a tick with all their constraints.
  static let mostAtOnce = 1024.0
  /// How many unread messages are forgotten in a second: a program that only calls, and waits for each answer, reads.
  static let forgottenPerSecond = 1.0

  private var calls = burst
  private var sent = 0.0
  private var time: Double?
  /// The time of the last signal on the timeline, how many signals it had, and whether they are sent.
  private var instant: (time: Timestamp, signals: Double, isSent: Bool)?
  /// The most signals that one time had since the last sign of life.
  private var largest = 0.0
  /// Whether a sign of life was asked for and has not come.
  private(set) var isAwaitingPong = false
  /// How many signals were not sent.
  private(set) var missed = 0

  private mutating func pass(to now: Double) {
    let elapsed = max(0, now - (time ?? now))
    time = now
    calls = min(Self.burst, calls + elapsed * Self.callsPerSecond)
    sent = max(0, sent - elapsed * Self.forgottenPerSecond)
  }

  /// Returns whether a call may be handled, and counts it.
  mutating func call(at now: Double) -> Bool {
    pass(to: now)
    guard calls >= 1 else { return false }
    calls -= 1
    return true
  }

  /// Counts a signal.
  ///
  /// - Parameters:
  ///   - instant: What the signal is about happened at this time.
  ///   - now: The time in seconds.
  /// - Returns: Whether it may be sent, and whether to ask for a sign of life.
  mutating func signal(
    of instant: Timestamp,
    at now: Double
  ) -> (maySend: Bool, mustPing: Bool) {
    pass(to: now)
    var current = self.instant ?? (instant, 0, true)
    if self.instant?.time != instant {
      let limit = max(Self.unread, Self.unreadTimes * largest)
      current = (instant, 0, sent < limit)
    }
    current.signals += 1
    self.instant = current
    guard current.isSent, current.signals <= Self.mostAtOnce else {
      missed += 1
      return (false, false)
    }
    largest = max(largest, current.signals)
    sent += 1
    guard sent >= Self.pingAfter, !isAwaitingPong else { return (true, false) }
    isAwaitingPong = true
    return (true, true)
  }

  /// Notes a sign of life; returns how many signals were not sent before it.
  mutating func pong() -> Int {
    isAwaitingPong = false
    (sent, largest, instant) = (0, 0, nil)
    defer { missed = 0 }
    return missed
  }
}
