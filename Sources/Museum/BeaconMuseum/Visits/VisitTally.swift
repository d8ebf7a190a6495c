// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

internal import BeaconCore

/// Counts the stays of some visits by exhibit and by room.
struct VisitTally {
  /// The number of different exhibits that each visitor visited.
  var seen: [Int] = []
  var exhibits: [ExhibitStatistics] = []
  var rooms: [RoomStatistics] = []
  var exhibitTransitions = TransitionCount()
  var roomTransitions = TransitionCount()

  private var dwells: [[Double]]
  private var visitors: [Int]
  private var counts: [Int]
  private var nearness: [Nearness]
  private var times: [[Double]]
  /// Brings times on a grid, before anything is computed from them.
  private let suppression: SmallCellSuppression
  private let graph: RoomGraph

  init(
    _ visits: [Visit],
    of plan: Plan,
    rules: VisitStatistics.Rules,
    _ suppression: SmallCellSuppression
  ) {
    self.suppression = suppression
    graph = RoomGraph(plan)
    dwells = Array(repeating: [], count: plan.exhibits.count)
    visitors = Array(repeating: 0, count: plan.exhibits.count)
    counts = visitors
    nearness = Array(repeating: Nearness(), count: plan.exhibits.count)
    times = Array(repeating: [], count: plan.rooms.count)
    for (number, visit) in visits.enumerated() { add(visit, number, rules) }
    finish(plan)
  }

  private mutating func add(_ visit: Visit, _ number: Int, _ rules: VisitStatistics.Rules) {
    let viewings = visit.viewings(shortest: rules.shortestVisit)
      .filter { dwells.indices.contains($0.exhibit) }
    let found = Dictionary(grouping: viewings, by: \.exhibit)
    for (exhibit, viewings) in found { add(viewings, at: exhibit) }
    seen.append(found.count)
    for part in visit.parts(viewings, from: { $0.start }, to: { $0.end }) {
      exhibitTransitions.add(part.map(\.exhibit), of: number)
    }
    let inRooms = visit.rooms.filter { times.indices.contains($0.room) }
    var spent: [Int: Double] = [:]
    for stay in inRooms { spent[stay.room, default: 0] += stay.dwell }
    for room in spent.keys.sorted() { times[room].append(suppression.coarse(spent[room] ?? 0)) }
    for part in visit.parts(inRooms, from: { $0.start }, to: { $0.end }) {
      for way in graph.ways(through: part.map(\.room)) { roomTransitions.add(way, of: number) }
    }
  }

  /// Adds the visits of a visitor to an exhibit; in a report of many visitors each of them counts once in every figure.
  private mutating func add(_ viewings: [Visit.Viewing], at exhibit: Int) {
    let times = viewings.map { suppression.coarse(visit: $0.dwell) }
    var nearness = Nearness()
    for viewing in viewings { nearness.add(viewing.nearness.rounded { suppression.coarse($0) }) }
    visitors[exhibit] += 1
    if suppression.isEverything {
      dwells[exhibit] += times
      counts[exhibit] += times.count
      self.nearness[exhibit].add(nearness)
    } else {
      let mean = times.reduce(0, +) / Double(times.count)
      dwells[exhibit].append(suppression.coarse(visit: mean))
      // Whether the visitor came again.
      counts[exhibit] += min(times.count, 2)
      if let mostly = nearness.mostly { self.nearness[exhibit].add(1, at: mostly) }
    }
  }

  private mutating func finish(_ plan: Plan) {
    rooms = times.enumerated().map { room, times in
      RoomStatistics(room: room, visitors: times.count, time: Distribution(times))
    }
    exhibits = plan.exhibits.enumerated().map { index, exhibit in
      let room = plan.rooms.firstIndex { $0.major == exhibit.identity.major }
      return ExhibitStatistics(
        exhibit: index,
        // A visitor who stood in front of the exhibit was in its room, whatever room the guide named.
        passed: max(room.map { rooms[$0].visitors } ?? 0, visitors[index]),
        visitors: visitors[index],
        visits: counts[index],
        dwell: Distribution(dwells[index]),
        viewingTime: exhibit.viewingTime,
        nearness: nearness[index]
      )
    }
  }
}

/// Counts moves from place to place.
struct TransitionCount {
  private struct Step: Hashable {
    var from: Int
    var to: Int
  }

  private struct Tally {
    var count = 0
    var visitors = 0
    var last = -1
  }

  private var tallies: [Step: Tally] = [:]

  /// Adds one visitor's places, in order; staying at a place is not a move.
  mutating func add(_ places: [Int], of visitor: Int) {
    for (from, to) in zip(places, places.dropFirst()) where from != to {
      var tally = tallies[Step(from: from, to: to)] ?? Tally()
      tally.count += 1
      if tally.last != visitor {
        tally.last = visitor
        tally.visitors += 1
      }
      tallies[Step(from: from, to: to)] = tally
    }
  }

  /// The moves, the most frequent first; ties are in the order of the plan.
  var sorted: [Transition] {
    tallies.map {
      Transition(
        from: $0.key.from,
        to: $0.key.to,
        count: $0.value.count,
        visitors: $0.value.visitors
      )
    }.sorted { ($1.count, $0.from, $0.to) < ($0.count, $1.from, $1.to) }
  }
}
