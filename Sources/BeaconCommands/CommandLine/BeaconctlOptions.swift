// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

internal import BeaconCore

extension CommandOption {
  // MARK: Everywhere

  /// Shows help.
  package static let help = flag("help", "this help", letter: "h")
  /// Shows the version.
  package static let version = flag("version", "the version of beaconctl")
  /// Tells more on standard error.
  package static let verbose = flag(
    "verbose",
    "say of what kind the source is, on standard error",
    letter: "v",
    repeats: true
  )
  /// Tells only errors on standard error.
  package static let quiet = flag("quiet", "tell only errors on standard error", letter: "q")
  /// Whether output is colored.
  package static let color = value(
    "color",
    .choice(["auto", "always", "never"]),
    "color; auto is on a terminal"
  )

  // MARK: Source

  /// The adapters to listen with.
  package static let adapter = value(
    "adapter",
    .text("hci0|ADDRESS|all"),
    "listen live; without a source, on every powered adapter"
  )
  /// How to reach the adapters.
  package static let via = value(
    "via",
    .choice(["dbus", "kernel"]),
    "how reports come; kernel (CAP_NET_RAW) where permitted"
  )
  /// The capture to replay.
  package static let from = value(
    "from",
    .file("FILE"),
    "replay a capture of any format; - is standard input; several are merged",
    letter: "f",
    repeats: true
  )
  /// How fast a capture is replayed.
  package static let speed = value(
    "speed",
    .speed,
    "how fast to replay; max unless given",
    needs: ["from"]
  )
  /// Runs on behind the end of a capture until every region has settled.
  package static let drain = flag(
    "drain",
    "after the end of a capture run on until every region has settled",
    needs: ["from"]
  )
  /// The museum plan.
  package static let plan = value("plan", .file("FILE"), "the museum plan")

  // MARK: Beacons and regions

  /// The beacons meant.
  package static let satisfying = value(
    "satisfying",
    .constraint,
    "only beacons satisfying this identity constraint",
    aliases: ["beacon"],
    letter: "s",
    repeats: true
  )
  /// The regions meant.
  package static let region = value(
    "region",
    .region,
    "a region with its name",
    letter: "r",
    repeats: true
  )
  /// The region to be in while ranging.
  package static let whileInside = value(
    "while-inside",
    .text("ID"),
    "range only while inside that region",
    needs: ["region"]
  )

  /// Where the states of regions are kept between runs.
  package static let state = value(
    "state",
    .file("DIR"),
    "keep the regions' states for the next run here; live runs keep them in any case",
    needs: ["region"]
  )

  // MARK: Who asks

  /// The client on whose behalf a command asks.
  package static let client = value(
    "client",
    .text("ID"),
    "who asks; the operator, who may know all, unless given"
  )
  /// The client whose grants are shown or changed.
  package static let grantedClient = value("client", .text("ID"), "the client")
  /// What the client says of itself.
  package static let manifest = value("manifest", .file("FILE"), "what the client says of itself")
  /// A person's inputs for a run without a terminal.
  package static let answers = value(
    "answers",
    .file("FILE"),
    "a person's answers, as scenario files have them"
  )

  // MARK: Recording

  /// Records the inputs of the run.
  package static let record = value("record", .file("FILE"), "record the inputs of this very run")
  /// When a recording goes on in a new file.
  package static let rotate = value(
    "rotate",
    .sizeOrDuration,
    "go on in a new file after so much, such as 10M or 1h; the old one is FILE.1"
  )
  /// How many older files of a recording are kept.
  package static let keep = value(
    "keep",
    .integer("N", 0...1000),
    "how many older files to keep; 4 unless given",
    needs: ["rotate"]
  )
  /// Writes pseudonyms for addresses.
  package static let redact = flag(
    "redact",
    "addresses as pseudonyms of the file; this is the default"
  )
  /// Tells addresses.
  package static let includeAddresses = flag(
    "include-addresses",
    "tell device addresses, which appear nowhere without it"
  )

  // MARK: Calibration

