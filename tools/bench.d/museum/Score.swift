// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

import BeaconCore
import BeaconMuseum

/// What was shown against what was true.
struct Score {
  /// The guide has so long to find out, in seconds.
  static let grace = 4.0
  /// Nearer than this an exhibit is what one stands before, in meters.
  static let reach = 3.0
  /// A stay shorter than this is no visit, in seconds.
  static let shortest = VisitStatistics.Rules().shortestVisit

  private(set) var standing = 0
  private(set) var standingRight = 0
  private(set) var inRooms = 0
  private(set) var roomsRight = 0
  private(set) var announced = 0
  private(set) var announcedWrong = 0
  /// For each exhibit, how long it was really looked at, over all seeds.
  private(set) var trueDwells: [[Double]]
  /// For each exhibit, how long it was shown.
  private(set) var shownDwells: [[Double]]
  /// For each seed, how well the exhibits' order by time agrees.
  private(set) var taus: [Double] = []
  private var seedTrue: [Double]
  private var seedShown: [Double]

  init(exhibits: Int) {
    trueDwells = Array(repeating: [], count: exhibits)
    shownDwells = trueDwells
    seedTrue = Array(repeating: 0, count: exhibits)
    seedShown = seedTrue
  }

  mutating func add(_ shown: Shown, _ world: World, _ visitor: SimulatedDay.Visitor) {
    addMoments(shown, world, visitor)
    addAnnouncements(shown, world, visitor)
    for span in shown.exhibits {
      let dwell = (span.end - span.start).seconds
      guard dwell >= Self.shortest else { continue }
      shownDwells[span.value].append(dwell)
      seedShown[span.value] += dwell
    }
    for leg in visitor.path.legs {
      guard leg.isStanding, let exhibit = leg.exhibit, leg.end - leg.start >= Self.shortest else {
        continue
      }
      trueDwells[exhibit].append(leg.end - leg.start)
      seedTrue[exhibit] += leg.end - leg.start
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
    while let sample = truth.next() {
      let time = world.day.start + TimeSpan(seconds: sample.time)
      let exhibit = exhibits.value(at: time)
      let room = rooms.value(at: time)
      if sample.time - visitor.path.start >= Self.grace, let here = sample.room {
        inRooms += 1
        if room == here { roomsRight += 1 }
      }
      guard sample.moment.isStanding, sample.time - sample.moment.since >= Self.grace else {
        continue
      }
      standing += 1
      let nearest = sample.distance <= Self.reach ? sample.nearest : nil
      if exhibit == nearest { standingRight += 1 }
    }
  }

  /// An announcement is wrong when at no time of the last seconds its exhibit was the nearest within reach.
  private mutating func addAnnouncements(
    _ shown: Shown,
    _ world: World,
    _ visitor: SimulatedDay.Visitor
  ) {
    let pause = Configuration().guide.repeatAfter
    var last: [Int: Timestamp] = [:]
    for span in shown.exhibits {
      if let before = last[span.value], span.start - before < pause { continue }
      last[span.value] = span.start
      announced += 1
      let time = (span.start - world.day.start).seconds
      var cursor = 0
      let wasThere = stride(from: time - Self.grace, through: time, by: 0.2).contains { moment in
        let place = visitor.path.moment(at: moment, cursor: &cursor)
        guard let nearest = world.day.site.nearestExhibit(to: place.position, level: place.level)
        else { return false }
        return nearest.exhibit == span.value && nearest.distance <= Self.reach
      }
      if !wasThere { announcedWrong += 1 }
    }
  }

  /// For each exhibit looked at often enough, how far the median shown is from the true one, as a share of it.
  var dwellErrors: [Double] {
    zip(trueDwells, shownDwells).compactMap { truth, shown in
      guard truth.count >= 5, let real = Distribution(truth) else { return nil }
      return ((Distribution(shown)?.median ?? 0) - real.median) / real.median
    }
  }
}

/// How well two orders agree.
enum KendallTau {
  /// Kendall's τ-b, which allows for ties; `nil` where one side is all ties.
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
