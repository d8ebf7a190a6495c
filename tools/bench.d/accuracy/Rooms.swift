// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

import BeaconCore
import Foundation

/// Beacons carried from room to room by a written timetable, a scanner in each (`redhat-rooms`).
struct Rooms {
  struct Run {
    let name: String
    let rooms: [String]
    /// The samples by beacon (its minor).
    let samples: [(minor: Int, samples: [StreamSample])]
  }

  struct Stay {
    let file: String
    let minor: Int
    let room: String
    let from: Timestamp
    let until: Timestamp
  }

  /// The times of the timetable are rough, so half a minute at each end of a stay is not judged.
  static let edge = 30.0

  private(set) var runs: [Run] = []
  private(set) var stays: [Stay] = []

  init() {
    for row in Recordings.rows("redhat-rooms/schedule.csv", separator: ",").dropFirst() {
      guard row.count > 4, let minor = Int(row[1]), let from = Int64(row[3]),
        let until = Int64(row[4])
      else { continue }
      stays.append(
        Stay(
          file: String(row[0]),
          minor: minor,
          room: String(row[2]),
          from: .milliseconds(from),
          until: .milliseconds(until)
        )
      )
    }
    for name in Set(stays.map(\.file)).sorted() {
      if let run = Self.run(name, minors: Set(stays.filter { $0.file == name }.map(\.minor))) {
        runs.append(run)
      }
    }
  }

  /// Reads objects that follow each other without commas; each is flat.
  static func run(_ name: String, minors: Set<Int>?) -> Run? {
    guard let text = Recordings.unzipped("redhat-rooms/\(name).json.gz") else { return nil }
    var rooms: [String] = []
    var samples: [Int: [StreamSample]] = [:]
    for object in text.utf8.split(separator: UInt8(ascii: "}")) {
      var fields: [String: String] = [:]
      for field in object.split(separator: UInt8(ascii: ",")) {
        let parts = field.split(separator: UInt8(ascii: ":"), maxSplits: 1)
        guard parts.count == 2 else { continue }
        fields[word(parts[0])] = word(parts[1])
      }
      guard let room = fields["scannerID"], let minor = fields["minor"].flatMap({ Int($0) }),
        minors?.contains(minor) ?? true, let rssi = fields["rssi"].flatMap({ Int8($0) }),
        let time = fields["time"].flatMap({ Int64($0) }), fields["messageType"] != "1"
      else { continue }
      let stream = rooms.firstIndex(of: room) ?? rooms.count
      if stream == rooms.count { rooms.append(room) }
      samples[minor, default: []].append(
        StreamSample(time: .milliseconds(time), stream: stream, rssi: rssi)
      )
    }
    return Run(
      name: name,
      rooms: rooms,
      samples: samples.sorted { $0.key < $1.key }.map { minor, samples in
        (minor, samples.sorted { ($0.time, $0.stream) < ($1.time, $1.stream) })
      }
    )
  }

  private static func word(_ bytes: Substring.UTF8View.SubSequence) -> String {
    String(Substring(bytes)).trimmingCharacters(in: CharacterSet(charactersIn: "{}\" \n\t\r"))
  }

  struct Score {
    /// The share of judged seconds at which the strongest scanner was the timetable's, averaged over rooms.
    var balanced = 0.0
    /// Changes of the strongest scanner a minute of stay.
    var switchesPerMinute = 0.0
  }

  func score(_ make: () -> any TriedFilter) -> Score {
    score { samples, streams, body in
      StreamRun.ticks(samples, streams: streams, make) { body($0, $1.map { $0?.dBm }) }
    }
  }

  /// The score of the scanner that is the nearest by the delivered distances.
  func score(_ ranger: Ranger) -> Score {
    score { samples, streams, body in
      let powers = [Int8](repeating: Self.power, count: streams)
      ranger.run(Scene(powers: powers, samples: samples)) { time, readings in
        body(time, readings.map { $0?.meters.map { -$0 } })
      }
    }
  }

  private func score(
    _ ticks: ([StreamSample], Int, (Timestamp, [Double?]) -> Void) -> Void
  ) -> Score {
    var rooms: [String: (right: Int, all: Int)] = [:]
    var (switches, minutes) = (0, 0.0)
    for run in runs {
      for (minor, samples) in run.samples {
        var counter = NearestCounter()
        let own = stays.filter { $0.file == run.name && $0.minor == minor }
        ticks(samples, run.rooms.count) { time, scores in
          let before = counter.switches
          counter.update(scores, at: time)
          guard let stay = own.first(where: { Self.isJudged($0, time) }),
            let current = counter.current
          else { return }
          switches += counter.switches - before
          minutes += 1.0 / 60
          rooms[stay.room, default: (0, 0)].all += 1
          if run.rooms[current] == stay.room { rooms[stay.room, default: (0, 0)].right += 1 }
        }
      }
    }
    let shares = rooms.sorted { $0.key < $1.key }
      .map { 100 * Double($0.value.right) / Double($0.value.all) }
    return Score(balanced: shares.mean, switchesPerMinute: Double(switches) / minutes)
  }

  static func isJudged(_ stay: Stay, _ time: Timestamp) -> Bool {
    (time - stay.from).seconds > edge && (stay.until - time).seconds > edge
  }

  /// The measured power that the beacons announce.
  static let power: Int8 = -62

  /// Returns by how many dB the delivered distance wanders during the stays, all scanners being receivers of one machine.
  func combined(_ ranger: Ranger) -> Double {
    var spreads: [Double] = []
    for run in runs {
      for (minor, samples) in run.samples {
        let own = stays.filter { $0.file == run.name && $0.minor == minor }
        var levels = [[Double]](repeating: [], count: own.count)
        let streams = run.rooms.indices.map { receiver in
          Scene.Stream(beacon: 0, receiver: UInt8(receiver), announcedPower: Self.power)
        }
        ranger.run(Scene(streams: streams, samples: samples)) { time, readings in
          guard let meters = readings[0]?.meters else { return }
          for (index, stay) in own.enumerated() where Self.isJudged(stay, time) {
            levels[index].append(-20 * log10(max(meters, 0.01)))
          }
        }
        spreads += levels.filter { $0.count > 60 }.map(\.deviation)
      }
    }
    return spreads.mean
  }
}
