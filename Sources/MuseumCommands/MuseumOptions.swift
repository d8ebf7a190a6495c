// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

package import BeaconCommands
internal import BeaconCommandLine
internal import BeaconMuseum

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

extension AdditionalSource {
  /// A plan for the commands that are not about museums.
  private static let plan = CommandOption(
    "plan",
    .file("FILE"),
    "a museum plan: its beacons' powers, and the rooms that --simulate walks through"
  )
  private static let visitor = CommandOption(
    "simulate",
    .integer("SEED", 0...Int.max),
    "receive what a simulated visitor of the plan receives, the same for the same seed",
    needs: ["plan"]
  )

  /// A simulated visitor of a museum plan.
  package static let simulatedVisitor = AdditionalSource(
    "simulate",
    options: [plan, visitor]
  ) { arguments, configuration in
    guard let path = arguments[plan] else { return nil }
    let plan = try PlanFile.read(path)
    // A plan that was read has no power that is no calibration.
    try? plan.calibrate(&configuration)
    guard let seed = arguments[visitor] else { return nil }
    return Chosen(receiverNames: ["sim0"]) {
      try GuideSource.scan(plan, seed: UInt64(clamping: seed))
    }
  }
}
