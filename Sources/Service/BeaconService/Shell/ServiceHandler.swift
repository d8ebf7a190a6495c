// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

internal import BeaconCore
internal import BeaconFormats
internal import Beacons
internal import DBus
internal import SystemKit

/// A call for a stream.
struct StreamRequest {
  let session: SessionNumber
  let since: UInt64?
  let peer: ServicePeer
  let address: ReplyAddress
  /// Until when it may wait.
  let end = Uptime.now + .seconds(10)

  init(
    session: SessionNumber,
    since: UInt64?,
    _ peer: ServicePeer,
    _ address: ReplyAddress
  ) {
    (self.session, self.since, self.peer, self.address) = (session, since, peer, address)
  }
}

/// The service on the bus: turns calls into the machine's functions and the machine's actions into messages.
///
/// Only the bus's thread uses it.
final class ServiceHandler: BusHandler {
  let setup: ServiceSetup
  var machine: ServiceMachine
  var objects = ObjectTable()
  let commands: AsyncStream<EngineCommand>.Continuation
  let pump: StreamPump
  let streams: ClientStreams
  let records: ClientRecords
  var radios: [RadioReport] = []
  var radiosForEveryone: [RadioReport] = []
  var receivers: [String] = []
  var time = Timestamp.earliest
  var sums = OperatorLines()
  /// The operator's streams, with the accounts of their programs.
  var sightingStreams: [UInt32: UInt32] = [:]
  /// New sessions of clients that the engine does not know yet.
  var opening: [String: [(path: String, ReplyAddress)]] = [:]
  /// Calls that are answered when the engine has performed them, and whether the answer lists the clients.
  var administering: [UInt64: (ReplyAddress, isList: Bool)] = [:]
  var nextAdministration: UInt64 = 0
  /// The calls of other programs that are made for an account's programs.
  var turns = CallTurns<() -> Void>()
  /// The streams that programs may not have taken yet, and the calls that wait for that.
  var handover = StreamHandover()
  var waitingStreams: [StreamRequest] = []
  /// Whether location services were on when the switch was last read.
  private var wereServicesOn = false
  /// How many programs the bus is starting.
  var starts = 0
  /// Calls of programs that are being identified.
  var waiting: [String: [(ObjectCall, ReplyAddress)]] = [:]
  /// Whether the service has its name now, and whether it ever had it.
  private var owns = false
  private var hasServed = false
  private var nextTurn = Uptime.now

  init(
    _ setup: ServiceSetup,
    _ commands: AsyncStream<EngineCommand>.Continuation,
    _ pump: StreamPump,
    _ streams: ClientStreams
  ) {
    self.setup = setup
    self.commands = commands
    self.pump = pump
    self.streams = streams
    machine = ServiceMachine(quotas: setup.quotas)
    records = ClientRecords(setup.store) {
      setup.show(.note(ServiceNote(.storage, $0, client: $1)))
    }
    for record in records.all() {
      machine.known(
        client: record.client,
        uid: record.uid,
        wake: record.wake,
        notifications: record.notifications
      )
    }
    objects.add(ServiceName.path, [.manager, .admin])
  }

  var now: Double { Double(Uptime.now.nanoseconds) / 1e9 }

  // MARK: The connection

  func connected(_ loop: BusLoop) {
    loop.own(ServiceName.bus) { [weak self] result in
      guard let self else { return }
      switch result {
      case .success(true):
        (owns, hasServed) = (true, true)
        setup.show(.ready)
      case .success(false):
        setup.show(.failed("another program has the name \(ServiceName.bus)"))
        loop.end()
      // `connectionFailed` handles the loss of the connection.
      case .failure(.disconnected): break
      case .failure(let error):
        setup.show(.failed("the bus does not give the name \(ServiceName.bus): \(error)"))
        loop.end()
      }
    }
  }

  func nameLost(_ name: String, _ loop: BusLoop) {
    setup.show(.failed("the bus took the name \(name) away"))
    loop.end()
  }

  func connectionFailed(_ failure: BusFailure, _ loop: BusLoop) -> Duration? {
    // A bus that was never there will not come by itself; one that ended is started again.
    guard hasServed else {
      setup.show(.failed("the bus cannot be reached: \(failure)"))
      return nil
    }
    // Shown once, not at every attempt.
    if owns { setup.show(.lost) }
    owns = false
    // Every program has left with the bus.
    let programs = Set(machine.sessions.values.map(\.owner)).union(machine.peers.keys)
      .union(waiting.keys)
    for peer in programs.sorted() { machine.left(peer) }
    (waiting, opening, administering) = ([:], [:], [:])
    (handover, waitingStreams) = (StreamHandover(), [])
    perform(loop)
    return setup.reconnects ? .seconds(2) : nil
  }

