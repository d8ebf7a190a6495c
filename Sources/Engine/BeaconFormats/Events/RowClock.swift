// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

package import BeaconCore

/// The times in front of the rows of a text, and the lines between them that name the day.
package struct RowClock: Sendable {
  private let style: EventNames.TimeStyle
  private let start: Timestamp
  private let zone: LocalZone
  /// Whether every row has its date, as in a log of weeks.
  private let isDated: Bool
  private var shown: (day: Substring, offset: TimeSpan)?
  /// The last offset, with the quarter of an hour for which it was looked up: clocks change at no other times.
  private var known: (quarter: Int64, offset: TimeSpan)?

  /// - Parameters:
  ///   - names: How times are written.
  ///   - isDated: Whether every row has its date.
  package init(_ names: EventNames, dated isDated: Bool = false) {
    style = names.timeStyle
    start = names.start
    zone = names.zone
    self.isDated = isDated
  }

  /// What stands above the times, as wide as they are.
  package var title: String { Column.left(style == .none ? "" : "TIME", width) }

  private var width: Int {
    switch style {
    case .local, .utc: isDated ? 25 : 14
    case .iso: 29
    case .relative: 12
    case .none: 0
    }
  }

  /// Returns the line that stands above a row if the day or the zone is another than above; `nil` for none.
  package mutating func heading(at time: Timestamp) -> String? {
    guard style == .local || style == .utc else { return nil }
    let offset = offset(at: time)
    let day = RFC3339.string(offset.moved(time)).prefix(10)
    if let shown, shown.offset == offset, isDated || shown.day == day { return nil }
    shown = (day, offset)
    return isDated ? "times in \(Self.name(offset))" : "\(day)  \(Self.name(offset))"
  }

  /// Returns what stands in front of a row.
  package mutating func prefix(at time: Timestamp) -> String {
    switch style {
    case .local, .utc:
      let local = offset(at: time).moved(time)
      let day = isDated ? RFC3339.string(local).prefix(10) + " " : ""
      return day + RFC3339.timeOfDay(local) + "  "
    case .iso: return RFC3339.string(time) + "  "
    case .relative:
      return Column.right(DecimalText.fixed((time - start).seconds, decimals: 3), 10) + "  "
    case .none: return ""
    }
  }

  private mutating func offset(at time: Timestamp) -> TimeSpan {
    guard style == .local else { return .zero }
    let quarter = time.microseconds / 900_000_000
    if let known, known.quarter == quarter { return known.offset }
    let offset = zone.offset(time)
    known = (quarter, offset)
    return offset
  }

  /// The zone of an offset: `UTC`, `UTC+02:00`.
  package static func name(_ offset: TimeSpan) -> String {
    let minutes = offset.microseconds / 60_000_000
    guard minutes != 0 else { return "UTC" }
    func two(_ number: Int64) -> String { (number < 10 ? "0" : "") + "\(number)" }
    let (hours, rest) = abs(minutes).quotientAndRemainder(dividingBy: 60)
    return "UTC\(minutes < 0 ? "-" : "+")\(two(hours)):\(two(rest))"
  }
}

/// How far local time is ahead of UTC.
package struct LocalZone: Sendable {
  /// Returns how far local time is ahead at a time.
  package let offset: @Sendable (Timestamp) -> TimeSpan

  package init(_ offset: @escaping @Sendable (Timestamp) -> TimeSpan) { self.offset = offset }

  /// UTC itself.
  package static let utc = LocalZone { _ in .zero }
}

extension TimeSpan {
  /// A time as clocks show it that are ahead by this span.
  package func moved(_ time: Timestamp) -> Timestamp {
    max(.earliest, time + self)
  }
}
