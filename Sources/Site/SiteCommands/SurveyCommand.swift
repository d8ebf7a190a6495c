// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

package import BeaconCommandLine
package import BeaconCommands
internal import BeaconCore
internal import BeaconFormats
internal import BeaconSites
internal import Beacons
internal import SystemKit

/// `site survey`: what levels the receivers of a site receive in each of its places, learned from a labeled walk.
package struct SurveyCommand {
  /// The beacon's places; a file that is read, of the type that `--truth` has everywhere.
  private static let truth = CommandOption(
    "truth",
    .output("FILE.csv"),
    "Where the beacon was: CSV with start,end,name; one for all captures, or one for each --from",
    repeats: true
  )
  /// The model.
  private static let write = CommandOption(
    "write",
    .output("MODEL"),
    "Write the model to this file; - is standard output"
  )
  private static let undo = CommandOption(
    "undo",
    .output("MODEL"),
    "Bring back the model that a survey replaced in this file, and keep the present one; again for the other way"
  )
  private static let isLive = CommandFlag(
    "live",
    "Learn while you carry the beacon: write the name of each place on standard input when you are in it"
  )
  private static let stay = CommandOption(
    "stay",
    .integer("SECONDS", 4...3600),
    "How long to stay in each place (default: 60)",
    needs: ["live"]
  )
  /// The surveyed levels of a place are trusted from so many seconds on.
  private static let fewSeconds = 30
  /// The most pairs of places that are named as alike.
  private static let mostLikenesses = 10

  /// Returns `site survey`: a model of a site.
  ///
  /// - Parameter sources: What `--from` can name other than captures.
  /// - Returns: The command.
  package static func command(_ sources: [AdditionalSource]) -> BeaconctlCommand {
    BeaconctlCommand(
      "survey",
      "Learn the places of a site from several receivers",
      discussion: [
        "Carry a beacon, stand a minute or more in each place, and write down when: a line start,end,name"
          + " for each stay. A time is RFC 3339, or seconds since the capture's start."
          + " 'site fuse' reads the model and shows in which place a beacon is.",
        "With --live, name each place when you are in it: the source is the adapters, a broker or Bluetooth proxies. After each"
          + " place it reports those that are alike.",
        "A model that exists is replaced if you confirm it, or with --force. The former one stays next to it, as MODEL.1 and"
          + " so on; --undo brings it back.",
      ],
      groups: [
        OptionGroup(
          "Source",
          usage: "[SOURCE]",
          [
            Options.from, truth, Options.beacons, isLive, stay, Options.adapter.needing(["live"]),
            Options.via.needing(["live"]),
          ]
        ),
        OptionGroup("Output", [write, Options.force, undo]),
        OptionGroup("Settings", [Options.config]),
      ],
      exclusive: [
        ["truth", "live"], ["adapter", "from"], ["via", "from"], ["undo", "write"],
        ["undo", "from"], ["undo", "live"],
      ] + Exclusive.verbosity,
      examples: [
        CommandExample(
          "beaconctl site survey --from walk.jsonl --truth walk.csv --write house.json",
          "Learn a house from one walk"
        ),
        CommandExample(
          "beaconctl site survey --live --beacon keys --from esphome://hall.local --from esphome://attic.local --write house.json",
          "Learn it by walking through it"
        ),
        CommandExample(
          "beaconctl site survey --live --beacon keys --write house.json",
          "Learn it with the adapters of this machine"
        ),
      ]
    ) { arguments, io in
      if let model = arguments[undo] {
        let done = try SurveyedModel(output: model, io: io).undo()
        if !arguments.has(Options.quiet) { io.show(done) }
        return .done
      }
      guard arguments.has(isLive) else { return try SurveyCommand(arguments, io: io).run() }
      return try await learn(arguments, sources, io)
    }
  }

  private static func learn(
    _ arguments: ParsedArguments,
    _ sources: [AdditionalSource],
    _ io: CommandIO
  ) async throws -> ExitCode {
    guard let output = arguments[write] else {
      throw UsageError.missing([write.usage], in: arguments.programName)
    }
    let file = SurveyedModel(output: output, io: io)
    try file.check(asking: io.user != nil)
    let options = try RunOptions(arguments, from: io.configurations, sources: sources)
    guard options.isLive else {
      throw UsageError("--live needs a live source, such as esphome://HOST or mqtt://HOST/SITE")
    }
    guard !options.constraints.isEmpty else {
      throw UsageError("--live needs --beacon: the one that you carry")
    }
    let length = TimeSpan.seconds(Int64(arguments[stay] ?? 60))
    var terminal = SurveyTerminal(LiveSurvey(options.constraints, stay: length), io: io)
    let model = try await SiteSource.read(options, io) { try await terminal.run($0, $1) }
    guard let model else {
      io.show("nothing was written")
      return io.isInterrupted() ? Interruption.exitCode ?? .interrupted : .negativeVerdict
    }
    let left = terminal.survey.learned.receiversLeftOut
    if !left.isEmpty { io.show(remark(onLeftOut: left)) }
    let note = try confirm(file, &terminal, io) ? file.write(model) : file.keep(model)
    if !arguments.has(Options.quiet) {
      describe(model, io)
      if let note { io.show(note) }
      io.show(
        "now find the place: beaconctl site fuse --model \(file.output.path), with the same --from"
      )
    }
    return .done
  }

  /// Asks whether a model is replaced, if there is one, and the user has not said so before.
  private static func confirm(
    _ file: SurveyedModel,
    _ terminal: inout SurveyTerminal,
    _ io: CommandIO
  ) -> Bool {
    guard let places = file.replaced, !io.files.replaces else { return true }
    return terminal.confirm(
      "replace the model in \(file.output.path), which has \(SiteFiles.places(places)) and stays next to it? yes or no"
    ) ?? false
  }

  private static func remark(onLeftOut names: Set<String>) -> String {
    "a model has at most \(SiteModel.receiverLimit) receivers; left out:"
      + " \(SiteFiles.list(names.sorted()))"
  }

  private let walks: [(captures: [String], truth: String)]
  private let file: SurveyedModel
  private let accepts: [IdentityConstraint]
  private let isQuiet: Bool
  private let io: CommandIO

  package init(_ arguments: ParsedArguments, io: CommandIO) throws {
    let groups = try arguments.captureGroups()
    let missing =
      (groups.isEmpty ? [Options.from.usage] : [])
      + (arguments.has(Self.write) ? [] : [Self.write.usage])
    guard missing.isEmpty else {
      throw UsageError.missing(missing, in: arguments.programName)
    }
    let truths = arguments.all(Self.truth).map(\.path)
    guard !truths.isEmpty else {
      throw UsageError("--truth names the file with the beacon's places; or survey with --live")
    }
    for path in truths { try io.files.addInput(path) }
    try SiteFiles.checkStandardInput(groups.flatMap { $0 } + truths)
    file = SurveyedModel(output: try arguments.required(Self.write), io: io)
    if truths.count == 1 {
      walks = [(groups.flatMap { $0 }, truths[0])]
    } else if truths.count == groups.count {
      walks = zip(groups, truths).map { ($0, $1) }
    } else {
      throw UsageError(
        "\(groups.count) --from and \(truths.count) --truth; give one --truth, or one for each --from"
      )
    }
    accepts = arguments.all(Options.beacons)
    isQuiet = arguments.has(Options.quiet)
    self.io = io
  }

  /// Reads the captures of every walk, and writes the learned values.
  package func run() throws -> ExitCode {
    try file.check(asking: false)
    var surveyor = SiteSurveyor(accepts)
    for walk in walks {
      if let code = try read(walk.captures, walk.truth, &surveyor) { return code }
    }
    if !surveyor.receiversLeftOut.isEmpty {
      io.show(Self.remark(onLeftOut: surveyor.receiversLeftOut))
    }
    guard surveyor.seconds > 0 else {
      io.show(
        "nothing was written: in no second with a label was the beacon received; compare the times of"
          + " \(SiteFiles.list(walks.map(\.truth))) with those that 'beaconctl inspect' shows of the captures"
      )
      return .negativeVerdict
    }
    let model = surveyor.model.sorted
    guard !model.receivers.isEmpty else {
      io.show(
        "nothing was written: no receiver of the captures has a name, which only JSON Lines give; record with"
          + " 'beaconctl record FILE.jsonl', or convert to JSON Lines and write names in place of null"
      )
      return .negativeVerdict
    }
    let note = try file.write(model)
    if !isQuiet {
      Self.describe(model, io)
      remark(onLikenessesOf: model)
      if let note { io.show(note) }
    }
    return .done
  }

  /// Names the places that are alike; of many the first ones.
  private func remark(onLikenessesOf model: SiteModel) {
    let files = Set(walks.map(\.truth)).sorted()
    let labels = files.count == 1 ? files[0] : "\(files.count) files"
    let likenesses = model.likenesses(labels: labels)
    likenesses.prefix(Self.mostLikenesses).forEach(io.show)
    if likenesses.count > Self.mostLikenesses {
      io.show("\(likenesses.count - Self.mostLikenesses) more pairs of places are alike")
    }
  }

  /// Learns from the captures of one walk; returns an exit code if the command ends.
  private func read(
    _ paths: [String],
    _ truth: String,
    _ surveyor: inout SiteSurveyor
  ) throws -> ExitCode? {
    let captures = try SiteCaptures(paths, isInterrupted: io.isInterrupted)
    var batch = try captures.next()
    // While a clock is corrected, the first batches can be empty.
    while let first = batch, first.inputs.isEmpty { batch = try captures.next() }
    let start = batch?.inputs.first?.time ?? .earliest
    let labels = try SiteFiles.truth(truth, startingAt: start)
    surveyor.start(labels)
    while let next = batch {
      surveyor.add(next, receivers: captures.receiverNames)
      if io.isInterrupted() { return Interruption.exitCode ?? .interrupted }
      batch = try captures.next()
    }
    if !isQuiet { captures.remarks.forEach(io.show) }
    let missing = surveyor.placesWithoutSeconds(of: labels)
    if !missing.isEmpty {
      io.show("the beacon was received in no second of \(SiteFiles.list(missing)) in \(truth)")
    }
    if surveyor.unnamed.count > 1 {
      io.show(
        "nothing was written: \(truth) does not say where which of \(surveyor.unnamed.count) beacons was;"
          + " name the one that was carried with --beacon, or give the labels a column 'beacon'"
      )
      return .negativeVerdict
    }
    return nil
  }

  /// Reports the learned values, and of which places little is known.
  private static func describe(_ model: SiteModel, _ io: CommandIO) {
    let receivers = model.receivers.count == 1 ? "1 receiver" : "\(model.receivers.count) receivers"
    let seconds = model.places.reduce(0) { $0 + $1.seconds }
    io.show("learned \(SiteFiles.places(model.places.count)) at \(receivers) from \(seconds) s")
    let short = model.places.filter { $0.seconds < fewSeconds }
    guard !short.isEmpty else { return }
    io.show(
      "stand a minute in each place; less than \(fewSeconds) s has"
        + " \(SiteFiles.list(short.map(\.name)))"
    )
  }
}

