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

/// `museum plan new`: a plan to fill in, with the beacons heard on a walk, in the order of the walk.
package struct PlanNewCommand {
  /// The plan that `museum plan new` writes.
  private static let file = CommandArgument(
    .file("OUT"),
    "the plan to write; standard output unless given",
    isOptional: true
  )

  /// `museum plan new`: a plan to fill in.
  static let command = BeaconctlCommand(
    "new",
    "listen, walk, label: a plan to fill in",
    discussion: [
      "Walk from exhibit to exhibit; the plan lists the beacons in the order in which you came nearest to"
        + " them, with places for names and texts."
    ],
    arguments: [file],
    groups: [
      .source([Options.adapter, Options.via, Options.from]),
      OptionGroup("Beacons", [Options.satisfying]),
    ],
    exclusive: [["adapter", "from"], ["via", "from"]] + Exclusive.verbosity,
    examples: [
      CommandExample(
        "beaconctl museum plan new --from walk.jsonl museum.json5",
        "a plan of what was heard on a walk"
      )
    ]
  ) { arguments, io in
    try PlanNewCommand(arguments, io: io).run()
  }

  private let options: RunOptions
  private let output: String
  private let io: CommandIO

  package init(_ arguments: ParsedArguments, io: CommandIO) throws {
    self.io = io
    output = arguments[Self.file] ?? "-"
    var options = RunOptions()
    options.captures = arguments.all(Options.from)
    options.adapter = arguments[Options.adapter]
    options.via = arguments.reportPath
    options.constraints = arguments.all(Options.satisfying)
    options.output = OutputOptions(arguments)
    self.options = options
  }

  /// Listens to the end of the captures, or live until the user stops, and writes the plan.
  package func run() throws -> ExitCode {
    let walk = PlanWalk()
    let grants = LabelPrompt(walk, io)
    let setup = EngineSetup(options, .sightings)
    if options.captures.isEmpty {
      if !options.output.isQuiet {
        io.say("walk from exhibit to exhibit, and stay a few seconds before each; ^C ends the walk")
        if io.user != nil {
          io.say("type what you stand before, and Enter; 'room: NAME' names its room")
        }
      }
      try listen(walk, grants, setup)
    } else {
      let captures = try Captures(options.captures)
      var run = EngineRun(captures, isInterrupted: io.isInterrupted)
      let result = try run.run(
        { setup.configuration(receivers: captures.receiverNames) },
        prepare: { setup.prepare(&$0) },
        deliver: { walk.take($0) }
      )
      if result.wasInterrupted { return Interruption.exitCode ?? .interrupted }
    }
    guard let uuid = walk.uuid else {
      throw CommandFailure(.badData, "no iBeacon was heard, so there is no plan to begin with")
    }
    let others = walk.otherUUIDs
    if others > 0, !options.output.isQuiet {
      let noun = others == 1 ? "1 other UUID was" : "\(others) other UUIDs were"
      io.say("\(noun) heard and left out; --satisfying UUID chooses one")
    }
    try write(PlanSkeleton.text(uuid: uuid, walk.beacons(of: uuid), grants.labels))
    return .done
  }

  /// Takes names from the person at the terminal, where there is one.
  private final class LabelPrompt {
    private(set) var labels = PlanLabels()
    private let walk: PlanWalk
    private let io: CommandIO

    init(_ walk: PlanWalk, _ io: CommandIO) {
      self.walk = walk
      self.io = io
    }

    /// Takes what was typed meanwhile; the terminal hands it out a line at a time.
    func look() {
      while let byte = io.user?.key(within: .zero) {
        if let answer = labels.take(byte, before: walk.nearest) { io.say(answer) }
      }
    }
  }

  private func listen(_ walk: PlanWalk, _ grants: LabelPrompt, _ setup: EngineSetup) throws {
    do {
      try Blocking.run { [options, io] in
        let source = try await BlueZSource.start(
          BlueZScanOptions(
            adapters: options.adapter.map { $0 == "all" ? .all : .named($0) } ?? .all,
            path: options.via
          )
        )
        do {
          _ = try await LiveRun(source, isInterrupted: { Interruption.exitCode != nil }).run(
            setup.configuration(receivers: source.receiverNames),
            prepare: { setup.prepare(&$0) },
            recorder: { _ in nil },
            deliver: { deliveries in
              for identity in walk.take(deliveries) where !options.output.isQuiet {
                io.say("heard \(identity.major)/\(identity.minor)")
              }
            },
            between: { grants.look() }
          )
          await source.stop()
        } catch {
          await source.stop()
          throw error
        }
      }
    } catch let error as BlueZUnavailable {
      throw CommandFailure(error == .notPermitted ? .notPermitted : .unavailable, "\(error)")
    }
  }

  private func write(_ text: String) throws {
    guard output != "-" else { return try io.output.write(Array(text.utf8)) }
    do {
      try FileSink(try FileDescriptor(writing: output)).write(Array(text.utf8))
    } catch let error as SystemError {
      throw CommandFailure(error)
    }
  }
}
