// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

internal import BeaconCore

/// Makes a visit of what is known of it, moment by moment.
struct VisitRecorder {
  private var visit: Visit
  private var room: Visit.RoomStay?
  private var stands = Stands()

  /// Begins at the first input of a recording.
  init(startingAt start: Timestamp) {
    visit = Visit(start: start, end: start)
  }

  /// Takes note of the room the visitor is in from a time on; what is the same as before goes on.
  mutating func note(room newRoom: Int?, at time: Timestamp) {
    guard room?.room != newRoom else { return }
    endRoom(at: time)
    room = newRoom.map { Visit.RoomStay(room: $0, start: time, end: time) }
  }

  /// Takes note of a second in hindsight; times only grow.
  mutating func note(_ moment: Smoother.Moment) {
    stands.note(moment)
  }

  /// Takes note of a beacon that the plan does not know.
  mutating func note(strangers: [Visit.Stranger]) {
    visit.strangers = strangers
  }

  /// Ends the visit.
  mutating func end(at time: Timestamp) -> Visit {
    endRoom(at: time)
    visit.end = time
    for (exhibit, moments) in stands.all { add(moments, before: exhibit) }
    return visit
  }

  private mutating func add(_ stand: ArraySlice<Smoother.Moment>, before exhibit: Int) {
    guard let first = stand.first, let last = stand.last else { return }
    let start = max(visit.start, first.time - .seconds(1))
    var stay = Visit.Stay(exhibit: exhibit, start: start, end: last.time)
    for moment in stand {
      guard let reach = moment.reaches.first(where: { $0.exhibit == exhibit }) else { continue }
      stay.nearness.add(1, at: reach.proximity)
      note(reach.proximity, at: moment.time)
    }
    visit.stays.append(stay)
  }

  private mutating func note(_ proximity: Proximity, at time: Timestamp) {
    let begin = max(visit.start, time - .seconds(1))
    if let last = visit.reaches.last, last.proximity == proximity, last.end >= begin {
      visit.reaches[visit.reaches.count - 1].end = time
    } else {
      visit.reaches.append(Visit.Reach(proximity: proximity, start: begin, end: time))
    }
  }

  private mutating func endRoom(at time: Timestamp) {
    guard var ended = room else { return }
    ended.end = time
    visit.rooms.append(ended)
    room = nil
  }
}
