// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

import BeaconCore
import Foundation

/// Reports of real transmitters that stayed in their places.
enum Stays {
  /// The beacon that was carried from room to room on 2015-03-03; the other three stayed put.
  ///
  /// Its levels wander by more than 10 dB, and for minutes it is received in neither room. The levels of the others, each
  /// minute's mean, differ by at most 3 dB.
  private static let carried = 1

  /// The beacons that stayed put on 2015-03-03 (`redhat-rooms`), at each of two scanners.
  static func rooms() -> [[StreamSample]] {
    let run = Rooms.run("TwoScannersRun1-2015-03-03", minors: nil)
    return (run?.samples ?? []).filter { $0.minor != carried }.flatMap { _, samples in
      (0..<2).map { scanner in
        samples.filter { $0.stream == scanner }
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
