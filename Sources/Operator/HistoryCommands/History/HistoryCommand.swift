// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

internal import BeaconCommandLine
package import BeaconCommands
package import BeaconCore
internal import BeaconFormats
internal import BeaconHistory
internal import SystemKit

/// `history`: the past, from the files that runs keep.
package struct HistoryCommand {
  /// The constants of the history, for the program's schema.
  package static let constants = ConfigurationSchema.history

  /// The command with its subcommands.
  package static let command = BeaconctlCommand(
    "history",
    "Show and remove the history that runs keep",
    discussion: [
      "A run with --history FOLDER keeps which regions were entered and left, stays, a summary of each minute of each"
        + " listed beacon, and when receivers could receive. The history is the operator's."
    ],
    subcommands: [
      listing(
        "visits",
        "List the stays in regions",
        hasRegion: true,
        examples: [
          CommandExample(
            "beaconctl history visits --since 7d --region hall",
            "List the stays in a region in the last week"
          )
        ]
      ) { try $0.visits() },
      listing("crossings", "List when regions were entered and left", hasRegion: true) {
        try $0.crossings()
      },
      listing("minutes", "List each minute of each listed beacon at each receiver") {
        try $0.minutes()
      },
      listing("places", "List in which place of the site each listed beacon was") {
        try $0.places()
      },
      listing("receivers", "List when receivers could receive, and when not") {
        try $0.receivers()
      },
      listing("notices", "List the conditions of the source and of requests") {
        try $0.notices()
      },
      HistoryPurgeCommand.command,
    ]
  )

  private static func listing(
    _ name: String,
    _ summary: String,
    hasRegion: Bool = false,
    examples: [CommandExample] = [],
    _ list: @escaping @Sendable (HistoryCommand) throws -> Void
  ) -> BeaconctlCommand {
    let selection: [any DeclaredOption] = [Options.since, Options.until]
    return BeaconctlCommand(
      name,
      summary,
      groups: [
        OptionGroup(
          "History",
          [HistoryOptions.folder] + selection + (hasRegion ? [HistoryOptions.region] : [])
        ), OptionGroup("Settings", [Options.config]),
        OptionGroup("Output", [Options.historyFormat, Options.time]),
      ],
      exclusive: Exclusive.verbosity,
      examples: examples
    ) { arguments, io in
      do {
        try list(HistoryCommand(arguments, io: io))
      } catch let error as HistoryError {
        // The result is not whole.
        if let code = Interruption.exitCode { return code }
        throw CommandFailure(error)
      }
      return Interruption.exitCode ?? .done
    }
  }

  private let path: String
  private let isQuiet: Bool
  private let reader: HistoryReader
  private let selection: HistoryReader.Selection
  private let names: EventNames
  private let format: OutputFormat
  private let io: CommandIO

  init(_ arguments: ParsedArguments, io: CommandIO) throws {
    path = arguments[HistoryOptions.folder] ?? HistoryOptions.usualFolder
    isQuiet = arguments.has(Options.quiet)
    reader = HistoryReader(path)
    var selection = HistoryReader.Selection()
    let chosen = MomentSpan(arguments)
    chosen.showUnknownZone(io)
    let span = try chosen.range(io)
    (selection.since, selection.until) = (span.lowerBound, span.upperBound)
    selection.region = arguments[HistoryOptions.region]
    self.selection = selection
    names = EventNames(
      timeStyle: arguments[Options.time] ?? .local,
      zone: io.localZone,
      book: try LoadedConfiguration(arguments, from: io.configurations).names,
      start: selection.since
    )
    format = arguments[Options.historyFormat] ?? (io.output.isTerminal ? .table : .jsonl)
    self.io = io
  }

  // MARK: Listings

  /// Ends a listing; one without a row prints a note instead.
  private func end(_ out: inout HistoryListing) throws {
    if out.isEmpty, let region = selection.region, let note = try unknown(region) {
      // A heading without rows would read as if it was never visited.
      if format != .table { try out.end() }
      if !isQuiet { io.show(note) }
      return
    }
    try out.end()
    guard out.isEmpty, !isQuiet else { return }
    let months = try reader.months()
    guard let first = months.first, let last = months.last else {
      return io.show("\(path) has no history yet; a run with --history \(path) keeps one")
    }
    let span = first == last ? "of \(first)" : "from \(first) to \(last)"
    io.show("nothing to list; the history in \(path) is \(span)")
  }

  /// Returns a note about a region that is not in the history; `nil` if it is, or without a history.
  private func unknown(_ region: String) throws -> String? {
    let known = try reader.regions()
    guard !known.isEmpty, !known.contains(region) else { return nil }
    let shown = known.prefix(Self.mostRegions).map { $0.oneLine }.joined(separator: ", ")
    let more = known.count > Self.mostRegions ? " and \(known.count - Self.mostRegions) more" : ""
    let hint = NearestName.find(region, in: known).map { "did you mean \(quoted($0))?" }
    return "no region of the history in \(path) is named \(quoted(region)); "
      + (hint ?? "it has \(shown)\(more)")
  }

  /// The regions that a note lists.
  private static let mostRegions = 12

  private func visits() throws {
    var out = HistoryListing(
      "history.visit",
      [
        HistoryColumn("region", 11, most: 24), HistoryColumn("client", 11, most: 24),
        HistoryColumn("left", kind: .time), HistoryColumn("duration", 11),
        HistoryColumn("quality", 11),
      ],
      names,
      format,
      io
    )
    try reader.visits(selection) { visit in
      out.append(
        at: visit.entered,
        [
          .text(visit.region), .text(visit.client), visit.left.map { .time($0) } ?? .null,
          .optional(visit.left.map { $0 - visit.entered }), .text(visit.quality.rawValue),
        ]
      )
    }
    try end(&out)
  }

  private func crossings() throws {
    var out = HistoryListing(
      "history.crossing",
      [
        HistoryColumn("sequence", 8), HistoryColumn("kind", 5),
        HistoryColumn("region", 9, most: 16), HistoryColumn("client", 9, most: 16),
        HistoryColumn("reason", kind: .hidden), HistoryColumn("why", 13),
      ],
      names,
      format,
      io
    )
    try reader.crossings(selection) { crossing in
      out.append(
        at: crossing.time,
        [
          .optional(crossing.sequence), .text(crossing.kind.rawValue), .text(crossing.region),
          .text(crossing.client), .text(crossing.reason),
          format == .table ? .text(crossing.words) : FormValue(json: crossing.why),
        ]
      )
    }
    try end(&out)
  }

  private func minutes() throws {
    var out = HistoryListing(
      "history.minute",
      [
        HistoryColumn("beacon", 21, most: 49, kind: .beacon), HistoryColumn("name", kind: .hidden),
        HistoryColumn("receiver", 6, most: 20, title: "FROM"), HistoryColumn("reports", 7),
        HistoryColumn("rssi", 6), HistoryColumn("rssi_min", 4, title: "MIN"),
        HistoryColumn("rssi_max", 4, title: "MAX"), HistoryColumn("distance", 6, title: "METERS"),
        HistoryColumn("near_seconds", 4, title: "NEAR"),
      ],
      names,
      format,
      isByMinute: true,
      io
    )
    // A table has one column for both.
    let isTable = format == .table
    try reader.minutes(selection) { minute in
      let name = names.book[minute.identity]
      return out.append(
        at: minute.minute,
        [
          .text(isTable ? name ?? minute.identity.description : minute.identity.description),
          .optional(name), .text(minute.receiver), .integer(minute.reports),
          .optional(minute.rssiTenths.map { Double($0) / 10 }), .optional(minute.weakest),
          .optional(minute.strongest), .optional(minute.centimeters.map { Double($0) / 100 }),
          .optional(minute.nearSeconds),
        ]
      )
    }
    try end(&out)
  }

  private func places() throws {
    let isTable = format == .table
    var out = HistoryListing(
      "history.place",
      [
        HistoryColumn("beacon", 21, most: 49, kind: .beacon), HistoryColumn("name", kind: .hidden),
        HistoryColumn("state", kind: .hidden), HistoryColumn("place", 12, most: 24),
        HistoryColumn("p", kind: .hidden), HistoryColumn("left", kind: .time),
        HistoryColumn("duration", 11),
      ],
      names,
      format,
      io
    )
    try reader.places(selection) { row in
      let name = names.book[row.identity]
      return out.append(
        at: row.entered,
        [
          .text(isTable ? name ?? row.identity.description : row.identity.description),
          .optional(name), .text(row.state.rawValue),
          .optional(row.place ?? (isTable ? "(\(row.state.rawValue))" : nil)),
          row.place == nil ? .null : .hundredths(Double(row.percent) / 100),
          row.left.map { .time($0) } ?? .null, .optional(row.left.map { $0 - row.entered }),
        ]
      )
    }
    try end(&out)
  }

  private func receivers() throws {
    var out = HistoryListing(
      "history.receiver",
      [
        HistoryColumn("receiver", 16, most: 40), HistoryColumn("state", 9),
        HistoryColumn("until", kind: .time), HistoryColumn("duration", 11),
      ],
      names,
      format,
      io
    )
    try reader.receivers(selection) { span in
      out.append(
        at: span.state.time,
        [
          .text(span.state.receiver), .text(span.state.state.rawValue),
          span.end.map { .time($0) } ?? .null, .optional(span.end.map { $0 - span.state.time }),
        ]
      )
    }
    try end(&out)
  }

  private func notices() throws {
    var out = HistoryListing(
      "history.notice",
      [HistoryColumn("code", 24), HistoryColumn("detail")],
      names,
      format,
      io
    )
    try reader.notices(selection) { notice in
      let event = format == .table ? notice.event : nil
      return out.append(
        at: notice.time,
        [
          .text(notice.code),
          event.map { .text(EventSentence.text(of: $0, names.book)) }
            ?? FormValue(json: notice.detail),
        ]
      )
    }
    try end(&out)
  }
}

