// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

import BeaconCore

/// Windowed filters in their simplest form, to compare the packed ones with.
struct WindowReference {
  var samples: [(time: Int64, rssi: Int)] = []
  var latest: Int64 = 0

  mutating func add(_ rssi: Int8, at time: Timestamp) {
    latest = max(latest, time.microseconds)
    samples.append((latest, Int(rssi)))
  }

  /// The samples younger than the window is long, the weakest first.
  func sorted(at time: Timestamp, window: TimeSpan) -> [Int] {
    let now = max(latest, time.microseconds)
    return samples.filter { now - $0.time < window.microseconds }.map(\.rssi).sorted()
  }

  func altBeacon(at time: Timestamp) -> Double? {
    let values = sorted(at: time, window: .seconds(20))
    guard !values.isEmpty else { return nil }
    var (first, last) = (0, values.count - 1)
    if values.count > 2 {
      first = values.count / 10 + 1
      last = values.count - values.count / 10 - 2
    }
    let kept = values[first...last]
    return kept.reduce(0.0) { $0 + Double($1) } / Double(kept.count)
  }

  func trimmed(at time: Timestamp) -> Double? {
    let values = sorted(at: time, window: .seconds(6))
    guard !values.isEmpty else { return nil }
    let kept = values.dropFirst(values.count * 30 / 100).dropLast(values.count * 10 / 100)
    return Double(kept.reduce(0, +)) / Double(kept.count)
  }

  /// Returns the standard error of a trimmed mean of sorted samples, computed from the winsorized samples.
  static func standardError(_ sorted: [Int], low: Int, high: Int) -> Double {
    let kept = sorted.dropFirst(low).dropLast(high)
    let winsorized = sorted.map { Double(min(max($0, kept.first ?? 0), kept.last ?? 0)) }
    let (count, mean) = (Double(sorted.count), winsorized.reduce(0, +) / Double(sorted.count))
    let squares = winsorized.reduce(0) { $0 + ($1 - mean) * ($1 - mean) }
    // The assumed 5 dB, which counts as three samples, and the rounding to whole dBm.
    let variance = (squares + 3 * 25) / (count - 1 + 3) + 1.0 / 12
    return (variance / count).squareRoot() / (Double(kept.count) / count)
  }
}
