// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

internal import BeaconCore

/// The possible places of a visitor, and the expected signal strength of each beacon there.
///
/// If the plan draws its rooms and gives the beacons' positions, the places form a grid over the rooms, and a beacon's
/// strength follows from its distance and the walls in between. Otherwise there is one place in front of each exhibit
/// and one elsewhere in each room, at distances that are typical of museums.
struct Places: Sendable {
  /// A place.
  struct Place: Sendable, Equatable {
    /// Its position on its floor; `nil` if the plan does not give it.
    var point: Plan.Point?
    /// The room's index in the plan.
    var room: Int
    /// The index in the plan of the nearest exhibit within reach.
    var exhibit: Int?
    /// Whether a door is nearer than all exhibits of the room, so that a visitor here is on the way.
    var isAtDoor = false
  }

  /// The grid spacing in meters in a small museum: one step of a visitor.
  static let step = 0.75
  /// The maximum number of places; a large museum gets a coarser grid, so that the work for each second is bounded.
  static let limit = 4000
  /// The distance in meters below which signal strength does not depend on the distance.
  static let nearest = 0.5
  /// The assumed distance in meters from a visitor to the exhibit in front of them, without a drawing.
  static let standing = 1.2
  /// The assumed distances in meters to other exhibits of the room and to those of other rooms, without a drawing.
  static let (besides, beyond) = (4.0, 8.0)
  /// The loss of a ceiling in dB: 15 in offices (ITU-R P.1238).
  static let ceilingLoss = 15.0
  /// The distance in meters from a door within which one step leads into the other room.
  static let doorway = 1.5

  private(set) var places: [Place] = []
  /// The pairs of places that are one step apart; each pair occurs once.
  private(set) var steps: [(Int, Int)] = []
  /// For each place, the number of places one step away.
  private(set) var degrees: [Double] = []
  /// For each exhibit, the expected strength at each place relative to that at 1 m, in dB.
  private(set) var expected: [[Double]] = []
  /// The number of exhibits.
  let count: Int

  init(_ plan: Plan, exponent: Double, _ rules: GuideConfiguration) {
    count = plan.exhibits.count
    if Self.isDrawn(plan) {
      layGrid(over: plan, reach: rules.reach)
    } else {
      listPlaces(of: plan)
    }
    let rooms = plan.exhibits.map { exhibit in
      plan.rooms.firstIndex { $0.major == exhibit.identity.major } ?? -1
    }
    expected = plan.exhibits.enumerated().map { index, exhibit in
      places.map { place in
        let distance = max(Self.nearest, Self.distance(place, to: index, exhibit, in: rooms[index]))
        var level = -10 * exponent * DeterministicMath.log10(distance)
        if place.room != rooms[index] { level -= rules.wallLoss }
        if let other = plan.rooms[safe: rooms[index]], let own = plan.rooms[safe: place.room],
          other.level != own.level
        {
          level -= Self.ceilingLoss
        }
        return level
      }
    }
    degrees = Array(repeating: 0, count: places.count)
    for (first, second) in steps {
      degrees[first] += 1
      degrees[second] += 1
    }
  }

  /// Returns whether the plan gives the position of everything.
  static func isDrawn(_ plan: Plan) -> Bool {
    !plan.exhibits.isEmpty && plan.exhibits.allSatisfy { $0.position != nil }
      && plan.rooms.allSatisfy { !$0.outline.isEmpty }
  }

  private static func distance(
    _ place: Place,
    to index: Int,
    _ exhibit: Plan.Exhibit,
    in room: Int
  ) -> Double {
    if let point = place.point, let position = exhibit.position {
      return point.distance(to: position)
    }
    if place.exhibit == index { return standing }
    return place.room == room ? besides : beyond
  }

  // MARK: Without a drawing

  private mutating func listPlaces(of plan: Plan) {
    for (index, exhibit) in plan.exhibits.enumerated() {
      let room = plan.rooms.firstIndex { $0.major == exhibit.identity.major } ?? 0
      places.append(Place(point: nil, room: room, exhibit: index))
    }
    for room in plan.rooms.indices { places.append(Place(point: nil, room: room, exhibit: nil)) }
    for first in places.indices {
      for second in places.indices.dropFirst(first + 1) { steps.append((first, second)) }
    }
  }

