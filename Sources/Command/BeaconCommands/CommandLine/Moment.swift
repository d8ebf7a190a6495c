// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

package import BeaconCommandLine
package import BeaconCore
package import BeaconFormats
internal import Beacons
internal import SystemKit

/// A time as a command line names it: a point of the calendar, a time of day, or so long ago.
package enum Moment: Sendable, Equatable {
  /// A time with its offset from UTC.
  case absolute(Timestamp)
  /// A time of the user's local clock.
  case local(Timestamp)
  /// A time of the local clock so many days before today.
  case daysAgo(Int64, timeOfDay: TimeSpan)
  /// A time of day of the local clock or of UTC, of a day that follows from the capture.
  case timeOfDay(TimeSpan, isUTC: Bool)
  /// So long before now.
  case ago(TimeSpan)

  private static let day = TimeSpan.seconds(86_400)

  /// Whether it is one of the user's local clock.
  fileprivate var isLocal: Bool {
    switch self {
    case .local, .daysAgo: true
    case .timeOfDay(_, let isUTC): !isUTC
    case .absolute, .ago: false
    }
  }

  /// Returns the time that is meant.
  ///
  /// - Parameters:
  ///   - zone: How far local time is ahead of UTC.
  ///   - now: The time now.
  ///   - start: The start of a capture: a time of day is of its first day, or of the next if it is more than half a day
  ///     before the start. Without a capture it is the last such time before now.
  ///   - isEnd: Whether it ends a span: of the two times that a clock shows twice in autumn, it is the later one.
  /// - Returns: The time.
  package func time(
    _ zone: LocalZone,
    now: Timestamp,
    start: Timestamp? = nil,
    isEnd: Bool = false
  ) -> Timestamp {
    switch self {
    case .absolute(let time): return time
    case .ago(let span): return now - span
    case .local(let time): return Self.time(ofLocal: time, zone, isEnd)
    case .daysAgo(let days, let span):
      let midnight = Self.midnight(before: now, zone)
      return Self.time(ofLocal: midnight - .seconds(86_400 * days) + span, zone, isEnd)
    case .timeOfDay(let span, let isUTC):
      let zone = isUTC ? .utc : zone
      let reference = start ?? now
      let day = Self.midnight(before: reference, zone) + span
      let time = Self.time(ofLocal: day, zone, isEnd)
      if start == nil {
        return time <= now ? time : Self.time(ofLocal: day - Self.day, zone, isEnd)
      }
      let isNext = reference - time > .seconds(43_200)
      return isNext ? Self.time(ofLocal: day + Self.day, zone, isEnd) : time
    }
  }

  /// Returns the time of day as the end of a span that begins at another moment; any other time as
  /// ``time(_:now:start:isEnd:)`` returns it.
  fileprivate func time(
    _ zone: LocalZone,
    now: Timestamp,
    since: Moment,
    at begin: Timestamp
  ) -> Timestamp {
    guard case .timeOfDay(let span, let isUTC) = self else {
      return time(zone, now: now, isEnd: true)
    }
    let zone = isUTC ? .utc : zone
    let day = Self.midnight(before: begin, zone) + span
    let time = Self.time(ofLocal: day, zone, true)
    // Twice the same time of day is an empty span, and not a day.
    let isNext =
      if case .timeOfDay(let first, isUTC) = since { span < first } else { time < begin }
    return isNext ? Self.time(ofLocal: day + Self.day, zone, true) : time
  }

  /// Local midnight at the start of a day, as a clock shows it.
  private static func midnight(before time: Timestamp, _ zone: LocalZone) -> Timestamp {
    let local = zone.offset(time).moved(time).microseconds
    return Timestamp(microseconds: local - local % day.microseconds)
  }

  /// Returns when clocks show a local time; of one that they skip in spring, the time of the change.
  private static func time(
    ofLocal local: Timestamp,
    _ zone: LocalZone,
    _ isLast: Bool
  ) -> Timestamp {
    // No zone changes its offset twice within two days, so these are the offsets around a change.
    let times = [zone.offset(local - day), zone.offset(local + day)].map { local - $0 }.sorted()
    let shown = times.filter { zone.offset($0).moved($0) == local }
    if let time = isLast ? shown.last : shown.first { return time }
    var (before, after) = (times[0], times[1])
    while after - before > .seconds(1) {
      let middle = before + TimeSpan(microseconds: (after - before).microseconds / 2)
      if zone.offset(middle) == zone.offset(before) { before = middle } else { after = middle }
    }
    return Timestamp(microseconds: after.microseconds / 1_000_000 * 1_000_000)
  }
}

