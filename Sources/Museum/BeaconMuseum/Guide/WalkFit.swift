// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

internal import BeaconCore

/// The way through a museum that the levels of a walk fit best, if each beacon hangs in a given place.
///
/// A way is a place for each second; its cost is the squared deviations of all levels and the meters between its places.
struct WalkFit: Sendable {
  /// A beacon that hangs in the place of another exhibit than before.
  struct Move {
    var beacon: Int
    var home: Int
  }

  /// The deviation of a level from the expected one in dB, and the most deviations that a level counts.
  private static let (deviation, most) = (Float(5), Float(2.5))
  /// The weight of a level: those of three seconds are one.
  private static let weight = Float(0.33)
  /// The seconds at a place that count: the loss of a signal there stays.
  private static let counted = 3
  /// The cost of a square meter of a second's step, and of a jump: a recording that was paused.
  private static let (meter, jump) = (Float(1), Float(8))
  /// The farthest step of a second in meters.
  private static let farthest = 2.01
  /// The most places of a grid; those of a larger museum are farther apart than a meter.
  private static let mostSpots = 1500
  /// The most square meters that are searched at each meter.
  private static let mostArea = 200_000.0
  /// The least level relative to the power at 1 m that tells how much the walker weakens all.
  private static let clear = Float(-20)
  /// The least level of a beacon that is near, as a quick estimate takes it.
  private static let loud = Float(-22)
  /// By how much a walker usually weakens a level, in dB.
  private static let usualOffset = Float(-4)
  /// By how much a ceiling weakens a level, in dB.
  private static let ceiling = 15.0
  /// How far around its beacons the places of a room without an outline, or of a large museum, are, in meters.
  private static let around = 3.0

  /// The levels of each second, relative to the power at 1 m.
  let levels: [[Int: Float]]
  /// The exhibit in whose place each beacon hangs.
  private(set) var homes: [Int]
  /// The place of each second on the best way: an index of the grid.
  private(set) var path: [Int] = []
  /// The cost of the best way.
  private(set) var cost = Float(0)
  /// By how much the walker and their receiver weaken all levels.
  private(set) var offset = usualOffset

  private let points: [Plan.Point]
  private let rooms: [Int]
  private let places: [Plan.Point?]
  private let exhibitRooms: [Int?]
  private var steps: [[(spot: Int, cost: Float)]] = []
  /// The expected level of a beacon in each exhibit's place at each place of the grid.
  private var expected: [[Float]] = []
  private var weights: [Float]
  /// The seconds in which each beacon is loud.
  private var loudSeconds: [[Int]]
  private var costs: [[Float]] = []

  /// Creates the fit of a walk; `nil` if the plan has no places.
  init?(_ plan: Plan, levels: [[Int: Float]], exponent: Double, wall: Double) {
    self.levels = levels
    homes = Array(plan.exhibits.indices)
    places = plan.exhibits.map(\.position)
    exhibitRooms = plan.exhibits.map { exhibit in
      plan.rooms.firstIndex { $0.major == exhibit.identity.major }
    }
    weights = Array(repeating: Self.weight, count: levels.count)
    loudSeconds = plan.exhibits.indices.map { beacon in
      levels.indices.filter { levels[$0][beacon] ?? -.infinity >= Self.loud }
    }
    let (grid, apart) = Self.grid(plan)
    (points, rooms) = (grid.map(\.point), grid.map(\.room))
    guard !points.isEmpty, !levels.isEmpty, places.contains(where: { $0 != nil }) else {
      return nil
    }
    steps = points.map { from in
      points.indices.compactMap { index in
        let length = from.distance(to: points[index])
        return length <= Self.farthest * apart ? (index, Self.meter * Float(length * length)) : nil
      }
    }
    expected = places.indices.map { exhibit in
      points.indices.map { spot in
        guard let place = places[exhibit], let room = exhibitRooms[exhibit] else { return 0 }
        let loss = 10 * exponent * DeterministicMath.log10(max(1, place.distance(to: points[spot])))
        let isLevel = plan.rooms[room].level == plan.rooms[rooms[spot]].level
        return Float(-loss - (isLevel ? rooms[spot] == room ? 0 : wall : Self.ceiling))
      }
    }
    for _ in 0..<2 {
      fit()
      offset = middleError
    }
    let visited = path.reduce(into: [Int: Int]()) { $0[$1, default: 0] += 1 }
    weights = path.map { here in
      let seconds = visited.reduce(0) { count, entry in
        points[here].distance(to: points[entry.key]) <= 1.01 ? count + entry.value : count
      }
      return Self.weight * min(1, Float(Self.counted) / Float(max(1, seconds)))
    }
    fit()
  }

