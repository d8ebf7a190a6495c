// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

extension BeaconctlGrammar {
  /// `museum guide`: what a visitor stands before.
  package static let museumGuide = Command(
    "guide",
    "the visitor's guide over a museum plan",
    discussion: [
      "Tells the room the visitor is in and the exhibit before them: on a terminal on a screen with the"
        + " floor plan, else as JSON Lines or, with --format table, in words.",
      "The guide is the client 'museum-guide' and asks on first use. Without a terminal, --answers gives"
        + " what the visitor does; without either and without a grant it ends with exit code 77.",
    ],
    groups: [
      OptionGroup("Visit", [.plan, .language]),
      OptionGroup(
        OptionGroup.sourceTitle,
        [.adapter, .via, .from, .simulatedVisit, .visitSpeed]
      ),
      .asking, .recording, .settings, OptionGroup("Output", [.guideFormat, .time, .summary]),
    ],
    exclusive: [["adapter", "from", "simulate"], ["via", "from", "simulate"]] + oneVoice
      + [["redact", "include-addresses"]],
    examples: [
      CommandExample(
        "beaconctl museum --plan museum.json5 --record visit.jsonl",
        "a visit, live, and its recording"
      ),
      CommandExample(
        "beaconctl museum --plan museum.json5 --simulate 7 --speed 10x",
        "a simulated visitor, ten times as fast"
      ),
    ]
  )

  /// `museum serve`: the guide in a browser.
  package static let museumServe = Command(
    "serve",
    "the same guide, and the operator's view, as pages",
    discussion: [
      "Serves two pages that follow the guide, and prints where they are: the visitor's, in the"
        + " languages of the plan, and the operator's, with the floor plan. Nothing can be changed there,"
        + " and nothing is fetched from elsewhere. Ctrl-C ends it.",
      "The guide is the client 'museum-guide' and asks as 'museum guide' does. Without its permission"
        + " neither page shows where it is.",
    ],
    groups: [
      OptionGroup("Visit", [.plan, .language]),
      OptionGroup("Pages", [.port, .publicPages, .once]),
      OptionGroup(
        OptionGroup.sourceTitle,
        [.adapter, .via, .from, .simulatedVisit, .servedSpeed]
      ),
      .asking, .recording, .settings, OptionGroup("Output", [.summary]),
    ],
    exclusive: [["adapter", "from", "simulate"], ["via", "from", "simulate"]] + oneVoice
      + [["redact", "include-addresses"]],
    examples: [
      CommandExample(
        "beaconctl museum serve --plan museum.json5 --record visit.jsonl",
        "the guide's pages on this machine, and a recording of the visit"
      )
    ]
  )

  /// The plan that `museum plan check` reads.
  package static let planFile = CommandArgument("FILE", .file("FILE"), "a museum plan, JSON5")
  /// The plan that `museum plan new` writes.
  package static let planOutput = CommandArgument(
    "OUT",
    .file("OUT"),
    "the plan to write; standard output unless given",
    isOptional: true
  )

  /// `museum plan`: making plans.
  package static let museumPlan = Command(
    "plan",
    "make and check museum plans",
    subcommands: [
      Command(
        "new",
        "listen, walk, label: a plan to fill in",
        discussion: [
          "Walk from exhibit to exhibit; the plan lists the beacons in the order in which you came nearest to"
            + " them, with places for names and texts."
        ],
        arguments: [planOutput],
        groups: [
          OptionGroup(OptionGroup.sourceTitle, [.adapter, .via, .from]),
          OptionGroup("Beacons", [.satisfying]),
        ],
        exclusive: [["adapter", "from"], ["via", "from"]] + oneVoice,
        examples: [
          CommandExample(
            "beaconctl museum plan new --from walk.jsonl museum.json5",
            "a plan of what was heard on a walk"
          )
        ]
      ),
      Command(
        "check",
        "whether a plan is right; exit code 2 if not",
        arguments: [planFile],
        exclusive: oneVoice
      ),
    ]
  )
}
