// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

package import BeaconCore

/// A plan in the form that the simulator needs: the position and room of every exhibit, and the ways from room to room.
package struct SimulatedSite: Sendable {
  /// An exhibit with its beacon.
  package struct Exhibit: Sendable {
    package var identity: BeaconIdentity
    package var position: Plan.Point
    package var level: Int
    /// The index of its room in the plan.
    package var room: Int
    /// The power at 1 m that its beacon announces, in dBm.
    package var power: Double
  }

  /// Why a plan cannot be simulated.
  package struct Failure: Error, Sendable, CustomStringConvertible {
    /// The missing parts, and what to write.
    package let description: String
  }

  /// The plan's rooms.
  package let rooms: [Plan.Room]
  /// The exhibits, in the order of the plan.
  package let exhibits: [Exhibit]
  /// The point at which visitors come in and leave.
  package let entrance: Plan.Point
  /// The room of the entrance.
  package let entranceRoom: Int
  /// The path loss exponent of the plan's calibration; `nil` if it lacks one.
  package let exponent: Double?
  private let graph: RoomGraph
  /// Every side of every outline, prepared because it is needed a hundred thousand times for each beacon.
  private let walls: [Wall]

  private struct Wall: Sendable {
    var level: Int
    var from: Plan.Point
    var side: Plan.Point
  }

  /// Creates a site from a plan.
  ///
  /// - Parameters:
  ///   - plan: The museum.
  ///   - power: A beacon's power at 1 m in dBm if the plan does not give it.
  /// - Throws: ``Failure`` if an exhibit has no position or a room has no outline.
  package init(_ plan: Plan, power: Double = -59) throws(Failure) {
    var exhibits: [Exhibit] = []
    for exhibit in plan.exhibits {
      guard let room = plan.rooms.firstIndex(where: { $0.major == exhibit.identity.major }),
        plan.rooms[room].outline.count >= 3
      else {
        throw Failure(
          description: "room \(exhibit.identity.major) has no outline; a simulation needs 'outline'"
        )
      }
      guard let position = exhibit.position else {
        throw Failure(
          description: "exhibit \(exhibit.identity.minor) has no place; a simulation needs 'at'"
        )
      }
      exhibits.append(
        Exhibit(
          identity: exhibit.identity,
          position: position,
          level: plan.rooms[room].level,
          room: room,
          power: exhibit.power ?? plan.calibration.power ?? power
        )
      )
    }
    guard let first = exhibits.first else {
      throw Failure(description: "the plan has no exhibits to simulate visits to")
    }
    self.exhibits = exhibits
    rooms = plan.rooms
    exponent = plan.calibration.exponent
    graph = RoomGraph(plan)
    walls = plan.rooms.flatMap { room in
      Polygon.walls(room.outline).map { Wall(level: room.level, from: $0.0, side: $0.1 - $0.0) }
    }
    let floor = plan.floors.first { $0.entrance != nil }
    let door = floor?.entrance
    let reachable = plan.rooms.indices.filter { room in
      plan.rooms[room].outline.count >= 3
        && (floor == nil || plan.rooms[room].level == floor?.level)
    }
    let nearest = door.flatMap { door in
      reachable.min { Self.distance(door, plan.rooms[$0]) < Self.distance(door, plan.rooms[$1]) }
    }
    entranceRoom = nearest ?? first.room
    entrance = door ?? Polygon.center(plan.rooms[first.room].outline) ?? first.position
  }

  private static func distance(_ point: Plan.Point, _ room: Plan.Room) -> Double {
    if Polygon.contains(point, in: room.outline) { return 0 }
    return Polygon.distance(from: point, toWallsOf: room.outline) ?? .infinity
  }

  /// Returns the rooms that a room leads to.
  package func neighbors(of room: Int) -> [Int] { graph.neighbors(of: room) }

  /// Returns the doors on the way from one room to another through the fewest doors; `nil` if the plan has no such way.
  package func doors(from room: Int, to other: Int) -> [Plan.Point]? {
    graph.doors(from: room, to: other)
  }

  /// Returns the room that contains a point, if any.
  package func room(at point: Plan.Point, level: Int) -> Int? {
    rooms.firstIndex { $0.level == level && Polygon.contains(point, in: $0.outline) }
  }

  /// Returns the exhibit nearest to a point, in the same room if it has any, otherwise on the same floor.
  package func nearestExhibit(
    to point: Plan.Point,
    level: Int
  ) -> (exhibit: Int, distance: Double)? {
    let room = room(at: point, level: level)
    return nearest(to: point) { $0.room == room } ?? nearest(to: point) { $0.level == level }
  }

  private func nearest(
    to point: Plan.Point,
    where isMeant: (Exhibit) -> Bool
  ) -> (exhibit: Int, distance: Double)? {
    var best: (exhibit: Int, distance: Double)?
    for (index, exhibit) in exhibits.enumerated() where isMeant(exhibit) {
      let distance = exhibit.position.distance(to: point)
      if best.map({ distance < $0.distance }) ?? true { best = (index, distance) }
    }
    return best
  }

  /// Returns the number of walls between two points of a floor; a wall that two rooms share counts once.
  package func walls(from start: Plan.Point, to end: Plan.Point, level: Int) -> Int {
    let length = start.distance(to: end)
    guard length > 0 else { return 0 }
    let way = end - start
    var shares: [Double] = []
    for wall in walls where wall.level == level {
      let divisor = way.across(wall.side)
      guard divisor != 0 else { continue }
      let offset = wall.from - start
      let share = offset.across(wall.side) / divisor
      let place = offset.across(way) / divisor
      if share >= 0, share <= 1, place >= 0, place <= 1 { shares.append(share) }
    }
    if shares.count < 2 { return shares.count }
    shares.sort()
    // Two outlines drawn along the same wall are crossed within the wall's thickness.
    let thickness = 0.4 / length
    var count = 0
    var last = -Double.infinity
    for share in shares where share - last > thickness {
      count += 1
      last = share
    }
    return count
  }
}
