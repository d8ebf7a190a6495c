// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

package import BeaconCommandLine
package import Beacons
internal import BeaconCore
internal import SystemKit

/// `record`: the inputs of the adapters into a file.
package enum RecordCommand {
  /// The file that `record` writes.
  private static let file = CommandArgument(
    .output("FILE"),
    "The recording to write or continue; .btsnoop and .pcap keep only reports, every other name is JSON Lines"
  )
  /// When a recording continues in a new file.
  package static let rotate = CommandOption(
    "rotate",
    .rotation,
    "Start a new file after this size or time, such as 10M or 1h; the old one becomes FILE.1"
  )
  /// How many older files of a recording are kept.
  package static let keep = CommandOption(
    "keep",
    .integer("N", 0...1000),
    "Keep this many older files (default: 4)",
    needs: ["rotate"]
  )
  /// The permissions of the file.
  private static let mode = CommandOption(
    "mode",
    .fileMode,
    "Give a new file these permissions (default: 600, only you)"
  )

  /// `record`: records the reports to a file.
  ///
  /// - Parameter participants: The additions of other modules to a run.
  /// - Returns: The command.
  package static func command(_ participants: [AdditionalParticipant]) -> BeaconctlCommand {
    BeaconctlCommand(
      "record",
      "Record advertising reports",
      discussion: [
        "Each report is written as it comes; a recording that is killed stays readable. An existing"
          + " recording in JSON Lines is continued; one in another format is renamed to FILE.1. Any other file is left as it"
          + " is.",
        "It receives live. 'beaconctl convert' makes a recording of a capture.",
      ],
      arguments: [file],
      groups: [
        .source([Options.adapter, Options.via]),
        OptionGroup(
          "Recording",
          [rotate, keep, mode, Options.force, Options.includeAddresses]
            + participants.flatMap(\.options)
        ),
        .settings, OptionGroup("Output", [Options.summary]),
      ],
      exclusive: Exclusive.verbosity
    ) { arguments, io in
      var options = try options(arguments, io.configurations)
      options.participants = try participants.compactMap { try $0.choose(arguments) }
      return try await EventRun.run(options, nil, io: io)
    }
  }

  private static func options(
    _ arguments: ParsedArguments,
    _ places: ConfigurationPlaces
  ) throws -> RunOptions {
    var options = RunOptions()
    options.adapter = arguments[Options.adapter]
    options.via = arguments.reportPath
    options.recording = try arguments.required(file)
    options.keptFiles = arguments[keep] ?? options.keptFiles
    options.rotation = arguments[rotate]
    if let output = options.recording, arguments.has(rotate),
      output.isStandardOutput || OutputFiles.isStream(output.path)
    {
      throw UsageError("--rotate needs a file with a name; '\(output.path)' is a stream")
    }
    options.recordingMode = arguments[mode] ?? options.recordingMode
    let loaded = try LoadedConfiguration(arguments, from: places)
    (options.configuration, options.settings) = (loaded.configuration, loaded.settings)
    options.names = loaded.names
    options.output = OutputOptions(arguments)
    options.output.format = OutputFormat.none
    return options
  }
}
