// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

package import SystemKit

/// Lets messages collect between two reads while they are frequent.
///
/// Waking up costs as much as reading several messages. At 2,000 messages a second and the usual time the loop reads
/// twelve at a time, and a message waits 3 ms on average.
package struct MessageGathering: Sendable {
  /// For how long messages collect, if the owner of a loop chooses no other time.
  package static let usualTime = Duration.milliseconds(6)
  /// How late the system may wake the thread.
  private static let lateness = Duration.milliseconds(2)

  private let time: Duration
  private var lastReading = Uptime(nanoseconds: 0)
  /// When messages that collect now are read.
  package private(set) var end = Uptime(nanoseconds: 0)

  /// Creates gathering for a time.
  package init(for time: Duration) { self.time = time }

  /// Whether messages collect at a time instead of being read.
  package func isOn(at now: Uptime) -> Bool { now < end }

  /// Notes a read of messages; those after it collect if it came soon after the one before.
  package mutating func hasRead(at now: Uptime) {
    guard now != lastReading else { return }
    if now - lastReading <= time + Self.lateness { end = now + time }
    lastReading = now
  }

  /// Lets messages collect from now on: another descriptor of the loop was read.
  ///
  /// The usual time counts: the owner's time is for messages of the bus.
  package mutating func begin(at now: Uptime) { end = now + Self.usualTime }
}
