// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

import BeaconCore
import BeaconMuseum

/// Compares the shown with the true exhibits.
struct Score {
  /// The time in seconds that the guide has to find the exhibit.
  static let grace = 4.0
  /// The distance in meters within which a visitor is in front of an exhibit.
  static let reach = 3.0
  /// The length in seconds of a stop whose exhibit should be announced.
  static let worthTelling = 15.0
  /// The shortest stay in seconds that counts as a visit.
  static let shortest = VisitStatistics.Rules().shortestVisit

  private(set) var snapshot = 0
  private(set) var standingRight = 0
  /// The standing time in front of exhibits; rests in a room without exhibits, if nothing should be shown, are long.
  private(set) var viewing = 0
  private(set) var viewingRight = 0
  private(set) var inRooms = 0
  private(set) var roomsRight = 0
  private(set) var announced = 0
  private(set) var announcedWrong = 0
  /// The shown stays, and those of them at exhibits without a stop of the visitor.
  private(set) var visits = 0
  private(set) var visitsOfNobody = 0
  /// The stops long enough for an announcement, and those whose exhibit was announced before their end.
  private(set) var longStops = 0
  private(set) var longStopsTold = 0
  /// For each exhibit, how long visitors stood in front of it each time, over all seeds.
  private(set) var trueDwells: [[Double]]
  /// For each exhibit, how long it was shown.
  private(set) var shownDwells: [[Double]]
  /// For each exhibit, why the two differ.
  private(set) var faults: [DwellFaults]
  private(set) var rest = RestScore()
  private(set) var lag: LagScore
  /// For each seed, how well the exhibits' order by time agrees.
  private(set) var taus: [Double] = []
  private var seedTrue: [Double]
  private var seedShown: [Double]

  private let plan: Plan
  /// The room of each exhibit.
  private let exhibitRooms: [Int?]

  init(_ plan: Plan) {
    self.plan = plan
    exhibitRooms = plan.exhibits.map { exhibit in
      plan.rooms.firstIndex { $0.major == exhibit.identity.major }
    }
    lag = LagScore(Set(exhibitRooms.compactMap { $0 }))
    let exhibits = plan.exhibits.count
    trueDwells = Array(repeating: [], count: exhibits)
    shownDwells = trueDwells
    faults = Array(repeating: DwellFaults(), count: exhibits)
    seedTrue = Array(repeating: 0, count: exhibits)
    seedShown = seedTrue
  }

  mutating func add(_ shown: Shown, _ world: World, _ visitor: SimulatedDay.Visitor) {
    addMoments(shown, world, visitor)
    addAnnouncements(shown, world, visitor)
    addDwells(shown, world, visitor)
    addFaults(shown, world, visitor)
    rest.add(shown, world, visitor, plan)
  }

  /// A dwell is how long a visitor stands in front of one exhibit.
  ///
  /// The true dwell is the length of a stop that is at least as long as the shortest visit; the shown one is the length
  /// of a viewing as the report counts it.
  private mutating func addDwells(
    _ shown: Shown,
    _ world: World,
    _ visitor: SimulatedDay.Visitor
  ) {
    let stops = visitor.path.legs.filter { $0.isStanding && $0.end - $0.start >= Self.shortest }
    for span in shown.viewings {
      shownDwells[span.exhibit].append(span.dwell)
      seedShown[span.exhibit] += span.dwell
      visits += 1
      let (start, end) = (
        (span.start - world.day.start).seconds, (span.end - world.day.start).seconds
      )
      let isReal = stops.contains {
        $0.exhibit == span.exhibit && $0.start < end && $0.end > start
      }
      if !isReal { visitsOfNobody += 1 }
    }
    for leg in stops {
      guard let exhibit = leg.exhibit else { continue }
      trueDwells[exhibit].append(leg.end - leg.start)
      seedTrue[exhibit] += leg.end - leg.start
      guard leg.end - leg.start >= Self.worthTelling else { continue }
      longStops += 1
      if Self.isTold(leg, shown.announcements, world) { longStopsTold += 1 }
      lag.addStop(
        from: leg.start,
        to: leg.end,
        shown.exhibits.map {
          (($0.start - world.day.start).seconds, ($0.end - world.day.start).seconds)
        }
      )
    }
  }

  /// Returns whether the exhibit of a stop was announced before its end, or shortly before it.
  static func isTold(
    _ stop: VisitPath.Leg,
    _ announcements: [VisitReplay.Announcement],
    _ world: World
  ) -> Bool {
    let end = world.day.start + TimeSpan(seconds: stop.end)
    let pause = GuideConfiguration().repeatAfter
    return announcements.contains {
      $0.exhibit == stop.exhibit && $0.time <= end && end - $0.time < pause
    }
  }

  private mutating func addFaults(
    _ shown: Shown,
    _ world: World,
    _ visitor: SimulatedDay.Visitor
  ) {
    let legs = visitor.path.legs.filter { $0.isStanding }
    for exhibit in faults.indices {
      faults[exhibit].add(
        stops: legs.filter { $0.exhibit == exhibit }.map { ($0.start, $0.end) },
        viewings: shown.viewings.filter { $0.exhibit == exhibit }.map {
          (($0.start - world.day.start).seconds, ($0.end - world.day.start).seconds, $0.dwell)
        }
      )
    }
  }

  /// Ends a seed: the order of its exhibits is compared.
  mutating func endSeed() {
    if let tau = KendallTau.b(seedTrue, seedShown) { taus.append(tau) }
    for index in seedTrue.indices {
      seedTrue[index] = 0
      seedShown[index] = 0
    }
  }

