// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

package import BeaconCommandLine
package import BeaconCommands
internal import BeaconCore
internal import BeaconFormats
internal import Beacons
internal import SystemKit

/// `calibrate sweep`: the results of other constants on the user's own recordings.
package struct SweepCommand {
  /// A set of constants to try.
  private static let trial = CommandOption(
    "try",
    .text("KEY=VALUE[,...]"),
    "Compare this set of constants ('config list' has them); without it, a dozen usual ones",
    repeats: true
  )
  /// The format of results.
  private static let format = CommandOption(
    "format",
    .choice(among: [OutputFormat.table, .jsonl]),
    "Output format: table on a terminal, else jsonl, a line for each set"
  )

  /// `calibrate sweep`: constants compared on recordings.
  package static let command = BeaconctlCommand(
    "sweep",
    "Compare constants on your own recordings",
    discussion: [
      "Replays the captures as 'range' does, once for each set of constants, and counts the deliveries:"
        + " FLIPS, changes of a zone a minute; CHANGES, of the nearest beacon a minute; WRONG, seconds in which"
        + " another beacon is nearest; UNKNOWN, seconds without a distance though the beacon was received within"
        + " 5 s; LAG, the delay in seconds.",
      "The truth of your recordings is not known, so a beacon's mean RSSI from 10 s before a time to 10 s after"
        + " it stands for it. A set with * is beaten by no other in everything.",
    ],
    groups: [
      OptionGroup("Source", usage: "[SOURCE]", [Options.from, Options.beacons]),
      OptionGroup("Sets", [trial]), .settings, OptionGroup("Output", [format]),
    ],
    required: [Options.from],
    exclusive: Exclusive.verbosity,
    examples: [
      CommandExample(
        "beaconctl calibrate sweep --from visit.jsonl",
        "Compare usual constants on a recording"
      ),
      CommandExample(
        "beaconctl calibrate sweep --from visit.jsonl --try ranging.near=4 --try ranging.near=2,ranging.dwell=3",
        "Compare two sets with the constants as they are"
      ),
    ]
  ) { arguments, io in
    try await SweepCommand(arguments, io: io).run()
  }

  /// The sets that are compared unless others are named.
  private static let usual = [
    "ranging.filter.changeRate=0.005", "ranging.filter.changeRate=0.02",
    "ranging.filter.drift=0.02", "ranging.filter.drift=0.5", "ranging.filter=trimmed",
    "ranging.filter=kalman", "ranging.filter=altbeacon",
    "ranging.certainty=0,ranging.hysteresis=0.25,ranging.dwell=3", "ranging.certainty=2.5",
    "ranging.nearestMargin=0", "ranging.nearestMargin=0.25", "ranging.hold=false",
  ]

  /// A set of constants.
  private struct Trial {
    let name: String
    let settings: [ConfigurationSetting]
  }

  private let options: RunOptions
  private let trials: [Trial]
  private let isTable: Bool
  private let isQuiet: Bool
  private let io: CommandIO

  package init(_ arguments: ParsedArguments, io: CommandIO) throws {
    var options = RunOptions()
    options.captures = try arguments.captures()
    guard !options.captures.contains("-") else {
      throw UsageError("a capture is read once for each set, so it cannot be standard input")
    }
    let loaded = try LoadedConfiguration(arguments, from: io.configurations)
    (options.configuration, options.settings) = (loaded.configuration, loaded.settings)
    options.receiverOffsets = loaded.receiverOffsets
    self.options = options
    let given = arguments.entries(Self.trial)
    let named =
      try given.isEmpty
      ? Self.usual.map { try Self.trial($0, nil) }
      : given.map { try Self.trial($0.value, $0.place) }
    trials = [Trial(name: "as configured", settings: [])] + named
    isTable = arguments[Self.format].map { $0 == .table } ?? io.output.isTerminal
    isQuiet = arguments.has(Options.quiet)
    accepts = arguments.all(Options.beacons)
    self.io = io
  }

  private let accepts: [IdentityConstraint]

  /// Reads a set.
  private static func trial(_ text: String, _ place: Int?) throws -> Trial {
    let settings = try text.split(separator: ",").map { part in
      let parts = part.split(separator: "=", maxSplits: 1).map { String($0) }
      guard parts.count == 2 else {
        throw UsageError(
          "\(quoted(text)) is not a set; write KEY=VALUE[,KEY=VALUE]",
          argument: place
        )
      }
      return try ConfigurationSchema.core.setting(parts[0], parts[1], argument: place)
    }
    return Trial(name: text, settings: settings)
  }

  // MARK: The runs

  /// Replays the captures once for each set, and writes the results.
  package func run() async throws -> ExitCode {
    var results: [(trial: Trial, result: SweepScore.Result)] = []
    for (index, trial) in trials.enumerated() {
      let score = try await score(trial, isFirst: index == 0)
      if io.isInterrupted() { return Interruption.exitCode ?? .interrupted }
      guard let result = score?.result else {
        io.show("in no second of the captures had a beacon a distance")
        return .negativeVerdict
      }
      if index == 0, let ignored = score?.ignored, ignored > 0, !isQuiet {
        io.show("\(SweepScore.beaconLimit) beacons are followed; further ones were left out")
      }
      results.append((trial, result))
    }
    try write(results)
    return .done
  }

  private func score(_ trial: Trial, isFirst: Bool) async throws -> SweepScore? {
    var options = options
    for setting in trial.settings { options.configuration.apply(setting) }
    let captures = try CaptureSource(options.captures, timing: options.configuration.timing)
    let setup = EngineSetup(options, .ranging)
    let scoring = SweepScoring(accepts)
    var run = Runner(
      captures,
      setup,
      participants: [RunRequests(setup), scoring],
      isInterrupted: io.isInterrupted
    )
    _ = try await run.run()
    if isFirst, !isQuiet { captures.remarks.forEach(io.show) }
    return scoring.score
  }

  // MARK: Results

  private func write(_ results: [(trial: Trial, result: SweepScore.Result)]) throws {
    let best = results.map { one in !results.contains { one.result.isBeaten(by: $0.result) } }
    guard isTable else {
      var writer = JSONLineWriter()
      for (one, isBest) in zip(results, best) { Self.append(one, isBest, to: &writer) }
      return try io.output.write(writer.bytes)
    }
    var lines = [" FLIPS  CHANGES   WRONG  UNKNOWN   LAG     SET"]
    for (one, isBest) in zip(results, best) {
      let (flips, changes) = (one.result.flips, one.result.changes)
      let numbers = [
        Self.right(DecimalText.hundredths(flips), 6),
        Self.right(DecimalText.hundredths(changes), 7),
        Self.right("\(Int(one.result.wrong.rounded())) %", 6),
        Self.right("\(Int(one.result.unknown.rounded())) %", 7),
        Self.right("\(one.result.lag) s", 4),
      ]
      lines.append(numbers.joined(separator: "  ") + (isBest ? "  * " : "    ") + one.trial.name)
    }
    try io.write(table: lines)
  }

  private static func right(_ text: String, _ width: Int) -> String {
    String(repeating: " ", count: max(0, width - text.count)) + text
  }

  private static func append(
    _ one: (trial: Trial, result: SweepScore.Result),
    _ isBest: Bool,
    to writer: inout JSONLineWriter
  ) {
    writer.beginLine("sweep")
    writer.string("set", one.trial.name)
    for (key, number) in [
      ("flips", one.result.flips), ("changes", one.result.changes), ("wrong", one.result.wrong),
      ("unknown", one.result.unknown), ("lag", Double(one.result.lag)),
    ] {
      writer.key(key)
      writer.hundredths(number)
    }
    writer.bool("best", isBest)
    writer.endLine()
  }
}

/// Counts a run's deliveries.
private final class SweepScoring: RunParticipant {
  private let accepts: [IdentityConstraint]
  private(set) var score: SweepScore?

  init(_ accepts: [IdentityConstraint]) { self.accepts = accepts }

  func handle(_ moment: RunMoment, _ run: inout RunContext) {
    switch moment {
    case .begins: score = (run.engine.configuration?.ranging.pathLoss).map { SweepScore($0) }
    case .delivered(let deliveries): add(deliveries)
    default: break
    }
  }

  private func add(_ deliveries: [Delivery]) {
    for delivery in deliveries {
      guard case .nearby(let beacons) = delivery.event else { continue }
      let wanted =
        accepts.isEmpty
        ? beacons
        : beacons.filter { beacon in accepts.contains { $0.isSatisfied(by: beacon.identity) } }
      score?.add(wanted, at: delivery.time)
    }
  }
}
