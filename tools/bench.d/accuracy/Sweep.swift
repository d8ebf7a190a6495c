// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

import BeaconCore
import BeaconTestSupport
import Foundation

/// Compares parameter sets on recordings without a known truth.
///
/// A mean over 10 s before and after each time replaces the truth. No filter can know it at that time, so the delay
/// with the best fit is the filter's lag, and a different nearest beacon is a mis-ranking. An exit is false if this
/// mean stayed within the region until the return (``FalseExits``).
enum Sweep {
  struct Entry {
    let name: String
    let filter: RSSIFilterConfiguration
    let rule: ProximityRule
  }

  struct Score {
    var flips = 0.0
    var falseExits = 0.0
    var lag = 0.0
    var misranked = 0.0

    /// All of them, less being better.
    private var measures: [Double] { [flips, falseExits, lag, misranked] }

    /// Whether another score is at least as good in all measures, and better in one.
    func isBeaten(by other: Score) -> Bool {
      zip(other.measures, measures).allSatisfy { $0 <= $1 }
        && zip(other.measures, measures).contains { $0 < $1 }
    }
  }

  /// The zone whose false exits are counted: near, with the hysteresis of a quarter.
  static let zone = try? Zone(
    enterWithin: ProximityRule.defaultNearLimit / 1.25,
    leaveBeyond: ProximityRule.defaultNearLimit * 1.25
  )
  /// The longest lag looked for, in seconds.
  static let longestLag = 20

  static let entries: [Entry] = {
    var entries: [Entry] = []
    let filters: [(String, RSSIFilterConfiguration)] =
      [0.005, 0.01, 0.02, 0.05].flatMap { changeRate in
        [0.02, 0.1, 0.5].map { drift in
          (
            "bayes, \(changeRate) changes/s, drift \(drift)",
            .bayesian(BayesianFilter.Parameters(changeRate: changeRate, drift: drift))
          )
        }
      }
      + [3, 6, 10].map { seconds in
        (
          "trimmed \(seconds) s",
          .trimmedWindow(TrimmedWindowFilter.Parameters(window: .seconds(seconds)))
        )
      } + [
        ("altbeacon", .altBeacon(AltBeaconFilter.Parameters())),
        ("kalman", .kalman(KalmanFilter.Parameters())),
        ("none", .latest(LatestFilter.Parameters())),
      ]
    for (name, filter) in filters {
      entries.append(Entry(name: name + ", certain, 1 s", filter: filter, rule: .standard))
      entries.append(
        Entry(
          name: name + ", 25 %, 3 s",
          filter: filter,
          rule: ProximityRule(hysteresis: 0.25, dwell: .seconds(3), certainty: 0)
        )
      )
    }
    return entries
  }()

  static func run(_ paths: [String]) {
    guard !paths.isEmpty else {
      FileHandle.standardError.write(Data("sweep: name one capture or more\n".utf8))
      exit(64)
    }
    var recordings: [Recording] = []
    for path in paths {
      do {
        recordings.append(try Recording(path))
      } catch {
        FileHandle.standardError.write(Data("sweep: \(path): \(error)\n".utf8))
        exit(65)
      }
    }
    // The proximity rule does not affect a region's zone, so each filter is run only once.
    var exits: [RSSIFilterConfiguration: Double] = [:]
    let scores = entries.map { entry in
      var score = score(entry, recordings)
      let known = exits[entry.filter] ?? falseExits(entry.filter, recordings)
      exits[entry.filter] = known
      score.falseExits = known
      return score
    }
    let order = entries.indices.sorted {
      (scores[$0].misranked, scores[$0].flips, scores[$0].falseExits, scores[$0].lag, $0)
        < (scores[$1].misranked, scores[$1].flips, scores[$1].falseExits, scores[$1].lag, $1)
    }
    let columns = ["flips/min", "false/h", "lag s", "misranked %", "best"]
    var table = AccuracyTable(columns: columns)
    let count = recordings.reduce(0) { $0 + $1.samples.count }
    let beacons = recordings.reduce(0) { $0 + $1.powers.count }
    table.heading("\(count) reports of \(beacons) beacons; * is beaten by none in all four")
    for index in order {
      let score = scores[index]
      let isBest = !scores.contains { score.isBeaten(by: $0) }
      table.row(entries[index].name, score, isBest: isBest)
    }
    print(definitions + "\n" + table.text + "\n\n" + exitTable(recordings))
  }

  /// The definitions of the columns.
  private static let definitions = """
    The truth is a beacon's mean RSSI from 10 s before a time to 10 s after it.
    flips/min   changes of proximity
    false/h     exits of a region (a beacon's zone, in within 2.4 m, out beyond 3.75 m) that is entered again within 60 s, while the
                beacon was evidently there: at each second between it was received within 10 s, and by the truth was within 3.75 m
    lag s       the delay of the truth that fits best
    misranked   seconds at which the nearest beacon is not the nearest by the truth

    """

