// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

internal import BeaconCore

/// Makes a visit of what a guide says, moment by moment.
struct VisitRecorder {
  private var visit: Visit
  private var stay: Visit.Stay?
  private var room: Visit.RoomStay?
  private var steps = FootSteps()

  /// Begins at the first input of a recording.
  init(startingAt start: Timestamp) {
    visit = Visit(start: start, end: start)
  }

  /// Takes note of where the visitor is from a time on; what is the same as before goes on.
  mutating func note(room newRoom: Int?, exhibit: Int?, at time: Timestamp) {
    if stay?.exhibit != exhibit {
      endStay(at: time)
      stay = exhibit.map { Visit.Stay(exhibit: $0, start: time, end: time) }
    }
    if room?.room != newRoom {
      endRoom(at: time)
      room = newRoom.map { Visit.RoomStay(room: $0, start: time, end: time) }
    }
  }

  /// Takes note of how near the exhibit was in the second before a time.
  mutating func note(_ proximity: Proximity, at time: Timestamp) {
    guard stay != nil else { return }
    stay?.nearness.add(1, at: proximity)
    let begin = max(visit.start, time + .seconds(-1))
    if let last = visit.reaches.last, last.proximity == proximity, last.end >= begin {
      visit.reaches[visit.reaches.count - 1].end = time
    } else {
      visit.reaches.append(Visit.Reach(proximity: proximity, start: begin, end: time))
    }
  }

  /// Takes note of where on its floor the guide believes the visitor.
  mutating func note(_ position: Plan.Point, at time: Timestamp) {
    steps.note(position, at: time)
  }

  /// Takes note of a beacon that the plan does not know.
  mutating func note(strangers: [Visit.Stranger]) {
    visit.strangers = strangers
  }

  /// Ends the visit.
  mutating func end(at time: Timestamp) -> Visit {
    endStay(at: time)
    endRoom(at: time)
    visit.end = time
    for index in visit.stays.indices {
      visit.stays[index].stood = steps.stood(
        from: visit.stays[index].start,
        to: visit.stays[index].end
      )
    }
    return visit
  }

  private mutating func endStay(at time: Timestamp) {
    guard var ended = stay else { return }
    ended.end = time
    visit.stays.append(ended)
    stay = nil
  }

  private mutating func endRoom(at time: Timestamp) {
    guard var ended = room else { return }
    ended.end = time
    visit.rooms.append(ended)
    room = nil
  }
}
