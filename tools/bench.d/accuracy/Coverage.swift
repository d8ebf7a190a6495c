// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

import BeaconCore

/// How often the truth was in the delivered interval: over all ticks, and by the time since the visitor stopped.
struct Coverage {
  /// Seconds of a stay that are counted together; those beyond the last belong to it.
  static let ages: [Range<Double>] = [
    0..<2, 2..<5, 5..<10, 10..<20, 20..<40, 40..<60, 60..<120, 120..<600,
  ]

  private(set) var all = Share()
  private(set) var walking = Share()
  private(set) var byAge = [Share](repeating: Share(), count: ages.count)

  struct Share {
    private var (held, count) = (0, 0)
    /// In percent; not a number if nothing was counted.
    var percent: Double { 100 * Double(held) / Double(count) }

    mutating func count(_ holds: Bool) {
      count += 1
      if holds { held += 1 }
    }
  }

  /// Counts a tick, its error in dB, and how long the visitor had stayed; `nil` for walking.
  mutating func count(_ estimate: FilteredRSSI, error: Double, stayed: Double?) {
    let holds = abs(error) <= DistanceEstimate.intervalDeviations * estimate.settledError
    all.count(holds)
    guard let stayed else { return walking.count(holds) }
    let age = Self.ages.firstIndex { $0.contains(stayed) } ?? Self.ages.count - 1
    byAge[age].count(holds)
  }
}
