// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

internal import BeaconCore
internal import BeaconCommands
internal import BeaconCommandLine
internal import BeaconMuseum

/// The options of a guide's visit, wherever the visit is shown.
struct GuideSetup {
  /// The museum.
  let plan: Plan
  /// The path of the plan.
  let planPath: String
  /// The visitor's language, one of the plan's.
  let language: String
  /// The options of the run.
  let options: RunOptions
  /// The source of the visit.
  let source: GuideSource

  /// Reads the options from a command line.
  ///
  /// - Throws: ``UsageError`` if an option is wrong, ``CommandFailure`` if the plan cannot be read.
  init(_ arguments: ParsedArguments, from places: ConfigurationPlaces) throws {
    plan = try PlanFile.read(arguments)
    planPath = arguments[MuseumOptions.plan] ?? ""
    language = try plan.language(named: arguments) ?? plan.languages.first ?? "en"
    options = try RunOptions(guide: arguments, through: plan, in: language, from: places)
    source = GuideSource(arguments, options)
  }

  /// Returns the guide as the program of a run.
  func program() -> ProgramHost<Guide> {
    ProgramHost(
      Guide(
        plan,
        configuration: options.configuration,
        rules: GuideConfiguration(options.settings)
      )
    )
  }
}
