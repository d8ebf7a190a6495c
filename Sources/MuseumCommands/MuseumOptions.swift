// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

internal import BeaconCommandLine

/// The options that several of the museum's commands share.
enum MuseumOptions {
  /// The museum plan.
  static let plan = CommandOption("plan", .file("FILE"), "the museum plan")
  /// The language of a report's names.
  static let language = CommandOption(
    "language",
    .text("TAG"),
    "the plan's language that names are shown in; its first unless given"
  )
  /// The seed of a simulated visit.
  static let simulatedVisit = CommandOption(
    "simulate",
    .integer("SEED", 0...Int.max),
    "guide a visitor who is simulated, the same for the same seed"
  )
}
