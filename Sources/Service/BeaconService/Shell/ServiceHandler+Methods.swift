// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

internal import BeaconCore
internal import BeaconFormats
internal import Beacons
internal import DBus
internal import Glibc
internal import SystemKit

// The methods of the interfaces. The object table has checked the types of their arguments.

extension ServiceHandler {
  func manager(
    _ member: String,
    _ arguments: [DBusValue],
    _ peer: ServicePeer,
    _ address: ReplyAddress,
    _ loop: BusLoop
  ) throws(ServiceError) -> Answer {
    switch member {
    case "CreateSession":
      let options = try ServiceOptions(
        arguments.first,
        only: ["label", "foreground", "signals", "wake", "manifest"]
      )
      let number = try machine.createSession(by: peer, options)
      let path = ServiceName.path(ofSession: number)
      // Published before the answer, so that the program can use it immediately.
      objects.add(path, [.session], visibleTo: peer.name)
      // Answered when the engine knows the client, so that the program reads its true state.
      guard let client = machine.clientAwaited(by: number) else {
        return .values([.objectPath(path)])
      }
      opening[client, default: []].append((path, address))
      return .later
    case "RegisterAgent":
      guard let path = arguments.first?.text else { return .invalidArguments }
      return authorize(peer, ServiceName.answerAction, address, loop) {
        handler,
        _ throws(ServiceError) in
        try handler.machine.registerAgent(path, by: peer)
        return .values([])
      }
    case "UnregisterAgent":
      guard let path = arguments.first?.text else { return .invalidArguments }
      machine.unregisterAgent(path, by: peer)
      return .values([])
    case "Answer":
      guard case .uint32(let question) = arguments[0], let choice = arguments[1].text,
        case .boolean(let precise) = arguments[2]
      else { return .invalidArguments }
      try machine.answer(question, choice, precise: precise, by: peer)
      return .values([])
    case "Opened":
      guard case .uint32(let notification)? = arguments.first else { return .invalidArguments }
      try machine.opened(notification, at: time, by: peer)
      return .values([])
    default: return .unknownMethod
    }
  }

  func session(
    _ number: SessionNumber,
    _ member: String,
    _ arguments: [DBusValue],
    _ peer: ServicePeer,
    _ address: ReplyAddress,
    _ loop: BusLoop
  ) throws(ServiceError) -> Answer {
    let name = arguments.first?.text ?? ""
    switch member {
    case "Request":
      let options = try ServiceOptions(
        arguments.last,
        only: ["purpose", "number", "goal", "implicit"]
      )
      try machine.request(name, options, session: number, by: peer)
    case "SetForeground":
      try machine.setForeground(arguments.first == .boolean(true), session: number, by: peer)
    case "StartRanging":
      let options = try Self.ranging(arguments.first)
      try machine.startRanging(
        try options.constraint(),
        whileInside: try options.text("whileInside"),
        session: number,
        by: peer
      )
    case "StopRanging":
      let constraint = try Self.ranging(arguments.first).constraint()
      try machine.stopRanging(constraint, session: number, by: peer)
    case "OpenStream":
      let options = try ServiceOptions(arguments.first, only: ["since"])
      let request = StreamRequest(
        session: number,
        since: try options.number("since"),
        peer,
        address
      )
      return try openStream(request, loop)
    case "Close": try machine.closeSession(number, by: peer)
    default: return try sessionRegion(number, member, arguments, peer)
    }
    return .values([])
  }

  /// The methods about regions.
  private func sessionRegion(
    _ number: SessionNumber,
    _ member: String,
    _ arguments: [DBusValue],
    _ peer: ServicePeer
  ) throws(ServiceError) -> Answer {
    let name = arguments.first?.text ?? ""
    switch member {
    case "StartMonitoring":
      let constraint = try ServiceOptions(arguments[1], only: ServiceOptions.constraintNames)
      try machine.startMonitoring(
        name,
        try constraint.constraint(),
        try ServiceOptions(arguments[2], only: Region.monitoringOptionNames + ["assuming"]),
        session: number,
        by: peer
      )
    case "StopMonitoring": try machine.stopMonitoring(name, session: number, by: peer)
    case "RequestState": try machine.requestState(name, session: number, by: peer)
    case "Notify":
      let constraint = try ServiceOptions(arguments[1], only: ServiceOptions.constraintNames)
      try machine.notify(
        name,
        try constraint.constraint(),
        try ServiceOptions(arguments[2], only: RegionNotification.optionNames),
        session: number,
        by: peer
      )
    case "StopNotifying": try machine.stopNotifying(name, session: number, by: peer)
    case "ListRegions": return .values([try machine.regions(session: number, by: peer)])
    default: return .unknownMethod
    }
    return .values([])
  }

  /// The argument of ranging: a constraint, and perhaps the region in which it is ranged.
  private static func ranging(_ argument: DBusValue?) throws(ServiceError) -> ServiceOptions {
    try ServiceOptions(argument, only: ServiceOptions.constraintNames + ["whileInside"])
  }

