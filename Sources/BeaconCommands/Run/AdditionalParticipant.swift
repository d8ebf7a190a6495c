// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

package import BeaconCommandLine

/// What another module can add to a run, such as a history of it.
package struct AdditionalParticipant: Sendable {
  /// What a participant is made from when its run starts.
  package struct Surroundings {
    /// What the user wants of the run.
    package let options: RunOptions
    /// The command's surroundings.
    package let io: CommandIO
    /// Shows a line to the user, unless the user wants none.
    package let show: (String) -> Void
  }

  /// Makes a participant for a run.
  package typealias Maker = @Sendable (Surroundings) throws -> any RunParticipant

  /// The options that choose it.
  let options: [any DeclaredOption]
  /// Reads its options; `nil` if the user does not want it.
  let choose: @Sendable (ParsedArguments) throws -> Maker?

  package init(
    options: [any DeclaredOption],
    choose: @escaping @Sendable (ParsedArguments) throws -> Maker?
  ) {
    self.options = options
    self.choose = choose
  }
}

extension OptionGroup {
  /// What is written of the inputs, with what other modules add.
  static func recording(_ additional: [AdditionalParticipant]) -> OptionGroup {
    OptionGroup(
      "Recording",
      [Options.record, Options.mode, Options.redact, Options.includeAddresses]
        + additional.flatMap(\.options)
    )
  }
}