  func ownerChanged(of name: String, to owner: String?, _ loop: BusLoop) {}
  func signal(_ message: borrowing Message, _ loop: BusLoop) -> Bool { true }

  func peerLeft(_ name: String, _ loop: BusLoop) {
    waiting[name] = nil
    handover.left(name)
    machine.left(name)
    openWaitingStreams(loop)
    perform(loop)
  }

  func drained(_ loop: BusLoop) {}

  var nextDeadline: Uptime? { nextTurn }

  func timePassed(_ loop: BusLoop) {
    nextTurn = Uptime.now + .seconds(1)
    commands.yield(.second(machine.watchedClients))
    machine.askWhenQuiet()
    findOutWhoTook(loop)
    openWaitingStreams(loop)
    perform(loop)
    writeSightings()
    streams.synchronize()
    records.write()
    setup.turned()
  }

  // MARK: Calls

  func called(_ message: borrowing Message, _ loop: BusLoop) -> Answer? {
    guard let address = ReplyAddress(message) else { return nil }
    let answer = answer(message, address, loop)
    if address.wantsAnswer { machine.budgets.sent(answer.wireBytes, to: address.caller) }
    perform(loop)
    return answer
  }

  private func answer(
    _ message: borrowing Message,
    _ address: ReplyAddress,
    _ loop: BusLoop
  ) -> Answer {
    let caller = address.caller
    guard machine.peer(caller) != nil || isIdentifying(caller, loop) else {
      return ServiceError.limitExceeded.answer
    }
    switch machine.admit(caller, at: now) {
    case .dropped: return .later
    case .refused: return ServiceError.limitExceeded.answer
    case .handled: break
    }
    guard let call = ObjectCall(message, limits: Self.limits) else { return .invalidArguments }
    guard let peer = machine.peer(caller) else { return keep(call, address) }
    return handle(call, by: peer, address, loop)
  }

  private static var limits: ValueLimits {
    var limits = ValueLimits()
    limits.depth = 8
    limits.count = 1000
    return limits
  }

  /// The most calls that wait until a program is identified, their bytes, and the most programs.
  ///
  /// The bus identifies most of them immediately; of those that wait for systemd an account has few (``CallTurns``).
  private static let longestWait = 32
  private static let mostBytesWaiting = 64 << 10
  private static let mostWaiting = 256

  /// Whether a program is being identified, which begins with its first call; not if too many are.
  private func isIdentifying(_ caller: String, _ loop: BusLoop) -> Bool {
    guard waiting[caller] == nil else { return true }
    guard waiting.count < Self.mostWaiting else { return false }
    waiting[caller] = []
    loop.watch(peer: caller)
    loop.credentials(of: caller, timeout: .seconds(10)) { [weak self] result in
      self?.identified(caller, result, loop)
    }
    return true
  }

  /// Keeps a call until its program is identified.
  private func keep(_ call: ObjectCall, _ address: ReplyAddress) -> Answer {
    guard let calls = waiting[call.caller], calls.count < Self.longestWait,
      (calls.map(\.0) + [call]).reduce(0, { $0 + $1.wireBytes }) <= Self.mostBytesWaiting
    else {
      return ServiceError.limitExceeded.answer
    }
    waiting[call.caller]?.append((call, address))
    return .later
  }

  private func identified(
    _ name: String,
    _ result: Result<PeerCredentials, CallError>,
    _ loop: BusLoop
  ) {
    let calls = waiting.removeValue(forKey: name) ?? []
    // A program that cannot be identified for want of a descriptor is not another one.
    guard case .success(let credentials) = result, let origin = setup.probe.origin(credentials),
      let isAdministrator = setup.probe.isAdministrator(credentials)
    else { return refuse(name, calls, loop) }
    var peer = ServicePeer(
      name: name,
      uid: credentials.uid,
      origin: origin,
      isAdministrator: isAdministrator
    )
    guard case .unit(let unit) = peer.origin else { return serve(peer, calls, loop) }
    // A unit may start programs of other accounts, as cron does: those are not the unit.
    waiting[name] = calls
    let call = MethodCall(
      "org.freedesktop.systemd1",
      CallerOrigin.path(ofUnit: unit),
      BusName.properties,
      "Get",
      [.string("org.freedesktop.systemd1.Service"), .string("UID")]
    )
    let isMade = self.call(call, for: credentials.uid, loop) { [weak self] result in
      guard let self, let calls = waiting.removeValue(forKey: name) else { return }
      switch result {
      case .success(let values):
        if Self.account(ofUnit: values) != credentials.uid { fallthrough }
      case .failure(.refused):
        guard let account = CallerProbe.knownName(of: credentials.uid) else {
          return refuse(name, calls, loop)
        }
        peer.origin = .account(account)
      case .failure: return refuse(name, calls, loop)
      }
      serve(peer, calls, loop)
    }
    if !isMade, let calls = waiting.removeValue(forKey: name) { refuse(name, calls, loop) }
  }

