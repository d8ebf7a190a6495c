// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

internal import BeaconBlueZ
internal import BeaconCommandLine
internal import BeaconCommands
internal import BeaconCore
internal import BeaconFormats
internal import BeaconMuseum
internal import BeaconTerminal
internal import Beacons
internal import SystemKit

/// `museum doctor`: the faults of a museum's beacons, on a walk from exhibit to exhibit.
struct MuseumDoctorCommand {
  /// `museum doctor`.
  static let command = BeaconctlCommand(
    "doctor",
    "Find missing, weak and swapped beacons on a walk through the museum",
    discussion: [
      "Walk from exhibit to exhibit, and stay a few seconds in front of each; Ctrl-C ends the walk. Then every beacon of"
        + " the plan has a line with its greatest level, its battery if it sends one, and its fault: missing, weak, in"
        + " the place of another one, or twice. With a fault the exit code is 2.",
      "Places are compared only if the plan draws its rooms and gives every exhibit a place.",
    ],
    groups: [
      OptionGroup("Museum", [MuseumOptions.plan]),
      .source([Options.adapter, Options.via, Options.from]),
      OptionGroup("Output", [Options.reportFormat]),
    ],
    exclusive: [["adapter", "from"], ["via", "from"]] + Exclusive.verbosity,
    examples: [
      CommandExample(
        "beaconctl museum doctor --plan museum.json5",
        "Examine the beacons on a walk"
      ),
      CommandExample(
        "beaconctl museum doctor --plan museum.json5 --from walk.jsonl",
        "Examine them on a recorded walk"
      ),
    ]
  ) { arguments, io in
    try await MuseumDoctorCommand(arguments, io: io).run()
  }

  private let plan: Plan
  private let options: RunOptions
  private let isJSON: Bool
  private let io: CommandIO

  private init(_ arguments: ParsedArguments, io: CommandIO) throws {
    self.io = io
    plan = try PlanFile.read(arguments)
    isJSON = io.reportFormat(arguments[Options.reportFormat], arguments) == .json
    var options = RunOptions()
    options.captures = try arguments.captures()
    options.adapter = arguments[Options.adapter]
    options.via = arguments.reportPath
    options.constraints = [plan.constraint]
    options.output = OutputOptions(arguments)
    self.options = options
  }

  private func run() async throws -> ExitCode {
    let walk = DoctorWalk(plan, options, io)
    if options.captures.isEmpty {
      if !options.output.isQuiet {
        io.show("walk to each exhibit, and stay a few seconds in front of it; ^C ends the walk")
      }
      let scan = BlueZScanOptions(options, opening: io.openKernelChannel)
      let isQuiet = options.output.isQuiet
      let show = { [io] (diagnostic: BlueZDiagnostic) in
        if !isQuiet { io.show(diagnostic.description) }
      }
      _ = try await withLiveSource(scan, showing: show) { radio, remarks in
        var run = run(radio, [remarks, walk])
        return try await run.run()
      }
    } else {
      let source = try CaptureSource(options.captures, timing: options.configuration.timing)
      var run = run(source, [walk])
      let result = try await run.run()
      if result.wasInterrupted { return Interruption.exitCode ?? .interrupted }
    }
    let beacons = walk.examination.beacons
    try isJSON ? io.output.write(json(beacons)) : io.write(table: lines(beacons))
    return beacons.contains { !$0.faults.isEmpty } ? .negativeVerdict : .done
  }

  private func run(_ source: any ScanSource, _ participants: [any RunParticipant]) -> Runner {
    let setup = EngineSetup(options, .sightings)
    return Runner(
      source,
      setup,
      participants: [RunRequests(setup)] + participants,
      isInterrupted: io.isInterrupted
    )
  }

  // MARK: The report

  private var language: String { plan.languages.first ?? "" }

  private func title(_ index: Int) -> String { plan.exhibits[index].title[language].printable }

