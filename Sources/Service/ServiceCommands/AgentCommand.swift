// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

internal import BeaconBlueZ
internal import BeaconCommandLine
package import BeaconCommands
internal import BeaconCore
internal import BeaconFormats
internal import BeaconService
internal import Beacons
internal import DBus
internal import SystemKit

/// `service agent`: asks the questions of the service at a terminal, and shows notifications.
package enum AgentCommand {
  /// `service agent`: asks a user at the terminal.
  package static let command = BeaconctlCommand(
    "agent",
    "Ask at this terminal what programs may know, for the service",
    discussion: [
      "Questions come as programs ask. Notifications of programs are shown here and, in a desktop session, on the"
        + " desktop; 'o' opens the newest. The end of the input ends the agent."
    ],
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
    let arrived = try Mailbox<Arrival>()
    let receiving = Task {
      for await call in connection.calls { arrived.put(.call(call)) }
      arrived.put(.call(.lost))
    }
    let desktop = io.environment["DBUS_SESSION_BUS_ADDRESS"].flatMap { bus in
      DesktopNotifier(bus: bus, program: "beaconctl") { arrived.put(.opened($0)) }
    }
    defer { receiving.cancel() }
    var input = LineInput()
    var desk = Desk()
    while Interruption.cause == nil {
      for arrival in arrived.take() {
        if case .opened(let number) = arrival, desk.take(number) {
          await open(number, connection, io)
        }
        guard case .call(let call) = arrival else { continue }
        try desk.handle(call, desktop, io)
      }
      desk.showQuestion(io)
      if let line = input.next() {
        switch desk.read(line) {
        case .nothing: continue
        case .again(let keys): io.show(keys)
        case .answer(let question, let answer): await send(answer, to: question, connection, io)
        case .open(let number): await open(number, connection, io)
        }
      } else if input.hasEnded {
        break
      } else {
        try await Task.sleep(for: interval)
      }
    }
    _ = await desktop?.end()
    return .done
  }

  private enum Arrival {
    case call(ServiceConnection.AgentCall)
    /// The user opens a notification on the desktop.
    case opened(UInt32)
  }

  /// The questions and notifications at this terminal.
  private struct Desk {
    /// The meaning of a line of the user.
    enum Reading {
      case nothing
      case again(String)
      case answer(AskedQuestion, PromptAnswer)
      case open(UInt32)
    }

    /// The most notifications that can be opened; a further one takes the place of the oldest.
    private static let mostShown = 64

    /// The first question is the one that is shown.
    private var questions: [AskedQuestion] = []
    private var isShown = false
    /// The notifications that are shown, the newest last.
    private var notifications: [UInt32] = []

    mutating func handle(
      _ call: ServiceConnection.AgentCall,
      _ desktop: DesktopNotifier?,
      _ io: CommandIO
    ) throws {
      switch call {
      case .lost: throw CommandFailure(.unavailable, "the service has ended")
      case .ask(let arguments):
        if let question = AskedQuestion(arguments) { questions.append(question) }
      case .notify(let arguments):
        guard arguments.count == 4, case .uint32(let number) = arguments[0],
          let client = arguments[1].text, let text = arguments[3].text
        else { return }
        let name = AskedQuestion.name(client, arguments[2])
        if notifications.count == Self.mostShown { notifications.removeFirst() }
        notifications.append(number)
        io.show("notification of \(name): \(text.printable(upTo: 200)) ('o' opens it)")
        desktop?.show("\(name): \(text)", number: number)
      case .cancel(let number):
        notifications.removeAll { $0 == number }
        guard let index = questions.firstIndex(where: { $0.number == number }) else { return }
        questions.remove(at: index)
        guard index == 0, isShown else { return }
        isShown = false
        io.show("the question is no longer asked")
      }
    }

    mutating func showQuestion(_ io: CommandIO) {
      guard !isShown, let question = questions.first else { return }
      for line in question.text.lines { io.show(line) }
      isShown = true
    }

    mutating func read(_ line: String) -> Reading {
      guard isShown else {
        // Input from before a question does not answer it.
        guard line == "o", let newest = notifications.popLast() else { return .nothing }
        return .open(newest)
      }
      switch questions[0].text.take(line) {
      case .again(let keys): return .again(keys)
      case .answer(let answer):
        isShown = false
        return .answer(questions.removeFirst(), answer)
      }
    }

    /// Removes a notification; returns whether it was shown.
    mutating func take(_ number: UInt32) -> Bool {
      guard let place = notifications.firstIndex(of: number) else { return false }
      notifications.remove(at: place)
      return true
    }
  }

  private static func open(
    _ number: UInt32,
    _ connection: ServiceConnection,
    _ io: CommandIO
  ) async {
    do throws(CallError) {
      _ = try await connection.call(ServiceName.manager, "Opened", [.uint32(number)])
    } catch {
      io.show("the notification can no longer be opened")
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
    self.text = PromptQuestion(prompt, of: Self.name(client, arguments[2]))
  }

  /// A client's name for the user.
  static func name(_ client: String, _ isVerified: DBusValue) -> String {
    isVerified == .boolean(true) ? client : "\(client) (unverified)"
  }
}