/// Reads the files of sites.
enum SiteFiles {
  /// Some names in a message; of many the first ones.
  static func list(_ names: [String]) -> String {
    let shown = names.prefix(10).map { "'\($0)'" }.joined(separator: ", ")
    return names.count > 10 ? "\(shown) and \(names.count - 10) more" : shown
  }

  /// A number of places in a message.
  static func places(_ count: Int) -> String { count == 1 ? "1 place" : "\(count) places" }

  /// Returns which receivers were not used.
  ///
  /// - Parameters:
  ///   - model: The model.
  ///   - names: The names of the captures' receivers.
  /// - Returns: Sentences.
  static func remarks(on model: SiteModel, _ names: [String]) -> [String] {
    let known = Set(model.receivers)
    let unknown = names.filter { !known.contains($0) && !$0.isEmpty && !isSource($0) }
    let missing = model.receivers.filter { !names.contains($0) }
    return [
      unknown.isEmpty ? nil : "not in the model, and not used: receiver \(list(unknown))",
      missing.isEmpty ? nil : "not in the captures, so not listening: receiver \(list(missing))",
    ].compactMap { $0 }
  }

  /// Whether a receiver stands for a broker's site or the service itself, which receive nothing.
  private static func isSource(_ name: String) -> Bool {
    let site = "mqtt://"
    return name == "service:" || name.hasPrefix(site) && !name.dropFirst(site.count).contains("/")
  }

