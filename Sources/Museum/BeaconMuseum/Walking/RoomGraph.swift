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
      for (door, near) in zip(floor.doors, Self.rooms(atDoorsOf: floor, plan)) {
        for room in near {
          for other in near where other != room { ways[room].append((other, door)) }
        }
      }
    }
    self.ways = ways
    levels = plan.rooms.map { room in
      plan.floor(room.level).flatMap { $0.doors.isEmpty ? nil : room.level }
    }
  }

  /// Returns for each door of a floor the rooms in whose walls it is.
  ///
  /// Each wall is compared only with the doors from its left end to its right end: an outline can have a thousand corners.
  static func rooms(atDoorsOf floor: Plan.Floor, _ plan: Plan) -> [[Int]] {
    let doors = floor.doors
    let order = doors.indices.sorted { doors[$0].x < doors[$1].x }
    var near = [[Int]](repeating: [], count: doors.count)
    for (room, outline) in plan.rooms.map(\.outline).enumerated()
    where plan.rooms[room].level == floor.level {
      for (from, to) in Polygon.walls(outline) {
        let start = min(from.x, to.x) - reach
        for door in order[place(in: order) { doors[$0].x >= start }...] {
          guard doors[door].x <= max(from.x, to.x) + reach else { break }
          if near[door].last != room, doors[door].distance(toWallFrom: from, to: to) < reach {
            near[door].append(room)
          }
        }
      }
    }
    return near
  }

  /// Returns the first place of an order from which on something is so.
  private static func place(in order: [Int], where isSo: (Int) -> Bool) -> Int {
    var range = order.indices
    while let middle = range.isEmpty ? nil : (range.lowerBound + range.upperBound) / 2 {
      range = isSo(order[middle]) ? range.lowerBound..<middle : middle + 1..<range.upperBound
    }
    return range.lowerBound
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