  /// The places of a plan's rooms, a meter apart in a museum of usual size.
  private static func grid(
    _ plan: Plan
  ) -> (spots: [(point: Plan.Point, room: Int)], apart: Double) {
    let outlines = plan.rooms.map { room -> [Plan.Point] in
      guard room.outline.isEmpty else { return room.outline }
      return plan.exhibits(in: room).compactMap(\.position).flatMap { place in
        [place + Plan.Point(-around, -around), place + Plan.Point(around, around)]
      }
    }
    let boxes = outlines.map { outline -> (low: Plan.Point, high: Plan.Point)? in
      guard let left = outline.map(\.x).min(), let right = outline.map(\.x).max(),
        let top = outline.map(\.y).min(), let bottom = outline.map(\.y).max()
      else { return nil }
      return (Plan.Point(left, top), Plan.Point(right, bottom))
    }
    let area = boxes.reduce(0.0) { sum, box in
      sum + (box.map { ($0.high.x - $0.low.x) * ($0.high.y - $0.low.y) } ?? 0)
    }
    // Of a large museum only the places around its beacons.
    let isLarge = area > Double(mostSpots)
    func spots(_ apart: Double) -> [(point: Plan.Point, room: Int)] {
      var spots: [(point: Plan.Point, room: Int)] = []
      for (room, box) in boxes.enumerated() {
        guard let box else { continue }
        let outline = plan.rooms[room].outline
        let beacons = plan.exhibits(in: plan.rooms[room]).compactMap(\.position)
        for x in stride(from: box.low.x + apart / 2, to: box.high.x, by: apart) {
          for y in stride(from: box.low.y + apart / 2, to: box.high.y, by: apart) {
            let point = Plan.Point(x, y)
            guard !isLarge || beacons.contains(where: { $0.distance(to: point) <= around }),
              outline.isEmpty || Polygon.contains(point, in: outline)
            else { continue }
            spots.append((point, room))
          }
        }
      }
      return spots
    }
    let apart = max(1, (area / mostArea).squareRoot())
    let all = spots(apart)
    guard all.count > mostSpots else { return (all, apart) }
    let wider = apart * (Double(all.count) / Double(mostSpots)).squareRoot()
    return (spots(wider), wider)
  }

  private static func squares(_ error: Float) -> Float {
    let deviations = min(error.magnitude / deviation, most)
    return deviations * deviations
  }

  /// The middle difference of the clear levels from the expected ones on the best way.
  private var middleError: Float {
    let errors = path.enumerated().flatMap { second, spot in
      levels[second].compactMap { beacon, level -> Float? in
        guard places[homes[beacon]] != nil, expected[homes[beacon]][spot] > Self.clear else {
          return nil
        }
        return level - expected[homes[beacon]][spot]
      }
    }.sorted()
    return errors.isEmpty ? offset : errors[errors.count / 2]
  }

  // MARK: Ways

  /// The cost of a beacon's level in a second at each place; `nil` without a level or a place.
  private func cost(of beacon: Int, in home: Int, at second: Int) -> [Float]? {
    guard let level = levels[second][beacon], places[home] != nil else { return nil }
    let weight = weights[second]
    return expected[home].map { Self.squares(level - $0 - offset) * weight }
  }

