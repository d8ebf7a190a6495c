// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

internal import BeaconCore
internal import BeaconFormats
internal import Beacons
internal import DBus
internal import SystemKit

// The machine's decisions and the engine's news.

extension ServiceHandler {
  /// Does everything that the machine decided.
  func perform(_ loop: BusLoop) {
    // A stream gets what is asked for now from the first delivery on.
    let changes = updateStreams()
    // An action may cause more: an agent that does not read loses its question to the next.
    while case let actions = machine.drainActions(), !actions.isEmpty {
      for action in actions { perform(action, loop) }
    }
    record(changes + updateStreams())
  }

  /// Notes which streams were opened or ended, or get other ticks; returns what is different.
  func updateStreams() -> [StreamTable.Change] {
    guard machine.haveStreamsChanged else { return [] }
    machine.haveStreamsChanged = false
    return streams.update(machine.streams)
  }

  /// Records what happened to streams.
  func record(_ changes: [StreamTable.Change]) {
    guard setup.recording != nil else { return }
    for change in changes { commands.yield(.record(client: change.client, change.content)) }
  }

  private func perform(_ action: ServiceAction, _ loop: BusLoop) {
    switch action {
    case .publish(let number, let owner):
      objects.add(ServiceName.path(ofSession: number), [.session], visibleTo: owner)
    case .unpublish(let number): objects.remove(ServiceName.path(ofSession: number))
    case .start(let client, let uid, let manifest, let wake, let isForeground):
      records.change(client) { ($0.uid, $0.wake, $0.manifest) = (uid, wake, manifest) }
      ask(engine: .start(client: client, manifest, isForeground: isForeground))
    case .end(let client): ask(engine: .end(client: client))
    case .keep(let client, let request): streams.keep(request, of: client, at: time)
    case .keepNotifications(let client, let notifications):
      records.change(client) { $0.notifications = notifications }
    case .request(let client, let request):
      ask(engine: .request(client: client, request))
    case .user(let client, let action): ask(engine: .user(client: client, action))
    case .signal(let number, let owner, let member, let arguments):
      let path = ServiceName.path(ofSession: number)
      loop.emit(path, ServiceName.session, member, arguments, to: owner)
    case .changed(let number, let owner, let values):
      loop.emit(
        ServiceName.path(ofSession: number),
        BusName.properties,
        "PropertiesChanged",
        [.string(ServiceName.session), Self.dictionary(values), .array(of: "s", [])],
        to: owner
      )
    case .findOutWhetherItReads(let peer): findOutWhetherReads(peer, loop)
    case .close(let stream): pump.finish(stream)
    case .ask(let question): ask(question, loop)
    case .cancel(let agent, let path, let question):
      guard machine.budgets.maySend(to: agent) else { return }
      machine.budgets.sent(MessageSize.head, to: agent)
      // An agent that does not take it back shows a question that needs no answer.
      loop.request(MethodCall(agent, path, ServiceName.agent, "Cancel", [.uint32(question)]))
    case .wake(let name, let client): wake(client, name, loop)
    case .note(let text, let client):
      setup.show(.note(ServiceNote(.unanswered, text, client: client)))
    }
  }

  /// How long the bus may take to start a program; its own limit is 25 s.
  private static let longestStart = Duration.seconds(30)
  /// The most programs that are started at the same time: calls of the bus's thread are few.
  private static let mostStarts = 32

  /// Starts the program of a client by its name on the bus, because of a crossing or a tap.
  private func wake(_ client: String, _ name: String, _ loop: BusLoop) {
    let call = MethodCall.bus("StartServiceByName", [.string(name), .uint32(0)])
    let text = "\(client) is woken: \(name)"
    setup.show(.note(ServiceNote(.woken, text, client: client)))
    guard starts < Self.mostStarts else { return loop.request(call) }
    starts += 1
    loop.call(call, timeout: Self.longestStart) { [weak self] result in
      guard let self else { return }
      starts -= 1
      guard case .failure(let error) = result, error != .disconnected else { return }
      let text = "\(client) is not woken: the bus does not start \(name): \(error)"
      setup.show(.note(ServiceNote(.refused, text, client: client)))
    }
  }

  /// Asks the engine for something of a client, and counts it until it is done.
  private func ask(engine command: EngineCommand) {
    if let client = command.countedClient { machine.asked(of: client) }
    commands.yield(command)
  }

  /// Asks the bus its contents for a program; if the bus does not report them, asks the program for a sign of life.
  private func findOutWhetherReads(_ peer: String, _ loop: BusLoop) {
    guard !machine.budgets.onlySignsOfLife else { return ping(peer, loop) }
    guard let uid = machine.peer(peer)?.uid else { return }
    let isMade = self.call(Self.statistics(of: peer), for: uid, loop) { [weak self] result in
      guard let self else { return }
      switch result {
      case .success(let values):
        if let held = Self.statistic("OutgoingBytes", values), held <= Self.littleHeld {
          machine.reads(peer, at: time)
        } else {
          // Much at one time may still be on its way to a program that reads.
          ping(peer, loop)
        }
      case .failure(.refused) where machine.peer(peer) != nil:
        machine.budgets.onlySignsOfLife = true
        ping(peer, loop)
      case .failure: break
      }
      perform(loop)
    }
    if !isMade { machine.budgets.asksLater(peer) }
  }

  /// The unread bytes of a program that reads: the sent bytes since it last did.
  private static let littleHeld: UInt32 = 4 << 10

