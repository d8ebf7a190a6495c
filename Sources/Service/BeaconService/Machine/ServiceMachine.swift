// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

package import BeaconCore
package import BeaconFormats
package import Beacons
internal import DBus

/// Decides the service's actions: its programs, sessions, clients and agents, and their quotas.
///
/// It has no clock, task or bus: every function takes the time in seconds if it needs it, and leaves actions for the
/// shell (``drainActions()``). A client has grants, and outlives every program; its sessions are programs that
/// act for it at the moment. Regions belong to the client, ranging belongs to a session.
package struct ServiceMachine: Sendable {
  struct Session: Sendable {
    let number: SessionNumber
    /// Which session of all programs it is; no program learns it.
    let serial: UInt32
    let owner: String
    let client: String
    var isForeground: Bool
    let sendsSignals: Bool
    var constraints: [IdentityConstraint] = []
    var streams: [UInt32] = []
    /// The goals that it declared, by its own numbers.
    var services: [UInt32] = []
    var sent: [String: DBusValue] = [:]

    /// The engine's number of a goal: those of two sessions of a client differ.
    func service(_ own: UInt32) -> UInt64 { UInt64(serial) << 32 | UInt64(own) }

    /// The goals by the session's own numbers, with the engine's.
    var goals: [UInt32: UInt64] {
      services.reduce(into: [:]) { $0[$1] = service($1) }
    }
  }

  struct Client: Sendable {
    let key: String
    let isVerified: Bool
    let uid: UInt32
    var wake: String?
    var sessions: [SessionNumber] = []
    var isForeground = false
    /// What the engine knew of it when it last delivered something or did a request.
    var state: ClientReading?
    /// Its requests about regions that the engine has not done yet.
    var requested: [ClientRequest] = []
    var question: UInt32?
    /// The notifications that it asked for, in the order of their first requests.
    var notifications: [ServedNotification] = []
    /// The region of a notification that the user tapped while no program of it ran.
    var openedBy: RegionIdentifier?
    var wasReportedUnanswerable = false
    /// When it was last given something derived from a beacon.
    var lastUse: Timestamp?

    /// Its regions when the engine has done the request; `nil` as long as the engine does not know it.
    var regions: [Region]? {
      guard var regions = state?.regions else { return nil }
      for request in requested { regions.note(request) }
      return regions
    }
  }

  package let quotas: ServiceQuotas
  var actions: [ServiceAction] = []
  var peers: [String: ServicePeer] = [:]
  /// How much programs call, and their unread bytes.
  package var budgets = PeerBudgets()
  var sessions: [SessionNumber: Session] = [:]
  var clients: [String: Client] = [:]
  var agents = AgentTable()
  /// How much of what an account's programs asked of the engine is not done yet.
  private var openRequests: [UInt32: Int] = [:]
  /// How many sessions each account has created.
  private var created: [UInt32: UInt32] = [:]
  private var lastSerial: UInt32 = 0
  private var nextStream: UInt32 = 1
  /// The accounts of streams until their descriptors are closed, which is after their sessions if a program does not read.
  var streamAccounts: [UInt32: UInt32] = [:]
  private(set) var radio = SessionLimit.Radio.off
  /// Whether streams were opened or ended, or what goes to them changed, since this was last set to false.
  package var haveStreamsChanged = false

  /// Creates a service without programs.
  package init(quotas: ServiceQuotas = ServiceQuotas()) {
    self.quotas = quotas
  }

  /// Returns what to do, in order, and forgets it.
  package mutating func drainActions() -> [ServiceAction] {
    // Behind everything that is sent to them now.
    actions += budgets.drainQuestions().map { .findOutWhetherItReads($0) }
    defer { actions = [] }
    return actions
  }

  /// The clients that the service knows, in order.
  package var clientNames: [String] { clients.keys.sorted() }

  /// The clients of which the state is read each second, in order: those that have a session, a notification at an
  /// agent, or a grant that is still to be confirmed.
  package var watchedClients: [String] {
    let shown = agents.clientsOfNotifications
    return clients.values
      .filter {
        !$0.sessions.isEmpty || $0.state?.effective == .provisionalAlways || shown.contains($0.key)
      }
      .map(\.key).sorted()
  }

  // MARK: Programs

  /// Notes a program that was identified.
  package mutating func identified(_ peer: ServicePeer) {
    peers[peer.name] = peer
    budgets.identify(peer.name, uid: peer.uid)
  }

  /// A program as it was identified; `nil` before that.
  package func peer(_ name: String) -> ServicePeer? { peers[name] }

  /// What becomes of a call.
  package enum Admission: Sendable, Equatable {
    /// It is handled.
    case handled
    /// It is one too many, and answered with an error.
    case refused
    /// It gets no answer: the program does not read any.
    case dropped
  }

  /// Counts a call of a program; returns what becomes of it.
  package mutating func admit(_ peer: String, at now: Double) -> Admission {
    budgets.pass(to: now)
    guard budgets.maySend(to: peer) else { return .dropped }
    return budgets.call(of: peer) ? .handled : .refused
  }

  /// Notes that a program reads: it gave a sign of life, or the bus holds nothing for it.
  package mutating func reads(_ peer: String, at time: Timestamp) {
    guard let missed = budgets.reads(peer) else { return }
    let own = sessions.values.filter { $0.owner == peer }.sorted { $0.number < $1.number }
    for session in own where session.sendsSignals && missed > 0 {
      notice("stalled", at: time, [("missed", .uint64(UInt64(missed)))], to: session)
    }
    // Properties that changed in that time.
    for key in Set(own.map(\.client)).sorted() { refresh(key) }
  }

  /// Forgets a program that is not served.
  package mutating func forget(_ peer: String) { budgets.forget(peer) }

  /// Ends everything of a program that left the bus.
  package mutating func left(_ peer: String) {
    peers[peer] = nil
    forget(peer)
    for number in sessions.values.filter({ $0.owner == peer }).map(\.number).sorted() {
      close(number)
    }
    guard agents.agents.contains(where: { $0.owner == peer }) else { return }
    askAgain(agents.remove(owner: peer))
    // Who can be asked is a property of every client.
    refreshAll()
  }

  // MARK: Requests that are not done yet

  /// Notes that something was asked of the engine for a client.
  package mutating func asked(of key: String) {
    if let uid = clients[key]?.uid { openRequests[uid, default: 0] += 1 }
  }

  /// Notes that something that was asked is done.
  package mutating func did(_ request: ClientRequest? = nil, of key: String) {
    if let request, let first = clients[key]?.requested.firstIndex(of: request) {
      clients[key]?.requested.remove(at: first)
    }
    guard let uid = clients[key]?.uid, let open = openRequests[uid] else { return }
    openRequests[uid] = open > 1 ? open - 1 : nil
  }

  /// Refuses a program whose account asks for more than the engine does: everybody would wait for it.
  func checkOpenRequests(of peer: ServicePeer) throws(ServiceError) {
    guard openRequests[peer.uid, default: 0] < quotas.openRequestsOfAccount else {
      throw .limitExceeded
    }
  }

  // MARK: Sessions

  /// Creates a session.
  ///
  /// - Returns: The session's number.
  /// - Throws: ``ServiceError``.
  package mutating func createSession(
    by peer: ServicePeer,
    _ options: ServiceOptions
  ) throws(ServiceError) -> SessionNumber {
    let label = try options.text("label") ?? "default"
    guard let key = peer.origin.key(label: label) else { throw .invalidOption }
    let manifest = try Self.manifest(options, of: key, quotas)
    let isForeground = try options.boolean("foreground") ?? true
    let sendsSignals = try options.boolean("signals") ?? false
    let wake = try options.text("wake")
    if let wake, !Self.isWellKnownName(wake) { throw .invalidOption }
    try checkQuotas(of: peer, key)
    let count = created[peer.uid, default: 0] &+ 1
    created[peer.uid] = count
    lastSerial &+= 1
    let number = SessionNumber(account: peer.uid, count: count)
    var client =
      clients[key]
      ?? Client(key: key, isVerified: peer.origin.isVerified, uid: peer.uid)
    if let wake { client.wake = wake }
    let isFirst = client.sessions.isEmpty
    client.sessions.append(number)
    clients[key] = client
    sessions[number] = Session(
      number: number,
      serial: lastSerial,
      owner: peer.name,
      client: key,
      isForeground: isForeground,
      sendsSignals: sendsSignals
    )
    actions.append(.publish(session: number, owner: peer.name))
    if client.state != nil {
      let values = properties(of: number)
      sessions[number]?.sent = values
    }
    if isFirst {
      clients[key]?.isForeground = isForeground
      actions.append(
        .start(
          client: key,
          uid: peer.uid,
          manifest,
          wake: client.wake,
          isForeground: isForeground
        )
      )
    } else {
      refreshForeground(key)
    }
    return number
  }

  /// Notes a client of an earlier run of the service: its regions are watched, and it has no program.
  package mutating func known(
    client key: String,
    uid: UInt32,
    wake: String?,
    notifications: [ServedNotification] = []
  ) {
    guard clients[key] == nil else { return }
    var client = Client(key: key, isVerified: key.hasPrefix("unit:"), uid: uid, wake: wake)
    client.notifications = notifications
    clients[key] = client
  }

  private func checkQuotas(of peer: ServicePeer, _ key: String) throws(ServiceError) {
    try checkOpenRequests(of: peer)
    let own = sessions.values.count { $0.owner == peer.name }
    let ofAccount = sessions.values.count { peers[$0.owner]?.uid == peer.uid }
    guard own < quotas.sessionsOfPeer, ofAccount < quotas.sessionsOfAccount,
      sessions.count < quotas.sessions || ofAccount < quotas.leastOfAccount
    else { throw .limitExceeded }
    guard let client = clients[key] else {
      let labels = clients.values.count { $0.uid == peer.uid && !$0.isVerified }
      guard clients.count < quotas.clients || labels < quotas.leastOfAccount,
        peer.origin.isVerified || labels < quotas.clientsOfAccount
      else { throw .limitExceeded }
      return
    }
    guard client.uid == peer.uid || client.isVerified else { throw .notAuthorized }
  }

  private static func manifest(
    _ options: ServiceOptions,
    of key: String,
    _ quotas: ServiceQuotas
  ) throws(ServiceError) -> Manifest {
    // A program without a manifest can be asked about, and the question shows that it has none.
    var manifest = Manifest(whenInUse: "no reason given", alwaysAndWhenInUse: "no reason given")
    for (key, text) in try options.texts("manifest") {
      guard text.utf8.count <= quotas.textBytes, manifest.purposes.count < 16 else {
        throw .invalidOption
      }
      switch key {
      case "whenInUse": manifest.whenInUse = text
      case "alwaysAndWhenInUse": manifest.alwaysAndWhenInUse = text
      case "defaultAccuracyReduced": manifest.defaultAccuracyReduced = text == "true"
      case "backgroundLocation": manifest.backgroundLocation = text == "true"
      case "appClip": manifest.appClip = text == "true"
      case "explicitServiceSession": manifest.explicitServiceSession = text == "true"
      default:
        let start = "purpose."
        guard key.hasPrefix(start), key.utf8.count <= 255 else { throw .invalidOption }
        manifest.purposes.append(.init(key: String(key.dropFirst(start.count)), text: text))
      }
    }
    return manifest
  }

  private static func isWellKnownName(_ name: String) -> Bool {
    let parts = name.split(separator: ".", omittingEmptySubsequences: false)
    return name.utf8.count <= 255 && parts.count >= 2
      && parts.allSatisfy { part in
        guard let first = part.utf8.first, !(0x30...0x39).contains(first) else { return false }
        return part.utf8.allSatisfy { byte in
          switch byte {
          case 0x30...0x39, 0x41...0x5A, 0x61...0x7A, 0x2D, 0x5F: true
          default: false
          }
        }
      }
  }

  /// Closes a session; its client's ranging for it ends, and its client's regions are still watched.
  package mutating func close(_ number: SessionNumber) {
    guard let session = sessions.removeValue(forKey: number) else { return }
    for stream in session.streams { actions.append(.close(stream: stream)) }
    haveStreamsChanged = haveStreamsChanged || !session.streams.isEmpty
    actions.append(.unpublish(session: number))
    let key = session.client
    clients[key]?.sessions.removeAll { $0 == number }
    guard let client = clients[key], !client.sessions.isEmpty else {
      if let question = clients[key]?.question { withdraw(question) }
      clients[key]?.question = nil
      actions.append(.end(client: key))
      return
    }
    for constraint in session.constraints { stopRangingIfUnused(constraint, key) }
    for own in session.services {
      let ending = AuthorizationRequest.endService(id: session.service(own))
      actions.append(.request(client: key, .authorize(ending)))
    }
    refreshForeground(key)
  }

  /// The session of a number, if it belongs to a program.
  func session(_ number: SessionNumber, of peer: ServicePeer) throws(ServiceError) -> Session {
    guard let session = sessions[number], session.owner == peer.name else { throw .notAuthorized }
    return session
  }

  /// A client is in the foreground while one of its sessions is.
  mutating func refreshForeground(_ key: String) {
    guard let client = clients[key] else { return }
    let isForeground = client.sessions.contains { sessions[$0]?.isForeground ?? false }
    guard isForeground != client.isForeground else { return }
    clients[key]?.isForeground = isForeground
    actions.append(.user(client: key, isForeground ? .foreground : .background))
  }

  func stopRangingIfUnused(
    _ constraint: IdentityConstraint,
    _ key: String,
    _ out: inout [ServiceAction]
  ) {
    let isUsed = (clients[key]?.sessions ?? []).contains {
      sessions[$0]?.constraints.contains(constraint) ?? false
    }
    if !isUsed { out.append(.request(client: key, .stopRanging(constraint))) }
  }

  mutating func stopRangingIfUnused(_ constraint: IdentityConstraint, _ key: String) {
    var more: [ServiceAction] = []
    stopRangingIfUnused(constraint, key, &more)
    actions += more
  }

  /// The open streams by their numbers, each with its client and what goes to it.
  package var streams: [UInt32: (client: String, stream: RequestLine.Stream)] {
    var found: [UInt32: (client: String, stream: RequestLine.Stream)] = [:]
    for session in sessions.values {
      for number in session.streams {
        let stream = RequestLine.Stream(
          number: number,
          constraints: session.constraints,
          goals: session.goals
        )
        found[number] = (session.client, stream)
      }
    }
    return found
  }

  /// Returns the number of a new stream.
  package mutating func newStreamNumber() -> UInt32 {
    defer { nextStream &+= 1 }
    return nextStream
  }

  // MARK: The engine and the receivers

  /// The client of a session, if the engine's state of the client is not known yet.
  package func clientAwaited(by number: SessionNumber) -> String? {
    guard let key = sessions[number]?.client, clients[key]?.state == nil else { return nil }
    return key
  }

  /// Notes the engine's knowledge of a client now.
  package mutating func changed(_ state: ClientReading, of key: String) {
    guard let client = clients[key], client.state != state else { return }
    clients[key]?.state = state
    withdrawNotifications(of: key)
    refresh(key)
  }

  /// Notes the state of the receivers.
  package mutating func changed(_ radio: SessionLimit.Radio) {
    guard self.radio != radio else { return }
    self.radio = radio
    refreshAll()
  }

  mutating func refreshAll() { for key in clientNames { refresh(key) } }

  /// Whether any client was given something derived from a beacon in the minute before a time.
  package func isInUse(at time: Timestamp) -> Bool {
    clients.values.contains { client in
      client.lastUse.map { time - $0 <= .seconds(60) } ?? false
    }
  }
}
