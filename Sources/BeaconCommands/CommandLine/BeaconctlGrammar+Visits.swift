// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

extension BeaconctlGrammar {
  /// What `museum simulate` writes.
  package static let simulateOutput = CommandArgument(
    "OUT",
    .file("OUT"),
    "the capture to write; of several visitors each has a number before the ending"
  )

  /// `museum simulate`: visits that were never made.
  package static let museumSimulate = Command(
    "simulate",
    "visits through a plan: captures and their ground truth",
    discussion: [
      "Visitors come, look and go as in the literature, each with a receiver; every capture is what"
        + " that receiver heard. The same plan and seed give the same bytes on every machine."
    ],
    arguments: [simulateOutput],
    groups: [
      OptionGroup("Visits", [.plan, .seed, .visitors, .truth]),
      OptionGroup("Radio", [.delivered, .bystanders, .listen, .pause, .staleRSSI]),
      OptionGroup("Output", [.to, .summary]),
    ],
    exclusive: oneVoice,
    examples: [
      CommandExample(
        "beaconctl museum simulate --plan museum.json5 --truth t.jsonl visit.btsnoop",
        "one visit, and where the visitor really was"
      )
    ]
  )

  /// The captures that `museum report` reads.
  package static let reportCaptures = CommandArgument(
    "CAPTURE",
    .file("CAPTURE"),
    "a recording of one visit, of any format",
    repeats: true
  )

  /// `museum report`: what visits say of a museum.
  package static let museumReport = Command(
    "report",
    "a report of visits, one recording a visitor",
    discussion: [
      "Plays every recording through the engine and the guide, and tells where the visitors were: as a"
        + " page that needs no network and no script, and as comma-separated values. Without either"
        + " file the figures are printed."
    ],
    arguments: [reportCaptures],
    groups: [
      OptionGroup("Visits", [.plan, .language, .smallCells]),
      .settings,
      OptionGroup("Output", [.html, .csvFile, .summary]),
    ],
    exclusive: oneVoice,
    examples: [
      CommandExample(
        "beaconctl museum report --plan museum.json5 --html report.html visit.btsnoop",
        "a page about one visit"
      )
    ]
  )

  /// `museum`: all of it.
  package static let museum = Command(
    "museum",
    "the visitor's guide, visits and plans of a museum",
    subcommands: [museumGuide, museumServe, museumSimulate, museumReport, museumPlan],
    defaultSubcommand: museumGuide.name
  )
}