  /// Returns by how much receivers differ from the survey.
  ///
  /// - Parameters:
  ///   - offsets: The offsets now.
  ///   - former: Those that are known to the user.
  /// - Returns: A sentence for each that changed.
  static func remarks(on offsets: [String: Int], after former: [String: Int] = [:]) -> [String] {
    Set(offsets.keys).union(former.keys).sorted().compactMap { receiver in
      let decibels = offsets[receiver] ?? 0
      guard decibels != former[receiver] ?? 0 else { return nil }
      guard decibels != 0 else { return "\(receiver) receives as in the survey again" }
      let more = decibels > 0 ? "more" : "less"
      guard abs(decibels) < Int(ReceiverOffsets.bound) else {
        return
          "\(receiver) receives at least \(abs(decibels)) dB \(more) than in the survey; its levels are"
          + " corrected by \(abs(decibels)) dB, the most: if places are wrong or unknown, survey again"
      }
      return "\(receiver) receives \(abs(decibels)) dB \(more)"
        + " than in the survey; its levels are corrected by that"
    }
  }

  /// The offsets of receivers that recordings started with.
  static func offsets(of captures: CaptureSource?) -> [String: Int] {
    (captures?.captures ?? []).reduce(into: [:]) { offsets, capture in
      offsets.merge(capture.header?.offsets ?? [:]) { first, _ in first }
    }
  }

  /// Reads a file of labels.
  ///
  /// - Throws: ``CommandFailure`` with a line for each fault.
  static func truth(_ path: String, startingAt start: Timestamp) throws -> TruthTable {
    try ParsedFile.read(path) { bytes throws(JSON5Faults) in
      try TruthTable(bytes, startingAt: start)
    }
  }

  /// Reads a model.
  ///
  /// - Throws: ``CommandFailure`` with a line for each fault.
  static func model(_ path: String) throws -> SiteModel {
    try ParsedFile.read(path, SiteModelFile.read)
  }

  /// Checks that standard input is read only once.
  ///
  /// - Throws: ``CommandFailure`` if two of the paths are `-`.
  static func checkStandardInput(_ paths: [String]) throws {
    guard paths.filter({ $0 == "-" }).count > 1 else { return }
    throw CommandFailure(.usage, "standard input can be read only once; name files for the others")
  }
}
