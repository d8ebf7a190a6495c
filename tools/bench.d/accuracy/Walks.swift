// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

import BeaconCore

/// Beacons received by phones on surveyed walks through shopping malls (`ilc20-walks`).
struct Walks {
  struct Walk {
    var samples: [StreamSample] = []
    /// The announced power by stream.
    var powers: [Int8] = []
    var devices: [Substring: Int] = [:]
  }

  private(set) var walks: [Walk] = []
  private(set) var rows = 0
  /// The largest relative difference between the authors' distance and the curve's.
  private(set) var worstDistance = 0.0
  /// The numbers of rows whose announced power is not a calibration, and of those whose power no beacon has.
  private(set) var uncalibrated = 0
  private(set) var absurd = 0

  init() {
    for file in Recordings.files("ilc20-walks", ending: ".tsv") {
      var walk = Walk()
      var path: Substring = ""
      for row in Recordings.rows("ilc20-walks/\(file)", separator: "\t") {
        if row[0] != path {
          if !walk.samples.isEmpty { walks.append(Self.sorted(walk)) }
          (walk, path) = (Walk(), row[0])
        }
        guard row.count > 9, row[2] == "TYPE_BEACON", let time = Int64(row[1]),
          let power = Int8(row[6]), let rssi = Int8(row[7]), let distance = Double(row[8])
        else { continue }
        rows += 1
        if MeasuredPower.calibration(announced: power) == nil {
          uncalibrated += 1
        } else if Double(power) > MeasuredPower.strongestPlausible {
          absurd += 1
        }
        if power != 0 {
          let ours = AltBeaconCurve.legacy.publishedDistance(
            rssi: Double(rssi),
            measuredPower: Double(power)
          )
          worstDistance = max(worstDistance, abs(ours / distance - 1))
        }
        let stream = walk.devices[row[9]] ?? walk.powers.count
        if stream == walk.powers.count {
          walk.devices[row[9]] = stream
          walk.powers.append(power)
        }
        walk.samples.append(StreamSample(time: .milliseconds(time), stream: stream, rssi: rssi))
      }
      if !walk.samples.isEmpty { walks.append(Self.sorted(walk)) }
    }
  }

  private static func sorted(_ walk: Walk) -> Walk {
    var walk = walk
    walk.samples.sort { $0.time < $1.time }
    return walk
  }

  struct Score {
    var switchesPerMinute = 0.0
    var returnsPerMinute = 0.0
  }

  func score(_ make: () -> any TriedFilter) -> Score {
    var (minutes, switches, returns) = (0.0, 0, 0)
    for walk in walks {
      guard let first = walk.samples.first?.time, let last = walk.samples.last?.time else {
        continue
      }
      var counter = NearestCounter()
      StreamRun.ticks(walk.samples, streams: walk.powers.count, make) { time, values in
        let scores = values.enumerated().map { stream, value -> Double? in
          guard let value, let power = MeasuredPower.calibration(announced: walk.powers[stream]),
            power <= MeasuredPower.strongestPlausible
          else { return nil }
          return value.dBm - power
        }
        counter.update(scores, at: time)
      }
      minutes += (last - first).seconds / 60
      switches += counter.switches
      returns += counter.returns
    }
    return Score(
      switchesPerMinute: Double(switches) / minutes,
      returnsPerMinute: Double(returns) / minutes
    )
  }
}
