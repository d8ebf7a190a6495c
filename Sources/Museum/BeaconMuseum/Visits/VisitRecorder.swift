// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

internal import BeaconCore

/// Builds a visit from what becomes known of it over time.
struct VisitRecorder {
  private var visit: Visit
  private var room: Visit.RoomStay?
  /// The stays in rooms as the guide named them, in the order of time.
  private(set) var named: [Visit.RoomStay] = []
  private var stands = Stands()

  /// Starts at the first input of a recording.
  init(startingAt start: Timestamp) {
    visit = Visit(start: start, end: start)
  }

  /// Notes the visitor's room from a time on; if it is the same room as before, that stay continues.
  mutating func note(room newRoom: Int?, at time: Timestamp) {
    guard room?.room != newRoom else { return }
    endRoom(at: time)
    room = newRoom.map { Visit.RoomStay(room: $0, start: time, end: time) }
  }

  /// Adds the smoothed estimate of a second; times never decrease.
  mutating func note(_ estimate: Smoother.Estimate) {
    stands.note(estimate)
  }

  /// Adds beacons that the plan does not contain.
  mutating func note(strangers: [Visit.Stranger]) {
    visit.strangers = strangers
  }

  /// Ends the visit and returns it.
  ///
  /// - Parameters:
  ///   - time: The end.
  ///   - unheard: The times in which nothing could be received.
  ///   - limited: The times in which the guide was not allowed to know the place.
  /// - Returns: The visit.
  mutating func end(
    at time: Timestamp,
    unheard: [Range<Timestamp>],
    limited: [Range<Timestamp>]
  ) -> Visit {
    endRoom(at: time)
    visit.end = time
    let rooms = RoomTimes(stands.estimates, named: named)
    let silences = unheard.filter { !rooms.bridges($0) }
    visit.gaps = RoomTimes.gaps(
      limited.map { Visit.Gap(.notAllowed, start: $0.lowerBound, end: $0.upperBound) }
        + silences.map { Visit.Gap(.unheard, start: $0.lowerBound, end: $0.upperBound) }
    )
    visit.rooms = rooms.stays(without: visit.gaps)
    stands.leaveOut(visit.gaps)
    for (exhibit, estimates) in stands.all { add(estimates, at: exhibit) }
    return visit
  }

  private mutating func add(_ stand: ArraySlice<Smoother.Estimate>, at exhibit: Int) {
    guard let first = stand.first, let last = stand.last else { return }
    let start = visit.gaps.reduce(max(visit.start, first.time - .seconds(1))) {
      $1.start < first.time ? max($0, min($1.end, first.time)) : $0
    }
    var stay = Visit.Stay(exhibit: exhibit, start: start, end: last.time)
    for estimate in stand {
      guard let reach = estimate.reaches.first(where: { $0.exhibit == exhibit }) else { continue }
      stay.nearness.add(1, at: reach.proximity)
      note(reach.proximity, at: estimate.time)
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
    named.append(ended)
    room = nil
  }
}
