// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

import BeaconCore
import Foundation

/// A walk of `ilc20-walks`, the phone's places, and how far the beacons are from it.
struct SurveyedWalk {
  private(set) var scene: Scene
  private var waypoints: [(time: Timestamp, x: Double, y: Double)] = []
  private var devices: [Substring] = []

  init?(_ rows: [[Substring]]) {
    var streams: [Substring: Int] = [:]
    var (powers, samples): ([Int8], [StreamSample]) = ([], [])
    for row in rows {
      guard row.count > 4, let time = Int64(row[1]) else { continue }
      if row[2] == "TYPE_WAYPOINT", let x = Double(row[3]), let y = Double(row[4]) {
        waypoints.append((.milliseconds(time), x, y))
      }
      guard row.count > 9, row[2] == "TYPE_BEACON", let power = Int8(row[6]),
        let rssi = Int8(row[7])
      else { continue }
      let stream = streams[row[9]] ?? powers.count
      if stream == powers.count {
        streams[row[9]] = stream
        powers.append(power)
        devices.append(row[9])
      }
      samples.append(StreamSample(time: .milliseconds(time), stream: stream, rssi: rssi))
    }
    scene = Scene(powers: powers, samples: samples)
    if waypoints.count < 2 || samples.isEmpty { return nil }
  }

  func place(at time: Timestamp) -> (x: Double, y: Double)? {
    guard let next = waypoints.firstIndex(where: { $0.time >= time }), next > 0 else { return nil }
    let (a, b) = (waypoints[next - 1], waypoints[next])
    let part = (time - a.time).seconds / max(0.001, (b.time - a.time).seconds)
    return (a.x + part * (b.x - a.x), a.y + part * (b.y - a.y))
  }

  /// The readings with the phone's place, by device.
  func readings() -> [(device: Substring, rssi: Int8, x: Double, y: Double)] {
    scene.samples.compactMap { sample in
      place(at: sample.time).map { (devices[sample.stream], sample.rssi, $0.x, $0.y) }
    }
  }

  func truths(_ places: [Substring: (x: Double, y: Double)], at time: Timestamp) -> [Double?] {
    guard let here = place(at: time) else { return devices.map { _ in nil } }
    return devices.map { device in
      places[device].map { hypot($0.x - here.x, $0.y - here.y) }
    }
  }
}

/// A floor of `ilc20-walks`: a beacon's place is the mean position of its ten strongest readings on every second walk.
struct SurveyedFloor {
  private(set) var walks: [SurveyedWalk] = []
  private(set) var places: [Substring: (x: Double, y: Double)] = [:]

  init(_ file: String) {
    var paths: [[[Substring]]] = []
    for row in Recordings.rows("ilc20-walks/\(file)", separator: "\t") {
      if paths.last?.last?[0] == row[0] {
        paths[paths.count - 1].append(row)
      } else {
        paths.append([row])
      }
    }
    let all = paths.compactMap { SurveyedWalk($0) }
    var readings: [Substring: [(rssi: Int8, x: Double, y: Double)]] = [:]
    for (index, walk) in all.enumerated() {
      if index.isMultiple(of: 2) {
        for reading in walk.readings() {
          readings[reading.device, default: []].append((reading.rssi, reading.x, reading.y))
        }
      } else {
        walks.append(walk)
      }
    }
    for (device, all) in readings where all.count >= 10 {
      let strongest = all.enumerated()
        .sorted { ($1.element.rssi, $0.offset) < ($0.element.rssi, $1.offset) }.prefix(10)
        .map(\.element)
      places[device] = (strongest.map(\.x).mean, strongest.map(\.y).mean)
    }
  }

  static func files(judging: Bool) -> [String] {
    Recordings.files("ilc20-walks", ending: ".tsv").filter { $0.hasPrefix("site1") == judging }
  }
}

/// Beacons at distances that were measured, one after the other: `guelph-pathloss`, `pact-matrix`, the lunch.
struct MeasuredPlace {
  let scene: Scene
  /// The distance of each beacon in meters, by time.
  let meters: (Timestamp, Int) -> Double?

  static func guelph(judging: Bool) -> [MeasuredPlace] {
    let guelph = Guelph()
    let power = guelph.points.filter { $0.room == (judging ? 1 : 3) && $0.meters == 1 }
      .flatMap(\.rssi).map { Double($0) }.mean
    return guelph.points.filter { $0.room == (judging ? 3 : 1) }.map { point in
      MeasuredPlace(
        scene: Scene(
          powers: [Int8(power.rounded())],
          samples: point.rssi.enumerated().map { index, rssi in
            StreamSample(time: .atSecond(Double(index) * Guelph.interval), stream: 0, rssi: rssi)
          }
        ),
        meters: { _, _ in point.meters }
      )
    }
  }