  /// The beacon to calibrate.
  package static let calibratedBeacon = value(
    "beacon",
    .constraint,
    "the beacon, all of UUID/MAJOR/MINOR; several with --receiver, each with its --at",
    letter: "b",
    repeats: true
  )
  /// The receiver to calibrate.
  package static let receiver = value(
    "receiver",
    .text("NAME|all"),
    "learn what this receiver's RSSI is off by, from beacons whose power is known"
  )
  /// Where the receiver stands.
  package static let at = value(
    "at",
    .distance(CalibrationSession.distances),
    "how far the receiver is from the beacon, by tape; 1m unless given, one for each capture",
    repeats: true
  )
  /// How many samples are taken at a distance.
  package static let samples = value(
    "samples",
    .integer("N", CalibrationSession.fewestSamples...100_000),
    "how many samples to take at each distance, live; 100 unless given"
  )
  /// How long to wait for them.
  package static let patience = value(
    "for",
    .duration,
    "how long to wait for them, live; 2m unless given"
  )
  /// The configuration file to write into.
  package static let write = value(
    "write",
    .file("FILE"),
    "put the result into this configuration file, for --config; the rest of it stays as it is"
  )

  // MARK: Settings

  /// The configuration file.
  package static let config = value("config", .file("FILE"), "a configuration file, JSON5")
  /// One setting.
  package static let set = value(
    "set",
    .setting,
    "one constant, by its 'config list' key",
    repeats: true
  )
  /// The named set of constants.
  package static let profile = value(
    "profile",
    .choice([
      "default", "coreLocation14", "coreLocation13.4", "coreLocation13.0", "coreLocation12",
    ]),
    "the set of constants to begin with"
  )

  // MARK: Output

  /// The formats that events are written in.
  package static let eventFormats = ["table", "json", "jsonl", "csv", "none"]
  /// The format of events.
  package static let format = value(
    "format",
    .choice(eventFormats),
    "table on a terminal, else jsonl; none does all the work and prints nothing"
  )
  /// Another sink.
  package static let output = value(
    "output",
    .sink(eventFormats.filter { $0 != "none" }),
    "another sink",
    letter: "o",
    repeats: true
  )
  /// One object about the run at its end.
  package static let summary = flag(
    "summary",
    "one JSON object about the run at its end, on standard error"
  )
  /// How a table shows times.
  package static let time = value(
    "time",
    .choice(["iso", "relative", "none"]),
    "how a table shows times"
  )
  /// The format of a report about a file.
  package static let reportFormat = value(
    "format",
    .choice(["table", "json"]),
    "table on a terminal, else json"
  )
  /// The format of grants.
  package static let grantFormat = value(
    "format",
    .choice(["table", "json", "jsonl"]),
    "table on a terminal, else json; jsonl is an object a client"
  )
  /// The format of verdicts, one a file.
  package static let verdictFormat = value(
    "format",
    .choice(["table", "json"]),
    "table, or json with an object a line"
  )
  /// The format of answers, one a line.
  package static let answerFormat = value(
    "format",
    .choice(["table", "jsonl"]),
    "table on a terminal, else jsonl"
  )
  /// What bytes to decode are.
  package static let decodeAs = value(
    "as",
    .choice(["ad", "manufacturer", "hci"]),
    "advertising data (unless given), manufacturer data with its company, an HCI packet"
  )
  /// The format to convert to.
  package static let to = value(
    "to",
    .choice(["btsnoop", "pcap", "jsonl"]),
    "the format to write; by OUT's ending unless given"
  )
}

extension OptionGroup {
  /// The heading of the group by which a command is known to take a source.
  static let sourceTitle = "Source"

  /// Options of every command.
  package static let everywhere = OptionGroup(
    "Everywhere",
    [.help, .version, .verbose, .quiet, .color]
  )
  /// Where inputs come from.
  package static let source = OptionGroup(
    sourceTitle,
    [.adapter, .via, .from, .speed, .drain]
  )
  /// Which client asks.
  package static let asking = OptionGroup("Who asks", [.client, .manifest, .answers])
  /// What is written of the inputs.
  package static let recording = OptionGroup(
    "Recording",
    [.record, .redact, .includeAddresses]
  )
  /// What the engine runs with.
  package static let settings = OptionGroup("Settings", [.profile, .set, .config])
  /// Where events go.
  package static let events = OptionGroup("Output", [.format, .output, .time, .summary])
  /// Where events go that may name addresses.
  package static let addressedEvents = OptionGroup(
    "Output",
    [.format, .output, .time, .summary, .includeAddresses]
  )
}