  // MARK: With a drawing

  private mutating func layGrid(over plan: Plan, reach: Double) {
    let area = plan.rooms.reduce(0) { $0 + Polygon.area($1.outline) }
    let step = max(Self.step, (area / Double(Self.limit)).squareRoot())
    for (index, room) in plan.rooms.enumerated() {
      var points = Self.points(in: room.outline, step: step)
      // A room smaller than the grid spacing still needs one place.
      if points.isEmpty { points += Polygon.center(room.outline).map { [$0] } ?? [] }
      let exhibits = plan.exhibits.enumerated().filter { $1.identity.major == room.major }
      let doors = plan.floor(room.level)?.doors ?? []
      for point in points {
        let nearest = exhibits.compactMap { index, exhibit in
          exhibit.position.map { (index: index, distance: $0.distance(to: point)) }
        }.min { $0.distance < $1.distance }
        places.append(
          Place(
            point: point,
            room: index,
            exhibit: nearest.flatMap { $0.distance <= reach ? $0.index : nil },
            isAtDoor: doors.contains { $0.distance(to: point) < nearest?.distance ?? .infinity }
          )
        )
      }
    }
    join(plan, step: step)
  }

  private static func points(in outline: [Plan.Point], step: Double) -> [Plan.Point] {
    let (xs, ys) = (outline.map(\.x), outline.map(\.y))
    guard let left = xs.min(), let right = xs.max(), let top = ys.min(), let bottom = ys.max()
    else { return [] }
    let columns = max(1, Int((right - left) / step))
    let rows = max(1, Int((bottom - top) / step))
    // An extremely thin outline can have a large bounding box and almost no area.
    guard columns * rows <= 100 * limit else {
      return []
    }
    var points: [Plan.Point] = []
    for row in 0..<rows {
      for column in 0..<columns {
        let point = Plan.Point(
          left + (Double(column) + 0.5) / Double(columns) * (right - left),
          top + (Double(row) + 0.5) / Double(rows) * (bottom - top)
        )
        if Polygon.contains(point, in: outline) { points.append(point) }
      }
    }
    return points
  }

  /// Connects the places that are one step apart: within a room and through doors; without doors, through walls.
  ///
  /// Only places in neighboring squares or at a door are compared: a large museum has thousands.
  private mutating func join(_ plan: Plan, step: Double) {
    struct Square: Hashable { var level: Int, x: Double, y: Double }
    let levels = places.map { plan.rooms[$0.room].level }
    let length = 2 * step
    var squares: [Square: [Int]] = [:]
    var joined: [Set<Int>] = []
    for (second, place) in places.enumerated() {
      joined.append([])
      guard let there = place.point else { continue }
      let (x, y) = ((there.x / length).rounded(.down), (there.y / length).rounded(.down))
      for right in [x - 1, x, x + 1] {
        for down in [y - 1, y, y + 1] {
          for first in squares[Square(level: levels[second], x: right, y: down)] ?? []
          where isStep(places[first], place, plan, step) {
            joined[first].insert(second)
          }
        }
      }
      squares[Square(level: levels[second], x: x, y: y), default: []].append(second)
    }
    for level in Set(levels).sorted() {
      for door in plan.floor(level)?.doors ?? [] {
        let near = places.indices.filter { index in
          levels[index] == level
            && places[index].point.map { door.distance(to: $0) <= Self.doorway } == true
        }
        for first in near {
          for second in near where second > first && places[first].room != places[second].room {
            joined[first].insert(second)
          }
        }
      }
    }
    steps = joined.enumerated().flatMap { first, others in others.sorted().map { (first, $0) } }
  }

  /// Returns whether two places of a floor are one step apart, without a way through a door.
  private func isStep(_ first: Place, _ second: Place, _ plan: Plan, _ step: Double) -> Bool {
    guard let here = first.point, let there = second.point else { return false }
    if first.room == second.room { return here.distance(to: there) <= 1.6 * step }
    let hasDoors = plan.floor(plan.rooms[first.room].level)?.doors.isEmpty == false
    return !hasDoors && here.distance(to: there) <= 2 * step
  }
}

extension Array {
  /// Returns the element at an index; `nil` if the index is out of range.
  subscript(safe index: Int) -> Element? { indices.contains(index) ? self[index] : nil }
}
