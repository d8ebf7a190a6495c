// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

package import SystemKit

/// The owner of a connection: it handles the connection's messages.
///
/// Its functions are called only on the bus's thread.
package protocol BusHandler: AnyObject {
  /// The bus accepted the connection. The handler requests its match rules and the names to follow here, since a new
  /// connection has none.
  func connected(_ loop: BusLoop)

  /// The owner of a followed name changed, or the name lost its owner; also called once after ``BusLoop/follow(_:)``.
  func ownerChanged(of name: String, to owner: String?, _ loop: BusLoop)

  /// The owner of a followed name sent a signal.
  ///
  /// - Returns: Whether the signal's arguments had the required types; `false` is counted.
  func signal(_ message: borrowing Message, _ loop: BusLoop) -> Bool

  /// A program that has permission called one of our objects.
  ///
  /// - Returns: The answer; `nil` if there is no such object or method.
  func called(_ message: borrowing Message, _ loop: BusLoop) -> Answer?

  /// A program that ``BusLoop/watch(peer:)`` watches has left the bus.
  func peerLeft(_ name: String, _ loop: BusLoop)

  /// The bus took away a name that this program owned.
  func nameLost(_ name: String, _ loop: BusLoop)

  /// All messages received so far were handled.
  func drained(_ loop: BusLoop)

  /// The time of the next call of ``timePassed(_:)``. The loop reads it each time before it waits.
  var nextDeadline: Uptime? { get }

  /// The time ``nextDeadline`` was reached.
  func timePassed(_ loop: BusLoop)

  /// Connecting failed, or the connection was lost.
  ///
  /// - Returns: How long to wait before the next attempt; `nil` ends the thread.
  func connectionFailed(_ failure: BusFailure, _ loop: BusLoop) -> Duration?
}

extension BusHandler {
  /// By default no program is watched.
  package func peerLeft(_ name: String, _ loop: BusLoop) {}
  /// By default no name is owned.
  package func nameLost(_ name: String, _ loop: BusLoop) {}
}
