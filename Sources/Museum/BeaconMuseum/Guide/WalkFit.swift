// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

internal import BeaconCore

/// The way through a museum that the levels of a walk fit best, if each beacon hangs in its place of the plan.
///
/// A way is a place for each second; its cost is the squared deviations of the greatest levels and the meters between its
/// places.
struct WalkFit: Sendable {
  /// The deviation of a level from the expected one in dB, and the most deviations that a level counts.
  private static let (deviation, most) = (Float(5), Float(2.5))
  /// The weight of a level: those of three seconds are one.
  private static let weight = Float(0.33)
  /// The seconds at a place that count: the loss of a signal there stays.
  private static let counted = 3
  /// The greatest levels of a second that place the walker; weaker ones tell little, and their number grows with a hall.
  private static let greatest = 12
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
  /// By how much a walker usually weakens a level, in dB.
  private static let usualOffset = Float(-4)
  /// By how much a ceiling weakens a level, in dB.
  private static let ceiling = 15.0
  /// How far around its beacons the places of a room without an outline, or of a large museum, are, in meters.
  private static let around = 3.0

  /// The levels of each second, relative to the power at 1 m.
  let levels: [[Int: Float]]
  /// The least level of the walk.
  let least: Float
  /// The place of each second on the best way: an index of the grid.
  private(set) var path: [Int] = []
  /// By how much the walker and their receiver weaken all levels.
  private(set) var offset = usualOffset

  private let points: [Plan.Point]
  private let rooms: [Int]
  private let places: [Plan.Point?]
  private let exhibitRooms: [Int?]
  private let floors: [Int]
  private var steps: [[(spot: Int, cost: Float)]] = []
  /// The expected level of a beacon in each exhibit's place at each place of the grid.
  private var expected: [[Float]] = []
  private var weights: [Float]
  /// The greatest levels of each second.
  private let loudest: [[(beacon: Int, level: Float)]]
  /// The cost of the greatest levels of each second at each place.
  private var costs: [[Float]] = []

  /// Creates the fit of a walk; `nil` if the plan has no places.
  init?(_ plan: Plan, levels: [[Int: Float]], exponent: Double, wall: Double) {
    self.levels = levels
    least = levels.compactMap { $0.values.min() }.min() ?? 0
    let places = plan.exhibits.map(\.position)
    self.places = places
    exhibitRooms = plan.exhibits.map { exhibit in
      plan.rooms.firstIndex { $0.major == exhibit.identity.major }
    }
    floors = plan.rooms.map(\.level)
    weights = Array(repeating: Self.weight, count: levels.count)
    loudest = levels.map { levels in
      let known = levels.filter { places[$0.key] != nil }.map { (beacon: $0.key, level: $0.value) }
      return Array(
        known.sorted { ($1.level, $0.beacon) < ($0.level, $1.beacon) }.prefix(Self.greatest)
      )
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
        let isLevel = floors[room] == floors[rooms[spot]]
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
      loudest[second].compactMap { beacon, level -> Float? in
        expected[beacon][spot] > Self.clear ? level - expected[beacon][spot] : nil
      }
    }.sorted()
    return errors.isEmpty ? offset : errors[errors.count / 2]
  }

  // MARK: Ways

  private mutating func fit() {
    costs = levels.indices.map { second in
      var sum = [Float](repeating: 0, count: points.count)
      for (beacon, level) in loudest[second] { add(level, of: beacon, at: second, 1, to: &sum) }
      return sum
    }
    path = way(without: [], in: levels.indices)
  }

  private func add(
    _ level: Float,
    of beacon: Int,
    at second: Int,
    _ sign: Float,
    to sum: inout [Float]
  ) {
    let (own, weight) = (expected[beacon], sign * weights[second])
    for spot in sum.indices {
      sum[spot] += Self.squares(level - own[spot] - offset) * weight
    }
  }

  /// The way of the least cost in a part of the walk by the levels of other beacons (Viterbi).
  ///
  /// A step from a place that costs more than a jump to the best one leads nowhere: only the others are followed.
  func way(without beacons: Set<Int>, in seconds: Range<Int>) -> [Int] {
    var now: [Float] = []
    var former: [[Int32]] = []
    for second in seconds {
      var next = costs[second]
      for (beacon, level) in loudest[second] where beacons.contains(beacon) {
        add(level, of: beacon, at: second, -1, to: &next)
      }
      guard let best = now.indices.min(by: { (now[$0], $0) < (now[$1], $1) }) else {
        now = next
        continue
      }
      let (least, bound) = (now[best], Self.jump)
      var reached = [Float](repeating: bound, count: now.count)
      var from = [Int32](repeating: Int32(best), count: now.count)
      for spot in now.indices where now[spot] - least < bound {
        let here = now[spot] - least
        for step in steps[spot] where here + step.cost < reached[step.spot] {
          reached[step.spot] = here + step.cost
          from[step.spot] = Int32(spot)
        }
      }
      for spot in next.indices { next[spot] += reached[spot] }
      now = next
      former.append(from)
    }
    guard var spot = now.indices.min(by: { (now[$0], $0) < (now[$1], $1) }) else { return [] }
    var path = [spot]
    for from in former.reversed() {
      spot = Int(from[spot])
      path.append(spot)
    }
    return path.reversed()
  }

  // MARK: Evidence

  /// Whether a place of the grid lies in the room of an exhibit, and at what distance from its place.
  func place(_ spot: Int, from exhibit: Int) -> (isInRoom: Bool, meters: Double)? {
    guard let place = places[exhibit], let room = exhibitRooms[exhibit],
      floors[rooms[spot]] == floors[room]
    else { return nil }
    return (rooms[spot] == room, points[spot].distance(to: place))
  }

  /// For how many seconds a way is so near an exhibit, in its room.
  func seconds(near exhibit: Int, within reach: Double, on path: [Int]) -> Int {
    path.count { spot in
      place(spot, from: exhibit).map { $0.isInRoom && $0.meters <= reach } ?? false
    }
  }

  /// For how many seconds a beacon should have been received with a level.
  func seconds(expecting level: Float, of exhibit: Int) -> Int {
    guard places[exhibit] != nil else { return 0 }
    return path.count { expected[exhibit][$0] + offset >= level }
  }

  /// How a beacon's levels differ, in dB, from those expected in each of some places.
  ///
  /// Each place of a way that is so near one of them counts once, with the mean of its levels; also those in other rooms, if
  /// wanted. A second without a level counts as the least of the walk.
  func errors(
    of beacon: Int,
    in homes: [Int],
    within reach: Double,
    throughWalls: Bool,
    on path: [Int]
  ) -> [[Float]] {
    func isNear(_ spot: Int, _ home: Int) -> Bool {
      place(spot, from: home).map { $0.meters <= reach && ($0.isInRoom || throughWalls) } ?? false
    }
    var sums: [Int: (sum: Float, count: Float)] = [:]
    for (second, spot) in path.enumerated() where homes.contains(where: { isNear(spot, $0) }) {
      let known = sums[spot] ?? (0, 0)
      sums[spot] = (known.sum + (levels[second][beacon] ?? least), known.count + 1)
    }
    let means = sums.sorted { $0.key < $1.key }
    return homes.map { home in
      means.map { $0.value.sum / $0.value.count - expected[home][$0.key] - offset }
    }
  }
}