  private func lines(_ beacons: [PlanExamination.Beacon]) -> [String] {
    let rows = zip(plan.exhibits, beacons).map { exhibit, beacon in
      [
        "\(exhibit.number)", exhibit.title[language].printable,
        plan.room(major: exhibit.identity.major)?.name[language].printable ?? "",
        beacon.best.map { "\(Int($0.rounded())) dBm" } ?? "–", battery(beacon) ?? "–",
        beacon.faults.isEmpty ? "good" : beacon.faults.map(text).joined(separator: "; "),
      ]
    }
    let table = [["No.", "Exhibit", "Room", "Best", "Battery", "Finding"]] + rows
    let widths = (0..<5).map { column in table.map { CellWidth.of($0[column]) }.max() ?? 0 }
    let faulty = beacons.count { !$0.faults.isEmpty }
    let verdict =
      faulty == 0
      ? "All \(beacons.count) beacons of the plan are good."
      : "\(faulty) of \(beacons.count) beacons of the plan have a finding."
    return table.map { row in
      zip(row, widths).map { $0 + String(repeating: " ", count: $1 - CellWidth.of($0)) }
        .joined(separator: "  ") + "  \(row[5])"
    } + ["", verdict]
  }

  private func battery(_ beacon: PlanExamination.Beacon) -> String? {
    beacon.telemetry.flatMap { telemetry in
      telemetry.percent.map { "\($0) %" }
        ?? telemetry.volts.map { "\(DecimalText.fixed($0, decimals: 2)) V" }
    }
  }

  /// A fault with its remedy.
  private func text(_ fault: PlanExamination.Fault) -> String {
    switch fault {
    case .missing: "missing: replace its battery, or compare its major and minor with the plan"
    case .notReached: "not reached: walk to it"
    case .weak(let missing): "weak, by \(missing) dB: replace its battery, or free it from metal"
    case .swapped(let other): "swapped with '\(title(other))': exchange the two"
    case .inPlace(let other):
      "hangs in the place of '\(title(other))': move it, or its place in the plan"
    case .twice: "twice: several beacons have its major and minor; give one another minor"
    case .lowBattery: "battery low: replace it"
    }
  }

  private func name(_ fault: PlanExamination.Fault) -> String {
    switch fault {
    case .missing: "missing"
    case .notReached: "notReached"
    case .weak: "weak"
    case .swapped: "swapped"
    case .inPlace: "inPlace"
    case .twice: "twice"
    case .lowBattery: "lowBattery"
    }
  }

  private func json(_ beacons: [PlanExamination.Beacon]) -> [UInt8] {
    var writer = JSONLineWriter()
    writer.beginObject()
    writer.key("beacons")
    writer.beginArray()
    for (exhibit, beacon) in zip(plan.exhibits, beacons) {
      writer.beginObject()
      writer.integer("number", exhibit.number)
      writer.string("title", exhibit.title[language])
      writer.integer("major", Int(exhibit.identity.major))
      writer.integer("minor", Int(exhibit.identity.minor))
      writer.hundredths("best", beacon.best)
      writer.integer("percent", beacon.telemetry?.percent)
      writer.hundredths("volts", beacon.telemetry?.volts)
      writer.key("findings")
      writer.beginArray()
      for fault in beacon.faults {
        writer.beginObject()
        writer.string("finding", name(fault))
        switch fault {
        case .swapped(let other), .inPlace(let other):
          writer.integer("number", plan.exhibits[other].number)
        case .weak(let missing): writer.integer("missing", missing)
        default: break
        }
        writer.endObject()
      }
      writer.endArray()
      writer.endObject()
    }
    writer.endArray()
    writer.endObject()
    return writer.bytes + [UInt8(ascii: "\n")]
  }
}

/// Feeds an examination from a run.
private final class DoctorWalk: RunParticipant {
  private(set) var examination: PlanExamination
  private var sums: ReceivedSeconds
  private let plan: Plan
  private let isShown: Bool
  private let io: CommandIO

  init(_ plan: Plan, _ options: RunOptions, _ io: CommandIO) {
    self.plan = plan
    examination = PlanExamination(plan)
    sums = ReceivedSeconds { plan.constraint.isSatisfied(by: $0) }
    isShown = options.captures.isEmpty && !options.output.isQuiet
    self.io = io
  }

  func handle(_ moment: RunMoment, _ run: inout RunContext) {
    switch moment {
    case .begins: run.driver?.keepSlices()
    case .delivered(let deliveries):
      for delivery in deliveries {
        guard case .sighting(let sighting) = delivery.event,
          let exhibit = examination.add(sighting), isShown
        else { continue }
        let title = exhibit.title[plan.languages.first ?? ""]
        io.show("\(exhibit.number) \(title): \(examination.received) of \(plan.exhibits.count)")
      }
    case .recorded(let slice):
      for input in sums.process(slice, receivers: run.receivers) {
        guard case .telemetry(let telemetry, let identity, _) = input else { continue }
        examination.add(telemetry, of: identity)
      }
    default: break
    }
  }
}
