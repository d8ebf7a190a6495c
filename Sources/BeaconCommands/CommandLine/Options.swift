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
  /// Tells more on standard error.
  package static let verbose = CommandFlag(
    "verbose",
    "say of what kind the source is, on standard error",
    letter: "v",
    repeats: true
  )
  /// Tells only errors on standard error.
  package static let quiet = CommandFlag("quiet", "tell only errors on standard error", letter: "q")
  /// Whether output is colored.
  package static let color = CommandOption(
    "color",
    .choice(of: OutputOptions.Color.self),
    "color; auto is on a terminal"
  )

  // MARK: Source

  /// The adapters to listen with.
  package static let adapter = CommandOption(
    "adapter",
    .text("hci0|ADDRESS|all"),
    "listen live; without a source, on every powered adapter"
  )
  /// How to reach the adapters.
  package static let via = CommandOption(
    "via",
    .choice(among: [ReportPath.dbus, .kernel]),
    "how reports come; kernel (CAP_NET_RAW) where permitted"
  )
  /// The capture to replay.
  package static let from = CommandOption(
    "from",
    .file("FILE"),
    "replay a capture of any format; - is standard input; several, or 'air.jsonl*', are merged",
    letter: "f",
    repeats: true
  )
  /// How fast a capture is replayed.
  package static let speed = CommandOption(
    "speed",
    .speed,
    "how fast to replay; max unless given",
    needs: ["from"]
  )
  /// Runs on behind the end of a capture until every region has settled.
  package static let drain = CommandFlag(
    "drain",
    "after the end of a capture run on until every region has settled",
    needs: ["from"]
  )

  // MARK: Beacons and regions

  /// The beacons meant.
  package static let satisfying = CommandOption(
    "satisfying",
    .constraint,
    "only beacons satisfying this identity constraint",
    aliases: ["beacon"],
    letter: "s",
    repeats: true
  )
  /// The regions meant.
  package static let region = CommandOption(
    "region",
    .region,
    "a region with its name",
    letter: "r",
    repeats: true
  )
  /// The region to be in while ranging.
  package static let whileInside = CommandOption(
    "while-inside",
    .text("ID"),
    "range only while inside that region",
    needs: ["region"]
  )
  /// Where the states of regions are kept between runs.
  package static let state = CommandOption(
    "state",
    .file("DIR"),
    "keep the regions' states for the next run here; live runs keep them in any case",
    needs: ["region"]
  )

  // MARK: Who asks

  /// The client on whose behalf a command asks.
  package static let client = CommandOption(
    "client",
    .text("ID"),
    "who asks; the operator, who may know all, unless given"
  )
  /// What the client says of itself.
  package static let manifest = CommandOption(
    "manifest",
    .file("FILE"),
    "what the client says of itself"
  )
  /// A person's inputs for a run without a terminal.
  package static let answers = CommandOption(
    "answers",
    .file("FILE"),
    "a person's answers, as scenario files have them"
  )

  // MARK: Recording

  /// Records the inputs of the run.
  package static let record = CommandOption(
    "record",
    .file("FILE"),
    "record the inputs of this very run"
  )
  /// Writes pseudonyms for addresses.
  package static let redact = CommandFlag(
    "redact",
    "addresses as pseudonyms of the file; this is the default"
  )
  /// Tells addresses.
  package static let includeAddresses = CommandFlag(
    "include-addresses",
    "tell device addresses, which appear nowhere without it"
  )

  // MARK: Settings

  /// The configuration file.
  package static let config = CommandOption("config", .file("FILE"), "a configuration file, JSON5")
  /// One setting.
  package static let set = CommandOption(
    "set",
    .setting,
    "one constant, by its 'config list' key",
    repeats: true
  )
  /// The named set of constants.
  package static let profile = CommandOption(
    "profile",
    .choice(of: Profile.self),
    "the set of constants to begin with"
  )

  // MARK: Output

  /// The format of events.
  package static let format = CommandOption(
    "format",
    .choice(of: OutputFormat.self),
    "table on a terminal, else jsonl; none does all the work and prints nothing"
  )
  /// Another sink.
  package static let output = CommandOption(
    "output",
    .sink,
    "another sink",
    letter: "o",
    repeats: true
  )
  /// One object about the run at its end.
  package static let summary = CommandFlag(
    "summary",
    "one JSON object about the run at its end, on standard error"
  )
  /// How a table shows times.
  package static let time = CommandOption(
    "time",
    .choice(of: EventNames.TimeStyle.self),
    "how a table shows times"
  )
  /// The format of a report about a file.
  package static let reportFormat = CommandOption(
    "format",
    .choice(among: [OutputFormat.table, .json]),
    "table on a terminal, else json"
  )
  /// The format to convert to.
  package static let to = CommandOption(
    "to",
    .choice(among: [RecordingWriter.Format.btsnoop, .pcap, .lines]),
    "the format to write; by OUT's ending unless given"
  )
}

/// Names of options of which only one may be given.
package enum Exclusive {
  /// Of the options that name a source, the live ones or a capture.
  package static let sources = [["adapter", "from"], ["via", "from"]]
  /// More or less on standard error.
  package static let verbosity = [["verbose", "quiet"]]
  /// Pseudonyms or addresses.
  package static let redaction = [["redact", "include-addresses"]]
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
  /// Which client asks.
  package static let asking = OptionGroup(
    "Who asks",
    [Options.client, Options.manifest, Options.answers]
  )
  /// What is written of the inputs.
  package static let recording = OptionGroup(
    "Recording",
    [Options.record, Options.redact, Options.includeAddresses]
  )
  /// What the engine runs with.
  package static let settings = OptionGroup(
    "Settings",
    [Options.profile, Options.set, Options.config]
  )
  /// Where events go.
  package static let events = OptionGroup(
    "Output",
    [Options.format, Options.output, Options.time, Options.summary]
  )

  /// Where inputs come from, by some options.
  package static func source(_ options: [any DeclaredOption]) -> OptionGroup {
    OptionGroup("Source", usage: "[SOURCE]", options)
  }
}
