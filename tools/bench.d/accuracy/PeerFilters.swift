// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

import BeaconCore

/// The samples of a span of time, as a peer keeps them.
struct PlainWindow {
  let seconds: Double
  var cap = Int.max
  private(set) var samples: [(time: Timestamp, rssi: Double)] = []

  init(seconds: Double, cap: Int = .max) {
    self.seconds = seconds
    self.cap = cap
  }

  mutating func add(_ rssi: Int8, at time: Timestamp) {
    samples.append((time, Double(rssi)))
    if samples.count > cap { samples.removeFirst(samples.count - cap) }
    advance(to: time)
  }

  mutating func advance(to time: Timestamp) {
    let expired = samples.prefix { (time - $0.time).seconds >= seconds }.count
    if expired > 0 { samples.removeFirst(expired) }
  }

  /// Removes all samples except those of the last seconds.
  mutating func keep(last kept: Double, at time: Timestamp) {
    samples.removeAll { (time - $0.time).seconds >= kept }
  }

  func values(last kept: Double, at time: Timestamp) -> [Double] {
    samples.reversed().prefix { (time - $0.time).seconds < kept }.map(\.rssi)
  }
}

extension FilteredRSSI {
  /// The value of a peer that does not give its error.
  static func plain(_ dBm: Double) -> FilteredRSSI {
    FilteredRSSI(dBm: dBm, standardError: 1, effectiveSamples: 1)
  }
}

/// The mean of a window.
struct MeanWindow: TriedFilter {
  private var window: PlainWindow
  init(seconds: Double) { window = PlainWindow(seconds: seconds) }

  mutating func add(_ rssi: Int8, at time: Timestamp) { window.add(rssi, at: time) }

  mutating func estimate(at time: Timestamp) -> FilteredRSSI? {
    window.advance(to: time)
    guard !window.samples.isEmpty else { return nil }
    return .plain(window.samples.map(\.rssi).mean)
  }
}

/// ESPresense's adaptive percentile filter: 15 s, at most 200 samples, the mean of what lies within Tukey's fences.
struct QuartileWindow: TriedFilter {
  private var window = PlainWindow(seconds: 15, cap: 200)

  mutating func add(_ rssi: Int8, at time: Timestamp) { window.add(rssi, at: time) }

  mutating func estimate(at time: Timestamp) -> FilteredRSSI? {
    window.advance(to: time)
    let sorted = window.samples.map(\.rssi).sorted()
    guard !sorted.isEmpty else { return nil }
    let (low, high) = (sorted.quantile(0.25), sorted.quantile(0.75))
    let reach = 1.5 * (high - low)
    let kept = sorted.filter { $0 >= low - reach && $0 <= high + reach }
    return .plain(kept.isEmpty ? sorted.quantile(0.5) : kept.mean)
  }
}

/// The Kalman filter of kalmanjs with R = 0.008 and Q = 4, as room-assistant sets it; it never forgets.
struct KalmanJS: TriedFilter {
  private var value: Double?
  private var covariance = 0.0

  mutating func add(_ rssi: Int8, at time: Timestamp) {
    guard let old = value else {
      value = Double(rssi)
      covariance = 4
      return
    }
    let predicted = covariance + 0.008
    let gain = predicted / (predicted + 4)
    value = old + gain * (Double(rssi) - old)
    covariance = predicted - gain * predicted
  }

  mutating func estimate(at time: Timestamp) -> FilteredRSSI? { value.map { .plain($0) } }
}

/// A Kalman filter whose process noise grows with its smoothed innovation, clipped at −6 and +10 dB.
struct AdaptiveKalman: TriedFilter {
  private var value: Double?
  private var variance = 20.0
  private var drift = 0.0

  mutating func add(_ rssi: Int8, at time: Timestamp) {
    guard let old = value else {
      value = Double(rssi)
      return
    }
    let innovation = min(max(Double(rssi) - old, -6), 10)
    drift += 0.2 * (innovation - drift)
    let excess = max(0, abs(drift) - 1.5)
    variance += 0.03 + 0.5 * excess * excess
    let gain = variance / (variance + 20)
    value = old + gain * innovation
    variance *= 1 - gain
  }

  mutating func estimate(at time: Timestamp) -> FilteredRSSI? { value.map { .plain($0) } }
}

/// An unevenly trimmed window of 12 s that keeps only its last 2 s when those differ by 5 dB from earlier ones.
struct ShorteningWindow: TriedFilter {
  private var window = PlainWindow(seconds: 12)

  mutating func add(_ rssi: Int8, at time: Timestamp) {
    window.add(rssi, at: time)
    let recent = window.values(last: 2, at: time)
    let older = window.samples.dropLast(recent.count).map(\.rssi)
    guard recent.count >= 4, older.count >= 4 else { return }
    if abs(Self.trimmed(recent) - Self.trimmed(older)) > 5 { window.keep(last: 2, at: time) }
  }

  mutating func estimate(at time: Timestamp) -> FilteredRSSI? {
    window.advance(to: time)
    guard !window.samples.isEmpty else { return nil }
    return .plain(Self.trimmed(window.samples.map(\.rssi)))
  }

  private static func trimmed(_ values: [Double]) -> Double {
    let (low, high) = (values.count * 30 / 100, values.count * 10 / 100)
    return Array(values.sorted().dropFirst(low).dropLast(high)).mean
  }
}
