// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

/// The owner of a connection, which handles what is received; called on the bus's thread only.
package protocol BusHandler: AnyObject {
  /// The bus has accepted the connection; match rules and names to follow must be requested now, since none are kept.
  func connected(_ loop: BusLoop)

  /// A name that is followed has another owner, or none; also called once after ``BusLoop/follow(_:)``.
  func ownerChanged(of name: String, to owner: String?, _ loop: BusLoop)

  /// A program that is followed sent a signal.
  ///
  /// - Returns: Whether the signal had the types it must have; `false` is counted.
  func signal(_ message: borrowing Message, _ loop: BusLoop) -> Bool

  /// A program that may do so called one of our objects.
  ///
  /// - Returns: What to answer; `nil` where there is no such object or method.
  func called(_ message: borrowing Message, _ loop: BusLoop) -> Answer?

  /// All messages that had been received were handled.
  func drained(_ loop: BusLoop)

  /// When ``timePassed(_:)`` is to be called next; read each time the loop is about to wait.
  var nextDeadline: Uptime? { get }

  /// The time of ``nextDeadline`` has come.
  func timePassed(_ loop: BusLoop)

  /// There is no connection, or no longer.
  ///
  /// - Returns: How long to wait before the next attempt; `nil` ends the thread.
  func connectionFailed(_ failure: BusFailure, _ loop: BusLoop) -> Duration?
}