extension HistoryCrossing {
  /// The reason and the rule in words, for people.
  fileprivate var words: String {
    let reason = RegionStateReason(rawValue: reason).map(EventSentence.text(of:)) ?? reason
    let rule = EventLineReader.explanation(why).map(EventSentence.rule)
    return [reason, rule].compactMap(\.self).joined(separator: ": ")
  }
}

extension HistoryNotice {
  /// The notice as an event; `nil` if this version does not know it.
  fileprivate var event: Event? {
    let rest = detail.drop { $0 != "{" }.dropFirst()
    let start =
      "{\"v\":1,\"type\":\"diagnostic\",\"t\":\"\(RFC3339.string(time))\",\"code\":\"\(code)\""
    return (try? EventLine(parsing: start + (rest.includes(":") ? "," : "") + rest))?.event
  }
}

extension Options {
  /// The formats of a listing.
  fileprivate static let historyFormat = CommandOption(
    "format",
    .choice(among: [OutputFormat.table, .jsonl, .csv]),
    "Output format: table on a terminal, else jsonl"
  )
}

extension FormValue {
  /// Reads JSON; invalid JSON of a file from outside becomes `null`.
  init(json text: String) {
    guard let value = try? JSON5.parse(text) else {
      self = .null
      return
    }
    self.init(value)
  }
}
