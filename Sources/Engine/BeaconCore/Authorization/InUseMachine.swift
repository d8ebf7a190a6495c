// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

/// Decides whether a client is in use (rows S1 to S8).
///
/// Inputs at a time come before the deadline at that time: a client that returns at the end of its grace
/// period has been in use all the time.
package struct InUseMachine: Sendable, Equatable {
  private enum State: Sendable, Equatable {
    /// Not in use.
    case background
    /// In the foreground; a session continues when the client leaves the foreground.
    case foreground(hasSession: Bool)
    /// Not long after it left the foreground, or after its session ended.
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

  /// Why the client is in use; `nil` when it is not.
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

  /// The end of the grace period.
  package var nextDeadline: Timestamp? {
    switch state {
    case .grace(let until): until
    case .background, .foreground, .session: nil
    }
  }

  /// Processes that the client enters the foreground.
  package mutating func foregroundEntered() {
    switch state {
    case .background, .grace: state = .foreground(hasSession: false)
    case .session: state = .foreground(hasSession: true)
    case .foreground: break
    }
  }

  /// Processes that the client leaves the foreground.
  ///
  /// ``updatesEnded(at:)`` then ends a session that delivers nothing because authorization is missing.
  package mutating func foregroundLeft(at time: Timestamp) {
    guard case .foreground(let hasSession) = state else { return }
    state = hasSession ? .session : .grace(until: time + grace)
  }

  /// Processes the start of a continuous session.
  ///
  /// - Parameter fromBackground: Whether the client may start one while not in use, which needs Always.
  /// - Returns: Whether the session may start.
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

  /// Processes that the program stopped the continuous session.
  package mutating func sessionStopped(at time: Timestamp) {
    switch state {
    case .foreground: state = .foreground(hasSession: false)
    case .session: state = .grace(until: time + grace)
    case .background, .grace: break
    }
  }

  /// Processes that authorization is missing: a session in the background ends as if stopped, a session in the
  /// foreground waits for a grant.
  package mutating func updatesEnded(at time: Timestamp) {
    guard case .session = state else { return }
    state = .grace(until: time + grace)
  }

  /// Processes the end of the client's process, without a grace period.
  package mutating func terminated() {
    state = .background
  }

  /// Processes the end of the grace period, if it is due.
  package mutating func timePassed(to now: Timestamp) {
    guard let nextDeadline, nextDeadline <= now else { return }
    state = .background
  }
}
