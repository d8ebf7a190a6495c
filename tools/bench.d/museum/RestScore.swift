// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

import BeaconCore
import BeaconMuseum

/// A guide's actions while its visitor rests in a room without beacons, and how late it notices that the visitor walks
/// on.
struct RestScore {
  /// The least time in seconds that counts as a rest in such a room.
  static let shortest = 60.0

  /// Seconds rested, and those of them in which the guide ranged.
  private(set) var seconds = 0.0
  private(set) var ranged = 0.0
  /// For each return into a room with beacons, the seconds until the guide named that room; returns that it did not
  /// name in time are left out.
  private(set) var delays: [Double] = []
  /// The number of returns into a room that the visitor left again before the guide named it.
  private(set) var missed = 0

  mutating func add(_ shown: Shown, _ world: World, _ visitor: SimulatedDay.Visitor, _ plan: Plan) {
    let legs = visitor.path.legs
    for (index, leg) in legs.enumerated()
    where leg.isStanding && leg.exhibit == nil && leg.end - leg.start >= Self.shortest {
      let here = world.day.site.room(at: leg.to, level: leg.level)
      guard here.map({ plan.rooms[$0].major == nil }) ?? false else { continue }
      seconds += leg.end - leg.start
      for ranging in shown.rangings {
        let start = (ranging.lowerBound - world.day.start).seconds
        let end = (ranging.upperBound - world.day.start).seconds
        ranged += max(0, min(end, leg.end) - max(start, leg.start))
      }
      guard index + 1 < legs.count else { continue }
      addReturn(after: leg.end, shown, world, visitor, plan)
    }
  }

  private mutating func addReturn(
    after time: Double,
    _ shown: Shown,
    _ world: World,
    _ visitor: SimulatedDay.Visitor,
    _ plan: Plan
  ) {
    var (cursor, back, room): (Int, Double?, Int?) = (0, nil, nil)
    for state in stride(from: time, to: visitor.path.end, by: 0.1) {
      let place = visitor.path.state(at: state, cursor: &cursor)
      let now = world.day.site.room(at: place.position, level: place.level)
      if let back, now != room {
        if state - back > 1 { missed += 1 }
        return
      }
      guard let now, plan.rooms[now].major != nil else { continue }
      if back == nil { (back, room) = (state, now) }
      let shownRoom = shown.rooms.first {
        let stamp = world.day.start + TimeSpan(seconds: state)
        return $0.start <= stamp && stamp < $0.end
      }
      if shownRoom?.value == now {
        delays.append(state - (back ?? state))
        return
      }
    }
  }
}
