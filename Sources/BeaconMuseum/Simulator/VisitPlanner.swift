// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

internal import BeaconCore

/// Makes one party's way through the museum: which rooms, which stops, how long.
struct VisitPlanner {
  /// How a visitor goes about it (Véron and Levasseur: Ethnographie de l'exposition, 1983).
  enum Kind {
    /// From one to the next along the walls, nearly everything.
    case ant
    /// To and fro, as things attract.
    case butterfly
    /// Through the middle of the rooms, with few stops.
    case fish
    /// Straight to what was chosen before, and long.
    case grasshopper
  }

  private let site: SimulatedSite
  private let model: VisitorModel
  /// How likely a visitor stops at each exhibit.
  private let attraction: [Double]
  private var random: SeededRandom
  private let kind: Kind
  private let speed: Double
  private var waypoints: [Waypoint] = []
  private var time: Double
  private var room: Int
  private var position: Plan.Point

  /// A step of the way.
  struct Waypoint {
    var position: Plan.Point
    var room: Int
    /// When it is reached, and how long the visitor stays.
    var time: Double
    var stay: Double
    var exhibit: Int?
    /// Whether there is room beside it for company.
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
    for next in roomsInOrder() { visit(next) }
    walk(to: site.entrance, in: site.entranceRoom, isOpen: false)
    return waypoints
  }

  /// All rooms that can be reached, each once: depth first, so that one goes back only where there is no other way.
  private mutating func roomsInOrder() -> [Int] {
    var order: [Int] = []
    var stack = [site.entranceRoom]
    var seen: Set<Int> = []
    while let here = stack.popLast() {
      guard seen.insert(here).inserted else { continue }
      order.append(here)
      var next = site.neighbors(of: here).filter { !seen.contains($0) }
      // The ant goes on as the plan has it, so that its first way is the last put on the stack.
      if kind == .ant { next.reverse() } else { random.shuffle(&next) }
      stack += next
    }
    for exhibit in site.exhibits where !order.contains(exhibit.room) { order.append(exhibit.room) }
    // Some leave early: museum fatigue.
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
    while !stops.isEmpty {
      let next =
        kind == .butterfly
        ? random.index(below: stops.count)
        : stops.indices.min { distance(to: stops[$0]) < distance(to: stops[$1]) } ?? 0
      let exhibit = stops.remove(at: next)
      stop(at: exhibit)
      done.append(exhibit)
    }
    // Now and then one goes back to what one liked.
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
    // Half an hour before one piece is the most; the tail of the distribution knows no end.
    stay(min(seconds * (kind == .grasshopper ? 1.5 : 1), 1800), at: exhibit)
  }

  /// A place to stand before an exhibit: at its distance, within the room.
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
