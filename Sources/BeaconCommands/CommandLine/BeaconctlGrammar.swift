// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

/// The whole command line of `beaconctl`, as one value.
package enum BeaconctlGrammar {
  /// Names of options that name a source, of which there is one.
  private static let oneSource = [
    ["adapter", "from"], ["via", "from"],
  ]
  static let oneVoice = [["verbose", "quiet"]]
  private static let oneRedaction = [["redact", "include-addresses"]]
  private static let uuid = "F7826DA6-4FA2-4E98-8024-BC5B71E0893E"

  /// The program.
  package static let root = Command(
    "beaconctl",
    "beacon ranging and region monitoring on Linux",
    discussion: [
      "Replays a capture and tells which iBeacons were heard in it and how near: data on standard"
        + " output, everything else on standard error."
    ],
    sharedGroups: [.everywhere],
    subcommands: [
      scan, range, monitor, record, inspect, decode, convert, rehearse, calibrate, museum,
      auth, config, doctor, completion, manual,
    ],
    examples: [
      CommandExample(
        "beaconctl scan --from capture.btsnoop",
        "every iBeacon that a capture holds"
      ),
      CommandExample(
        "beaconctl inspect capture.btsnoop",
        "what a capture holds"
      ),
    ]
  )

  /// `scan`: sightings.
  package static let scan = Command(
    "scan",
    "every iBeacon as it is heard",
    discussion: ["This is the operator's view: no client, no authorization, every sighting."],
    groups: [
      .source, OptionGroup("Beacons", [.satisfying]),
      OptionGroup("Recording", [.record, .redact]), .settings, .addressedEvents,
    ],
    exclusive: oneSource + oneVoice + oneRedaction,
    examples: [
      CommandExample(
        "beaconctl scan --from capture.pcapng --format jsonl",
        "the sightings of a capture"
      )
    ]
  )

  /// `range`: what is near, once a second.
  package static let range = Command(
    "range",
    "once a second, the beacons satisfying constraints",
    discussion: [
      "Beacons are listed nearest first, with proximity, distance and its central 90 % interval,"
        + " mean RSSI and the number of reports since the last second."
    ],
    groups: [
      .source, OptionGroup("Beacons", [.satisfying, .region, .whileInside, .state]), .asking,
      .recording,
      .settings, .events,
    ],
    exclusive: oneSource + oneVoice + oneRedaction,
    examples: [
      CommandExample(
        "beaconctl range --from log.btsnoop -s \(uuid)",
        "once a second, the beacons of a UUID"
      ),
      CommandExample(
        "beaconctl range --from log.btsnoop -s \(uuid)/1",
        "the same of one major"
      ),
    ]
  )

  /// `monitor`: regions.
  package static let monitor = Command(
    "monitor",
    "region state, enter, exit",
    discussion: [
      "A region is entered with the first report of a beacon that satisfies its constraint, and left"
        + " when all have been silent for longer than they are wont to be."
    ],
    groups: [
      .source, OptionGroup("Regions", [.region, .state]), .asking, .recording, .settings, .events,
    ],
    exclusive: oneSource + oneVoice + oneRedaction,
    examples: [
      CommandExample(
        "beaconctl monitor -f log.btsnoop -r a=\(uuid)/1",
        "when room 1 was entered and left"
      )
    ]
  )

  /// The file that `record` writes.
  package static let recordFile = CommandArgument(
    "FILE",
    .file("FILE"),
    "the recording to write; .btsnoop and .pcap keep reports alone, all else is JSON Lines"
  )

  /// `record`: the live air into a file.
  package static let record = Command(
    "record",
    "the live air into a recording",
    discussion: ["Each report is written as it comes; a recording that is killed stays readable."],
    arguments: [recordFile],
    groups: [
      OptionGroup(OptionGroup.sourceTitle, [.adapter, .via]),
      OptionGroup("Recording", [.rotate, .keep, .redact, .includeAddresses]),
      .settings, OptionGroup("Output", [.summary]),
    ],
    exclusive: oneVoice + oneRedaction
  )

  /// The capture that `inspect` reads.
  package static let inspectFile = CommandArgument(
    "FILE",
    .file("FILE"),
    "a capture of any format; - is standard input"
  )

  /// `inspect`: what a file holds.
  package static let inspect = Command(
    "inspect",
    "what a capture holds",
    discussion: [
      "Format, link types, counts, identities, what was rejected and why, oddities, and where the"
        + " file is damaged; RSSI by advertising channel where a sniffer recorded."
    ],
    arguments: [inspectFile],
    groups: [OptionGroup("Output", [.reportFormat, .summary])],
    exclusive: oneVoice
  )

  /// The bytes that `decode` reads.
  package static let decodeBytes = CommandArgument(
    "HEX|-",
    .text("HEX"),
    "bytes in hexadecimal; - reads one string a line from standard input"
  )

  /// `decode`: one frame.
  package static let decode = Command(
    "decode",
    "bytes: the beacon, or the reason why not",
    arguments: [decodeBytes],
    groups: [OptionGroup("Output", [.decodeAs, .answerFormat, .summary])],
    exclusive: oneVoice,
    examples: [
      CommandExample(
        "beaconctl decode --as manufacturer 4c000215...",
        "decode manufacturer data with its company"
      )
    ]
  )

  /// The capture that `convert` reads.
  package static let convertInput = CommandArgument(
    "IN",
    .file("IN"),
    "the capture to read; - is standard input"
  )
  /// The capture that `convert` writes.
  package static let convertOutput = CommandArgument(
    "OUT",
    .file("OUT"),
    "the capture to write; - is standard output, with --to"
  )

  /// `convert`: one format into another.
  package static let convert = Command(
    "convert",
    "one capture format into another",
    arguments: [convertInput, convertOutput],
    groups: [OptionGroup("Output", [.to, .redact, .includeAddresses, .summary])],
    exclusive: oneVoice + oneRedaction
  )

  /// The scenarios that `rehearse` runs.
  package static let rehearseFiles = CommandArgument(
    "FILE",
    .file("FILE"),
    "a scenario file, JSON5",
    repeats: true
  )

  /// `rehearse`: scenario files.
  package static let rehearse = Command(
    "rehearse",
    "scenario files: inputs on a timeline, expected events",
    discussion: [
      "Runs each file through an engine of its own and says whether it told what the file expects;"
        + " exit code 2 if one did not. What failed is shown on its timeline."
    ],
    arguments: [rehearseFiles],
    groups: [OptionGroup("Output", [.verdictFormat])],
    exclusive: oneVoice,
    examples: [
      CommandExample(
        "beaconctl rehearse Fixtures/scenarios/*.json5",
        "every scenario of the project"
      )
    ]
  )

  /// `calibrate`: what a beacon's power is on this receiver.
  package static let calibrate = Command(
    "calibrate",
    "the measured power of a beacon or a site, from where you stand",
    discussion: [
      "Stand at a distance measured by tape, in sight of the beacon, and hold still: one metre gives the"
        + " beacon's power, a far point as well the law by which its signal falls off here.",
      "With captures, each --from has its --at. Exit code 2 if what was heard is of no use.",
      "With --receiver it is the receiver that is calibrated: beacons of known power and place, each --beacon with"
        + " its --at, say what it should hear. Several captures are then one.",
    ],
    groups: [
      OptionGroup(OptionGroup.sourceTitle, [.adapter, .via, .from]),
      OptionGroup("Calibration", [.calibratedBeacon, .at, .receiver, .samples, .patience, .write]),
      .settings, OptionGroup("Output", [.reportFormat]),
    ],
    exclusive: [["adapter", "from"], ["via", "from"], ["samples", "from"], ["for", "from"]]
      + oneVoice,
    examples: [
      CommandExample(
        "beaconctl calibrate -b \(uuid)/1/17 --at 1m",
        "from one metre, live"
      ),
      CommandExample(
        "beaconctl calibrate -f near.jsonl -b \(uuid)/1/17",
        "from a capture made there"
      ),
      CommandExample(
        "beaconctl calibrate --receiver all -b \(uuid)/1/7",
        "every receiver one metre from a beacon"
      ),
    ]
  )

  /// The file that `config check` reads.
  package static let configFile = CommandArgument(
    "FILE",
    .file("FILE"),
    "a configuration file, JSON5"
  )

  /// `config`: the constants.
  package static let config = Command(
    "config",
    "the constants: what they are, what they are set to, what is wrong",
    subcommands: [
      Command(
        "list",
        "every constant with its unit, default and reason",
        groups: [OptionGroup("Output", [.reportFormat])],
        exclusive: oneVoice
      ),
      Command(
        "show",
        "every constant's value and where it came from",
        groups: [.settings, OptionGroup("Output", [.reportFormat])],
        exclusive: oneVoice
      ),
      Command(
        "check",
        "whether a configuration file is right; exit code 2 if not",
        arguments: [configFile],
        exclusive: oneVoice
      ),
    ]
  )

  /// `doctor`: what keeps this machine from ranging.
  package static let doctor = Command(
    "doctor",
    "what is wrong with Bluetooth on this machine, and how to mend it",
    discussion: [
      "Looks at the kernel, the switches of radios, BlueZ and its adapters, then listens for 10 s and"
        + " says what was measured. Each finding stands with the command that mends it; the last line"
        + " is the command that ranges, or the one to run next. Nothing is changed.",
      "Exit code 2 where something is wrong, 69 where there is no Bluetooth at all.",
    ],
    groups: [
      OptionGroup(OptionGroup.sourceTitle, [.adapter, .via]),
      OptionGroup("Output", [.reportFormat]),
    ],
    exclusive: oneVoice
  )

  /// The shell that `completion` writes for.
  package static let completionShell = CommandArgument(
    "bash|zsh|fish",
    .choice(Shell.allCases.map(\.rawValue)),
    "the shell"
  )

  /// `completion`: what a shell needs to complete this command line.
  package static let completion = Command(
    "completion",
    "completion for a shell, to be sourced",
    arguments: [completionShell],
    exclusive: oneVoice,
    examples: [
      CommandExample("source <(beaconctl completion bash)", "completion in this shell")
    ]
  )

  /// `manual`: the manual page.
  package static let manual = Command(
    "manual",
    "the manual page, for man",
    exclusive: oneVoice,
    examples: [
      CommandExample(
        "beaconctl manual >~/.local/share/man/man1/beaconctl.1",
        "make 'man beaconctl' find it"
      )
    ]
  )
}
