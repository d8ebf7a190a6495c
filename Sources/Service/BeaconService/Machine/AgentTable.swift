// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

internal import BeaconCore
internal import Beacons

/// The agents, and the questions and notifications that are open.
struct AgentTable: Sendable {
  struct Agent: Sendable, Equatable {
    let owner: String
    let path: String
    let uid: UInt32
    /// Whether it may answer for every account.
    let isAdministrator: Bool
  }

  struct Question: Sendable {
    let number: UInt32
    let client: String
    let uid: UInt32
    let isVerified: Bool
    let subject: AgentQuestion.Subject
    /// The agent that was asked last; `nil` without one.
    var agent: Agent?
    /// The number by which that agent knows it.
    var asked: UInt32 = 0
    /// Those who could not ask a user.
    var failed: [Agent] = []

    /// The prompt; `nil` for a notification.
    var prompt: Prompt? { if case .prompt(let prompt) = subject { prompt } else { nil } }
    /// The region of a notification; `nil` for a prompt.
    var region: RegionIdentifier? {
      if case .notification(let region, _) = subject { region } else { nil }
    }
  }

  /// The newest last.
  private(set) var agents: [Agent] = []
  var questions: [UInt32: Question] = [:]
  private var nextQuestion: UInt32 = 1
  /// How many questions and notifications the agents of each account got.
  ///
  /// A common number would show an agent that another account's was asked, or that a beacon's notification was shown there.
  private var asked: [UInt32: UInt32] = [:]

  /// Whether a user can be asked for a client of an account.
  func canAsk(uid: UInt32) -> Bool { agents.contains { Self.serves($0, uid) } }

  /// Whether a user can be asked for a client of an account, and is not asked anything now.
  func isIdle(uid: UInt32) -> Bool {
    canAsk(uid: uid)
      && !questions.values.contains { question in
        question.prompt != nil && question.agent.map { Self.serves($0, uid) } ?? false
      }
  }

  /// The notifications that agents show, or will show, the oldest first.
  var notifications: [Question] {
    questions.values.filter { $0.region != nil }.sorted { $0.number < $1.number }
  }

  /// The notifications of a client.
  func notifications(of client: String) -> [Question] {
    notifications.filter { $0.client == client }
  }

  /// The clients that have such notifications.
  var clientsOfNotifications: Set<String> { Set(notifications.map(\.client)) }

  private static func serves(_ agent: Agent, _ uid: UInt32) -> Bool {
    agent.uid == uid || agent.isAdministrator
  }

  /// Returns who asks: the newest agent of the client's account, else the newest that may answer for every account.
  func agent(for question: Question) -> Agent? {
    let candidates = agents.filter {
      Self.serves($0, question.uid) && !question.failed.contains($0)
    }
    return candidates.last { $0.uid == question.uid } ?? candidates.last
  }

  /// Adds an agent; returns false if a quota is reached.
  mutating func add(_ agent: Agent, _ quotas: ServiceQuotas) -> Bool {
    let own = agents.count { $0.uid == agent.uid }
    guard agents.count < quotas.agents || own < quotas.leastOfAccount,
      own < quotas.agentsOfAccount
    else { return false }
    agents.append(agent)
    return true
  }

  /// Removes the agents of a program, or one; returns the questions that they were asked.
  mutating func remove(owner: String, path: String? = nil) -> [UInt32] {
    agents.removeAll { $0.owner == owner && (path == nil || $0.path == path) }
    return questions.values
      .filter { $0.agent?.owner == owner && (path == nil || $0.agent?.path == path) }
      .map(\.number).sorted()
  }

  /// Gives a question to an agent.
  mutating func give(_ number: UInt32, to agent: Agent) {
    let count = asked[agent.uid, default: 0] &+ 1
    asked[agent.uid] = count
    questions[number]?.agent = agent
    questions[number]?.asked = count
  }

  /// The question that a program's agents know by a number.
  func question(_ asked: UInt32, of owner: String) -> Question? {
    questions.values.first { $0.agent?.owner == owner && $0.asked == asked }
  }

  /// Opens a question, without an agent yet.
  mutating func open(
    _ subject: AgentQuestion.Subject,
    of client: ServiceMachine.Client
  ) -> UInt32 {
    defer { nextQuestion &+= 1 }
    questions[nextQuestion] = Question(
      number: nextQuestion,
      client: client.key,
      uid: client.uid,
      isVerified: client.isVerified,
      subject: subject
    )
    return nextQuestion
  }
}

