// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

internal import BeaconCommandLine
package import BeaconCommands
internal import BeaconCore
internal import BeaconService
internal import Beacons
internal import DBus
internal import SystemKit

/// `service agent`: asks the questions of the service at a terminal.
package enum AgentCommand {
  /// `service agent`: asks a user at the terminal.
  package static let command = BeaconctlCommand(
    "agent",
    "Ask at this terminal what programs may know, for the service",
    discussion: ["Questions come as programs ask. The end of the input ends the agent."],
    groups: [OptionGroup("Service", [ServiceBusOption.option])],
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

  /// How often the input, signals and the service's calls are looked at.
  private static let interval = Duration.milliseconds(50)

  private static func answer(_ connection: ServiceConnection, _ io: CommandIO) async throws
    -> ExitCode
  {
    let arrived = try Mailbox<ServiceConnection.AgentCall>()
    let receiving = Task {
      for await call in connection.calls { arrived.put(call) }
      arrived.put(.lost)
    }
    defer { receiving.cancel() }
    var input = LineInput()
    var questions: [AskedQuestion] = []
    // The first question is the one that is shown.
    var isShown = false
    while true {
      if Interruption.cause != nil { return .done }
      for call in arrived.take() {
        switch call {
        case .lost: throw CommandFailure(.unavailable, "the service has ended")
        case .ask(let arguments):
          if let question = AskedQuestion(arguments) { questions.append(question) }
        case .cancel(let number):
          guard let index = questions.firstIndex(where: { $0.number == number }) else { continue }
          questions.remove(at: index)
          guard index == 0, isShown else { continue }
          isShown = false
          io.show("the question is no longer asked")
        }
      }
      if !isShown, let question = questions.first {
        for line in question.text.lines { io.show(line) }
        isShown = true
      }
      if let line = input.next() {
        // Input from before a question does not answer it.
        guard isShown else { continue }
        switch questions[0].text.take(line) {
        case .again(let keys): io.show(keys)
        case .answer(let answer):
          let question = questions.removeFirst()
          isShown = false
          await send(answer, to: question, connection, io)
        }
      } else if input.hasEnded {
        return .done
      } else {
        try await Task.sleep(for: interval)
      }
    }
  }

  private static func send(
    _ answer: PromptAnswer,
    to question: AskedQuestion,
    _ connection: ServiceConnection,
    _ io: CommandIO
  ) async {
    do throws(CallError) {
      _ = try await connection.call(
        ServiceName.manager,
        "Answer",
        [
          .uint32(question.number), .string(answer.choice.rawValue), .boolean(answer.precise),
        ]
      )
    } catch {
      io.show("the answer was not taken: the question is no longer asked")
    }
  }
}

/// A question as the service asks it.
private struct AskedQuestion {
  let number: UInt32
  var text: PromptQuestion

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
    let prompt = Prompt(
      kind: kind,
      choices: choices,
      text: text,
      offersPrecise: isPrecise,
      purpose: purpose
    )
    let name = arguments[2] == .boolean(true) ? client : "\(client) (unverified)"
    self.text = PromptQuestion(prompt, of: name)
  }
}
