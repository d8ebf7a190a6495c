// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

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