  private mutating func addMoments(
    _ shown: Shown,
    _ world: World,
    _ visitor: SimulatedDay.Visitor
  ) {
    var truth = GroundTruth(world.day, visitor)
    var exhibits = ShownCursor(shown.exhibits)
    var rooms = ShownCursor(shown.rooms)
    lag.begin()
    while let sample = truth.next() {
      let time = world.day.start + TimeSpan(seconds: sample.time)
      let exhibit = exhibits.value(at: time)
      let room = rooms.value(at: time)
      lag.pass(room: sample.room, showing: exhibit.flatMap { exhibitRooms[$0] }, at: sample.time)
      if sample.time - visitor.path.start >= Self.grace, let here = sample.room {
        inRooms += 1
        if room == here { roomsRight += 1 }
      }
      guard sample.state.isStanding, sample.time - sample.state.since >= Self.grace else {
        continue
      }
      snapshot += 1
      let nearest = sample.distance <= Self.reach ? sample.nearest : nil
      if exhibit == nearest { standingRight += 1 }
      guard nearest != nil else { continue }
      viewing += 1
      if exhibit == nearest { viewingRight += 1 }
    }
  }

  private mutating func addAnnouncements(
    _ shown: Shown,
    _ world: World,
    _ visitor: SimulatedDay.Visitor
  ) {
    announced += shown.announcements.count
    announcedWrong += shown.announcements.count { Self.isWrong($0, world, visitor) }
  }

  /// An announcement is wrong if its exhibit was not the nearest within reach at any time of the last seconds.
  static func isWrong(
    _ announcement: VisitReplay.Announcement,
    _ world: World,
    _ visitor: SimulatedDay.Visitor
  ) -> Bool {
    let time = (announcement.time - world.day.start).seconds
    var cursor = 0
    return !stride(from: time - Self.grace, through: time, by: 0.2).contains { state in
      let place = visitor.path.state(at: state, cursor: &cursor)
      guard let nearest = world.day.site.nearestExhibit(to: place.position, level: place.level)
      else { return false }
      return nearest.exhibit == announcement.exhibit && nearest.distance <= Self.reach
    }
  }

  /// For each exhibit looked at often enough, how far the median shown is from the true one, as a share of it.
  var dwellErrors: [Double] {
    zip(trueDwells, shownDwells).compactMap { real, shown in
      guard real.count >= 5, let truth = Distribution(real) else { return nil }
      return ((Distribution(shown)?.median ?? 0) - truth.median) / truth.median
    }
  }
}

/// How soon the guide shows an exhibit after a stop, and how soon none of a room is shown after its door.
struct LagScore {
  /// The time in seconds after a door within which a visitor who turns back has not left.
  static let patience = 5.0

  /// For each long stop, the seconds until an exhibit was shown; infinite without one.
  private(set) var answers: [Double] = []
  /// For each way through a door out of a room with exhibits, the seconds until none of them was shown.
  private(set) var clearings: [Double] = []
  /// The same for a rule that waits for half a second beyond the door, and then knows: ticks fall on whole seconds.
  private(set) var waitingClearings: [Double] = []
  private let exhibitRooms: Set<Int>
  private var room: Int?
  private var ways: [(room: Int, time: Double, end: Double)] = []

  init(_ exhibitRooms: Set<Int>) {
    self.exhibitRooms = exhibitRooms
  }

  mutating func addStop(from start: Double, to end: Double, _ shown: [(Double, Double)]) {
    let first = shown.first { $0.0 < end && $0.1 > start }
    answers.append(first.map { max(0, $0.0 - start) } ?? .infinity)
  }

  /// Begins another visitor.
  mutating func begin() { (room, ways) = (nil, []) }

  /// Notes the visitor's room and the room of the shown exhibit.
  mutating func pass(room here: Int?, showing shown: Int?, at time: Double) {
    let ended = ways.filter { time - $0.time >= Self.patience && $0.room != here }
    for way in ended {
      clearings.append(((way.end - way.time) * 10).rounded() / 10)
      let tick = way.time.rounded(.up) - way.time
      waitingClearings.append(tick >= 0.5 ? tick : tick + 1)
    }
    ways.removeAll { time - $0.time >= Self.patience || $0.room == here }
    if let here {
      if let room, room != here, exhibitRooms.contains(room) {
        ways.append((room, time, time))
      }
      room = here
    }
    for index in ways.indices where ways[index].room == shown {
      ways[index].end = time + GroundTruth.interval
    }
  }
}

/// How well two orders agree.
enum KendallTau {
  /// Kendall's τ-b, which allows for ties; `nil` if one side is all ties.
  static func b(_ first: [Double], _ second: [Double]) -> Double? {
    var (agree, differ, tiesFirst, tiesSecond) = (0, 0, 0, 0)
    for i in first.indices {
      for j in first.indices.dropFirst(i + 1) {
        let (x, y) = (first[i] - first[j], second[i] - second[j])
        if x == 0, y == 0 { continue }
        if x == 0 {
          tiesFirst += 1
        } else if y == 0 {
          tiesSecond += 1
        } else if (x > 0) == (y > 0) {
          agree += 1
        } else {
          differ += 1
        }
      }
    }
    let one = Double(agree + differ + tiesFirst)
    let other = Double(agree + differ + tiesSecond)
    guard one > 0, other > 0 else { return nil }
    return Double(agree - differ) / (one * other).squareRoot()
  }
}
