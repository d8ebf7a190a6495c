// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

import BeaconCore
import Foundation

/// Reports of real transmitters that stayed where they were.
enum Stays {
  /// The beacons that stayed put on 2015-03-03 (`redhat-rooms`), at each of two scanners.
  static func rooms() -> [[StreamSample]] {
    let run = Rooms.run("TwoScannersRun1-2015-03-03", minors: nil)
    // One of the four was carried around: that with the most even shares of both scanners.
    let beacons = (run?.samples ?? []).map { minor, samples in
      let first = samples.filter { $0.stream == 0 }.count
      return (evenness: min(first, samples.count - first), samples: samples)
    }
    let carried = beacons.indices.max { beacons[$0].evenness < beacons[$1].evenness }
    return beacons.indices.filter { $0 != carried }.flatMap { index in
      (0..<2).map { scanner in
        beacons[index].samples.filter { $0.stream == scanner }
          .map { StreamSample(time: $0.time, stream: 0, rssi: $0.rssi) }
      }
    }
    .filter { $0.count > 500 }
  }

  /// The stays of the timetable of 2015-03-10, at the scanner of the room (`redhat-rooms`).
  static func timetable() -> [[StreamSample]] {
    let rooms = Rooms()
    return rooms.runs.flatMap { run in
      rooms.stays.filter { $0.file == run.name }.compactMap { stay -> [StreamSample]? in
        guard let scanner = run.rooms.firstIndex(of: stay.room),
          let samples = run.samples.first(where: { $0.minor == stay.minor })?.samples
        else { return nil }
        let own = samples.filter { $0.stream == scanner && Rooms.isJudged(stay, $0.time) }
        guard let first = own.first?.time, let last = own.last?.time, (last - first).seconds > 180
        else { return nil }
        return own.map { StreamSample(time: $0.time, stream: 0, rssi: $0.rssi) }
      }
    }
  }
}
