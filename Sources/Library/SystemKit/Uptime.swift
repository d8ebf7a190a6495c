// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

#if canImport(Glibc)
  internal import Glibc
#elseif canImport(Musl)
  internal import Musl
#else
  internal import Darwin
#endif

/// The time since the machine started, including sleep.
///
/// Deadlines are of this type.
package struct Uptime: Sendable, Comparable {
  /// Nanoseconds since the start.
  package let nanoseconds: Int64

  /// Creates a point in time.
  package init(nanoseconds: Int64) {
    self.nanoseconds = nanoseconds
  }

  /// The current time.
  package static var now: Uptime { read(sleepingClock) }

  #if canImport(Darwin)
    private static let sleepingClock = CLOCK_MONOTONIC
    private static let awakeClock = CLOCK_UPTIME_RAW
  #else
    private static let sleepingClock = CLOCK_BOOTTIME
    private static let awakeClock = CLOCK_MONOTONIC
  #endif

  /// The time since the machine started without sleep, in microseconds: what systemd compares messages by.
  package static var monotonicMicroseconds: Int64 { read(awakeClock).nanoseconds / 1000 }

  /// How long the machine has slept since it started.
  package static var asleep: Duration {
    // If the thread is interrupted between reading the two clocks, the difference is too small; so the largest of three
    // readings counts.
    let readings = (0..<3).map { _ in
      let (whole, awake) = (read(sleepingClock), read(awakeClock))
      return whole - awake
    }
    return readings.max() ?? .zero
  }

  private static func read(_ clock: clockid_t) -> Uptime {
    var time = timespec()
    _ = unsafe clock_gettime(clock, &time)
    return Uptime(nanoseconds: Int64(time.tv_sec) &* 1_000_000_000 &+ Int64(time.tv_nsec))
  }

  /// Orders times, the earlier first.
  package static func < (lhs: Uptime, rhs: Uptime) -> Bool { lhs.nanoseconds < rhs.nanoseconds }

  /// Returns the time a duration later, limited to the latest representable time.
  package static func + (lhs: Uptime, rhs: Duration) -> Uptime {
    let (seconds, attoseconds) = rhs.components
    let (scaled, isTooLong) = seconds.multipliedReportingOverflow(by: 1_000_000_000)
    let (sum, isTooLate) = lhs.nanoseconds.addingReportingOverflow(scaled)
    guard !isTooLong, !isTooLate else { return Uptime(nanoseconds: .max) }
    return Uptime(nanoseconds: sum &+ attoseconds / 1_000_000_000)
  }

  /// Returns the duration from another time to this one.
  package static func - (lhs: Uptime, rhs: Uptime) -> Duration {
    .nanoseconds(lhs.nanoseconds &- rhs.nanoseconds)
  }
}

extension Duration {
  /// The duration as `poll` takes it: in milliseconds, rounded up, so that a wait does not end before its time.
  package var pollMilliseconds: Int32 {
    let (seconds, attoseconds) = max(self, .zero).components
    let rest = (attoseconds + 999_999_999_999_999) / 1_000_000_000_000_000
    let (whole, isTooLong) = seconds.multipliedReportingOverflow(by: 1000)
    return isTooLong ? .max : Int32(clamping: whole &+ rest)
  }
}
