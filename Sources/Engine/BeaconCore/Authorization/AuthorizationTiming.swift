// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

/// The times of authorization and use that Core Location does not state, each with its reason.
public struct AuthorizationTiming: Sendable, Hashable {
  /// How long a client stays in use after it left the foreground without a session (`inUse.grace`).
  ///
  /// Apple's text is "a few seconds" (row U8). With five, a user can look at a notification without losing Allow Once.
  public var grace: TimeSpan {
    didSet { grace = max(grace, .zero) }
  }
  /// The age beyond which a held event is too old to deliver (`authorization.staleAge`).
  ///
  /// Apple drops an event not answered "near the time it was delivered" (row U14). After five minutes a visitor has
  /// left the room.
  public var staleAge: TimeSpan {
    didSet { staleAge = max(staleAge, .zero) }
  }
  /// How long after a held event the user who is there to answer counts as not busy (`authorization.quiet`).
  ///
  /// Apple's text is "when the user is not busy" (row A18). After ten seconds the user has finished the interrupted work,
  /// and the event is still news.
  public var quiet: TimeSpan {
    didSet { quiet = max(quiet, .zero) }
  }
  /// How long the usage indicator stays solid after a delivery (`indicator.solid`).
  ///
  /// Apple's text is "a few seconds"; three are long enough to notice, and short enough to distinguish single events (row
  /// C23).
  public var solid: TimeSpan {
    didSet { solid = max(solid, .zero) }
  }
  /// How long, on iOS 12, a client that a region event woke may range in the background (`inUse.wake`).
  ///
  /// Apple gives a launched program about ten seconds to act (row G22).
  public var wake: TimeSpan {
    didSet { wake = max(wake, .zero) }
  }
  /// The time of the morning at which an App Clip's grant ends, counted from local midnight (`appClip.morning`).
  ///
  /// Apple's text is "until tomorrow" and "the following morning" (row U30); at four o'clock every evening has ended.
  public var morning: TimeSpan {
    didSet { morning = Self.timeOfDay(morning) }
  }

  /// The grace of the scenarios (row U8): 5 s.
  public static let defaultGrace = TimeSpan.seconds(5)
  /// The stale age of the scenarios (row U14): 300 s.
  public static let defaultStaleAge = TimeSpan.seconds(300)
  /// The time after which the second prompt of row A18 comes: 10 s.
  public static let defaultQuiet = TimeSpan.seconds(10)
  /// The solid time of the scenarios (row C23): 3 s.
  public static let defaultSolid = TimeSpan.seconds(3)
  /// The wake time of row G22: 10 s.
  public static let defaultWake = TimeSpan.seconds(10)
  /// The morning of row U30: 04:00.
  public static let defaultMorning = TimeSpan.seconds(4 * 3600)

  /// Creates the times; a negative one counts as zero, a morning of more than a day is taken modulo a day.
  public init(
    grace: TimeSpan = defaultGrace,
    staleAge: TimeSpan = defaultStaleAge,
    quiet: TimeSpan = defaultQuiet,
    solid: TimeSpan = defaultSolid,
    wake: TimeSpan = defaultWake,
    morning: TimeSpan = defaultMorning
  ) {
    self.grace = max(grace, .zero)
    self.staleAge = max(staleAge, .zero)
    self.quiet = max(quiet, .zero)
    self.solid = max(solid, .zero)
    self.wake = max(wake, .zero)
    self.morning = Self.timeOfDay(morning)
  }

  private static func timeOfDay(_ span: TimeSpan) -> TimeSpan {
    TimeSpan(microseconds: max(span, .zero).microseconds % day)
  }

  /// Returns the morning of the local day after that of a time, also for a grant at night.
  ///
  /// - Parameters:
  ///   - time: The time of the grant.
  ///   - utcOffset: How far local time is ahead of UTC; clamped to a day either way.
  /// - Returns: The morning, at most a day and the time of the morning later.
  package func nextMorning(after time: Timestamp, utcOffset: TimeSpan) -> Timestamp {
    let offset = min(max(utcOffset.microseconds, -Self.day), Self.day)
    // The added day keeps the sum positive in 1970 west of Greenwich; whole days do not change the remainder.
    let sinceMidnight = (time.microseconds + offset + Self.day) % Self.day
    return time + TimeSpan(microseconds: Self.day - sinceMidnight) + morning
  }

  /// No morning lies further ahead of its grant: the rest of the day and a time of day are less than two days.
  static let longestUntilMorning = TimeSpan(microseconds: 2 * day)

  /// A day in microseconds.
  private static let day: Int64 = 86_400_000_000
}