  private static func falseExits(_ filter: RSSIFilterConfiguration, _ recordings: [Recording])
    -> Double
  {
    var configuration = Configuration()
    configuration.ranging.filter = filter
    let count = recordings.reduce(0) { $0 + $1.exits(configuration, zone: zone).falseExits }
    return Double(count) / hours(recordings)
  }

  private static func score(_ entry: Entry, _ recordings: [Recording]) -> Score {
    var (flips, minutes, ticks, misranked) = (0, 0.0, 0, 0)
    var errors = [(sum: Double, count: Double)](repeating: (0, 0), count: longestLag + 1)
    for recording in recordings {
      guard let first = recording.samples.first?.time, let last = recording.samples.last?.time
      else {
        continue
      }
      minutes += (last - first).seconds / 60
      let levels = recording.levels
      var zones = [ProximityClassifier](
        repeating: ProximityClassifier(),
        count: recording.powers.count
      )
      let make = { entry.filter.makeFilter() as any TriedFilter }
      StreamRun.ticks(recording.samples, streams: recording.powers.count, make) { time, values in
        let second = Int((time - first).seconds)
        var (delivered, best): (Int?, Double) = (nil, -.infinity)
        for (stream, value) in values.enumerated() {
          let before = zones[stream].proximity
          let reach = value.map {
            DistanceReach(
              $0,
              measuredPower: recording.powers[stream],
              pathLoss: .standard,
              deviations: entry.rule.certainty
            )
          }
          let after = zones[stream].update(reach, at: time, by: entry.rule)
          if before != .unknown, after != .unknown, before != after { flips += 1 }
          guard let value else { continue }
          if value.dBm - recording.powers[stream] > best {
            (delivered, best) = (stream, value.dBm - recording.powers[stream])
          }
          for lag in errors.indices {
            guard let level = levels.level(stream, at: second - lag) else { continue }
            errors[lag].sum += (value.dBm - level) * (value.dBm - level)
            errors[lag].count += 1
          }
        }
        if let delivered, let nearest = nearest(recording, levels, at: second) {
          ticks += 1
          if delivered != nearest { misranked += 1 }
        }
      }
    }
    let means = errors.map { $0.count > 0 ? $0.sum / $0.count : .infinity }
    let lag = means.indices.min { means[$0] < means[$1] } ?? 0
    return Score(
      flips: Double(flips) / max(minutes, 1.0 / 60),
      lag: Double(lag),
      misranked: 100 * Double(misranked) / Double(max(1, ticks))
    )
  }

  /// The nearest stream by the estimate that counts as the truth.
  private static func nearest(_ recording: Recording, _ levels: TwoWayLevels, at second: Int)
    -> Int?
  {
    var best: (stream: Int, level: Double)?
    for stream in recording.powers.indices {
      guard let level = levels.level(stream, at: second) else { continue }
      let loss = level - recording.powers[stream]
      // Of equals the last, as ever since this is measured.
      if best == nil || loss >= best?.level ?? 0 { best = (stream, loss) }
    }
    return best?.stream
  }

  // MARK: When a region is left

  /// Compares exit timings, which do not depend on the filter.
  private static func exitTable(_ recordings: [Recording]) -> String {
    var table = AccuracyTable(columns: ["exits", "false", "false/h", "after s"])
    table.heading(
      "Exits because of silence, one region for each beacon, at any distance; after s: the median silence"
    )
    let timings: [(String, ExitTiming)] =
      [("exit learned", .learned)]
      + [3, 5, 10, 20, 30].map { ("exit \($0) s", .fixed(.seconds($0))) }
    for (name, timing) in timings {
      var configuration = Configuration()
      configuration.regions.exitTiming = timing
      let counts = recordings.map { $0.exits(configuration, zone: nil) }
      let falseCount = counts.reduce(0) { $0 + $1.falseExits }
      let silences = counts.flatMap(\.silences)
      table.row(
        name,
        texts: [
          "\(counts.reduce(0) { $0 + $1.exits })", "\(falseCount)",
          AccuracyTable.text(Double(falseCount) / hours(recordings), digits: 2),
          AccuracyTable.text(silences.isEmpty ? nil : silences.median, digits: 1),
        ]
      )
    }
    return table.text
  }

  /// Hours recorded.
  private static func hours(_ recordings: [Recording]) -> Double {
    let seconds = recordings.reduce(0.0) { sum, recording in
      guard let first = recording.samples.first, let last = recording.samples.last else {
        return sum
      }
      return sum + (last.time - first.time).seconds
    }
    return max(seconds, 1) / 3600
  }
}

extension AccuracyTable {
  fileprivate mutating func row(_ label: String, _ score: Sweep.Score, isBest: Bool) {
    row(
      label,
      texts: [
        Self.text(score.flips, digits: 2), Self.text(score.falseExits, digits: 2),
        Self.text(score.lag, digits: 0), Self.text(score.misranked, digits: 1), isBest ? "*" : "",
      ]
    )
  }
}