  // MARK: Streams

  /// Opens a stream, when the account's programs have taken those of before.
  private func openStream(
    _ request: StreamRequest,
    _ loop: BusLoop
  ) throws(ServiceError) -> Answer {
    let uid = request.peer.uid
    guard handover.hasRoom(for: uid), !waitingStreams.contains(where: { $0.peer.uid == uid })
    else {
      let own = waitingStreams.count { $0.peer.uid == uid }
      guard own < machine.quotas.streamsOfAccount else { throw .limitExceeded }
      waitingStreams.append(request)
      return .later
    }
    let (stream, answer) = try openStream(request)
    // Whether the program takes it is found out after the answer.
    reply(answer, to: request.address, loop)
    gave(stream, request, loop)
    return .later
  }

  private func openStream(
    _ request: StreamRequest
  ) throws(ServiceError) -> (stream: UInt32, Answer) {
    let (stream, client, mayKnow) = try machine.openStream(
      session: request.session,
      at: time,
      by: request.peer
    )
    guard let end = pump.open(stream) else {
      machine.ended(stream: stream)
      throw .noDescriptors(isOfAccount: false)
    }
    if let since = request.since, mayKnow, let opened = machine.streams[stream]?.stream {
      do throws(SystemError) {
        record(try streams.open(opened, of: client, since: since))
      } catch {
        pump.finish(stream)
        _ = close(end)
        throw .notKnown("\(error)")
      }
    }
    // The program may cause deliveries as soon as it has the answer.
    record(updateStreams())
    return (stream, .values([.descriptor(DBusDescriptor(owning: end))]))
  }

  private func gave(_ stream: UInt32, _ request: StreamRequest, _ loop: BusLoop) {
    guard request.address.wantsAnswer else { return }
    handover.give(stream, to: request.peer.name, of: request.peer.uid)
    findOutWhoTook(loop)
  }

  /// Opens the streams of waiting calls whose turn has come; those that waited too long are refused.
  func openWaitingStreams(_ loop: BusLoop) {
    let waiting = waitingStreams
    waitingStreams = []
    for request in waiting where machine.peer(request.peer.name) != nil {
      guard handover.hasRoom(for: request.peer.uid) else {
        if Uptime.now < request.end {
          waitingStreams.append(request)
        } else {
          reply(ServiceError.notTaken.answer, to: request.address, loop)
        }
        continue
      }
      do throws(ServiceError) {
        let (stream, answer) = try openStream(request)
        reply(answer, to: request.address, loop)
        gave(stream, request, loop)
      } catch {
        reply(error.answer, to: request.address, loop)
      }
    }
  }

  /// Finds out whether programs took the descriptors of their streams: the bus reports the descriptors that it has for a program, or the program
  /// gives a sign of life.
  func findOutWhoTook(_ loop: BusLoop) {
    for peer in handover.drainQuestions() {
      guard let uid = machine.peer(peer)?.uid else {
        handover.left(peer)
        continue
      }
      let asksBus = !machine.budgets.onlySignsOfLife
      let call =
        asksBus ? Self.statistics(of: peer) : MethodCall(peer, "/", BusName.peer, "Ping")
      let isMade = self.call(call, for: uid, loop) { [weak self] result in
        guard let self else { return }
        switch result {
        case .success(let values):
          let held = asksBus ? Self.statistic("OutgoingFDs", values) : 0
          if held == nil { machine.budgets.onlySignsOfLife = true }
          handover.answered(peer, hasTaken: held == 0)
        case .failure(.refused) where asksBus && machine.peer(peer) != nil:
          machine.budgets.onlySignsOfLife = true
          handover.answered(peer, hasTaken: false)
        case .failure(.refused): handover.answered(peer, hasTaken: !asksBus)
        case .failure: handover.answered(peer, hasTaken: false)
        }
        openWaitingStreams(loop)
        perform(loop)
      }
      if !isMade { handover.answered(peer, hasTaken: false) }
    }
  }

  // MARK: Administration

  func admin(
    _ member: String,
    _ arguments: [DBusValue],
    _ peer: ServicePeer,
    _ address: ReplyAddress,
    _ loop: BusLoop
  ) throws(ServiceError) -> Answer {
    let isReading = member == "OpenSightings"
    if isReading, case .unit(let name) = peer.origin, ServiceName.sightingsUnits.contains(name) {
      return try administer(member, arguments, address)
    }
    let action = isReading ? ServiceName.sightingsAction : ServiceName.administerAction
    return authorize(peer, action, address, loop) { handler, _ throws(ServiceError) in
      try handler.administer(member, arguments, address)
    }
  }