  /// Phones on bodies; the power is the median at the nearest distance, at any angle.
  static func bodies(judging: Bool) -> [MeasuredPlace] {
    let name = judging ? "PurseUP_HandDOWN" : "HandDOWN_HandDOWN"
    var scenes: [String: (meters: Double, samples: [StreamSample])] = [:]
    for row in Recordings.unzipped("pact-matrix/\(name).csv.gz")?.split(whereSeparator: \.isNewline)
      .dropFirst() ?? []
    {
      let fields = row.split(separator: ",")
      guard fields.count > 5, let second = Double(fields[1]), let rssi = Int8(fields[2]),
        let feet = Double(fields[4])
      else { continue }
      let key = "\(fields[0]) \(fields[4]) \(fields[5])"
      let time = Timestamp(microseconds: Int64(second * 1e6))
      scenes[key, default: (feet * 0.3048, [])].samples.append(
        StreamSample(time: time, stream: 0, rssi: rssi)
      )
    }
    let nearest = scenes.values.map(\.meters).min() ?? 1
    let level = scenes.values.filter { $0.meters == nearest }.flatMap(\.samples)
      .map { Double($0.rssi) }.median
    let power = Int8(clamping: Int((level + 20 * log10(nearest)).rounded()))
    return scenes.sorted { $0.key < $1.key }.map { _, place in
      MeasuredPlace(
        scene: Scene(powers: [power], samples: place.samples),
        meters: { _, _ in place.meters }
      )
    }
  }

  static func score(_ places: [MeasuredPlace], near: Double, _ ranger: Ranger) -> DeliveredScore {
    var score = DeliveredScore()
    for place in places {
      guard let first = place.scene.samples.first?.time else { continue }
      ranger.run(place.scene) { time, readings in
        // The first two seconds are judged on the channel.
        guard (time - first).seconds > 2 else { return }
        for (index, reading) in readings.enumerated() {
          guard let meters = place.meters(time, index) else { continue }
          score.count(reading, meters: meters, limits: (0.5, near))
        }
      }
    }
    return score
  }
}

/// People at lunch, a phone each (`dp3t-epfl`): one scene a receiver, with a stream for each other phone.
struct Lunch {
  private struct Row {
    let receiver, transmitter: Int
    let time: Timestamp
    let rssi: Int8
    let meters: Double
  }

  static func places(judging: Bool) -> [MeasuredPlace] {
    let rows = rows()
    // No phone announces a power at one meter: that of the rows for tuning.
    let levels = rows.filter { $0.receiver.isMultiple(of: 2) }
      .map { Double($0.rssi) + 20 * log10(max($0.meters, 0.1)) }
    let power = Int8(clamping: Int(levels.median.rounded()))
    return Set(rows.map(\.receiver)).sorted().filter { $0.isMultiple(of: 2) != judging }
      .map { receiver in
        let own = rows.filter { $0.receiver == receiver }
        let others = Set(own.map(\.transmitter)).sorted()
        var truths = [[(time: Timestamp, meters: Double)]](repeating: [], count: others.count)
        var samples: [StreamSample] = []
        for row in own {
          guard let stream = others.firstIndex(of: row.transmitter) else { continue }
          samples.append(StreamSample(time: row.time, stream: stream, rssi: row.rssi))
          truths[stream].append((row.time, row.meters))
        }
        return MeasuredPlace(
          scene: Scene(powers: others.map { _ in power }, samples: samples),
          meters: { time, index in truths[index].last { $0.time <= time }?.meters }
        )
      }
  }

  /// Reads the table with the command `sqlite3`; without it rows are missing.
  private static func rows() -> [Row] {
    let query =
      "select receiver_id, transmitter_id, timestamp, rssi, ground_truth_distance from results"
      + " where ground_truth_distance is not null order by timestamp, db_id"
    let text = Recordings.query("dp3t-epfl/exp34-scenario01-lunch.sqlite", query)
    return text.split(whereSeparator: \.isNewline).compactMap { line in
      let fields = line.split(separator: "|")
      guard fields.count > 4, let receiver = Int(fields[0]), let transmitter = Int(fields[1]),
        let second = Double(fields[2]), let rssi = Int8(fields[3]), let meters = Double(fields[4])
      else { return nil }
      return Row(
        receiver: receiver,
        transmitter: transmitter,
        time: Timestamp(microseconds: Int64(second * 1e6)),
        rssi: rssi,
        meters: meters
      )
    }
  }
}
