// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

import BeaconCore
import Foundation

/// Parameter sets against each other on recordings, where nobody knows the truth.
///
/// In its place stands what looks both ways: the mean of 10 s before and after a moment. No filter can know it at that
/// moment, so the delay that fits it best is a lag, and another nearest beacon than its is a mis-ranking.
enum Sweep {
  struct Entry {
    let name: String
    let filter: RSSIFilterConfiguration
    let rule: ProximityRule
  }

  struct Score {
    var flips = 0.0
    var lag = 0.0
    var misranked = 0.0

    /// Whether another is at least as good in all, and better in one.
    func isBeaten(by other: Score) -> Bool {
      other.flips <= flips && other.lag <= lag && other.misranked <= misranked
        && (other.flips < flips || other.lag < lag || other.misranked < misranked)
    }
  }

  /// Half of the span in seconds of what stands for the truth.
  static let halfSpan = 10
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
    let scores = entries.map { score($0, recordings) }
    let order = entries.indices.sorted {
      (scores[$0].misranked, scores[$0].flips, scores[$0].lag, $0)
        < (scores[$1].misranked, scores[$1].flips, scores[$1].lag, $1)
    }
    let columns = ["flips/min", "lag s", "misranked %", "best"]
    var table = AccuracyTable(columns: columns)
    let count = recordings.reduce(0) { $0 + $1.samples.count }
    let beacons = recordings.reduce(0) { $0 + $1.powers.count }
    table.heading("\(count) reports of \(beacons) beacons; * is beaten by none in all three")
    for index in order {
      let score = scores[index]
      let isBest = !scores.contains { score.isBeaten(by: $0) }
      table.row(entries[index].name, score, isBest: isBest)
    }
    print(table.text)
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
      let reference = Reference(recording, from: first)
      var zones = [ProximityClassifier](
        repeating: ProximityClassifier(),
        count: recording.powers.count
      )
      let make = { entry.filter.makeFilter() as any TriedFilter }
      StreamRun.ticks(recording.samples, streams: recording.powers.count, make) { time, values in
        let second = Int((time - first).seconds)
        var (told, best): (Int?, Double) = (nil, -.infinity)
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
            (told, best) = (stream, value.dBm - recording.powers[stream])
          }
          for lag in errors.indices {
            guard let level = reference.level(stream, at: second - lag) else { continue }
            errors[lag].sum += (value.dBm - level) * (value.dBm - level)
            errors[lag].count += 1
          }
        }
        if let told, let nearest = reference.nearest(at: second) {
          ticks += 1
          if told != nearest { misranked += 1 }
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

  /// What stands for the truth: means that look both ways, by second.
  private struct Reference {
    private var sums: [[Double]]
    private var counts: [[Int]]
    private let powers: [Double]

    init(_ recording: Recording, from first: Timestamp) {
      let seconds = Int(((recording.samples.last?.time ?? first) - first).seconds) + 2
      powers = recording.powers
      sums = Array(repeating: Array(repeating: 0, count: seconds + 1), count: powers.count)
      counts = Array(repeating: Array(repeating: 0, count: seconds + 1), count: powers.count)
      for sample in recording.samples {
        let second = Int((sample.time - first).seconds) + 1
        sums[sample.stream][second] += Double(sample.rssi)
        counts[sample.stream][second] += 1
      }
      for stream in powers.indices {
        for second in sums[stream].indices.dropFirst() {
          sums[stream][second] += sums[stream][second - 1]
          counts[stream][second] += counts[stream][second - 1]
        }
      }
    }

    func level(_ stream: Int, at second: Int) -> Double? {
      guard second >= 0 else { return nil }
      let end = min(second + halfSpan, sums[stream].count - 1)
      let start = min(max(second - halfSpan, 0), end)
      let count = counts[stream][end] - counts[stream][start]
      guard count > 0 else { return nil }
      return (sums[stream][end] - sums[stream][start]) / Double(count)
    }

    func nearest(at second: Int) -> Int? {
      powers.indices.filter { level($0, at: second) != nil }
        .max {
          (level($0, at: second) ?? 0) - powers[$0] < (level($1, at: second) ?? 0) - powers[$1]
        }
    }
  }
}

extension AccuracyTable {
  fileprivate mutating func row(_ label: String, _ score: Sweep.Score, isBest: Bool) {
    row(
      label,
      texts: [
        Self.text(score.flips, digits: 2), Self.text(score.lag, digits: 0),
        Self.text(score.misranked, digits: 1), isBest ? "*" : "",
      ]
    )
  }
}