// MARK: - Questions

extension ServiceMachine {
  /// Registers an object that asks a user.
  package mutating func registerAgent(_ path: String, by peer: ServicePeer) throws(ServiceError) {
    let agent = AgentTable.Agent(
      owner: peer.name,
      path: path,
      uid: peer.uid,
      isAdministrator: peer.isAdministrator
    )
    // A program may call it as often as it likes, and each client's properties are looked at.
    guard !agents.agents.contains(agent) else { return }
    guard agents.add(agent, quotas) else { throw .limitExceeded }
    // A later agent is asked the open questions.
    for number in agents.questions.keys.sorted() where agents.questions[number]?.agent == nil {
      ask(number)
    }
    refreshAll()
  }

  /// Removes an agent; its questions go to another.
  package mutating func unregisterAgent(_ path: String, by peer: ServicePeer) {
    guard agents.agents.contains(where: { $0.owner == peer.name && $0.path == path }) else {
      return
    }
    askAgain(agents.remove(owner: peer.name, path: path))
    refreshAll()
  }

  /// Notes an answer of a user.
  package mutating func answer(
    _ number: UInt32,
    _ choice: String,
    precise: Bool,
    by peer: ServicePeer
  ) throws(ServiceError) {
    guard let question = agents.question(number, of: peer.name) else { throw .unknownClient }
    guard let choice = PromptChoice(rawValue: choice),
      question.prompt?.choices.contains(choice) == true
    else { throw .invalidOption }
    agents.questions[question.number] = nil
    clients[question.client]?.question = nil
    actions.append(.user(client: question.client, .answer(choice, precise: precise)))
  }

  /// Notes that an agent could not take a question: the next one is asked.
  package mutating func agentFailed(_ number: UInt32, _ owner: String) {
    guard let question = agents.question(number, of: owner), let agent = question.agent else {
      return
    }
    agents.questions[question.number]?.failed.append(agent)
    ask(question.number)
  }

  /// Notes that the engine shows a prompt of a client.
  mutating func prompted(_ prompt: Prompt, of key: String) {
    guard let client = clients[key] else { return }
    if let old = client.question { withdraw(old) }
    let number = agents.open(.prompt(prompt), of: client)
    clients[key]?.question = number
    ask(number)
  }

  /// Brings the second prompt of a provisional grant (row A18): an agent that asks nothing is a user who is not busy.
  package mutating func askWhenQuiet() {
    for key in watchedClients {
      guard let client = clients[key], client.question == nil, let state = client.state,
        state.effective == .provisionalAlways, state.grants.confirmationDue,
        agents.isIdle(uid: client.uid)
      else { continue }
      actions.append(.user(client: key, .quiet))
    }
  }

  /// Asks through the agent that is right for a question, or reports that an agent is missing.
  mutating func ask(_ number: UInt32) {
    guard let question = agents.questions[number] else { return }
    guard let agent = agents.agent(for: question) else {
      agents.questions[number]?.agent = nil
      reportUnanswerable(question)
      return
    }
    agents.give(number, to: agent)
    actions.append(
      .ask(
        AgentQuestion(
          number: agents.questions[number]?.asked ?? 0,
          agent: agent.owner,
          path: agent.path,
          client: question.client,
          isVerified: question.isVerified,
          subject: question.subject
        )
      )
    )
  }

  private mutating func reportUnanswerable(_ question: AgentTable.Question) {
    guard let prompt = question.prompt,
      clients[question.client]?.wasReportedUnanswerable == false
    else { return }
    clients[question.client]?.wasReportedUnanswerable = true
    let wanted = prompt.kind == .always ? "always" : "whenInUse"
    actions.append(
      .note(
        "\(question.client) asks for authorization, and no agent can ask a user: "
          + "'beaconctl service agent' asks at a terminal, "
          + "'beaconctl auth set \(wanted) --client \(question.client)' grants without asking",
        client: question.client
      )
    )
  }

  /// Asks the questions of an agent that ended through another; its notifications are not shown again.
  mutating func askAgain(_ questions: [UInt32]) {
    for question in questions {
      guard agents.questions[question]?.region == nil else {
        agents.questions[question] = nil
        continue
      }
      ask(question)
    }
  }

  /// Takes a question back.
  mutating func withdraw(_ number: UInt32) {
    guard let question = agents.questions.removeValue(forKey: number), let agent = question.agent
    else { return }
    actions.append(.cancel(agent: agent.owner, path: agent.path, question: question.asked))
  }
}
