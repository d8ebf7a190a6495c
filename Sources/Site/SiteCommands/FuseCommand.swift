// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

package import BeaconCommandLine
package import BeaconCommands
internal import BeaconCore
internal import BeaconFormats
internal import BeaconSites
internal import Beacons
internal import SystemKit

/// `site fuse`: in which place each beacon is, from the captures of several receivers.
package struct FuseCommand {
  /// The model.
  private static let model = CommandOption(
    "model",
    .file("MODEL"),
    "The model of the site, which 'site survey' wrote"
  )
  /// The format of places.
  private static let format = CommandOption(
    "format",
    .choice(among: [OutputFormat.table, .jsonl]),
    "Output format: table, a row for each change, on a terminal; else jsonl, a line for each second"
  )

  /// Returns `site fuse`: places from several receivers.
  ///
  /// - Parameter sources: What `--from` can name other than captures.
  /// - Returns: The command.
  package static func command(_ sources: [AdditionalSource]) -> BeaconctlCommand {
    BeaconctlCommand(
      "fuse",
      "Find in which place a beacon is, from several receivers",
      discussion: [
        "Reads the captures of several receivers, or live the adapters, a broker or Bluetooth proxies, and says, second by second,"
          + " in which place of the model each beacon is, and how probable that is. A receiver that did not listen counts for"
          + " nothing. A beacon outside of the model's places is in an unknown one."
      ],
      groups: [
        OptionGroup(
          "Source",
          usage: "[SOURCE]",
          [Options.from, model, Options.beacons, Options.adapter, Options.via]
        ),
        OptionGroup("Output", [format, Options.time]),
        OptionGroup("Settings", [Options.config]),
      ],
      required: [model],
      exclusive: [["adapter", "from"], ["via", "from"]] + Exclusive.verbosity,
      examples: [
        CommandExample(
          "beaconctl site fuse --model house.json --from evening.jsonl",
          "Show where the beacons of a recording were"
        ),
        CommandExample(
          "beaconctl site fuse --model house.json --from esphome://hall.local --from esphome://attic.local",
          "Show the places of beacons live, by Bluetooth proxies"
        ),
      ]
    ) { arguments, io in
      let command = try FuseCommand(arguments, sources, io: io)
      return try await command.options.isLive ? command.listen() : command.run()
    }
  }

  private let options: RunOptions
  private let model: String
  private let accepts: [IdentityConstraint]
  private let isTable: Bool
  private let timeStyle: EventNames.TimeStyle
  private let isQuiet: Bool
  private let io: CommandIO

  package init(
    _ arguments: ParsedArguments,
    _ sources: [AdditionalSource] = [],
    io: CommandIO
  ) throws {
    options = try RunOptions(arguments, from: io.configurations, sources: sources)
    model = try arguments.required(Self.model)
    try SiteFiles.checkStandardInput(options.captures + [model])
    accepts = options.constraints
    isTable = arguments[Self.format].map { $0 == .table } ?? io.output.isTerminal
    timeStyle = arguments[Options.time] ?? .local
    isQuiet = arguments.has(Options.quiet)
    self.io = io
  }

  /// Reads the captures to their end and writes the places as they are known.
  package func run() throws -> ExitCode {
    let captures = try SiteCaptures(options.captures, isInterrupted: io.isInterrupted)
    var fusion = SiteFusion(try SiteFiles.model(model), accepts)
    var unknown = UnknownPlaces(fusion.model)
    var hasStarted = false
    var lines = PlaceLineWriter(fusion.model)
    var table = makeTable(of: fusion.model)
    if isTable { try io.write(table: [table.title]) }
    var clocks = captures.clocks
    while let batch = try captures.next() {
      if !hasStarted { fusion.start(with: captures.offsets) }
      hasStarted = true
      if !isTable, let start = batch.inputs.first?.time {
        for clock in clocks { lines.append(clock, at: start) }
        clocks = []
      }
      let estimates = fusion.add(batch, receivers: captures.receiverNames)
      estimates.forEach { unknown.add($0) }
      try write(estimates, &lines, &table)
      if io.isInterrupted() { return Interruption.exitCode ?? .interrupted }
    }
    if !isQuiet {
      captures.remarks.forEach(io.show)
      remark(on: fusion, captures.receiverNames)
      unknown.sentences.forEach(io.show)
    }
    let isKnown = captures.receiverNames.contains { fusion.model.receivers.contains($0) }
    return isKnown || captures.receiverNames.isEmpty && fusion.isEmpty ? .done : .negativeVerdict
  }

  /// Writes the places of a live source as they are known, until the user ends it.
  private func listen() async throws -> ExitCode {
    let model = try SiteFiles.model(model)
    let store = ReceiverOffsetStore(model, ClientStore(environment: io.environment))
    var fusion = SiteFusion(model, accepts)
    fusion.start(with: store.read())
    var unknown = UnknownPlaces(model)
    var offsets = fusion.offsets
    var lines = PlaceLineWriter(fusion.model)
    var table = makeTable(of: fusion.model)
    try await SiteSource.read(options, io) { source, showRemarks in
      _ = try await source.now
      if isTable { try io.write(table: [table.title]) }
      while !io.isInterrupted(), let batch = try await source.next(until: nil) {
        showRemarks()
        let estimates = fusion.add(batch, receivers: await source.receiverNames)
        estimates.forEach { unknown.add($0) }
        try write(estimates, &lines, &table)
        guard fusion.offsets != offsets else { continue }
        offsets = fusion.offsets
        store.keep(offsets)
      }
      store.wait()
      if !isQuiet {
        remark(on: fusion, await source.receiverNames)
        unknown.sentences.forEach(io.show)
      }
    }
    return .done
  }

  private func makeTable(of model: SiteModel) -> PlaceTable {
    PlaceTable(
      model,
      EventNames(timeStyle: timeStyle, zone: io.localZone),
      columns: io.output.isTerminal ? io.columns : .max
    )
  }

  private func write(
    _ estimates: [PlaceEstimate],
    _ lines: inout PlaceLineWriter,
    _ table: inout PlaceTable
  ) throws {
    if isTable { return try io.write(table: table.rows(estimates)) }
    for estimate in estimates { lines.append(estimate) }
    try io.output.write(lines.drainBytes())
  }

  /// Reports which receivers were not used.
  private func remark(on fusion: SiteFusion, _ names: [String]) {
    let known = Set(fusion.model.receivers)
    if known.isDisjoint(with: names), !fusion.isEmpty {
      io.show("no receiver of the captures is one of the model, so no place is known")
    }
    if fusion.isEmpty, !accepts.isEmpty {
      io.show(
        "no beacon that --beacon names was received; 'beaconctl inspect' lists those of a capture"
      )
    }
    SiteFiles.remarks(on: fusion.model, names).forEach(io.show)
    SiteFiles.remarks(on: fusion.offsets).forEach(io.show)
    if fusion.ignored > 0 {
      io.show(
        "\(fusion.ignored) reports of further beacons were left out; at most"
          + " \(ReceptionSeconds.beaconLimit) are followed at a time"
      )
    }
  }
}
