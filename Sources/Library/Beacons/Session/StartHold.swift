// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

internal import SystemKit

/// How a replay stays at its start until its programs have made their first requests, and for how long it waits for a
/// program later.
///
/// A program may make its first request from any thread, or after it waited for something else. A capture that is read
/// at full speed would be over by then.
package struct StartHold: Sendable {
  /// The progress of the clients of a session.
  enum Progress: Hashable, Sendable {
    /// Nothing was requested, and no sequence iterated.
    case nothing
    /// No client has ranged or monitored anything.
    case noBeacons
    /// Some clients have.
    case someClients
    /// All clients have.
    case everyClient
  }

  /// For how long a replay stays at its start although a program does nothing: ten times the need of a program that waits
  /// a second for its first request.
  package static let bound = Duration.seconds(10)
  /// For how long a replay stays after a program's first request: its next requests follow immediately, even if they
  /// come from several threads, and the wait is not noticeable.
  package static let pause = Duration.milliseconds(50)
  /// For how long a replay stays for clients that have ranged and monitored nothing, while others have.
  static let pauseForOthers = Duration.milliseconds(100)
  /// For how long a replay stays for a program that does something, but ranges and monitors nothing.
  static let pauseForBeacons = Duration.seconds(1)
  /// For how many seconds in which nothing happens a replay waits for a program: more than any answer over a network needs, and
  /// less than a test may take.
  package static let stallLimit = 30

  /// For how long the replay stays; `nil` if it begins.
  let wait: @Sendable (Progress) -> Duration?
  /// Waits on a clock.
  let sleep: @Sendable (Duration) async throws -> Void
  /// Called when the replay begins although its program does nothing; `nil` ends the run.
  let expired: (@Sendable () -> Void)?
  /// For how many seconds in which nothing happens the replay waits.
  let stallLimit: Int

  /// Creates the rule for one client under Core Location's names, which stays until it ranges or monitors.
  package init(
    bound: Duration = Self.bound,
    pause: Duration = Self.pause,
    sleep: @escaping @Sendable (Duration) async throws -> Void = Self.rest,
    expired: @escaping @Sendable () -> Void
  ) {
    wait = { $0 == .nothing || $0 == .noBeacons ? bound : pause }
    (self.sleep, self.expired, stallLimit) = (sleep, expired, Self.stallLimit)
  }

  /// Creates the rule for a session's programs.
  package init(stallLimit: Int = Self.stallLimit) {
    wait = { progress in
      switch progress {
      case .nothing: Self.bound
      case .noBeacons: Self.pauseForBeacons
      case .someClients: Self.pauseForOthers
      case .everyClient: nil
      }
    }
    (sleep, expired) = (Self.rest, nil)
    self.stallLimit = stallLimit
  }

  /// Waits while the process rests for so long: on a busy machine a thread that is ready to ask waits for a processor, and
  /// that time does not count.
  package static func rest(_ time: Duration) async throws {
    let slice = Duration.milliseconds(5)
    var left = time
    while left > .zero {
      try await Task.sleep(for: min(slice, left))
      _ = await ProcessRest.shared.begins()
      left -= slice
    }
  }
}
