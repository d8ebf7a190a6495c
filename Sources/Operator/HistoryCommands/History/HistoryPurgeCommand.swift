// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

internal import BeaconCommandLine
internal import BeaconCommands
internal import BeaconFormats
internal import BeaconHistory

/// `history purge`: removes the past before a time.
enum HistoryPurgeCommand {
  static let command = BeaconctlCommand(
    "purge",
    "Remove the history before a time, for good",
    discussion: [
      "Removes crossings, stays, minutes, receiver states and notices before the time, and overwrites them in the files."
        + " A stay that began before it is removed even if it has not ended. First stop the run that writes this history."
        + " Nothing is removed if one of the files is damaged or of a later version."
        + " Recordings and copies of the files are not touched."
    ],
    groups: [OptionGroup("History", [HistoryOptions.folder, HistoryOptions.before])],
    required: [HistoryOptions.before],
    exclusive: Exclusive.verbosity,
    examples: [
      CommandExample("beaconctl history purge --before 90d", "Forget everything older than 90 days")
    ]
  ) { arguments, io in
    let before = try arguments.required(HistoryOptions.before)
    let time = before.time(io.localZone, now: io.now)
    let path = arguments[HistoryOptions.folder] ?? HistoryOptions.usualFolder
    let result: HistoryPurge.Result
    do throws(HistoryError) {
      result = try HistoryPurge.removeAll(before: time, in: path)
    } catch {
      throw CommandFailure(error, before: error.isRefusal ? "nothing was removed: " : "")
    }
    guard !arguments.has(Options.quiet) else { return .done }
    let months = result.months.isEmpty ? "no whole month" : result.months.joined(separator: ", ")
    io.show("removed \(months) and \(result.rows) rows before \(RFC3339.string(time))")
    if !result.aside.isEmpty {
      io.show(
        "damaged files that were set aside are left; remove them by hand: "
          + result.aside.joined(separator: ", ")
      )
    }
    return .done
  }
}

extension HistoryError {
  /// Whether the history was refused before anything was done.
  fileprivate var isRefusal: Bool {
    switch self {
    case .full, .failed: false
    default: true
    }
  }
}
