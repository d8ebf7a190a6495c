// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

internal import BeaconCommandLine
internal import Beacons
internal import BeaconCore

/// `record`: the inputs of the adapters into a file.
package enum RecordCommand {
  /// The file that `record` writes.
  private static let file = CommandArgument(
    .file("FILE"),
    "The recording to write: only reports for .btsnoop and .pcap, else JSON Lines"
  )
  /// When a recording continues in a new file.
  private static let rotate = CommandOption(
    "rotate",
    .rotation,
    "Start a new file after this size or time, such as 10M or 1h; the old one becomes FILE.1"
  )
  /// How many older files of a recording are kept.
  private static let keep = CommandOption(
    "keep",
    .integer("N", 0...1000),
    "Keep this many older files (default: 4)",
    needs: ["rotate"]
  )

  /// `record`: records what is received to a file.
  package static let command = BeaconctlCommand(
    "record",
    "Record what is received",
    discussion: [
      "Each report is written when it is received, so a recording stays readable even if it is killed."
    ],
    arguments: [file],
    groups: [
      .source([Options.adapter, Options.via]),
      OptionGroup("Recording", [rotate, keep, Options.redact, Options.includeAddresses]),
      .settings, OptionGroup("Output", [Options.summary]),
    ],
    exclusive: Exclusive.verbosity + Exclusive.redaction
  ) { arguments, io in
    try await EventRun.run(options(arguments, io.schema), nil, io: io)
  }

  private static func options(
    _ arguments: ParsedArguments,
    _ schema: ConfigurationSchema
  ) throws -> RunOptions {
    var options = RunOptions()
    options.adapter = arguments[Options.adapter]
    options.via = arguments.reportPath
    options.recording = try arguments.required(file)
    options.keptFiles = arguments[keep] ?? options.keptFiles
    options.rotation = arguments[rotate]
    let loaded = try LoadedConfiguration(arguments, schema: schema)
    (options.configuration, options.settings) = (loaded.configuration, loaded.settings)
    options.output = OutputOptions(arguments)
    options.output.format = OutputFormat.none
    return options
  }
}
