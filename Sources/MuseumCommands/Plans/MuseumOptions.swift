// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

package import BeaconCommands
internal import BeaconCommandLine
internal import BeaconMuseum

/// The options that several of the museum's commands share.
enum MuseumOptions {
  /// The museum plan.
  static let plan = CommandOption("plan", .file("FILE"), "The museum plan")
  /// The language of a report's names.
  static let language = CommandOption(
    "language",
    .text("TAG"),
    "Show names in this language of the plan (default: its first)"
  )
  /// The seed of a simulated visit.
  static let simulatedVisit = CommandOption(
    "simulate",
    .integer("SEED", 0...Int.max),
    "Guide a simulated visitor; the same seed gives the same visit"
  )
}

extension Plan {
  /// The language that a command line names; `nil` where it names none.
  ///
  /// - Throws: ``UsageError`` if the plan is not written in it.
  func language(named arguments: ParsedArguments) throws(UsageError) -> String? {
    guard let language = arguments[MuseumOptions.language] else { return nil }
    guard languages.contains(language) else {
      let known = languages.joined(separator: ", ")
      throw UsageError("the plan is not written in '\(language)'; its languages are \(known)")
    }
    return language
  }
}

extension AdditionalSource {
  /// A plan for the commands that are not about museums.
  private static let plan = CommandOption(
    "plan",
    .file("FILE"),
    "Use a museum plan: its beacons' powers, and the rooms that --simulate walks through"
  )
  private static let visitor = CommandOption(
    "simulate",
    .integer("SEED", 0...Int.max),
    "Receive what a simulated visitor of the plan receives, the same for the same seed",
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
