// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

package import SystemKit
internal import DBus

/// The phase of a live source, from its start to its end, with the deadlines of both.
package struct SourceLifecycle {
  /// How long the whole start may take.
  package static let startTimeout = Duration.seconds(12)
  /// How long the end may take.
  ///
  /// Together with the half second in which a program notices the request to stop, it is less than 2 s.
  package static let stopTimeout = Duration.milliseconds(1200)
  /// How long to wait after a failed call for all objects before the next call.
  package static let askAgainTimeout = Duration.seconds(2)

  private var startBy: Uptime?
  private var stopBy: Uptime?
  private var askAgainAt: Uptime?
  private var backOff = BackOff()
  /// The error to report if no adapter scans in time.
  private var expectedFailure = BlueZUnavailable.noAnswer

  /// Begins the start.
  package init(startingAt now: Uptime) {
    startBy = now + Self.startTimeout
  }

  /// Whether the source is ending.
  package var isStopping: Bool { stopBy != nil }

  /// The earliest deadline.
  package var nextDeadline: Uptime? { [startBy, stopBy, askAgainAt].compactMap(\.self).min() }

  /// Notes that the bus is connected.
  package mutating func connected() {
    backOff.reset()
    expectedFailure = .noAnswer
  }

  /// Returns how long to wait before connecting to the bus again.
  package mutating func reconnectWait() -> Duration { backOff.wait() }

  /// Notes the error to report if no other adapter scans in time.
  package mutating func expect(_ failure: BlueZUnavailable) {
    expectedFailure = failure
  }

  /// Returns, once, the error if the time for the start is over; the start may have succeeded before.
  package mutating func drainStartTimeout(at now: Uptime) -> BlueZUnavailable? {
    guard let startBy, startBy <= now else { return nil }
    self.startBy = nil
    return expectedFailure
  }

  /// Begins the end; returns false if it has already begun.
  package mutating func stop(at now: Uptime) -> Bool {
    guard stopBy == nil else { return false }
    stopBy = now + Self.stopTimeout
    return true
  }

  /// Whether the end has taken too long.
  package func isStopOverdue(at now: Uptime) -> Bool { stopBy.map { $0 <= now } ?? false }

  /// Plans another call for all objects after a while.
  package mutating func askAgain(after now: Uptime) {
    askAgainAt = now + Self.askAgainTimeout
  }

  /// Cancels the planned call for all objects.
  package mutating func cancelAskAgain() {
    askAgainAt = nil
  }

  /// Returns, once, whether it is time for the planned call for all objects.
  package mutating func drainAskAgain(at now: Uptime) -> Bool {
    guard let askAgainAt, askAgainAt <= now else { return false }
    self.askAgainAt = nil
    return true
  }
}

/// The waits before connecting again: each is twice as long as the previous one, up to a limit.
private struct BackOff {
  /// The first wait: a bus restarts within this time, and no user notices it.
  static let shortest = Duration.milliseconds(100)
  /// The longest wait: an attempt costs almost nothing, and a user who starts the bus by hand should not wait longer.
  static let longest = Duration.seconds(5)

  private var next = BackOff.shortest

  /// Returns the next wait.
  mutating func wait() -> Duration {
    defer { next = min(next * 2, Self.longest) }
    return next
  }

  /// Starts with the shortest wait again, after a success.
  mutating func reset() {
    next = Self.shortest
  }
}