  /// The call for the bus's contents for a program.
  static func statistics(of peer: String) -> MethodCall {
    MethodCall(
      BusName.bus,
      BusName.busPath,
      "org.freedesktop.DBus.Debug.Stats",
      "GetConnectionStats",
      [.string(peer)]
    )
  }

  /// A number in the bus's statistics of a program.
  static func statistic(_ name: String, _ values: [DBusValue]) -> UInt32? {
    guard case .dictionary(_, let entries)? = values.first else { return nil }
    for entry in entries where entry.key.text == name {
      if case .variant(.uint32(let bytes)) = entry.value { return bytes }
    }
    return nil
  }

  private func ping(_ peer: String, _ loop: BusLoop) {
    guard let uid = machine.peer(peer)?.uid else { return }
    // A program that answers with an error reads as well. If too many of its account wait, it is asked later.
    let call = MethodCall(peer, "/", BusName.peer, "Ping")
    let isMade = self.call(call, for: uid, loop) { [weak self] result in
      guard let self else { return }
      switch result {
      case .success, .failure(.refused): machine.reads(peer, at: time)
      case .failure: break
      }
      perform(loop)
    }
    if !isMade { machine.budgets.asksLater(peer) }
  }

  /// Answers a call later, and counts the answer.
  func reply(_ answer: Answer, to address: ReplyAddress, _ loop: BusLoop) {
    machine.budgets.sent(answer.wireBytes, to: address.caller)
    loop.reply(answer, to: address)
  }

  private func ask(_ question: AgentQuestion, _ loop: BusLoop) {
    let call = MethodCall(
      question.agent,
      question.path,
      ServiceName.agent,
      question.member,
      question.arguments
    )
    // The agent only takes the question here; the user's answer comes with `Answer`.
    guard machine.budgets.maySend(to: question.agent) else {
      return machine.agentFailed(question.number, question.agent)
    }
    let bytes = MessageSize.head + question.arguments.map(\.wireBytes).reduce(0, +)
    machine.budgets.sent(bytes, to: question.agent)
    let isMade = self.call(call, for: machine.peer(question.agent)?.uid ?? 0, loop) {
      [weak self] result in
      guard let self, case .failure = result else { return }
      machine.agentFailed(question.number, question.agent)
      perform(loop)
    }
    if !isMade { machine.agentFailed(question.number, question.agent) }
  }

  // MARK: The engine

  /// Handles news of the engine.
  func engine(_ news: EngineNews, _ loop: BusLoop) {
    switch news {
    case .delivery(let client, let delivery, let sequence, let reading):
      time = max(time, delivery.time)
      machine.delivered(delivery, to: client, sequence: sequence, at: now)
      if let reading { machine.changed(reading, of: client) }
    case .readings(let readings):
      for (client, reading) in readings.sorted(by: { $0.key < $1.key }) {
        machine.changed(reading, of: client)
      }
    case .radio(let state, let reports, let forEveryone): show(state, reports, forEveryone)
    case .sighting(let sighting): if !sightingStreams.isEmpty { sums.add(sighting) }
    case .receivers(let names): receivers = names
    case .time(let now): time = max(time, now)
    case .done(let client, let request, let reading):
      machine.did(request, of: client)
      if let reading { machine.changed(reading, of: client) }
      guard reading != nil else { break }
      for (path, address) in opening.removeValue(forKey: client) ?? [] {
        reply(.values([.objectPath(path)]), to: address, loop)
      }
    case .note(let note): setup.show(.note(note))
    case .unserved(let client, let reason): refuse(client, reason, loop)
    case .administered(let number, let result): administered(number, result, loop)
    }
    perform(loop)
  }

  /// Answers the calls for new sessions of a client of which the files cannot be opened now.
  private func refuse(_ client: String, _ reason: String, _ loop: BusLoop) {
    for (path, address) in opening.removeValue(forKey: client) ?? [] {
      if let number = ServiceName.session(at: path) { machine.close(number) }
      reply(ServiceError.notKnown(reason).answer, to: address, loop)
    }
  }

  private func administered(
    _ number: UInt64,
    _ result: Result<[String: SavedAuthorization], ServiceError>,
    _ loop: BusLoop
  ) {
    guard let (address, isList) = administering.removeValue(forKey: number) else { return }
    switch result {
    case .success(let known):
      reply(.values(isList ? [machine.clientList(with: known)] : []), to: address, loop)
    case .failure(let error): reply(error.answer, to: address, loop)
    }
  }

  private func show(
    _ state: SessionLimit.Radio,
    _ reports: [RadioReport],
    _ forEveryone: [RadioReport]
  ) {
    for number in radios.indices { objects.remove(ServiceName.path(ofRadio: number)) }
    (radios, radiosForEveryone) = (reports, forEveryone)
    for number in radios.indices { objects.add(ServiceName.path(ofRadio: number), [.radio]) }
    machine.changed(state)
    guard !sightingStreams.isEmpty else { return }
    for stream in sightingStreams.keys { pump.put(OperatorLines.lines(reports), .kept, to: stream) }
  }

  /// Writes the sums of the last second to the operator's streams.
  func writeSightings() {
    guard !sightingStreams.isEmpty else { return }
    let lines = sums.drain(at: time, receivers)
    for stream in sightingStreams.keys { pump.put(lines, .tick("sightings"), to: stream) }
  }

  /// Notes that a stream ended by itself.
  func ended(stream: UInt32) {
    sightingStreams[stream] = nil
    machine.ended(stream: stream)
    handover.ended(stream)
    record(updateStreams())
  }
}
