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
    "the recording to write; .btsnoop and .pcap keep reports alone, all else is JSON Lines"
  )
  /// When a recording goes on in a new file.
  private static let rotate = CommandOption(
    "rotate",
    .rotation,
    "go on in a new file after so much, such as 10M or 1h; the old one is FILE.1"
  )
  /// How many older files of a recording are kept.
  private static let keep = CommandOption(
    "keep",
    .integer("N", 0...1000),
    "how many older files to keep; 4 unless given",
    needs: ["rotate"]
  )

  /// `record`: the live air into a file.
  package static let command = BeaconctlCommand(
    "record",
    "the live air into a recording",
    discussion: ["Each report is written as it comes; a recording that is killed stays readable."],
    arguments: [file],
    groups: [
      .source([Options.adapter, Options.via]),
      OptionGroup("Recording", [rotate, keep, Options.redact, Options.includeAddresses]),
      .settings, OptionGroup("Output", [Options.summary]),
    ],
    exclusive: Exclusive.verbosity + Exclusive.redaction
  ) { arguments, io in
    try Live(options(arguments, io.schema), nil, io: io).run()
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