  private mutating func fit() {
    costs = levels.indices.map { second in
      var sum = [Float](repeating: 0, count: points.count)
      for beacon in levels[second].keys.sorted() {
        guard let cost = cost(of: beacon, in: homes[beacon], at: second) else { continue }
        for spot in sum.indices { sum[spot] += cost[spot] }
      }
      return sum
    }
    (path, cost) = way { costs[$0] }
  }

  /// Changes the places of beacons.
  mutating func perform(_ moves: [Move]) {
    costs = levels.indices.map { costs(with: moves, at: $0) }
    for move in moves { homes[move.beacon] = move.home }
    (path, cost) = way { costs[$0] }
  }

  /// The best way if beacons hang elsewhere.
  func way(with moves: [Move]) -> (path: [Int], cost: Float) {
    way { costs(with: moves, at: $0) }
  }

  private func costs(with moves: [Move], at second: Int) -> [Float] {
    var sum = costs[second]
    for move in moves {
      guard let old = cost(of: move.beacon, in: homes[move.beacon], at: second),
        let new = cost(of: move.beacon, in: move.home, at: second)
      else { continue }
      for spot in sum.indices { sum[spot] += new[spot] - old[spot] }
    }
    return sum
  }

  /// The best way by the levels of all other beacons.
  func way(without beacon: Int) -> [Int] {
    way { second in
      guard let own = cost(of: beacon, in: homes[beacon], at: second) else { return costs[second] }
      return zip(costs[second], own).map { $0 - $1 }
    }.path
  }

  /// The way of the least cost (Viterbi).
  private func way(_ cost: (Int) -> [Float]) -> (path: [Int], cost: Float) {
    var now = cost(0)
    var former: [[Int32]] = []
    for second in levels.indices.dropFirst() {
      let here = cost(second)
      let least = now.indices.min { (now[$0], $0) < (now[$1], $1) } ?? 0
      var next = here
      var from = [Int32](repeating: Int32(least), count: here.count)
      for spot in here.indices {
        var best = now[least] + Self.jump
        for step in steps[spot] where now[step.spot] + step.cost < best {
          best = now[step.spot] + step.cost
          from[spot] = Int32(step.spot)
        }
        next[spot] += best
      }
      now = next
      former.append(from)
    }
    var spot = now.indices.min { (now[$0], $0) < (now[$1], $1) } ?? 0
    let total = now[spot]
    var path = [spot]
    for from in former.reversed() {
      spot = Int(from[spot])
      path.append(spot)
    }
    return (path.reversed(), total)
  }

  /// A quick estimate of how much the walk fits better with moves: near the best way, in seconds in which one of the beacons is loud.
  func estimate(of moves: [Move]) -> Float {
    var gain = Float(0)
    for second in Set(moves.flatMap { loudSeconds[$0.beacon] }).sorted() {
      let here = moves.compactMap { move -> (error: Float, old: [Float], new: [Float])? in
        guard let level = levels[second][move.beacon] else { return nil }
        return (level - offset, expected[homes[move.beacon]], expected[move.home])
      }
      var (before, after) = (Float.infinity, Float.infinity)
      for step in steps[path[second]] {
        var (rest, old, new) = (costs[second][step.spot] + step.cost / 2, Float(0), Float(0))
        for level in here {
          let was = Self.squares(level.error - level.old[step.spot]) * weights[second]
          rest -= was
          old += was
          new += Self.squares(level.error - level.new[step.spot]) * weights[second]
        }
        before = min(before, rest + old)
        after = min(after, rest + new)
      }
      gain += before - after
    }
    return gain
  }

  // MARK: Evidence

  /// For how many seconds a way is so near an exhibit, in its room.
  func seconds(near exhibit: Int, within reach: Double, on path: [Int]) -> Int {
    guard let place = places[exhibit], let room = exhibitRooms[exhibit] else { return 0 }
    return path.count { rooms[$0] == room && points[$0].distance(to: place) <= reach }
  }

  /// For how many seconds a beacon should have been received with a level.
  func seconds(expecting level: Float, of exhibit: Int) -> Int {
    guard places[exhibit] != nil else { return 0 }
    return path.count { expected[exhibit][$0] + offset >= level }
  }
}
