// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

internal import BeaconCommands
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
  /// Returns the language that a command line names; `nil` if it names none.
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
