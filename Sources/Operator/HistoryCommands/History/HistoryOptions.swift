// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

internal import BeaconBlueZ
internal import BeaconCommandLine
internal import BeaconCommands
internal import BeaconCore
internal import BeaconFormats

/// The options of the history.
enum HistoryOptions {
  /// The folder that a run adds to.
  static let keep = CommandOption(
    "history",
    .file("FOLDER"),
    "Keep a history of this run in this folder: crossings, stays, minutes of listed beacons, receivers"
  )
  /// The folder to read.
  static let folder = CommandOption(
    "history",
    .file("FOLDER"),
    "The folder of the history (default: \(usualFolder))"
  )
  /// The folder of the machine's own history.
  static let usualFolder = "/var/lib/beacons/history"
  /// The first time to show.
  static let since = CommandOption(
    "since",
    .moment,
    "Show rows from this time on: a date, a date and time such as 2026-05-01T09:30, or 2h for two hours ago"
  )
  /// The first time not to show.
  static let until = CommandOption("until", .moment, "Show rows before this time")
  /// The region to show.
  static let region = CommandOption("region", .text("NAME"), "Show only this region", letter: "r")
  /// The first time that is kept.
  static let before = CommandOption(
    "before",
    .moment,
    "Remove everything before this time: a date, a time, or 30d for thirty days ago"
  )
}

/// A time as a command line names it: a point of the calendar, or so long ago.
enum Moment: Sendable, Equatable {
  /// A time with its offset from UTC.
  case absolute(Timestamp)
  /// A time of the user's local clock.
  case local(Timestamp)
  /// So long before now.
  case ago(TimeSpan)

  /// The time that is meant.
  func time(_ zone: LocalZone, now: Timestamp) -> Timestamp {
    switch self {
    case .absolute(let time): return time
    case .ago(let span): return now - span
    case .local(let time):
      // Clocks are changed by less than a day's difference of offsets, so the second look is at the right one.
      let guess = time - zone.offset(time)
      return time - zone.offset(guess)
    }
  }
}

extension ValueKind where Value == Moment {
  /// A date, a time or a span before now.
  static var moment: ValueKind {
    ValueKind("TIME") { text throws(ValueFault) in
      if let time = RFC3339.parse(text) { return .absolute(time) }
      let endings = ["T00:00:00Z", ":00Z", "Z"]
      for ending in endings {
        let text = String(text.map { $0 == " " ? "T" : $0 }) + ending
        if let time = RFC3339.parse(text) { return .local(time) }
      }
      do throws(ValueFault) {
        return .ago(try ValueKind<TimeSpan>.duration.read(text))
      } catch {
        throw .wrong(
          "'\(text)' is not a time; write 2026-05-01, 2026-05-01T09:30, a time of RFC 3339, or 2h for two hours ago"
        )
      }
    }
  }
}

extension CommandIO {
  /// The wall clock, for times before now.
  var now: Timestamp { WallClock.system.now() }
}
