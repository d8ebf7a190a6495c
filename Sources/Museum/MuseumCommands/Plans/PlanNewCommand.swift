// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

package import BeaconCommands
package import BeaconCommandLine
internal import BeaconTerminal
internal import SystemKit
internal import BeaconBlueZ
internal import BeaconCore
internal import BeaconFormats
internal import BeaconMuseum
internal import Beacons

/// `museum plan new`: a plan to fill in, with the beacons received on a walk in the order of the walk.
package struct PlanNewCommand {
  /// The plan that `museum plan new` writes.
  private static let file = CommandArgument(
    .output("OUT"),
    "The plan to write (default: standard output)",
    isOptional: true
  )

  /// `museum plan new`: a plan to fill in.
  static let command = BeaconctlCommand(
    "new",
    "Make a museum plan from a walk",
    discussion: [
      "Walk from exhibit to exhibit; the plan lists the beacons in the order in which you came nearest to"
        + " them, with places for names and texts."
    ],
    arguments: [file],
    groups: [
      .source([Options.adapter, Options.via, Options.from]),
      OptionGroup("Beacons", [Options.beacons]), OptionGroup("Output", [Options.force]),
    ],
    exclusive: [["adapter", "from"], ["via", "from"]] + Exclusive.verbosity,
    examples: [
      CommandExample(
        "beaconctl museum plan new --from walk.jsonl museum.json5",
        "Make a plan from the recording of a walk"
      )
    ]
  ) { arguments, io in
    try await PlanNewCommand(arguments, io: io).run()
  }

  private let options: RunOptions
  private let output: OutputPath
  private let io: CommandIO

  package init(_ arguments: ParsedArguments, io: CommandIO) throws {
    self.io = io
    output = arguments[Self.file] ?? OutputPath("-")
    var options = RunOptions()
    options.captures = try arguments.captures()
    options.adapter = arguments[Options.adapter]
    options.via = arguments.reportPath
    options.constraints = arguments.all(Options.beacons)
    options.output = OutputOptions(arguments)
    self.options = options
  }

  /// Reads the captures to their end, or scans until the user stops, and writes the plan.
  package func run() async throws -> ExitCode {
    try io.check([output])
    let prompt = LabelPrompt(options, io)
    if options.captures.isEmpty {
      if !options.output.isQuiet {
        io.show(
          "walk from exhibit to exhibit, and stay a few seconds in front of each; ^C ends the walk"
        )
        if io.user != nil {
          io.show(
            "type the name of the exhibit in front of you, and Enter; 'room: NAME' names its room"
          )
        }
      }
      let scan = BlueZScanOptions(options, opening: io.openKernelChannel)
      _ = try await withLiveSource(scan, showing: show) { radio, remarks in
        var run = run(radio, [remarks, prompt])
        return try await run.run()
      }
    } else {
      var run = try run(
        CaptureSource(options.captures, timing: options.configuration.timing),
        [prompt]
      )
      let result = try await run.run()
      if result.wasInterrupted { return Interruption.exitCode ?? .interrupted }
    }
    let walk = prompt.walk
    guard let uuid = walk.uuid else {
      throw CommandFailure(.badData, "no iBeacon was received, so there is no plan to write")
    }
    let others = walk.otherUUIDs
    if others > 0, !options.output.isQuiet {
      let noun = others == 1 ? "1 other UUID was" : "\(others) other UUIDs were"
      io.show("\(noun) received and left out; --beacon UUID chooses one")
    }
    try write(PlanSkeleton.text(uuid: uuid, walk.beacons(of: uuid), prompt.labels))
    return .done
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

  private func show(_ diagnostic: BlueZDiagnostic) {
    if !options.output.isQuiet { io.show(diagnostic.description) }
  }

  /// Follows a walk, and reads names that the user types at the terminal, if there is one.
  private final class LabelPrompt: RunParticipant {
    private(set) var labels = PlanLabels()
    private(set) var walk = PlanWalk()
    private let showsNew: Bool
    private let io: CommandIO

    init(_ options: RunOptions, _ io: CommandIO) {
      showsNew = options.captures.isEmpty && !options.output.isQuiet
      self.io = io
    }

    func handle(_ moment: RunMoment, _ run: inout RunContext) {
      switch moment {
      case .delivered(let deliveries): follow(deliveries)
      case .willWait: readNames()
      default: break
      }
    }

    private func follow(_ deliveries: [Delivery]) {
      for identity in walk.receive(deliveries) where showsNew {
        io.show("received \(identity.major)/\(identity.minor)")
      }
    }

    /// Reads the user's input; the terminal delivers complete lines.
    private func readNames() {
      while let byte = io.user?.key(within: .zero) {
        if let answer = labels.process(byte, nearest: walk.nearest) { io.show(answer) }
      }
    }
  }

  private func write(_ text: String) throws {
    do {
      try io.write(text, to: output)
    } catch {
      // If the file cannot be written, the plan goes to standard output, because the walk cannot be repeated.
      if !output.isStandardOutput {
        io.show("the plan is on standard output, since the file could not be written")
        try? io.output.write(Array(text.utf8))
      }
      throw error
    }
  }
}
