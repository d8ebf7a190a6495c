// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

import BeaconCore
import BeaconTestSupport
import Foundation

/// Beacons carried between four rooms with a scanner each: reads the files as published.
enum RedHatRooms {
  struct Sighting {
    /// Milliseconds since 1970.
    let time: Int64
    let scanner: String
    let minor: UInt16
    let rssi: Int8
  }

  struct Stay {
    let minor: UInt16
    let room: String
    let from: Int64
    let until: Int64
  }

  static let folder = ProjectFiles.data?.appending(path: "redhat-rooms")
  static let timetabled: [UInt16] = [1, 2, 5, 6, 7, 8]

  /// The sightings of the carried beacons, in order of time.
  static func sightings(_ name: String) throws -> [Sighting] {
    guard let folder else { return [] }
    let gunzip = Process()
    gunzip.executableURL = URL(fileURLWithPath: "/usr/bin/env")
    gunzip.arguments = ["gunzip", "-c", folder.appending(path: "\(name).json.gz").path]
    let pipe = Pipe()
    gunzip.standardOutput = pipe
    try gunzip.run()
    let text = String(decoding: pipe.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
    gunzip.waitUntilExit()
    // Flat objects one after the other, without commas between them.
    return text.split(separator: "}").enumerated().compactMap(sighting).sorted {
      ($0.1.time, $0.0) < ($1.1.time, $1.0)
    }.map(\.1)
  }

  private static func sighting(_ order: Int, _ object: Substring) -> (Int, Sighting)? {
    var fields: [String: String] = [:]
    let decoration = CharacterSet(charactersIn: " \n\r{\"")
    for line in object.split(separator: ",") {
      let parts = line.split(separator: ":").map { $0.trimmingCharacters(in: decoration) }
      if parts.count == 2 { fields[parts[0]] = parts[1] }
    }
    guard fields["messageType"] == "0", let time = fields["time"].flatMap({ Int64($0) }),
      let scanner = fields["scannerID"], let minor = fields["minor"].flatMap({ UInt16($0) }),
      let rssi = fields["rssi"].flatMap({ Int8($0) })
    else { return nil }
    return (order, Sighting(time: time, scanner: scanner, minor: minor, rssi: rssi))
  }

  static func stays() throws -> [Stay] {
    guard let folder else { return [] }
    let text = try String(contentsOf: folder.appending(path: "schedule.csv"), encoding: .utf8)
    return text.split(whereSeparator: \.isNewline).dropFirst().compactMap { line in
      let cells = line.split(separator: ",")
      guard cells.count == 5, let minor = UInt16(cells[1]), let from = Int64(cells[3]),
        let until = Int64(cells[4])
      else { return nil }
      return Stay(minor: minor, room: String(cells[2]), from: from, until: until)
    }
  }
}
