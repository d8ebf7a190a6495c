// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

import BeaconCore
import Foundation

/// A beacon carried among twelve receivers, its place known from cameras to 4 cm (`tetam-tracks`).
struct Tetam {
  struct Track {
    var samples: [StreamSample] = []
    /// When the beacon was where.
    var places: [(time: Timestamp, x: Double, y: Double, z: Double)] = []
  }

  private(set) var receivers: [(x: Double, y: Double, z: Double)] = []
  private(set) var tracks: [Track] = []

  /// - Parameter files: The numbers of the tracks to read.
  init(files: [Int]) {
    var index: [Substring: Int] = [:]
    let map = Recordings.text("tetam-tracks/cnf_tetam.dev") ?? ""
    // One line, a Python dictionary: "address": [[x, y, z], …
    for part in map.split(separator: "\n").first.map({ $0.split(separator: "\"") }) ?? [] {
      if part.count == 12, part.allSatisfy(\.isHexDigit) { index[part] = receivers.count }
      guard part.hasPrefix(": [["), let end = part.firstIndex(of: "]") else { continue }
      let numbers = part[part.index(part.startIndex, offsetBy: 4)..<end].split(separator: ",")
        .compactMap { Double($0.trimmingCharacters(in: .whitespaces)) }
      if numbers.count == 3 { receivers.append((numbers[0], numbers[1], numbers[2])) }
    }
    for file in files {
      var track = Track()
      let rows = Recordings.rows("tetam-tracks/straight_0\(file)_all_sensors.mbd", separator: ",")
      for row in rows {
        guard row.count > 6, let second = Double(row[0]), let receiver = index[row[1]],
          let rssi = Int8(row[3]), let x = Double(row[4]), let y = Double(row[5]),
          let z = Double(row[6])
        else { continue }
        let time = Timestamp(microseconds: Int64(second * 1e6))
        track.samples.append(StreamSample(time: time, stream: receiver, rssi: rssi))
        track.places.append((time, x, y, z))
      }
      tracks.append(track)
    }
  }

  func distance(_ track: Track, _ receiver: Int, at time: Timestamp) -> Double {
    var (low, high) = (0, track.places.count - 1)
    while low < high {
      let middle = (low + high + 1) / 2
      if track.places[middle].time <= time { low = middle } else { high = middle - 1 }
    }
    let (place, here) = (track.places[low], receivers[receiver])
    let (x, y, z) = (place.x - here.x, place.y - here.y, place.z - here.z)
    return (x * x + y * y + z * z).squareRoot()
  }

  /// The power at a meter in dBm with an exponent of 2, fitted to tracks 4 and 5.
  static let power: Int8 = -56

  /// A ranger's deliveries for the twelve receivers, each as a visitor's phone.
  func delivered(
    by ranger: Ranger,
    power: Int8
  ) -> (distances: DeliveredScore, nearest: NearestScore, lag: Double) {
    var (distances, nearest) = (DeliveredScore(), NearestScore())
    let shifts = (0...60).map { Double($0) / 4 }
    var pairs: [[[(level: Double, decades: Double)]]] = Array(
      repeating: Array(repeating: [], count: shifts.count),
      count: receivers.count
    )
    for track in tracks {
      let powers = [Int8](repeating: power, count: receivers.count)
      let scene = Scene(powers: powers, samples: track.samples)
      nearest.run(scene, by: ranger) { time in
        receivers.indices.map { distance(track, $0, at: time) }
      }
      ranger.run(scene) { time, readings in
        for (receiver, reading) in readings.enumerated() {
          let truth = distance(track, receiver, at: time)
          distances.count(reading, meters: truth, limits: (0.5, 3))
          guard let meters = reading?.meters else { continue }
          for (index, shift) in shifts.enumerated() {
            let past = distance(track, receiver, at: time + TimeSpan(seconds: -shift))
            pairs[receiver][index].append((-20 * log10(max(meters, 0.01)), log10(past)))
          }
        }
      }
    }
    let residuals = shifts.indices.map { index in residual(pairs.map { $0[index] }) }
    let best = residuals.indices.min { residuals[$0] < residuals[$1] } ?? 0
    return (distances, nearest, Double(best) * 0.25)
  }

  struct Score {
    /// The delay in seconds that makes the filter's values fit the camera's distances best.
    var lag = 0.0
    /// The residual in dB against the distances of the moment, and against those of the lag.
    var residual = 0.0
    var delayedResidual = 0.0
    /// The share of ticks at which the strongest receiver is the nearest, within a meter.
    var nearest = 0.0
    var switches = 0.0
  }

  func score(_ make: () -> any TriedFilter) -> Score {
    let shifts = (0...60).map { Double($0) / 4 }
    // By receiver and shift, the filtered value and the logarithm of the distance.
    var pairs: [[[(level: Double, decades: Double)]]] = Array(
      repeating: Array(repeating: [], count: shifts.count),
      count: receivers.count
    )
    var (ticks, right, minutes, switches) = (0, 0, 0.0, 0)
    for track in tracks {
      guard let first = track.samples.first?.time, let last = track.samples.last?.time else {
        continue
      }
      var counter = NearestCounter()
      StreamRun.ticks(track.samples, streams: receivers.count, every: 0.5, make) { time, values in
        let distances = receivers.indices.map { distance(track, $0, at: time) }
        counter.update(values.map { $0?.dBm }, at: time)
        if let current = counter.current, let least = distances.min() {
          ticks += 1
          if distances[current] <= least + 1 { right += 1 }
        }
        guard (time - first).seconds > 15 else { return }
        for (receiver, value) in values.enumerated() {
          guard let value else { continue }
          for (index, shift) in shifts.enumerated() {
            let past = distance(track, receiver, at: time + TimeSpan(seconds: -shift))
            pairs[receiver][index].append((value.dBm, log10(past)))
          }
        }
      }
      switches += counter.switches
      minutes += (last - first).seconds / 60
    }
    let residuals = shifts.indices.map { index in residual(pairs.map { $0[index] }) }
    let best = residuals.indices.min { residuals[$0] < residuals[$1] } ?? 0
    return Score(
      lag: Double(best) * 0.25,
      residual: residuals.first ?? .nan,
      delayedResidual: residuals.isEmpty ? .nan : residuals[best],
      nearest: 100 * Double(right) / Double(max(1, ticks)),
      switches: Double(switches) / minutes
    )
  }

  /// The residual of one slope and an offset a receiver.
  private func residual(_ pairs: [[(level: Double, decades: Double)]]) -> Double {
    var (covariance, variance, count) = (0.0, 0.0, 0)
    let centered = pairs.filter { !$0.isEmpty }.map { receiver in
      let (level, decades) = (receiver.map(\.level).mean, receiver.map(\.decades).mean)
      return receiver.map { (level: $0.level - level, decades: $0.decades - decades) }
    }
    for pair in centered.joined() {
      covariance += pair.level * pair.decades
      variance += pair.decades * pair.decades
      count += 1
    }
    let slope = covariance / variance
    let squares = centered.joined().reduce(0) {
      $0 + ($1.level - slope * $1.decades) * ($1.level - slope * $1.decades)
    }
    return (squares / Double(count)).squareRoot()
  }
}
