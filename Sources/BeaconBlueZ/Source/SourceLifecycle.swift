// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

package import DBus

/// Where a live source is between its start and its end, with the deadlines of both.
package struct SourceLifecycle {
  /// How long the start may take in all.
  package static let startTimeout = Duration.seconds(12)
  /// How long the end may take: stopping takes less than 2 s together with the half second in which a program notices
  /// that it is to stop.
  package static let stopTimeout = Duration.milliseconds(1200)
  /// How long to wait before asking again for all objects, after that failed.
  package static let askAgainTimeout = Duration.seconds(2)

  private var startBy: Uptime?
  private var stopBy: Uptime?
  private var askAgainAt: Uptime?
  private var backOff = BackOff()
  /// What will have been wrong when no adapter scans in time.
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
  package mutating func connected() { backOff.reset() }

  /// Returns how long to wait before connecting to the bus again.
  package mutating func reconnectWait() -> Duration { backOff.wait() }

  /// Notes why the start will have failed, unless another adapter scans in time.
  package mutating func expect(_ failure: BlueZUnavailable) {
    expectedFailure = failure
  }

  /// Returns, once, what went wrong where the start's time is over; the start may have succeeded by then.
  package mutating func drainStartTimeout(at now: Uptime) -> BlueZUnavailable? {
    guard let startBy, startBy <= now else { return nil }
    self.startBy = nil
    return expectedFailure
  }

  /// Begins the end; false where it has begun already.
  package mutating func stop(at now: Uptime) -> Bool {
    guard stopBy == nil else { return false }
    stopBy = now + Self.stopTimeout
    return true
  }

  /// Whether the end has taken too long.
  package func isStopOverdue(at now: Uptime) -> Bool { stopBy.map { $0 <= now } ?? false }

  /// Lets the objects be asked for again after a while.
  package mutating func askAgain(after now: Uptime) {
    askAgainAt = now + Self.askAgainTimeout
  }

  /// Lets the objects not be asked for again.
  package mutating func cancelAskAgain() {
    askAgainAt = nil
  }

  /// Returns, once, whether it is time to ask for the objects again.
  package mutating func drainAskAgain(at now: Uptime) -> Bool {
    guard let askAgainAt, askAgainAt <= now else { return false }
    self.askAgainAt = nil
    return true
  }
}

/// How long to wait before connecting again: twice as long each time, up to a limit.
private struct BackOff {
  /// The first wait: a bus that restarts is back within it, and no user notices it.
  static let shortest = Duration.milliseconds(100)
  /// The longest wait: an attempt costs next to nothing, and a user who starts the bus by hand should not wait longer.
  static let longest = Duration.seconds(5)

  private var next = BackOff.shortest

  /// Returns how long to wait now.
  mutating func wait() -> Duration {
    defer { next = min(next * 2, Self.longest) }
    return next
  }

  /// Starts with the shortest wait again, after a success.
  mutating func reset() {
    next = Self.shortest
  }
}