  /// The account in systemd's answer; without one, a unit runs as root.
  private static func account(ofUnit values: [DBusValue]) -> UInt32? {
    guard case .variant(.uint32(let uid))? = values.first else { return nil }
    return uid == .max ? 0 : uid
  }

  /// Answers the calls of a program that cannot be identified now.
  private func refuse(_ name: String, _ calls: [(ObjectCall, ReplyAddress)], _ loop: BusLoop) {
    loop.unwatch(peer: name)
    machine.left(name)
    for (_, address) in calls { loop.reply(ServiceError.notReady.answer, to: address) }
  }

  /// Handles the calls of a program that is identified.
  private func serve(
    _ peer: ServicePeer,
    _ calls: [(ObjectCall, ReplyAddress)],
    _ loop: BusLoop
  ) {
    machine.identified(peer)
    for (call, address) in calls {
      let answer = handle(call, by: peer, address, loop)
      // The answer comes before the call's effects.
      if answer != .later { reply(answer, to: address, loop) }
      perform(loop)
    }
  }

  private func handle(
    _ call: ObjectCall,
    by peer: ServicePeer,
    _ address: ReplyAddress,
    _ loop: BusLoop
  ) -> Answer {
    switch objects.resolve(call) {
    case .answer(let answer): return answer
    case .property(let path, let interface, let name):
      let isHidden = interface == ServiceName.manager && name == Self.use && !peer.isAdministrator
      guard !isHidden else { return ServiceError.notAuthorized.answer }
      guard let value = values(path, interface, for: peer)[name] else { return .unknownMethod }
      return .values([.variant(value)])
    case .allProperties(let path, let interface):
      return .values([Self.dictionary(values(path, interface, for: peer))])
    case .setProperty: return .unknownMethod
    case .managedObjects(let paths): return .values([managed(paths, for: peer)])
    case .method(let path, let interface, let member, let arguments):
      do throws(ServiceError) {
        switch interface {
        case ServiceName.manager: return try manager(member, arguments, peer, address, loop)
        case ServiceName.admin: return try admin(member, arguments, peer, address, loop)
        case ServiceName.session:
          guard let number = ServiceName.session(at: path) else { return .unknownObject }
          return try session(number, member, arguments, peer, address, loop)
        default: return .unknownMethod
        }
      } catch {
        return error.answer
      }
    }
  }

  static func dictionary(_ values: [String: DBusValue]) -> DBusValue {
    .dictionary(
      of: "sv",
      values.sorted { $0.key < $1.key }.map {
        DBusEntry(key: .string($0.key), value: .variant($0.value))
      }
    )
  }

  // MARK: Properties

  /// The property that follows from received identities, so that only administrators read it.
  private static let use = "InUse"

  private func values(
    _ path: String,
    _ interface: String,
    for peer: ServicePeer
  ) -> [String: DBusValue] {
    switch interface {
    case ServiceName.manager:
      wereServicesOn = setup.areServicesOn() ?? wereServicesOn
      var values: [String: DBusValue] = [
        "Version": .uint32(1), "Services": .boolean(wereServicesOn),
        "Listening": .boolean(
          peer.isAdministrator
            ? machine.radio == .listening
            : radiosForEveryone.contains { $0.state == .listening }
        ),
      ]
      if peer.isAdministrator { values[Self.use] = .boolean(machine.isInUse(at: time)) }
      return values
    case ServiceName.session:
      return ServiceName.session(at: path).map { machine.properties(of: $0) } ?? [:]
    case ServiceName.radio:
      guard let number = radios.indices.first(where: { ServiceName.path(ofRadio: $0) == path })
      else { return [:] }
      let radio = peer.isAdministrator ? radios[number] : radiosForEveryone[number]
      return [
        "Name": .string(radio.name), "State": .string(radio.state.rawValue),
        "Since": .int64(radio.since.microseconds),
      ]
    default: return [:]
    }
  }

  private func managed(_ paths: [String], for peer: ServicePeer) -> DBusValue {
    let entries = paths.compactMap { path -> DBusEntry? in
      let isSession = ServiceName.session(at: path) != nil
      let interface = isSession ? ServiceName.session : ServiceName.radio
      let value = DBusValue.dictionary(
        of: "sa{sv}",
        [
          DBusEntry(
            key: .string(interface),
            value: Self.dictionary(values(path, interface, for: peer))
          )
        ]
      )
      return DBusEntry(key: .objectPath(path), value: value)
    }
    return .dictionary(of: "oa{sa{sv}}", entries)
  }
}
