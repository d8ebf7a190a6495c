// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

internal import BeaconCore

/// The waits between the tries of something that fails: each is twice as long as the previous one, up to a limit.
struct GrowingWait: Sendable, Equatable {
  /// The waits between calls to BlueZ.
  ///
  /// Five tries, after waits of 0.8, 1.6, 3.2 and 6.4 s, fit into the time for the start, with three seconds for the
  /// answers.
  static let betweenCalls = GrowingWait(from: .milliseconds(800), upTo: .seconds(30))
  /// The waits between connections to the bus.
  ///
  /// A bus restarts within the first, and no user notices it. An attempt costs almost nothing, and a user who starts the
  /// bus by hand should not wait longer than the last.
  static let betweenConnections = GrowingWait(from: .milliseconds(100), upTo: .seconds(5))

  private let shortest: TimeSpan
  private let longest: TimeSpan
  private var next: TimeSpan

  private init(from shortest: TimeSpan, upTo longest: TimeSpan) {
    self.shortest = shortest
    self.longest = longest
    next = shortest
  }

  /// Returns the next wait.
  mutating func wait() -> TimeSpan {
    defer { next = min(next + next, longest) }
    return next
  }

  /// Starts with the shortest wait again, after a success.
  mutating func reset() {
    next = shortest
  }
}
