// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

import BeaconCore
import BeaconMuseum

/// What a rule showed over one visit: exhibits and rooms with their times, in order.
struct Shown {
  struct Span {
    var value: Int
    var start: Timestamp
    var end: Timestamp
  }

  var exhibits: [Span] = []
  var rooms: [Span] = []

  /// What the guide showed.
  init(_ visit: Visit) {
    exhibits = visit.stays.map { Span(value: $0.exhibit, start: $0.start, end: $0.end) }
    rooms = visit.rooms.map { Span(value: $0.room, start: $0.start, end: $0.end) }
  }

  init() {}

  /// Takes note of what a rule shows from a time on.
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
  }
}

/// What is shown at times that only grow.
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
