// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

import BeaconCore
import Foundation

/// How good the delivered distances of beacons are that are at known distances.
struct DeliveredScore {
  private var factors: [Double] = []
  private var ratios: [Double] = []
  private(set) var inside = Share()
  private(set) var known = Share()
  private var zones = Guelph.Confusion()
  /// The judged values, for the ceilings.
  private(set) var ceiling = Ceiling()

  struct Share {
    private(set) var (held, count) = (0, 0)
    /// In percent; `nil` if nothing was counted.
    var percent: Double? { count == 0 ? nil : 100 * Double(held) / Double(count) }

    mutating func count(_ holds: Bool) {
      count += 1
      if holds { held += 1 }
    }
  }

  /// Counts a reading of a beacon that was received lately.
  mutating func count(_ reading: Reading?, meters truth: Double, limits: (Double, Double)) {
    guard let reading, reading.isPresent else { return }
    known.count(reading.meters != nil)
    let zone = truth <= limits.0 ? 0 : truth <= limits.1 ? 1 : 2
    if reading.proximity != .unknown {
      zones.count(zone, delivered: reading.proximity.rawValue - 1)
    }
    guard let meters = reading.meters else { return }
    ceiling.add(meters, reading.interval, truth: truth, zone: zone)
    let ratio = max(meters, 0.01) / truth
    ratios.append(ratio)
    factors.append(max(ratio, 1 / ratio))
    if let interval = reading.interval { inside.count(interval.contains(truth)) }
  }

  /// The distance relative to the truth, in the median.
  var ratio: Double? { ratios.isEmpty ? nil : ratios.sorted().quantile(0.5) }
  /// The factor by which the distance is wrong, in the median and in nine of ten seconds.
  var factor: Double? { factors.isEmpty ? nil : factors.sorted().quantile(0.5) }
  var ninetieth: Double? { factors.isEmpty ? nil : factors.sorted().quantile(0.9) }
  /// The share of right zones, the mean over the zones that occur.
  var balanced: Double { zones.balanced }

  /// Adds the rows of several rangers to a table.
  static func add(_ scores: [DeliveredScore], to table: inout AccuracyTable, zones: Bool = true) {
    table.row("distance / truth, median", digits: 2, scores.map(\.ratio))
    table.row("distance wrong by a factor of, median", digits: 2, scores.map(\.factor))
    table.row("distance wrong by a factor of, 90 %", digits: 2, scores.map(\.ninetieth))
    if zones { table.row("right zone, mean over zones, %", scores.map(\.balanced)) }
    table.row("truth in the 90 % interval, %", scores.map(\.inside.percent))
    table.row(
      "unknown though received within 5 s, %",
      scores.map { $0.known.percent.map { 100 - $0 } }
    )
  }
}

/// The nearest beacon as delivered: how often it changes, and whether it is right.
struct NearestScore {
  private var changes = 0
  private var minutes = 0.0
  private(set) var right = DeliveredScore.Share()
  private(set) var known = DeliveredScore.Share()

  /// Counts the seconds of a run.
  ///
  /// - Parameter truths: The true distance of each beacon at a time; `nil` if it is not known.
  mutating func run(_ scene: Scene, by ranger: Ranger, truths: (Timestamp) -> [Double?]) {
    var counter = NearestCounter()
    ranger.run(scene) { time, readings in
      minutes += 1.0 / 60
      // The nearest is the first of the delivered list; a peer's list is ordered by distance.
      let isOrdered = readings.contains { $0?.isFirst ?? false }
      counter.update(
        readings.map { reading in
          reading?.meters.flatMap { isOrdered ? (reading?.isFirst ?? false ? 0 : nil) : -$0 }
        },
        at: time
      )
      let truths = truths(time)
      var nearest: (index: Int, meters: Double)?
      for (index, reading) in readings.enumerated() {
        guard let reading, reading.isPresent else { continue }
        known.count(reading.meters != nil)
        if let truth = truths[index], truth < nearest?.meters ?? .infinity {
          nearest = (index, truth)
        }
      }
      guard let nearest else { return }
      right.count(counter.current.flatMap { truths[$0] }.map { $0 <= nearest.meters + 1 } ?? false)
    }
    changes += counter.switches
  }

  var changesPerMinute: Double { Double(changes) / minutes }

  static func add(_ scores: [NearestScore], to table: inout AccuracyTable) {
    table.row("changes of the nearest a minute", digits: 2, scores.map(\.changesPerMinute))
    table.row("nearest right within 1 m, %", scores.map(\.right.percent))
    table.row(
      "unknown though received within 5 s, %",
      scores.map { $0.known.percent.map { 100 - $0 } }
    )
  }
}

/// Changes of the zone of a beacon that stays in its place, half a meter of four from the limit.
struct StayScore {
  private(set) var flips = 0
  private(set) var hours = 0.0

  /// Counts a stay, with the limit on one side of its mean level and then on the other.
  ///
  /// - Parameter make: Creates a ranger with a limit in meters.
  mutating func run(_ samples: [StreamSample], make: (_ limit: Double) -> Ranger) {
    guard let first = samples.first?.time else { return }
    let scene = Scene(powers: [-59], samples: samples)
    let level = samples.map { Double($0.rssi) }.mean
    let meters = PathLoss.standard.distance(rssi: level, measuredPower: -59)
    for limit in [meters * 4 / 3.5, meters * 3.5 / 4] {
      var last = Proximity.unknown
      make(limit).run(scene) { time, readings in
        guard (time - first).seconds > 60, let now = readings[0]?.proximity, now != .unknown else {
          return
        }
        hours += 1.0 / 3600
        if last != .unknown, now != last { flips += 1 }
        last = now
      }
    }
  }

  var flipsPerHour: Double { Double(flips) / hours }
}
