// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

internal import BeaconCore

/// The times in rooms as analyzed afterwards.
///
/// The guide names a room immediately, so it is late at a door, and in its first seconds it may be wrong. While it ranges,
/// the smoothed estimates decide. While it rests, seconds have no estimate, and the room is the one that it named.
struct RoomTimes {
  /// The seconds without an estimate after which the guide rests, and the shortest stay at an edge that is a step.
  private static let (pause, least) = (TimeSpan.seconds(5), 5.0)
  /// A silence of at most this, with the same room on both sides, belongs to the room.
  private static let memory = TimingConfiguration().gap

  private var all: [Visit.RoomStay] = []

  /// - Parameters:
  ///   - estimates: The smoothed estimates, in the order of time.
  ///   - named: The stays as the guide named them, in the order of time.
  init(_ estimates: [Smoother.Estimate], named: [Visit.RoomStay]) {
    var covered: Timestamp?
    var room: Int?
    for estimate in estimates {
      let begin = estimate.time - .seconds(1)
      if covered.map({ estimate.time - $0 > Self.pause }) ?? true {
        fill(from: covered ?? .earliest, to: begin, by: named)
        covered = begin
        room = nil
      }
      // Between two rooms the visitor is still in the former.
      room = estimate.room ?? room
      if let room { add(Visit.RoomStay(room: room, start: covered ?? begin, end: estimate.time)) }
      covered = estimate.time
    }
    fill(from: covered ?? .earliest, to: .latest, by: named)
  }

  /// Adds the guide's room of a time without estimates.
  private mutating func fill(from start: Timestamp, to end: Timestamp, by named: [Visit.RoomStay]) {
    for stay in named where stay.end > start && stay.start < end {
      add(Visit.RoomStay(room: stay.room, start: max(stay.start, start), end: min(stay.end, end)))
    }
  }

  private mutating func add(_ stay: Visit.RoomStay) {
    guard let last = all.last, last.room == stay.room, last.end >= stay.start else {
      return all.append(stay)
    }
    all[all.count - 1].end = stay.end
  }

  /// Returns whether a silence is short and has the same room on both sides.
  func bridges(_ silence: Range<Timestamp>) -> Bool {
    guard silence.upperBound - silence.lowerBound <= Self.memory else { return false }
    let before = all.last { $0.start < silence.lowerBound }
    let after = all.first { $0.end > silence.upperBound }
    return before != nil && before?.room == after?.room
  }

  /// Returns the stays without times of which nothing is known, and without stays of a few seconds at either end of a
  /// known time.
  func stays(without gaps: [Visit.Gap]) -> [Visit.RoomStay] {
    var rest = all
    for gap in gaps {
      rest = rest.flatMap { stay -> [Visit.RoomStay] in
        guard stay.start < gap.end, stay.end > gap.start else { return [stay] }
        var (before, after) = (stay, stay)
        (before.end, after.start) = (min(stay.end, gap.start), max(stay.start, gap.end))
        return [before, after].filter { $0.end > $0.start }
      }
    }
    let parts = Visit(start: .earliest, end: .latest, gaps: gaps)
      .parts(rest, from: { $0.start }, to: { $0.end })
    return parts.flatMap(Self.smoothed)
  }

  /// Returns stays that follow one another without a step at an edge that takes a few seconds.
  private static func smoothed(_ stays: [Visit.RoomStay]) -> [Visit.RoomStay] {
    var stays = stays
    while stays.count > 1, stays[0].dwell < least, stays[0].end >= stays[1].start {
      stays[1].start = stays[0].start
      stays.removeFirst()
    }
    while stays.count > 1, let last = stays.last, last.dwell < least,
      stays[stays.count - 2].end >= last.start
    {
      stays.removeLast()
      stays[stays.count - 1].end = last.end
    }
    return stays
  }

  /// Returns times of which nothing is known in order; of two that overlap, the first given counts.
  static func gaps(_ gaps: [Visit.Gap]) -> [Visit.Gap] {
    var found: [Visit.Gap] = []
    for gap in gaps {
      var left = [gap]
      for other in found {
        left = left.flatMap { gap -> [Visit.Gap] in
          guard gap.start < other.end, gap.end > other.start else { return [gap] }
          return [
            Visit.Gap(gap.reason, start: gap.start, end: min(gap.end, other.start)),
            Visit.Gap(gap.reason, start: max(gap.start, other.end), end: gap.end),
          ]
        }
      }
      found += left.filter { $0.length > 0 }
    }
    return found.sorted { $0.start < $1.start }
  }
}
