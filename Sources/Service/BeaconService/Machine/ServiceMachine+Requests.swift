// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

package import BeaconCore
package import DBus
internal import Beacons

// The requests of programs to their sessions.

extension ServiceMachine {
  /// The session of a number, if it belongs to a program that may ask the engine for more.
  func openSession(
    _ number: SessionNumber,
    of peer: ServicePeer
  ) throws(ServiceError) -> Session {
    try checkOpenRequests(of: peer)
    return try session(number, of: peer)
  }

  /// The same for a request that names a region.
  func openSession(
    _ number: SessionNumber,
    of peer: ServicePeer,
    naming region: String
  ) throws(ServiceError) -> Session {
    let session = try openSession(number, of: peer)
    guard (1...quotas.regionBytes).contains(region.utf8.count) else { throw .invalidRegion }
    return session
  }

  /// Asks for authorization or accuracy; returns immediately, whatever becomes of the question.
  package mutating func request(
    _ kind: String,
    _ options: ServiceOptions,
    session number: SessionNumber,
    by peer: ServicePeer
  ) throws(ServiceError) {
    let session = try openSession(number, of: peer)
    let request = try ClientRequest(kind: kind, options)
    switch request {
    case .authorize(.temporaryFull(let purpose)): try checkText(purpose)
    case .authorize(.beginService(let service)):
      try checkText(service.fullAccuracyPurposeKey)
      try begin(try ownNumber(service.id), of: session)
    case .authorize(.endService(let number)):
      let own = try ownNumber(number)
      sessions[session.number]?.services.removeAll { $0 == own }
      haveStreamsChanged = true
    default: break
    }
    actions.append(.request(client: session.client, request.numbered(in: session)))
    // The reason why nothing will come is known immediately without an agent.
    refresh(session.client)
  }

  private func checkText(_ text: String?) throws(ServiceError) {
    guard (text?.utf8.count ?? 0) <= quotas.textBytes else { throw .invalidOption }
  }

  /// A session's own number of a goal.
  private func ownNumber(_ number: UInt64) throws(ServiceError) -> UInt32 {
    guard let own = UInt32(exactly: number) else { throw .invalidOption }
    return own
  }

  /// Notes a goal that a program declares, by the program's own number.
  private mutating func begin(_ own: UInt32, of session: Session) throws(ServiceError) {
    haveStreamsChanged = true
    guard !session.services.contains(own) else { return }
    guard session.services.count < quotas.constraints else { throw .limitExceeded }
    sessions[session.number]?.services.append(own)
  }

  /// Moves a session to the foreground or the background.
  package mutating func setForeground(
    _ isForeground: Bool,
    session number: SessionNumber,
    by peer: ServicePeer
  ) throws(ServiceError) {
    let session = try openSession(number, of: peer)
    sessions[number]?.isForeground = isForeground
    refreshForeground(session.client)
  }

  /// Starts ranging for a session.
  package mutating func startRanging(
    _ constraint: IdentityConstraint,
    whileInside region: String? = nil,
    session number: SessionNumber,
    by peer: ServicePeer
  ) throws(ServiceError) {
    let session = try openSession(number, of: peer)
    guard (region?.utf8.count ?? 0) <= quotas.regionBytes else { throw .invalidRegion }
    let request = ClientRequest.range(constraint, whileInside: region.map { RegionIdentifier($0) })
    if session.constraints.contains(constraint) {
      // The sequence that started last decides its place.
      if region != nil { actions.append(.request(client: session.client, request)) }
      return
    }
    guard session.constraints.count < quotas.constraints else { throw .limitExceeded }
    let isUsed = (clients[session.client]?.sessions ?? []).contains {
      sessions[$0]?.constraints.contains(constraint) ?? false
    }
    sessions[number]?.constraints.append(constraint)
    haveStreamsChanged = true
    if !isUsed || region != nil {
      actions.append(.request(client: session.client, request))
    }
  }

  /// Stops ranging for a session.
  package mutating func stopRanging(
    _ constraint: IdentityConstraint,
    session number: SessionNumber,
    by peer: ServicePeer
  ) throws(ServiceError) {
    let session = try openSession(number, of: peer)
    guard session.constraints.contains(constraint) else { return }
    sessions[number]?.constraints.removeAll { $0 == constraint }
    haveStreamsChanged = true
    stopRangingIfUnused(constraint, session.client)
  }

  /// Monitors a region for the session's client, also when the session has ended.
  package mutating func startMonitoring(
    _ region: String,
    _ constraint: IdentityConstraint,
    _ options: ServiceOptions,
    session number: SessionNumber,
    by peer: ServicePeer
  ) throws(ServiceError) {
    let session = try openSession(number, of: peer, naming: region)
    let identifier = RegionIdentifier(region)
    let known = clients[session.client]?.regions ?? []
    let isKnown = known.contains { $0.identifier == identifier }
    guard isKnown || known.count < quotas.regions else { throw .limitExceeded }
    let value = try Region(identifier, constraint, options)
    let name = try options.text("assuming")
    let assumed = RegionState.allCases.first { $0.description == name }
    guard name == nil || assumed != nil else { throw .invalidOption }
    let request = ClientRequest.monitor(value, assuming: assumed)
    if !known.contains(value) { actions.append(.keep(client: session.client, request)) }
    requestRegion(request, session.client)
  }

