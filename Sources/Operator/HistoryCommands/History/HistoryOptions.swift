// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

internal import BeaconCommandLine
internal import BeaconCommands

/// The options of the history.
enum HistoryOptions {
  /// The folder that a run adds to.
  static let keep = CommandOption(
    "history",
    .file("FOLDER"),
    "Keep a history of this run in this folder: crossings, stays, minutes of listed beacons, receivers"
  )
  /// The folder to read.
  static let folder = CommandOption(
    "history",
    .file("FOLDER"),
    "The folder of the history (default: \(usualFolder))"
  )
  /// The folder of the machine's own history.
  static let usualFolder = "/var/lib/beacons/history"
  /// The region to show.
  static let region = CommandOption("region", .text("NAME"), "Show only this region", letter: "r")
  /// The first time that is kept.
  static let before = CommandOption(
    "before",
    .moment,
    "Remove everything before this time: a date, a time, or 30d for thirty days ago"
  )
}
