// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

internal import BeaconCore

/// The times at which a visitor stood still, and before which exhibit each time.
///
/// A second counts as stood when it is within five seconds in all of which the visitor was at one place: who stops for less walks by. The
/// five seconds may be any that hold it, so that neither arriving nor leaving shortens a stand.
///
/// A person looks at one thing from one place. All seconds of a stand together say which, so that a neighbor that is more probable for a
/// moment neither takes a part of it nor cuts it in two.
struct Stands {
  /// A stand is at least so long, the shortest visit.
  static let window = TimeSpan.seconds(5)
  /// How far from the middle of five seconds is still one place, in meters.
  ///
  /// It is what the places of hindsight tremble by before someone who stands: with more, walking by is taken for stops; with less,
  /// stops are missed. Chosen on simulated visits of seeds that judge nothing.
  static let reach = 0.28
  /// How probable an exhibit must be on the average of a stand: more than all else.
  static let confidence = 0.5

  private var moments: [Smoother.Moment] = []

  /// Takes note of a second; times only grow.
  mutating func note(_ moment: Smoother.Moment) {
    moments.append(moment)
  }

  /// The stands before exhibits, in the order of time; where there are no places, the times of one exhibit.
  var all: [(exhibit: Int, moments: ArraySlice<Smoother.Moment>)] {
    let isDrawn = moments.contains { $0.point != nil }
    let found =
      isDrawn
      ? runs(of: stoodStill) { $0 }
      : runs(of: moments.map { Self.exhibit(of: [$0]) }) { $0 != nil }
    return found.compactMap { run in
      Self.exhibit(of: run).map { ($0, run) }
    }
  }

  /// The parts in which a mark is the same and counts, and no time is missing.
  private func runs<Mark: Equatable>(
    of marks: [Mark],
    where counts: (Mark) -> Bool
  ) -> [ArraySlice<Smoother.Moment>] {
    var found: [ArraySlice<Smoother.Moment>] = []
    var begin = 0
    for index in moments.indices.dropFirst() + [moments.count] {
      let goesOn =
        index < moments.count && marks[index] == marks[begin]
        && moments[index].time - moments[index - 1].time <= Self.window
      if goesOn { continue }
      if begin < marks.count, counts(marks[begin]) { found.append(moments[begin..<index]) }
      begin = index
    }
    return found
  }

  /// What all moments of a stand together make most probable; `nil` for no exhibit.
  private static func exhibit(of stand: ArraySlice<Smoother.Moment>) -> Int? {
    var sums: [Int: Double] = [:]
    for moment in stand {
      for (exhibit, share) in moment.exhibits { sums[exhibit, default: 0] += share }
    }
    // Only one can be above a half.
    return sums.first { $0.value > confidence * Double(stand.count) }?.key
  }

  /// For each moment whether the visitor stood.
  private var stoodStill: [Bool] {
    var stoodStill = [Bool](repeating: false, count: moments.count)
    var end = 0
    for begin in moments.indices {
      while end < moments.count, moments[end].time - moments[begin].time <= Self.window { end += 1 }
      let window = moments[begin..<end]
      // A second may be missing at either end.
      guard let last = window.last, last.time - moments[begin].time >= Self.window - .seconds(1),
        Self.isStill(window)
      else { continue }
      for index in window.indices { stoodStill[index] = true }
    }
    return stoodStill
  }

  private static func isStill(_ window: ArraySlice<Smoother.Moment>) -> Bool {
    let points = window.compactMap(\.point)
    let count = Double(max(1, points.count))
    let middle = Plan.Point(
      points.reduce(0) { $0 + $1.x } / count,
      points.reduce(0) { $0 + $1.y } / count
    )
    return points.allSatisfy { $0.distance(to: middle) <= reach }
  }
}
