// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

/// The ways from room to room, through the doors that the plan draws.
struct RoomGraph: Sendable {
  /// The distance in meters within which a door belongs to a room's wall, since drawings are not exact.
  static let reach = 0.5

  /// For each room, the rooms it leads to with the doors to them.
  private let ways: [[(room: Int, door: Plan.Point)]]
  /// The level of each room if doors are drawn there.
  private let levels: [Int?]

  /// Creates the graph of a plan.
  init(_ plan: Plan) {
    var ways = [[(room: Int, door: Plan.Point)]](repeating: [], count: plan.rooms.count)
    for floor in plan.floors {
      for door in floor.doors {
        let beside = plan.rooms.indices.filter { index in
          let room = plan.rooms[index]
          guard room.level == floor.level else { return false }
          let distance = Polygon.distance(from: door, toWallsOf: room.outline)
          return (distance ?? .infinity) < Self.reach
        }
        for room in beside {
          for other in beside where other != room { ways[room].append((other, door)) }
        }
      }
    }
    self.ways = ways
    levels = plan.rooms.map { room in
      plan.floor(room.level).flatMap { $0.doors.isEmpty ? nil : room.level }
    }
  }

  /// Returns the rooms that a room leads to.
  func neighbors(of room: Int) -> [Int] { ways[room].map(\.room) }

  /// Returns rooms in the order of a visit with the rooms that lie between two of them; a part ends without a door that leads on.
  ///
  /// A floor without doors, and the way to another floor, permit every step.
  func ways(through rooms: [Int]) -> [[Int]] {
    var parts: [[Int]] = [[]]
    for room in rooms {
      guard let last = parts.last?.last else {
        parts[parts.count - 1].append(room)
        continue
      }
      if room == last { continue }
      if let level = levels[last], level == levels[room] {
        if let between = way(from: last, to: room) {
          parts[parts.count - 1] += between.map(\.room)
        } else {
          parts.append([room])
        }
      } else {
        parts[parts.count - 1].append(room)
      }
    }
    return parts
  }

  /// Returns the doors on the way from one room to another through the fewest doors; `nil` if the plan has no such way.
  func doors(from room: Int, to other: Int) -> [Plan.Point]? {
    way(from: room, to: other)?.map(\.door)
  }

  /// Returns the doors and the rooms after them on the way through the fewest doors.
  private func way(from room: Int, to other: Int) -> [(room: Int, door: Plan.Point)]? {
    if room == other { return [] }
    var reached: [Int: (from: Int, door: Plan.Point)] = [:]
    var frontier = [room]
    while !frontier.isEmpty, reached[other] == nil {
      var next: [Int] = []
      for here in frontier {
        for way in ways[here] where way.room != room && reached[way.room] == nil {
          reached[way.room] = (here, way.door)
          next.append(way.room)
        }
      }
      frontier = next
    }
    var doors: [(room: Int, door: Plan.Point)] = []
    var here = other
    while here != room {
      guard let step = reached[here] else { return nil }
      doors.append((here, step.door))
      here = step.from
    }
    return doors.reversed()
  }
}
