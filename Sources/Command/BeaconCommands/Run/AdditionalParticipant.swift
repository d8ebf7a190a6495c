// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

package import BeaconCommandLine
package import BeaconCore

/// What another module can add to a run, such as a history of it.
package struct AdditionalParticipant: Sendable {
  /// The values from which a participant is made when its run starts.
  package struct Surroundings {
    /// The user's options of the run.
    package let options: RunOptions
    /// The command's surroundings.
    package let io: CommandIO
    /// Shows a line to the user, unless the user wants none.
    package let show: (String) -> Void
  }

  /// Makes a participant for a run.
  package typealias Maker = @Sendable (Surroundings) throws -> any RunParticipant

  /// A folder in which a participant keeps files.
  package struct Folder: Sendable {
    /// The folder.
    package let path: String
    /// Returns whether the participant uses a name in the folder.
    package let owns: @Sendable (String) -> Bool

    package init(path: String, owns: @escaping @Sendable (String) -> Bool) {
      self.path = path
      self.owns = owns
    }
  }

  /// The options that choose it.
  let options: [any DeclaredOption]
  /// Reads its options; `nil` if the user does not want it.
  let choose: @Sendable (ParsedArguments) throws -> Maker?
  /// The folder that the options name; `nil` for none.
  let folder: @Sendable (ParsedArguments) -> Folder?

  package init(
    options: [any DeclaredOption],
    folder: @escaping @Sendable (ParsedArguments) -> Folder? = { _ in nil },
    choose: @escaping @Sendable (ParsedArguments) throws -> Maker?
  ) {
    self.options = options
    self.folder = folder
    self.choose = choose
  }
}

extension OptionGroup {
  /// The recording of the inputs, with the additions of other modules.
  static func recording(_ additional: [AdditionalParticipant]) -> OptionGroup {
    OptionGroup(
      "Recording",
      [Options.record, Options.includeAddresses] + additional.flatMap(\.options)
    )
  }
}
