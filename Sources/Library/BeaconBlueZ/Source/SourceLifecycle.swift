// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

package import SystemKit
internal import DBus

/// The phase of a live source, from its start to its end, with the deadlines of both.
package struct SourceLifecycle {
  /// How long the whole start may take: five tries, and no longer than a user waits for a first line.
  package static let startTimeout = Duration.seconds(15)
  /// How long the end may take.
  ///
  /// Together with the half second in which a program notices the request to stop, it is less than 2 s.
  package static let stopTimeout = Duration.milliseconds(1200)

  private var startBy: Uptime?
  private var stopBy: Uptime?
  private var askAgainAt: Uptime?
  private var reconnecting = GrowingWait.betweenConnections
  private var askingAgain = GrowingWait.betweenCalls
  /// The last failure of the bus, or of the call for all objects; `nil` after a success.
  package private(set) var failure: BlueZUnavailable?

  /// Begins the start.
  package init(startingAt now: Uptime) {
    startBy = now + Self.startTimeout
  }

  /// Whether the source is ending.
  package var isStopping: Bool { stopBy != nil }

  /// The earliest deadline.
  package var nextDeadline: Uptime? { [startBy, stopBy, askAgainAt].compactMap(\.self).min() }

  /// Notes that the bus is connected, and passes on signals.
  package mutating func connected() {
    reconnecting.reset()
    failure = nil
  }

  /// Returns how long to wait before connecting to the bus again.
  package mutating func reconnectWait() -> Duration { reconnecting.wait().duration }

  /// Notes that the bus or a call failed.
  package mutating func failed(_ failure: BlueZUnavailable) {
    self.failure = failure
  }

  /// Notes that a call succeeded that is tried again after failures.
  package mutating func succeeded() {
    failure = nil
    askingAgain.reset()
  }

  /// Returns, once, whether the time for the start is over; the start may have succeeded before.
  package mutating func drainStartTimeout(at now: Uptime) -> Bool {
    guard let startBy, startBy <= now else { return false }
    self.startBy = nil
    return true
  }

  /// Begins the end; returns false if it has already begun.
  package mutating func stop(at now: Uptime) -> Bool {
    guard stopBy == nil else { return false }
    stopBy = now + Self.stopTimeout
    return true
  }

  /// Whether the end has taken too long.
  package func isStopOverdue(at now: Uptime) -> Bool { stopBy.map { $0 <= now } ?? false }

  /// Plans another call for all objects after a wait that grows.
  package mutating func askAgain(after now: Uptime) {
    askAgainAt = now + askingAgain.wait().duration
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