  /// Stops monitoring a region.
  package mutating func stopMonitoring(
    _ region: String,
    session number: SessionNumber,
    by peer: ServicePeer
  ) throws(ServiceError) {
    let session = try openSession(number, of: peer)
    let identifier = RegionIdentifier(region)
    try checkRegion(identifier, of: session)
    actions.append(.keep(client: session.client, .stopMonitoring(identifier)))
    requestRegion(.stopMonitoring(identifier), session.client)
  }

  /// Sends a request about a region to the engine; what the program asks next finds it done.
  private mutating func requestRegion(_ request: ClientRequest, _ client: String) {
    clients[client]?.requested.append(request)
    actions.append(.request(client: client, request))
  }

  /// Asks for a region's state.
  package mutating func requestState(
    _ region: String,
    session number: SessionNumber,
    by peer: ServicePeer
  ) throws(ServiceError) {
    let session = try openSession(number, of: peer)
    let identifier = RegionIdentifier(region)
    try checkRegion(identifier, of: session)
    actions.append(.request(client: session.client, .requestState(identifier)))
  }

  /// Refuses a region that the client does not monitor, if that is known.
  private func checkRegion(
    _ identifier: RegionIdentifier,
    of session: Session
  ) throws(ServiceError) {
    guard let regions = clients[session.client]?.regions else { return }
    guard regions.contains(where: { $0.identifier == identifier }) else { throw .unknownRegion }
  }

  /// The regions of the session's client, `a(sa{sv}a{sv})`: identifier, constraint, and the options of monitoring.
  package func regions(
    session number: SessionNumber,
    by peer: ServicePeer
  ) throws(ServiceError) -> DBusValue {
    let session = try session(number, of: peer)
    let regions = clients[session.client]?.regions ?? []
    return .array(
      of: "(sa{sv}a{sv})",
      regions.sorted { $0.identifier < $1.identifier }.map { region in
        .structure([
          .string(region.identifier.rawValue), region.constraint.wireValue,
          .properties(region.monitoringOptions),
        ])
      }
    )
  }

  /// Opens a stream of a session; a program that the user opened by a tap learns of it.
  ///
  /// - Returns: The number of the stream and the client, and whether the client may know crossings now: only then what
  ///   it missed is sent again.
  package mutating func openStream(
    session number: SessionNumber,
    at time: Timestamp = .earliest,
    by peer: ServicePeer
  ) throws(ServiceError) -> (stream: UInt32, client: String, mayKnow: Bool) {
    let session = try session(number, of: peer)
    guard session.streams.count < quotas.streams else { throw .limitExceeded }
    try checkStreams(of: peer.uid)
    let stream = newStreamNumber()
    sessions[number]?.streams.append(stream)
    streamAccounts[stream] = peer.uid
    haveStreamsChanged = true
    if let region = clients[session.client]?.openedBy.take() {
      tell(opened: region, to: session, at: time)
    }
    let state = clients[session.client]?.state
    let mayKnow = state.map { $0.effective.isAuthorized && $0.accuracy == .full } ?? false
    return (stream, session.client, mayKnow)
  }

  /// Refuses a stream for which the account, or all accounts together, have too many descriptors open.
  private func checkStreams(of uid: UInt32) throws(ServiceError) {
    let own = streamAccounts.values.count { $0 == uid }
    guard own < quotas.streamsOfAccount else { throw .noDescriptors(isOfAccount: true) }
    let isFew = own < quotas.leastOfAccount
    let common = quotas.streamsInAll - quotas.streamsInAll / 5
    guard streamAccounts.count < (isFew ? quotas.streamsInAll : common) else {
      throw .noDescriptors(isOfAccount: false)
    }
  }

  /// Notes that a stream ended: its reader closed it, or it was too slow for what must not be lost.
  package mutating func ended(stream: UInt32) {
    haveStreamsChanged = true
    streamAccounts[stream] = nil
    for number in sessions.keys { sessions[number]?.streams.removeAll { $0 == stream } }
  }

  /// Closes a session for its owner.
  package mutating func closeSession(
    _ number: SessionNumber,
    by peer: ServicePeer
  ) throws(ServiceError) {
    _ = try session(number, of: peer)
    close(number)
  }
}

extension ClientRequest {
  /// The request with the engine's number of a goal in place of the session's own.
  fileprivate func numbered(in session: ServiceMachine.Session) -> ClientRequest {
    func number(_ own: UInt64) -> UInt64 { session.service(UInt32(truncatingIfNeeded: own)) }
    switch self {
    case .authorize(.beginService(let service)):
      let numbered = ServiceSession(
        id: number(service.id),
        goal: service.goal,
        fullAccuracyPurposeKey: service.fullAccuracyPurposeKey,
        isImplicit: service.isImplicit
      )
      return .authorize(.beginService(numbered))
    case .authorize(.endService(let own)): return .authorize(.endService(id: number(own)))
    default: return self
    }
  }
}
