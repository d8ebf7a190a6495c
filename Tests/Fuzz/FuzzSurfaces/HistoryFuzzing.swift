// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

import BeaconHistory
import Foundation

/// A history file of any bytes: it is read or refused, and a run continues next to it or sets it aside whole.
enum HistoryFuzzing {
  private static let folder = FileManager.default.temporaryDirectory
    .appending(path: "beacons-fuzz-history-\(ProcessInfo.processInfo.processIdentifier)").path

  static func consume(_ bytes: [UInt8]) {
    let files = FileManager.default
    try? files.removeItem(atPath: folder)
    try? files.createDirectory(atPath: folder, withIntermediateDirectories: true)
    defer { try? files.removeItem(atPath: folder) }
    let path = folder + "/history-2026-05.db"
    _ = files.createFile(atPath: path, contents: Data(bytes))
    let reader = HistoryReader(folder)
    let selection = HistoryReader.Selection()
    // As many rows as a file of the corpus may claim; each is decoded.
    var left = 100_000
    func next() -> Bool {
      left -= 1
      return left > 0
    }
    try? reader.crossings(selection) { _ in next() }
    try? reader.visits(selection) { _ in next() }
    try? reader.minutes(selection) { _ in next() }
    try? reader.receivers(selection) { _ in next() }
    try? reader.notices(selection) { _ in next() }
    guard let writer = try? HistoryWriter(folder) else { return }
    _ = writer.finish()
    let remains = files.contents(atPath: path + ".damaged")
    precondition(remains == nil || remains == Data(bytes), "a damaged file was changed")
  }
}
