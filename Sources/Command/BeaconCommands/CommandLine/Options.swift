// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

package import BeaconBlueZ
package import BeaconCommandLine
package import BeaconCore
package import BeaconFormats
package import Beacons

/// The options that several commands share; an option of one command stands with the command.
package enum Options {
  // MARK: Everywhere

  /// Shows the version.
  static let version = CommandFlag.version(of: "beaconctl")
  /// Writes more to standard error.
  package static let verbose = CommandFlag(
    "verbose",
    "Describe the source on standard error",
    letter: "v",
    repeats: true
  )
  /// Writes only errors to standard error.
  package static let quiet = CommandFlag(
    "quiet",
    "Write only errors to standard error",
    letter: "q"
  )
  /// Whether output is colored.
  package static let color = CommandOption(
    "color",
    .choice(of: OutputOptions.Color.self),
    "When to use color; auto is on a terminal"
  )

  // MARK: Source

  /// The adapters to listen with.
  package static let adapter = CommandOption(
    "adapter",
    .adapter("hci0|ADDRESS|all"),
    "Listen live on this adapter; without a source, on every powered adapter"
  )
  /// How to reach the adapters.
  package static let via = CommandOption(
    "via",
    .choice(among: [ReportPath.dbus, .kernel]),
    "How to receive reports; kernel, which needs CAP_NET_RAW, if permitted"
  )
  /// The capture to replay.
  package static let from = CommandOption(
    "from",
    .file("FILE"),
    "Replay a capture of any format; - is standard input; several, or 'air.jsonl*', are merged",
    letter: "f",
    repeats: true
  )
  /// How fast a capture is replayed.
  package static let speed = CommandOption(
    "speed",
    .speed,
    "Replay at this speed (default: max)",
    needs: ["from"]
  )
  /// How fast a capture is replayed that takes the place of a receiver.
  package static let steadySpeed = CommandOption(
    "speed",
    .speed,
    "Replay at this speed (default: 1x)",
    needs: ["from"]
  )
  /// Continues after the end of a capture until every region has settled.
  package static let drain = CommandFlag(
    "drain",
    "Continue after the end of a capture until every region has settled",
    needs: ["from"]
  )

  // MARK: Beacons and regions

  /// The beacons meant.
  package static let beacons = beacons(
    "Only beacons that satisfy this identity constraint, or the beacon of this name"
  )

  /// The option that chooses beacons, with a command's use of them.
  package static func beacons(_ help: String) -> CommandOption<IdentityConstraint> {
    CommandOption(
      "beacon",
      .constraint,
      help,
      aliases: ["satisfying"],
      letter: "s",
      repeats: true
    )
  }
  /// The regions meant.
  package static let region = CommandOption(
    "region",
    .region,
    "Monitor this region, and give it this name",
    letter: "r",
    repeats: true
  )
  /// The region to be in while ranging.
  package static let whileInside = CommandOption(
    "while-inside",
    .text("ID"),
    "Range only while inside that region",
    needs: ["region"]
  )
  /// The folder of the states of regions between runs.
  package static let state = CommandOption(
    "state",
    .file("DIR"),
    "Keep the regions' states in this folder for the next run; a live run always keeps them",
    needs: ["region"]
  )

  // MARK: The client

  /// The client on whose behalf a command asks.
  package static let client = CommandOption(
    "client",
    .text("ID"),
    "Run as this client (default: the operator, without limits; for the guide, museum-guide)"
  )
  /// The client's manifest.
  package static let manifest = CommandOption(
    "manifest",
    .file("FILE"),
    "Read the client's purpose texts and capabilities from this manifest"
  )
  /// The client's request to its user.
  package static let ask = CommandOption(
    "ask",
    .choice(among: [ServiceSession.Goal.whenInUse, .always]),
    "The client's request (default: whenInUse; for monitor under coreLocation12 always)"
  )
  /// A user's inputs for a run without a terminal.
  package static let answers = CommandOption(
    "answers",
    .file("FILE"),
    "Read a user's answers from this file, written as in scenario files"
  )

  // MARK: Recording

  /// Records the inputs of the run.
  package static let record = CommandOption(
    "record",
    .output("FILE"),
    "Record what this run receives; a live run continues a recording that exists"
  )
  /// The permissions of a recording.
  package static let mode = CommandOption(
    "mode",
    .fileMode,
    "Give a new recording these permissions (default: 600, only you)",
    needs: ["record"]
  )
  /// Replaces existing files.
  package static let force = CommandFlag("force", "Replace existing files")
  /// Tells addresses.
  package static let includeAddresses = CommandFlag(
    "include-addresses",
    "Include device addresses, which are otherwise left out"
  )

  // MARK: Settings

  /// The configuration file.
  package static let config = CommandOption(
    "config",
    .file("FILE|none"),
    "A configuration file, JSON5, read after those of 'config path'; none reads no file"
  )
  /// One setting.
  package static let set = CommandOption(
    "set",
    .setting,
    "Set one constant, by its key from 'config list'",
    repeats: true
  )
  /// The named set of constants.
  package static let profile = CommandOption(
    "profile",
    .choice(of: Profile.self),
    "Start from this set of constants"
  )

  // MARK: Output

  /// The format of events.
  package static let format = CommandOption(
    "format",
    .choice(of: OutputFormat.self),
    "Output format: table on a terminal (range: a full-screen view), else jsonl; none prints nothing"
  )
  /// Another sink.
  package static let output = CommandOption(
    "output",
    .sink,
    "Also write to this file: .csv, .json or .jsonl, or FORMAT:FILE",
    letter: "o",
    repeats: true
  )
  /// One object about the run at its end.
  package static let summary = CommandFlag(
    "summary",
    "Write a JSON summary of the run to standard error at its end"
  )
  /// How a table shows times.
  package static let time = CommandOption(
    "time",
    .choice(of: EventNames.TimeStyle.self),
    "How to show times in a table"
  )
  /// The format of a report about a file.
  package static let reportFormat = CommandOption(
    "format",
    .choice(among: [OutputFormat.table, .json]),
    "Output format (default: table; into a pipe, that of 'output.piped' if set)"
  )
  /// The format to convert to.
  package static let to = CommandOption(
    "to",
    .choice(among: [RecordingWriter.Format.btsnoop, .pcap, .lines]),
    "Write this format (default: by the extension of OUT)"
  )
}

