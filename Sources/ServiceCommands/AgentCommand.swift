// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

internal import BeaconCommandLine
package import BeaconCommands
internal import BeaconCore
internal import BeaconService
internal import Beacons
internal import DBus

/// `agent`: asks the questions of the service at a terminal.
package enum AgentCommand {
  /// `agent`: asks a user at the terminal.
  package static let command = BeaconctlCommand(
    "agent",
    "Ask at this terminal what programs may know, for the service",
    discussion: ["Questions come as programs ask. The end of the input ends the agent."],
    groups: [OptionGroup("Service", [ServiceBus.option])],
    exclusive: Exclusive.verbosity
  ) { arguments, io in
    try await ServiceConnection.use(arguments, io) { connection in
      _ = try await connection.call(
        ServiceName.manager,
        "RegisterAgent",
        [.objectPath(ServiceConnection.agentPath)]
      )
      io.show("waiting for questions of the service")
      return try await answer(connection, io)
    }
  }

  private static func answer(_ connection: ServiceConnection, _ io: CommandIO) async throws
    -> ExitCode
  {
    for await call in connection.calls {
      switch call {
      case .lost: throw CommandFailure(.unavailable, "the service has ended")
      case .cancel: io.show("a question is no longer asked")
      case .ask(let arguments):
        guard let question = AskedQuestion(arguments) else { continue }
        // The command has a thread of its own, so that waiting for a user delays nobody.
        let asked = PromptQuestion(question.prompt, of: question.name).ask(
          write: { io.show($0) },
          read: { readLine() }
        )
        guard let asked else { return .done }
        do throws(CallError) {
          _ = try await connection.call(
            ServiceName.manager,
            "Answer",
            [
              .uint32(question.number), .string(asked.choice.rawValue), .boolean(asked.precise),
            ]
          )
        } catch {
          io.show("the answer was not taken: the question is no longer asked")
        }
      }
    }
    return .done
  }
}

/// A question as the service asks it.
private struct AskedQuestion {
  let number: UInt32
  let name: String
  let prompt: Prompt

  /// Reads the arguments of `Ask`; `nil` for a question that this version does not know.
  init?(_ arguments: [DBusValue]) {
    guard arguments.count == 5, case .uint32(let number) = arguments[0],
      let client = arguments[1].text,
      let kind = arguments[3].text.flatMap({ Prompt.Kind(rawValue: $0) }),
      case .dictionary(_, let entries) = arguments[4]
    else { return nil }
    var (text, choices, isPrecise, purpose) = ("", [PromptChoice](), false, String?.none)
    for entry in entries {
      guard case .variant(let value) = entry.value else { continue }
      switch (entry.key.text, value) {
      case ("text", .string(let value)): text = value
      case ("purpose", .string(let value)): purpose = value
      case ("precise", .boolean(let value)): isPrecise = value
      case ("choices", .array(_, let values)):
        choices = values.compactMap { $0.text.flatMap { PromptChoice(rawValue: $0) } }
      default: continue
      }
    }
    guard !choices.isEmpty else { return nil }
    self.number = number
    name = arguments[2] == .boolean(true) ? client : "\(client) (unverified)"
    prompt = Prompt(
      kind: kind,
      choices: choices,
      text: text,
      offersPrecise: isPrecise,
      purpose: purpose
    )
  }
}
