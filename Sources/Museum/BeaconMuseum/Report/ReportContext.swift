// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

internal import BeaconCore
internal import BeaconFormats
internal import Pages

/// The data that every section of a report uses.
struct ReportContext {
  /// The museum.
  let plan: Plan
  /// The visits, in the order of their recordings.
  let visits: [Visit]
  /// The statistics of the visits.
  let statistics: VisitStatistics
  /// The rule for which figures may be shown.
  let suppression: SmallCellSuppression
  /// The language of the page.
  let language: String
  /// The zone of the clocks.
  var zone = LocalZone.utc

  /// The phrases in the page's language.
  var phrases: ReportPhrases { ReportPhrases.of(language) }
  /// The words for proximities.
  var words: ScreenPhrases { ScreenPhrases.of(language) }

  /// Formats the time of day: `10:15`.
  func timeOfDay(_ time: Timestamp) -> String {
    ReportNumber.timeOfDay(zone.offset(time).moved(time))
  }

  /// Formats the time of day with seconds: `10:15:03`.
  func clock(_ time: Timestamp) -> String { ReportNumber.clock(zone.offset(time).moved(time)) }

  /// Formats the date: `2026-06-01`.
  func date(_ time: Timestamp) -> String { ReportNumber.date(zone.offset(time).moved(time)) }

  /// The name of the zone at the first and at the last of the times that are shown: `UTC+02:00`.
  var zoneName: String {
    let shown = statistics.occupancy
    let ends =
      suppression.isEverything
      ? [visits.map(\.start).min(), visits.map(\.end).max()]
      : [shown.first?.start, shown.last?.start]
    let names = ends.compactMap { $0.map { RowClock.name(zone.offset($0)) } }
    guard let first = names.first, let last = names.last else { return RowClock.name(.zero) }
    return first == last ? first : "\(first)/\(last)"
  }

  /// Returns a number of visits in words.
  func visits(_ count: Int) -> String {
    guard suppression.shows(count) else {
      return phrases.manyVisits.filled("< \(suppression.fewest)")
    }
    return count == 1 ? phrases.oneVisit : phrases.manyVisits.filled(atLeast(count))
  }

  /// Returns a number as it is known: a rounded one is the least that it can be.
  func atLeast(_ count: Int) -> String { suppression.isEverything ? "\(count)" : "≥ \(count)" }

  /// Whether the report shows a single visit.
  var isOneVisit: Bool { visits.count == 1 && suppression.isEverything }

  /// Returns a number with the decimal separator of the page's language.
  func decimal(_ text: String) -> String {
    phrases.language == "en" ? text : String(text.map { $0 == "." ? "," : $0 })
  }

  /// Returns an exhibit's title.
  func title(_ exhibit: Int) -> String {
    plan.exhibits.indices.contains(exhibit) ? plan.exhibits[exhibit].title[language] : ""
  }

  /// Returns a room's name.
  func roomName(_ room: Int) -> String {
    plan.rooms.indices.contains(room) ? plan.rooms[room].name[language] : ""
  }

  /// Returns the room of an exhibit.
  func room(of exhibit: Int) -> Int? {
    guard plan.exhibits.indices.contains(exhibit) else { return nil }
    let major = plan.exhibits[exhibit].identity.major
    return plan.rooms.firstIndex { $0.major == major }
  }

  /// Returns why nothing is known of a time.
  func name(_ reason: Visit.Gap.Reason) -> String {
    switch reason {
    case .notAllowed: phrases.notAllowed
    case .unheard: phrases.unheard
    }
  }

  /// The rooms of which a report has a column: those with visitors, or, if not everything is shown, with enough.
  var shownRooms: [Int] { plan.rooms.indices.filter { statistics.rooms[$0].visitors > 0 } }

  /// Returns an exhibit's number in every drawing and table.
  func number(_ exhibit: Int) -> String { "\(plan.exhibits[exhibit].number)" }

  /// Returns the CSS class with a room's color; colors repeat after eight rooms, and names tell the rooms apart.
  func color(ofRoom room: Int) -> String { "r\(room % Styles.roomColors + 1)" }
}
