// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

import BeaconTestSupport
import Foundation
import Testing

@testable import BeaconCore

@Suite(.enabled(if: ProjectFiles.data != nil, "the shared captures are absent"))
struct RangingDataTests {
  static func lines(_ path: String) throws -> [Substring] {
    let folder = try #require(ProjectFiles.data)
    return try String(contentsOf: folder.appending(path: path), encoding: .utf8)
      .split(separator: "\n")
  }

  @Test func `the legacy curve reproduces the distances recorded on walks`() throws {
    let folder = try #require(ProjectFiles.data).appending(path: "ilc20-walks")
    let files = try FileManager.default.contentsOfDirectory(atPath: folder.path)
      .filter { $0.hasSuffix(".tsv") }.sorted()
    var (rows, uncalibrated) = (0, 0)
    for file in files {
      for line in try Self.lines("ilc20-walks/\(file)") where line.contains("TYPE_BEACON") {
        let fields = line.split(separator: "\t", omittingEmptySubsequences: false)
        guard fields.count > 8, let power = Double(fields[6]), let rssi = Double(fields[7]),
          let recorded = Double(fields[8])
        else {
          Issue.record("\(file): \(line.count) characters that are no row")
          continue
        }
        rows += 1
        let ours = AltBeaconCurve.legacy.publishedDistance(rssi: rssi, measuredPower: power)
        if power == 0 {
          uncalibrated += 1
          #expect(ours == recorded && MeasuredPower.calibration(announced: 0) == nil)
        } else if abs(ours - recorded) > 1e-9 * abs(recorded) {
          Issue.record("\(file): power \(power), RSSI \(rssi): \(ours) for \(recorded)")
        }
        let fixed = PathLoss.altBeacon(.legacy).distance(rssi: rssi, measuredPower: power)
        #expect(fixed >= 0 && fixed <= PathLoss.maximumDistance)
      }
    }
    #expect(rows > 10_000 && uncalibrated > 100)
  }

  /// Readings at measured distances: the filtered values have the order of the distances, except for a few pairs.
  @Test func `distance grows with the tape measure`() throws {
    struct Place: Hashable { var room: Int, tenths: Int }
    var filters: [Place: (filter: AltBeaconFilter, next: Int64)] = [:]
    for line in try Self.lines("guelph-pathloss/pathloss_ble.csv").dropFirst() {
      let fields = line.split(separator: ",")
      let (room, meters) = (try #require(Int(fields[0])), try #require(Double(fields[2])))
      let rssi = try #require(Int8(fields[5].trimmingCharacters(in: .whitespaces)))
      let place = Place(room: room, tenths: Int((meters * 10).rounded()))
      var entry = filters[place] ?? (AltBeaconFilter(), 0)
      // No clock was recorded; ten a second keeps all of a place's readings in the window.
      entry.filter.add(rssi, at: Timestamp(microseconds: entry.next))
      entry.next += 100_000
      filters[place] = entry
    }
    let rooms = Set(filters.keys.map(\.room)).sorted()
    #expect(rooms.count >= 2)
    for room in rooms {
      let estimates = filters.filter { $0.key.room == room }.map { place, entry in
        var filter = entry.filter
        let rssi = filter.estimate(at: Timestamp(microseconds: entry.next))?.dBm ?? .nan
        return (
          tape: place.tenths, ours: PathLoss.standard.distance(rssi: rssi, measuredPower: -63)
        )
      }
      .sorted { $0.tape < $1.tape }
      var (ordered, pairs) = (0, 0)
      for (index, near) in estimates.enumerated() {
        for far in estimates[(index + 1)...] where far.tape >= 2 * near.tape {
          pairs += 1
          if far.ours > near.ours { ordered += 1 }
        }
      }
      #expect(
        pairs > 50 && Double(ordered) >= 0.9 * Double(pairs),
        "room \(room): \(ordered)/\(pairs)"
      )
    }
  }

  /// The walk from half a meter to three that takes an iPhone about twenty seconds.
  /// Row R11.
  @Test func `twenty seconds of smoothing lag as Core Location does`() throws {
    var filter = AltBeaconFilter()
    func distance(at second: Double) throws -> Double {
      let rssi = filter.estimate(at: Timestamp(microseconds: Int64(second * 1e6)))
      return PathLoss.standard.distance(rssi: try #require(rssi).dBm, measuredPower: -59)
    }
    for tenth in 0..<520 {
      let moved = tenth >= 300
      filter.add(moved ? -69 : -53, at: Timestamp(microseconds: Int64(tenth) * 100_000))
      if tenth == 320 { #expect(try distance(at: 32) < 2.8) }
      if tenth == 510 { #expect(try distance(at: 51) >= 2.8) }
    }
  }
}
