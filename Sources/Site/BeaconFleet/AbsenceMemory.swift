// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

/// How long a beacon, or a receiver, is usually silent.
///
/// Short silences have a longest one. Long ones that start at the same time of day, such as those of a beacon that sleeps
/// at night, are expected from the third on.
struct AbsenceMemory: Sendable {
  /// The longest short silence in minutes, of this period and of the one before.
  private var longest = (current: 0, previous: 0)
  private var periodStart: Int64?
  /// Long silences: the minute of the day in which they started, and their length in minutes.
  private var long: [(start: Int64, length: Int64)] = []

  /// A week is a period: a weekly event is still remembered.
  private static let period: Int64 = 7 * FleetTime.minutesPerDay
  /// From an hour on, a silence is a long one.
  static let longFrom: Int64 = 60
  /// Two weeks of nights.
  private static let longKept = 14
  /// Daylight saving time moves a night by an hour; a quarter more for what starts by hand.
  private static let tolerance: Int64 = 75
  /// Two silences at a time of day may be chance; the third one is a habit.
  private static let habit = 2

  /// The longest short silence, in minutes.
  var longestShort: Int { max(longest.current, longest.previous) }

  /// Adds a silence that is over.
  mutating func add(start: Int64, length: Int64) {
    let age = start - (periodStart ?? start)
    if age >= Self.period { longest = (0, age < 2 * Self.period ? longest.current : 0) }
    if age >= Self.period || periodStart == nil { periodStart = start }
    if length < Self.longFrom {
      longest.current = max(longest.current, Int(length))
    } else {
      if long.count >= Self.longKept { long.removeFirst() }
      long.append((start, length))
    }
  }

  /// Returns how long a silence that started in a minute is expected to last at most, in minutes; 0 if none is expected
  /// to start then.
  func expected(from start: Int64) -> Int64 {
    let day = FleetTime.minutesPerDay
    let alike = long.filter { entry in
      guard start - entry.start < Int64(Self.longKept) * day else { return false }
      let distance = ((start - entry.start) % day + day) % day
      return min(distance, day - distance) <= Self.tolerance
    }
    guard alike.count >= Self.habit else { return 0 }
    return (alike.map(\.length).max() ?? 0) + Self.tolerance
  }
}

/// Minutes and days.
enum FleetTime {
  static let microsecondsPerMinute: Int64 = 60_000_000
  static let minutesPerDay: Int64 = 1440
}