/// Names of options of which only one may be given.
package enum Exclusive {
  /// Of the options that name a source, the live ones or a capture.
  package static let sources = [["adapter", "from"], ["via", "from"]]
  /// More or less on standard error.
  package static let verbosity = [["verbose", "quiet"]]
  /// A recording and a history are of all inputs; 'convert' cuts a span out.
  static func span(_ options: [String]) -> [[String]] {
    options.flatMap { [["since", $0], ["until", $0]] }
  }
}

extension OptionGroup {
  /// Options of every command.
  static let everywhere = OptionGroup(
    "Everywhere",
    [CommandFlag.help, Options.version, Options.verbose, Options.quiet, Options.color]
  )
  /// Where inputs come from: the adapters or captures.
  package static let anySource = source([
    Options.adapter, Options.via, Options.from, Options.speed, Options.drain,
  ])
  /// The span of time that a replay shows.
  static let span = OptionGroup(
    "Span",
    [Options.since.needing(["from"]), Options.until.needing(["from"])]
  )
  /// Which client asks.
  package static let asking = asking(adding: [])

  /// The client, with more options about the client.
  static func asking(adding more: [any DeclaredOption]) -> OptionGroup {
    OptionGroup("Client", [Options.client, Options.manifest, Options.answers] + more)
  }
  /// The recording of the inputs.
  package static let recording = OptionGroup(
    "Recording",
    [Options.record, Options.mode, Options.includeAddresses]
  )
  /// The engine's configuration.
  package static let settings = OptionGroup(
    "Settings",
    [Options.profile, Options.set, Options.config]
  )
  /// Where events go.
  package static let events = OptionGroup(
    "Output",
    [Options.format, Options.output, Options.force, Options.time, Options.summary]
  )

  /// Where inputs come from, by some options.
  package static func source(_ options: [any DeclaredOption]) -> OptionGroup {
    OptionGroup("Source", usage: "[SOURCE]", options)
  }
}
