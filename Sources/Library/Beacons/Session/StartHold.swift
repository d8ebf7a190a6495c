// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

/// How a replay stays at its start until its program ranges or monitors something.
///
/// A program may make its first request from any thread, or after it waited for something else. A capture that is read
/// at full speed would be over by then.
package struct StartHold: Sendable {
  /// For how long nothing may be ranged and monitored before the replay begins all the same: ten times the need of a program
  /// needs that waits a second for its first request.
  package static let bound = Duration.seconds(10)
  /// For how long the replay stays after the first request: the program's next requests follow immediately, even if they
  /// come from several threads, and the wait is not noticeable.
  package static let pause = Duration.milliseconds(50)

  /// For how long nothing may be ranged and monitored.
  let bound: Duration
  /// For how long the replay stays after the first request.
  let pause: Duration
  /// Waits on a clock.
  let sleep: @Sendable (Duration) async throws -> Void
  /// Called when the replay begins although nothing was ranged or monitored.
  let expired: @Sendable () -> Void

  package init(
    bound: Duration = Self.bound,
    pause: Duration = Self.pause,
    sleep: @escaping @Sendable (Duration) async throws -> Void = { try await Task.sleep(for: $0) },
    expired: @escaping @Sendable () -> Void
  ) {
    (self.bound, self.pause, self.sleep, self.expired) = (bound, pause, sleep, expired)
  }
}
