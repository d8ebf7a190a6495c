// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

internal import BeaconCore

/// Finds the times at which a visitor stood still, and the exhibit in front of them each time.
///
/// A second counts as standing if it is part of five seconds during which the visitor stayed in one place; a shorter
/// stop counts as walking by. Any five seconds that contain it will do, so that neither arriving nor leaving shortens a
/// stand.
///
/// A visitor looks at one exhibit from one place. All seconds of a stand together decide which, so that a neighboring
/// exhibit that is briefly more probable neither takes a part of the stand nor splits it.
struct Stands {
  /// The minimum duration of a stand, which is the shortest visit.
  static let window = TimeSpan.seconds(5)
  /// The distance in meters from the middle of five seconds that still counts as one place.
  ///
  /// It is the variation of the smoothed positions of a standing visitor. With a larger value, walking by counts as
  /// stopping; with a smaller value, stops are missed. It was chosen on simulated visits with seeds that no test uses.
  static let reach = 0.28
  /// The average probability that an exhibit needs over a stand: more than all other exhibits together.
  static let confidence = 0.5

  private(set) var estimates: [Smoother.Estimate] = []

  /// Adds the estimate of a second; times never decrease.
  mutating func note(_ estimate: Smoother.Estimate) {
    estimates.append(estimate)
  }

  /// Leaves out the seconds that end within times of which nothing is known.
  mutating func leaveOut(_ gaps: [Visit.Gap]) {
    guard !gaps.isEmpty else { return }
    estimates.removeAll { estimate in
      gaps.contains { $0.start < estimate.time && estimate.time <= $0.end }
    }
  }

  /// The stands in front of exhibits, in the order of time; without positions, the times at one exhibit.
  var all: [(exhibit: Int, estimates: ArraySlice<Smoother.Estimate>)] {
    let isDrawn = estimates.contains { $0.point != nil }
    let found =
      isDrawn
      ? runs(of: stoodStill) { $0 }
      : runs(of: estimates.map { Self.exhibit(of: [$0]) }) { $0 != nil }
    return found.compactMap { run in
      Self.exhibit(of: run).map { ($0, run) }
    }
  }

  /// Returns the parts in which a mark stays the same and counts, without a missing second.
  private func runs<Mark: Equatable>(
    of marks: [Mark],
    where counts: (Mark) -> Bool
  ) -> [ArraySlice<Smoother.Estimate>] {
    var found: [ArraySlice<Smoother.Estimate>] = []
    var begin = 0
    for index in estimates.indices.dropFirst() + [estimates.count] {
      let goesOn =
        index < estimates.count && marks[index] == marks[begin]
        && estimates[index].time - estimates[index - 1].time <= Self.window
      if goesOn { continue }
      if begin < marks.count, counts(marks[begin]) { found.append(estimates[begin..<index]) }
      begin = index
    }
    return found
  }

  /// Returns the most probable exhibit over a whole stand; `nil` for none.
  private static func exhibit(of stand: ArraySlice<Smoother.Estimate>) -> Int? {
    var sums: [Int: Double] = [:]
    for estimate in stand {
      for (exhibit, share) in estimate.exhibits { sums[exhibit, default: 0] += share }
    }
    // At most one exhibit can be above a half.
    return sums.first { $0.value > confidence * Double(stand.count) }?.key
  }

  /// For each second, whether the visitor stood still.
  private var stoodStill: [Bool] {
    var stoodStill = [Bool](repeating: false, count: estimates.count)
    var end = 0
    for begin in estimates.indices {
      while end < estimates.count, estimates[end].time - estimates[begin].time <= Self.window {
        end += 1
      }
      let window = estimates[begin..<end]
      // One second may be missing at either end.
      guard let last = window.last, last.time - estimates[begin].time >= Self.window - .seconds(1),
        Self.isStill(window)
      else { continue }
      for index in window.indices { stoodStill[index] = true }
    }
    return stoodStill
  }

  private static func isStill(_ window: ArraySlice<Smoother.Estimate>) -> Bool {
    let points = window.compactMap(\.point)
    let count = Double(max(1, points.count))
    let middle = Plan.Point(
      points.reduce(0) { $0 + $1.x } / count,
      points.reduce(0) { $0 + $1.y } / count
    )
    return points.allSatisfy { $0.distance(to: middle) <= reach }
  }
}
