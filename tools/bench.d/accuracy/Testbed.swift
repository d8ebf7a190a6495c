// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

import BeaconCore
import Foundation

/// A person and a car going in and out of a hall past a photosensor, ten RSSI a second (`sal-testbed`).
struct Testbed {
  /// The columns of the receivers outside and inside.
  static let outside = 1...4
  static let inside = 5...10
  static let labelColumn = 11
  /// A side is left for one that is this much stronger: the hysteresis of 25 % on an exponent of 2, in dB.
  static let margin = 1.94

  private(set) var samples: [StreamSample] = []
  private(set) var isInside: [Bool] = []

  init() {
    let rows = Recordings.rows("sal-testbed/walk_sensor_1_measurement_1.csv", separator: ",")
    for row in rows.dropFirst() {
      guard row.count > Self.labelColumn, let frame = Int(row[0]),
        let label = Int(row[Self.labelColumn])
      else { continue }
      for column in Self.outside.lowerBound...Self.inside.upperBound {
        guard let rssi = Int8(row[column]), rssi > -100 else { continue }
        samples.append(
          StreamSample(time: .atSecond(Double(frame) / 10), stream: column - 1, rssi: rssi)
        )
      }
      isInside.append(label != 0)
    }
  }

  struct Score {
    /// Median seconds from the photosensor to the change of side; a change that never came counts as infinite.
    var lag = 0.0
    var changes = 0
    var trueChanges = 0
    /// The share of ticks on the right side.
    var right = 0.0
  }

  /// Returns the score of the side of the strongest receiver, read twice a second.
  func score(_ make: () -> any TriedFilter) -> Score {
    score { body in
      StreamRun.ticks(samples, streams: 10, every: 0.5, make) { body($0, $1.map { $0?.dBm }) }
    }
  }

  /// Returns the score of the side of the nearest receiver, as delivered once a second.
  func score(_ ranger: Ranger) -> Score {
    score { body in
      let powers = [Int8](repeating: -59, count: 10)
      ranger.run(Scene(powers: powers, samples: samples)) { time, readings in
        body(time, readings.map { $0?.meters.map { -20 * log10(max($0, 0.01)) } })
      }
    }
  }

  private func score(_ ticks: ((Timestamp, [Double?]) -> Void) -> Void) -> Score {
    var delivered: [(second: Double, isInside: Bool)] = []
    var (count, right) = (0, 0)
    var side: Bool?
    var score = Score()
    ticks { time, values in
      let second = (time - .atSecond(0)).seconds
      let levels = values.map { $0 ?? -120 }
      let difference = (levels[4...9].max() ?? 0) - (levels[0...3].max() ?? 0)
      let now = difference > 0
      if let held = side, held != now, abs(difference) > Self.margin {
        score.changes += 1
        delivered.append((second, now))
        side = now
      } else if side == nil {
        side = now
      }
      let frame = min(isInside.count - 1, Int(second * 10))
      count += 1
      if side == isInside[frame] { right += 1 }
    }
    var lags: [Double] = []
    for frame in isInside.indices.dropFirst() where isInside[frame] != isInside[frame - 1] {
      score.trueChanges += 1
      let second = Double(frame) / 10
      let next = isInside.indices.first { $0 > frame && isInside[$0] != isInside[frame] }
      let end = Double(next ?? isInside.count) / 10
      // The last change to the right side before the next passage: changes in between were not news. A side that was
      // right already and stayed so has no lag.
      let within = delivered.filter { $0.second >= second - 5 && $0.second < end }
      let arrival = within.last { $0.isInside == isInside[frame] }
      lags.append(arrival.map { max(0, $0.second - second) } ?? .infinity)
    }
    score.lag = lags.median
    score.right = 100 * Double(right) / Double(max(1, count))
    return score
  }
}