  private func administer(
    _ member: String,
    _ arguments: [DBusValue],
    _ address: ReplyAddress
  ) throws(ServiceError) -> Answer {
    let work: Administration
    switch member {
    case "ListClients": work = .list
    case "SetGrant":
      guard let client = arguments[0].text, let name = arguments[1].text else {
        throw .invalidOption
      }
      guard CallerOrigin.isKey(client) else { throw .unknownClient }
      let options = try ServiceOptions(arguments[2], only: ["accuracy"])
      let accuracy: AccuracyAuthorization?
      switch try options.text("accuracy") {
      case nil: accuracy = nil
      case "full"?: accuracy = .full
      case "reduced"?: accuracy = .reduced
      default: throw .invalidOption
      }
      guard name != AuthorizationStatus.restricted.name else {
        work = .restrict(client: client)
        break
      }
      let grants: [SavedAuthorization.Grant] = [.notDetermined, .denied, .whenInUse, .always]
      let grant = grants.first { $0.rawValue == name }
      // Without a grant only the accuracy changes.
      guard grant != nil || (name.isEmpty && accuracy != nil) else { throw .invalidOption }
      work = .grant(client: client, grant, accuracy)
    case "Reset":
      guard let client = arguments[0].text else { throw .invalidOption }
      work = .reset(client: client)
    case "SetServices": work = .services(on: arguments.first == .boolean(true))
    case "OpenSightings":
      guard let uid = machine.peer(address.caller)?.uid,
        sightingStreams.count < Self.mostSightingStreams,
        sightingStreams.values.count(where: { $0 == uid }) < Self.sightingStreamsOfAccount
      else { throw .limitExceeded }
      let stream = machine.newStreamNumber()
      guard let end = pump.open(stream) else { throw .noDescriptors(isOfAccount: false) }
      sightingStreams[stream] = uid
      if !radios.isEmpty { pump.put(OperatorLines.lines(radios), .kept, to: stream) }
      commands.yield(.sightings)
      return .values([.descriptor(DBusDescriptor(owning: end))])
    default: return .unknownMethod
    }
    // Answered when it is done, so that who asks next reads it.
    nextAdministration += 1
    administering[nextAdministration] = (address, member == "ListClients")
    commands.yield(.administer(nextAdministration, work))
    return .later
  }

  private static let mostSightingStreams = 8
  private static let sightingStreamsOfAccount = 4

  /// Calls another program for a program of an account, when its turn comes; returns false if too many calls wait.
  func call(
    _ call: MethodCall,
    for uid: UInt32,
    _ loop: BusLoop,
    then done: @escaping (Result<[DBusValue], CallError>) -> Void
  ) -> Bool {
    let make = {
      loop.call(call, timeout: .seconds(5)) { [weak self] result in
        done(result)
        self?.turns.ended(of: uid)?()
      }
    }
    switch turns.add(make, of: uid) {
    case .now: make()
    case .later: break
    case .refused: return false
    }
    return true
  }

  /// Does something for a program that may do it: an administrator, or one that polkit admits.
  ///
  /// polkit is asked about the connection, never about a process, and without asking a user. If it is not there, or
  /// does not answer in time, the program may not.
  private func authorize(
    _ peer: ServicePeer,
    _ action: String,
    _ address: ReplyAddress,
    _ loop: BusLoop,
    _ work: @escaping (ServiceHandler, BusLoop) throws(ServiceError) -> Answer
  ) -> Answer {
    guard !peer.isAdministrator else { return Self.answer(self, loop, work) }
    let subject = DBusValue.structure([
      .string("system-bus-name"), .properties(["name": .string(peer.name)]),
    ])
    let call = MethodCall(
      "org.freedesktop.PolicyKit1",
      "/org/freedesktop/PolicyKit1/Authority",
      "org.freedesktop.PolicyKit1.Authority",
      "CheckAuthorization",
      [subject, .string(action), .dictionary(of: "ss", []), .uint32(0), .string("")]
    )
    let isMade = self.call(call, for: peer.uid, loop) { [weak self] result in
      guard let self else { return }
      if let refusal = Self.refusal(result)
        ?? (machine.peer(peer.name) == nil ? .notAuthorized : nil)
      {
        reply(refusal.answer, to: address, loop)
        return perform(loop)
      }
      let answer = Self.answer(self, loop, work)
      if answer != .later { reply(answer, to: address, loop) }
      perform(loop)
    }
    return isMade ? .later : ServiceError.limitExceeded.answer
  }

  /// The reason why polkit's answer does not permit an action; `nil` if it permits it.
  private static func refusal(_ result: Result<[DBusValue], CallError>) -> ServiceError? {
    switch result {
    case .success(let values):
      guard case .structure(let members)? = values.first, members.first == .boolean(true) else {
        return .notAuthorized
      }
      return nil
    case .failure(let error): return .undecided("\(error)")
    }
  }

  private static func answer(
    _ handler: ServiceHandler,
    _ loop: BusLoop,
    _ work: (ServiceHandler, BusLoop) throws(ServiceError) -> Answer
  ) -> Answer {
    do throws(ServiceError) {
      return try work(handler, loop)
    } catch {
      return error.answer
    }
  }
}
