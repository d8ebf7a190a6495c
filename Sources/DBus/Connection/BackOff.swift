// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

/// How long to wait before trying again: twice as long each time, up to a bound.
package struct BackOff: Sendable, Equatable {
  /// The first wait: a bus that restarts is back within it, and a person does not notice it.
  package static let shortest = Duration.milliseconds(100)
  /// The longest wait: a try costs next to nothing, and who starts the bus by hand should not wait longer.
  package static let longest = Duration.seconds(5)

  private var next = BackOff.shortest

  /// Starts with the shortest wait.
  package init() {}

  /// Returns how long to wait now.
  package mutating func wait() -> Duration {
    defer { next = min(next * 2, Self.longest) }
    return next
  }

  /// Starts anew after a success.
  package mutating func reset() {
    next = Self.shortest
  }
}
