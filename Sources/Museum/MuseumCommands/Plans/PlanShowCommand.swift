// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

internal import BeaconCommandLine
internal import BeaconCommands
internal import BeaconCore
internal import BeaconMuseum
internal import BeaconTerminal

/// `museum plan show`: a plan as a drawing.
enum PlanShowCommand {
  private static let file = CommandArgument(.file("FILE"), "A museum plan, JSON5")
  private static let svg = CommandOption(
    "svg",
    .output("OUT"),
    "Write the drawing to this file as SVG instead; - is standard output"
  )

  private static let labels = CommandOption(
    "labels",
    .output("OUT"),
    "Write a page to print: each exhibit's number and title in all languages, and its beacon"
  )

  /// The widest drawing in characters: wider ones are not clearer.
  private static let mostColumns = 120

  /// `museum plan show`: draws a plan.
  static let command = BeaconctlCommand(
    "show",
    "Draw a museum plan",
    discussion: [
      "Draws each floor in characters as wide as the terminal, and lists the exhibits; or writes the drawing"
        + " as an SVG file for a browser or a printer. Numbers are the same in both.",
      "With --labels it writes a page of labels to print and cut out.",
    ],
    arguments: [file],
    groups: [
      OptionGroup("Plan", [MuseumOptions.language]),
      OptionGroup("Output", [svg, labels, Options.force]),
    ],
    exclusive: [["svg", "labels"], ["labels", "language"]] + Exclusive.verbosity,
    examples: [
      CommandExample("beaconctl museum plan show museum.json5", "Draw a plan on the terminal"),
      CommandExample(
        "beaconctl museum plan show museum.json5 --svg museum.svg",
        "Draw it into a file"
      ),
    ]
  ) { arguments, io in
    let path = try arguments.required(file)
    let (picture, sheet) = (arguments[svg], arguments[labels])
    try io.check([picture, sheet].compactMap { $0 })
    let plan = try PlanFile.read(path)
    let language = try plan.language(named: arguments) ?? plan.languages.first ?? "en"
    if let sheet {
      try io.write(LabelSheet(of: plan).html, to: sheet)
    } else if let picture {
      guard let text = PlanPicture(of: plan, in: language).svg else {
        throw CommandFailure(.badData, "\(path) draws no rooms: give them an outline")
      }
      try io.write(text, to: picture)
    } else {
      let glyphs = Glyphs.glyphs(of: io.environment)
      try io.write(table: lines(plan, language, columns: io.columns, glyphs))
    }
    return .done
  }

  /// Returns the lines of a plan: its name, each floor, and the exhibits by rooms.
  static func lines(
    _ plan: Plan,
    _ language: String,
    columns: Int,
    _ glyphs: Glyphs
  ) -> [String] {
    var lines = [CellWidth.clip(plan.museum[language], to: columns)]
    for level in Set(plan.rooms.map(\.level)).sorted() {
      lines += ["", plan.floor(level)?.name[language] ?? "level \(level)"]
      lines += drawing(of: level, plan, language, columns: columns, glyphs)
    }
    let width = plan.exhibits.map { "\($0.number)".count }.max() ?? 1
    for room in plan.rooms {
      lines += ["", room.name[language] + (room.major == nil ? " (no beacons)" : "")]
      for exhibit in plan.exhibits
      where room.major != nil && exhibit.identity.major == room.major {
        let number = "\(exhibit.number)"
        let space = String(repeating: " ", count: width - number.count)
        let identity = "\(exhibit.identity.major)/\(exhibit.identity.minor)"
        let place = exhibit.position == nil ? ", without a position" : ""
        lines.append("  \(space)\(number)  \(exhibit.title[language]) (\(identity)\(place))")
      }
    }
    return lines
  }

  private static func drawing(
    of level: Int,
    _ plan: Plan,
    _ language: String,
    columns: Int,
    _ glyphs: Glyphs
  ) -> [String] {
    let map = PlanMap(plan: plan, language: language, level: level)
    let width = min(max(20, columns - 1), mostColumns)
    guard let height = map.height(width: width),
      let scale = map.scale(0, 0, width: width, height: height)
    else { return ["(no room of it has an outline)"] }
    var screen = Screen(columns: width, rows: height, glyphs: glyphs)
    let exhibits = plan.exhibits.map { (exhibit: $0, text: "\($0.number)", style: CellStyle.plain) }
    map.draw(&screen, scale, exhibits)
    return screen.text.split(separator: "\n", omittingEmptySubsequences: false).dropLast()
      .map(String.init)
  }
}
