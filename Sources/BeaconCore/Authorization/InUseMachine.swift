// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

/// Decides whether a client is in use (rows S1 to S8).
///
/// Inputs at a time come before the deadline at that time: a client that returns at the last instant of its grace
/// has not been away.
package struct InUseMachine: Sendable, Equatable {
  private enum State: Sendable, Equatable {
    /// Out of use.
    case background
    /// In the foreground; the session, if any, carries over when it leaves.
    case foreground(hasSession: Bool)
    /// Left the foreground, or its session ended, a moment ago.
    case grace(until: Timestamp)
    /// In the background with a continuous session.
    case session
  }

  private var state: State
  private let grace: TimeSpan

  package init(isForeground: Bool, grace: TimeSpan) {
    self.state = isForeground ? .foreground(hasSession: false) : .background
    self.grace = grace
  }

  /// Why the client is in use, or `nil` when it is not.
  package var reason: InUseReason? {
    switch state {
    case .background: nil
    case .foreground: .foreground
    case .grace: .grace
    case .session: .session
    }
  }

  /// Whether the client is in use.
  package var isInUse: Bool { reason != nil }

  /// When the grace runs out.
  package var nextDeadline: Timestamp? {
    switch state {
    case .grace(let until): until
    case .background, .foreground, .session: nil
    }
  }

  /// The client came to the foreground.
  package mutating func foregroundEntered() {
    switch state {
    case .background, .grace: state = .foreground(hasSession: false)
    case .session: state = .foreground(hasSession: true)
    case .foreground: break
    }
  }

  /// The client left the foreground.
  ///
  /// A session that delivers nothing, for want of authorization, ends here by ``updatesCeased(at:)``.
  package mutating func foregroundLeft(at time: Timestamp) {
    guard case .foreground(let hasSession) = state else { return }
    state = hasSession ? .session : .grace(until: time + grace)
  }

  /// A continuous session was started.
  ///
  /// - Parameter fromBackground: Whether the client may start one while out of use, which needs Always.
  /// - Returns: Whether it may be.
  package mutating func sessionStarted(fromBackground: Bool) -> Bool {
    switch state {
    case .foreground: state = .foreground(hasSession: true)
    case .grace, .session: state = .session
    case .background:
      guard fromBackground else { return false }
      state = .session
    }
    return true
  }

  /// The continuous session was stopped by the program.
  package mutating func sessionStopped(at time: Timestamp) {
    switch state {
    case .foreground: state = .foreground(hasSession: false)
    case .session: state = .grace(until: time + grace)
    case .background, .grace: break
    }
  }

  /// There is no authorization: a session in the background ends as if stopped, one in the foreground waits for a
  /// grant.
  package mutating func updatesCeased(at time: Timestamp) {
    guard case .session = state else { return }
    state = .grace(until: time + grace)
  }

  /// The client's process ended; there is no grace for what is gone.
  package mutating func terminated() {
    state = .background
  }

  /// Time passed; the client may cease to be in use.
  package mutating func timePassed(to now: Timestamp) {
    guard let nextDeadline, nextDeadline <= now else { return }
    state = .background
  }
}