extension ValueKind where Value == Moment {
  /// A date, a time or a span before now.
  package static var moment: ValueKind {
    ValueKind("TIME") { text throws(ValueFault) in
      if let time = RFC3339.parse(text) { return .absolute(time) }
      if let time = local(text) { return .local(time) }
      if let span = timeOfDay(text) { return .timeOfDay(span, isUTC: false) }
      if text.hasSuffix("Z"), let span = timeOfDay(String(text.dropLast())) {
        return .timeOfDay(span, isUTC: true)
      }
      let words = text.split(separator: " ", omittingEmptySubsequences: false)
      if let days = ["today", "yesterday"].firstIndex(of: words.first), words.count < 3 {
        let span = words.count == 1 ? TimeSpan.zero : timeOfDay(String(words[1]))
        if let span { return .daysAgo(Int64(days), timeOfDay: span) }
      }
      do throws(ValueFault) {
        return .ago(try ValueKind<TimeSpan>.duration.read(text))
      } catch {
        throw .wrong(
          "\(quoted(text)) is not a time; write 10:00, 2026-05-02, '2026-05-02 10:00:10', 'yesterday 14:00',"
            + " a time of RFC 3339, or 2h for two hours ago"
        )
      }
    }
  }

  /// A date, or a date and time, of the local clock.
  private static func local(_ text: String) -> Timestamp? {
    let text = String(text.map { $0 == " " ? "T" : $0 })
    return ["T00:00:00Z", ":00Z", "Z"].lazy.compactMap { RFC3339.parse(text + $0) }.first
  }

  private static func timeOfDay(_ text: String) -> TimeSpan? {
    local("1970-01-01T" + text).map { $0 - .earliest }
  }
}

/// The span of time that `--since` and `--until` choose.
package struct MomentSpan: Sendable, Equatable {
  private let since: Moment?
  private let until: Moment?
  /// The word of the command line that names the end.
  private let place: Int?
  /// Whether the times of the command line are in UTC, as those of the output.
  private let isUTC: Bool

  /// Reads the span from a command line; without either option it is all of time.
  package init(_ arguments: ParsedArguments) {
    since = arguments[Options.since]
    until = arguments[Options.until]
    place = arguments.place(of: Options.until) ?? arguments.place(of: Options.since)
    let style = arguments[Options.time]
    isUTC = style == .utc || style == .iso
  }

  /// Whether it is all of time.
  package var isAll: Bool { since == nil && until == nil }

  /// Shows the user that times of the local clock are those of UTC, since the system does not know the time zone.
  package func showUnknownZone(_ io: CommandIO) {
    guard !isUTC, [since, until].contains(where: { $0?.isLocal ?? false }),
      let name = io.environment["TZ"], !WallTime.isZone(name)
    else { return }
    io.show("TZ: the system knows no time zone '\(name)', so times are those of UTC")
  }

  /// Returns the span.
  ///
  /// - Parameters:
  ///   - io: The user's clock and zone.
  ///   - start: The start of the capture; `nil` without a capture.
  /// - Returns: The span.
  /// - Throws: ``UsageError`` if it is empty.
  package func range(
    _ io: CommandIO,
    start: Timestamp? = nil
  ) throws(UsageError) -> Range<Timestamp> {
    let zone = isUTC ? .utc : io.localZone
    let first = since?.time(zone, now: io.now, start: start) ?? .earliest
    let last: Timestamp
    switch (until, start) {
    case (nil, _): last = .latest
    case (let until?, let start?):
      last =
        since.map { until.time(zone, now: io.now, since: $0, at: first) }
        ?? until.time(zone, now: io.now, start: start, isEnd: true)
    case (let until?, nil): last = until.time(zone, now: io.now, isEnd: true)
    }
    guard first < last else {
      throw UsageError(
        "--until is not later than --since, so nothing would be left",
        argument: place
      )
    }
    return first..<last
  }
}

extension Options {
  /// The first time of a span.
  package static let since = CommandOption(
    "since",
    .moment,
    "Leave out everything before this time: 10:00, '2026-05-02 10:00:10', 'yesterday 14:00', or 2h for two hours ago"
  )
  /// The end of a span.
  package static let until = CommandOption(
    "until",
    .moment,
    "Leave out everything at this time or later"
  )
}

extension CommandIO {
  /// The wall clock, for times before now.
  package var now: Timestamp { WallClock.system.now() }
}
