// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

import BeaconCore
import BeaconMuseum

/// A rule's showings over one visit: exhibits and rooms with their times, in order.
struct Shown {
  struct Span {
    var value: Int
    var start: Timestamp
    var end: Timestamp
  }

  var exhibits: [Span] = []
  var rooms: [Span] = []
  /// The announcements; an exhibit is not announced again within minutes.
  var announcements: [VisitReplay.Announcement] = []

  /// The times at which it ranged; empty for a simpler rule, which always ranges.
  var rangings: [Range<Timestamp>] = []

  /// The visits to exhibits as the report counts them.
  var viewings: [Visit.Viewing] = []

  /// Creates the result of the guide: its showings and announcements.
  init(_ visit: Visit, _ played: VisitReplay.Played) {
    announcements = played.announcements
    rangings = played.rangings
    viewings = visit.viewings(shortest: Score.shortest)
    exhibits = played.showings.map { Span(value: $0.exhibit, start: $0.start, end: $0.end) }
    rooms = played.rooms.map { Span(value: $0.room, start: $0.start, end: $0.end) }
  }

  init() {}

  /// Notes a rule's showing from a time on.
  mutating func note(_ exhibit: Int?, room: Int?, at time: Timestamp) {
    Self.note(exhibit, at: time, in: &exhibits)
    Self.note(room, at: time, in: &rooms)
  }

  private static func note(_ value: Int?, at time: Timestamp, in spans: inout [Span]) {
    if let last = spans.indices.last, spans[last].end == .latest {
      if spans[last].value == value { return }
      spans[last].end = time
    }
    if let value { spans.append(Span(value: value, start: time, end: .latest)) }
  }

  mutating func end(at time: Timestamp) {
    if let last = exhibits.indices.last { exhibits[last].end = min(exhibits[last].end, time) }
    if let last = rooms.indices.last { rooms[last].end = min(rooms[last].end, time) }
    announceAll()
    let visit = Visit(
      start: .earliest,
      end: time,
      stays: exhibits.map { Visit.Stay(exhibit: $0.value, start: $0.start, end: $0.end) }
    )
    viewings = visit.viewings(shortest: Score.shortest)
  }

  /// A simple rule announces everything that it shows.
  private mutating func announceAll() {
    let pause = GuideConfiguration().repeatAfter
    var last: [Int: Timestamp] = [:]
    for span in exhibits {
      if let before = last[span.value], span.start - before < pause { continue }
      last[span.value] = span.start
      announcements.append(VisitReplay.Announcement(exhibit: span.value, time: span.start))
    }
  }
}

/// Finds the showing at increasing times.
struct ShownCursor {
  private let spans: [Shown.Span]
  private var index = 0

  init(_ spans: [Shown.Span]) {
    self.spans = spans
  }

  mutating func value(at time: Timestamp) -> Int? {
    while index < spans.count, spans[index].end <= time { index += 1 }
    guard index < spans.count, spans[index].start <= time else { return nil }
    return spans[index].value
  }
}
