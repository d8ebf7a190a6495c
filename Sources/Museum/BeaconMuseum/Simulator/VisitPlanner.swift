// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

internal import BeaconCore

/// Plans one party's way through the museum: its rooms, its stops and their durations.
struct VisitPlanner {
  /// A style of visiting (Véron and Levasseur: Ethnographie de l'exposition, 1983).
  enum Kind {
    /// Goes along the walls from one exhibit to the next and sees nearly everything.
    case ant
    /// Goes back and forth between attractive exhibits.
    case butterfly
    /// Goes through the middle of the rooms, with few stops.
    case fish
    /// Goes straight to exhibits chosen in advance, with long stops.
    case grasshopper
  }

  private let site: SimulatedSite
  private let model: VisitorModel
  /// The probability that a visitor stops at each exhibit.
  private let attraction: [Double]
  private var random: SeededRandom
  private let kind: Kind
  private let speed: Double
  /// When a visitor who still has exhibits to see leaves, in seconds.
  private let end: Double
  /// The longest visit before the way out, in seconds (assumed).
  private static let longest = 3 * 3600.0
  private var waypoints: [Waypoint] = []
  private var time: Double
  private var room: Int
  private var position: Plan.Point

  /// A point on the way.
  struct Waypoint {
    var position: Plan.Point
    var room: Int
    /// The time of arrival, in seconds, and the length of the stay.
    var time: Double
    var stay: Double
    var exhibit: Int?
    /// Whether there is room next to it for other members of the party.
    var isOpen: Bool
  }

  init(
    _ site: SimulatedSite,
    _ model: VisitorModel,
    attraction: [Double],
    arriving time: Double,
    random: SeededRandom
  ) {
    self.site = site
    self.model = model
    self.attraction = attraction
    self.random = random
    self.time = time
    end = time + Self.longest
    let draw = self.random.unit()
    kind =
      draw < model.ants
      ? .ant
      : draw < model.ants + model.butterflies
        ? .butterfly : draw < model.ants + model.butterflies + model.fish ? .fish : .grasshopper
    speed = self.random.uniform(model.speed.lowerBound, model.speed.upperBound)
    room = site.entranceRoom
    position = site.entrance
  }

  /// Returns the way, from the entrance back to it.
  mutating func way() -> [Waypoint] {
    waypoints = [
      Waypoint(position: position, room: room, time: time, stay: 2, isOpen: false)
    ]
    time += 2
    for next in roomsInOrder() where time < end { visit(next) }
    walk(to: site.entrance, in: site.entranceRoom, isOpen: false)
    return waypoints
  }

  /// Returns all reachable rooms, each once, depth first, so that a visitor turns back only without another
  /// way.
  private mutating func roomsInOrder() -> [Int] {
    var order: [Int] = []
    var stack = [site.entranceRoom]
    var seen: Set<Int> = []
    while let here = stack.popLast() {
      guard seen.insert(here).inserted else { continue }
      order.append(here)
      var next = site.neighbors(of: here).filter { !seen.contains($0) }
      // An ant follows the plan's order, so its first neighbor must be last on the stack.
      if kind == .ant { next.reverse() } else { random.shuffle(&next) }
      stack += next
    }
    for exhibit in site.exhibits where !order.contains(exhibit.room) { order.append(exhibit.room) }
    // Some visitors leave early: museum fatigue.
    let leaving = order.indices.first { $0 > 0 && random.happens(0.07) }
    return Array(order.prefix(leaving ?? order.count))
  }

  private mutating func visit(_ room: Int) {
    let exhibits = site.exhibits.indices.filter { site.exhibits[$0].room == room }
    guard !exhibits.isEmpty else { return rest(in: room) }
    let middle = Polygon.center(site.rooms[room].outline) ?? position
    if kind == .fish || exhibits.isEmpty { walk(to: middle, in: room) }
    var stops = exhibits.filter { random.happens(chance(of: $0)) }
    var done: [Int] = []
    while !stops.isEmpty, time < end {
      let next =
        kind == .butterfly
        ? random.index(below: stops.count)
        : stops.indices.min { distance(to: stops[$0]) < distance(to: stops[$1]) } ?? 0
      let exhibit = stops.remove(at: next)
      stop(at: exhibit)
      done.append(exhibit)
    }
    // Some visitors return to an exhibit that they liked.
    if done.count > 1, random.happens(0.15) { stop(at: done[random.index(below: done.count - 1)]) }
    if done.isEmpty { walk(to: middle, in: room) }
  }

  private mutating func rest(in room: Int) {
    guard let middle = Polygon.center(site.rooms[room].outline) else { return }
    guard random.happens(model.rests) else { return }
    walk(to: middle, in: room)
    stay(random.logNormal(mean: model.restLogMean, deviation: model.restLogDeviation), at: nil)
  }

  private func chance(of exhibit: Int) -> Double {
    switch kind {
    case .ant: min(1, 1.5 * attraction[exhibit])
    case .butterfly: attraction[exhibit]
    case .fish: 0.4 * attraction[exhibit]
    case .grasshopper: 0.6 * attraction[exhibit]
    }
  }

  private func distance(to exhibit: Int) -> Double {
    site.exhibits[exhibit].position.distance(to: position)
  }

  private mutating func stop(at exhibit: Int) {
    walk(to: place(before: exhibit), in: site.exhibits[exhibit].room)
    let seconds = random.logNormal(
      mean: model.stopLogMean,
      deviation: model.stopLogDeviation
    )
    // A stay is at most half an hour; the distribution itself has no upper limit.
    stay(min(seconds * (kind == .grasshopper ? 1.5 : 1), 1800), at: exhibit)
  }

  /// Returns a position in front of an exhibit: at its viewing distance, within the room.
  private mutating func place(before exhibit: Int) -> Plan.Point {
    let target = site.exhibits[exhibit]
    let outline = site.rooms[target.room].outline
    for _ in 0..<40 {
      let way = Plan.Point(random.normal(), random.normal()).direction
      let distance = random.uniform(
        model.viewingDistance.lowerBound,
        model.viewingDistance.upperBound
      )
      let place = target.position + way * distance
      let fromWall = Polygon.distance(from: place, toWallsOf: outline) ?? 0
      if fromWall > 0.3, Polygon.contains(place, in: outline) { return place }
    }
    return target.position
  }

  private mutating func stay(_ seconds: Double, at exhibit: Int?) {
    guard !waypoints.isEmpty else { return }
    waypoints[waypoints.count - 1].stay = seconds
    waypoints[waypoints.count - 1].exhibit = exhibit
    time += seconds
  }

  private mutating func walk(to target: Plan.Point, in next: Int, isOpen: Bool = true) {
    for door in site.doors(from: room, to: next) ?? [] {
      reach(door, in: next, isOpen: false)
    }
    reach(target, in: next, isOpen: isOpen)
    room = next
  }

  private mutating func reach(_ target: Plan.Point, in room: Int, isOpen: Bool) {
    time += position.distance(to: target) / speed
    position = target
    waypoints.append(
      Waypoint(position: target, room: room, time: time, stay: 0, isOpen: isOpen)
    )
  }
}
