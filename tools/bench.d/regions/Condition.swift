// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

import BeaconTestSupport
import Foundation

/// What disturbs the reception of a beacon, in addition to independent losses.
enum Disturbance: String, CaseIterable, Sendable {
  /// Nothing.
  case none
  /// Each report is delivered up to 100 ms late.
  case jitter
  /// The interval grows and shrinks by 2 % in a day, as with temperature and battery.
  case drift
  /// The interval grows by a quarter in three days, as with a battery that becomes empty in the cold.
  case ageing
  /// Everything is lost for 1 to 8 s, on average once in two minutes.
  case bursts
  /// Two beacons mark the region.
  case twoBeacons
  /// Two receivers, each with its own losses.
  case twoReceivers
  /// The controller reports a beacon once in 10.24 s.
  case filter
  /// The interval changes to 5 s (from less than 1 s) or to 0.1 s for twelve hours of each day.
  case change
}

/// One cell of the table: how a beacon sends and how it is received.
struct Condition: Sendable {
  var interval: Double
  var loss: Double
  var disturbance = Disturbance.none

  static let intervals = [0.1, 0.2, 0.5, 1, 1.285, 2, 3, 5, 7.5, 10.24]
  static let losses = [0, 0.1, 0.2, 0.3, 0.4, 0.5]

  /// Every interval with every loss, then every disturbance at five intervals and three losses.
  static let all: [Condition] =
    intervals.flatMap { interval in losses.map { Condition(interval: interval, loss: $0) } }
    + Disturbance.allCases.dropFirst().flatMap { disturbance in
      [0.1, 1, 2, 5, 10.24].flatMap { interval in
        [0, 0.2, 0.5].map { Condition(interval: interval, loss: $0, disturbance: disturbance) }
      }
    }

  /// A few of them, for a look.
  static let few = all.filter { condition in
    [1, 5].contains(condition.interval) && [0, 0.2, 0.5].contains(condition.loss)
  }

  /// Whether its days are one long stretch of three: so that the nights repeat, or a slow change takes place.
  var isLong: Bool { disturbance == .change || disturbance == .ageing }

  var beacons: Int { disturbance == .twoBeacons ? 2 : 1 }
}

/// The reports of a condition in order of time.
struct ReportStream {
  /// One report.
  struct Report {
    var time: Double
    var beacon: Int
    var receiver: UInt8
  }

  private let condition: Condition
  private var random: SplitMix64
  private var next: [Double]
  private var rates: [Double]
  private var burst: (start: Double, end: Double)
  /// How many bursts have ended.
  private(set) var bursts = 0
  private var reported = [-1, -1]
  private var second: Report?

  init(_ condition: Condition, seed: UInt64) {
    self.condition = condition
    random = SplitMix64(seed: seed)
    (next, rates, burst) = ([], [], (0, 0))
    for _ in 0..<condition.beacons {
      next.append(unit() * condition.interval)
      // A crystal is off by up to 40 millionths.
      rates.append(1 + (unit() - 0.5) * 8e-5)
    }
    nextBurst(after: 60)
    bursts = 0
  }

  private mutating func unit() -> Double { Double(random.next() >> 11) / 9_007_199_254_740_992 }

  private mutating func nextBurst(after time: Double) {
    let start = time - 120 * log(1 - unit())
    burst = (start, start + 1 + 7 * unit())
    bursts += 1
  }

  private func interval(at time: Double) -> Double {
    switch condition.disturbance {
    case .change where Int(time / 43_200).isMultiple(of: 2) == false:
      return condition.interval < 1 ? 5 : 0.1
    case .drift:
      let phase = (time / 43_200).truncatingRemainder(dividingBy: 2) - 1
      return condition.interval * (1 + 0.02 * abs(phase))
    case .ageing: return condition.interval * (1 + 0.25 * time / (3 * 86_400))
    default: return condition.interval
    }
  }

  /// The next report.
  mutating func nextReport() -> Report {
    if let report = second {
      second = nil
      return report
    }
    while true {
      let beacon = next.count > 1 && next[1] < next[0] ? 1 : 0
      let time = next[beacon]
      // The advertising delay: up to 10 ms, new for each event (Core 5.3, Vol 6, Part B, 4.4.2.2.1).
      next[beacon] = time + interval(at: time) * rates[beacon] + unit() * 0.01
      while time > burst.end { nextBurst(after: burst.end) }
      if condition.disturbance == .bursts, time >= burst.start { continue }
      var receivers: [UInt8] = unit() < condition.loss ? [] : [0]
      if condition.disturbance == .twoReceivers, unit() >= condition.loss { receivers.append(1) }
      guard let receiver = receivers.first else { continue }
      if condition.disturbance == .filter {
        let period = Int(time / 10.24)
        if period == reported[beacon] { continue }
        reported[beacon] = period
      }
      let late = condition.disturbance == .jitter ? unit() * 0.1 : 0
      if receivers.count > 1 { second = Report(time: time + 0.0005, beacon: beacon, receiver: 1) }
      return Report(time: time + late, beacon: beacon, receiver: receiver)
    }
  }
}
