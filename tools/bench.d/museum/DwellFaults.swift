// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

import BeaconCore
import BeaconMuseum

/// Finds out why the shown dwell times of one exhibit differ from the true ones: it compares each stop with the
/// viewings that overlap it.
struct DwellFaults {
  /// Stops without a shown viewing, in seconds.
  private(set) var missed: [Double] = []
  /// The number of stops with several shown viewings.
  private(set) var split = 0
  /// The number of viewings that contain several stops.
  private(set) var merged = 0
  /// Viewings of stops that were too short to count.
  private(set) var short: [Double] = []
  /// Viewings without a stop.
  private(set) var nobody: [Double] = []
  /// Of one stop and its one viewing: how much longer the viewing is, how late it begins and ends.
  private(set) var excess: [Double] = []
  private(set) var late: [Double] = []
  private(set) var after: [Double] = []

  typealias Span = (start: Double, end: Double, dwell: Double)

  /// Adds one visitor's stops in front of the exhibit, and the viewings that were shown.
  mutating func add(stops: [(start: Double, end: Double)], viewings: [Span]) {
    func overlap(_ stop: (start: Double, end: Double), _ viewing: Span) -> Bool {
      stop.start < viewing.end && stop.end > viewing.start
    }
    for stop in stops where stop.end - stop.start >= Score.shortest {
      let shown = viewings.filter { overlap(stop, $0) }
      if shown.isEmpty { missed.append(stop.end - stop.start) }
      if shown.count > 1 { split += 1 }
      guard shown.count == 1 else { continue }
      excess.append(shown[0].dwell - (stop.end - stop.start))
      late.append(shown[0].start - stop.start)
      after.append(shown[0].end - stop.end)
    }
    for viewing in viewings {
      let real = stops.filter { overlap($0, viewing) }
      let long = real.filter { $0.end - $0.start >= Score.shortest }
      if real.isEmpty { nobody.append(viewing.dwell) }
      if !real.isEmpty, long.isEmpty { short.append(viewing.dwell) }
      if long.count > 1 { merged += 1 }
    }
  }
}
