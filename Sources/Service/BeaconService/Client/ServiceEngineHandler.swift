// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

internal import SystemKit
internal import BeaconCore
internal import BeaconFormats
internal import Beacons
internal import DBus
internal import Synchronization

/// The connection of a ``ServiceEngine``: sessions of the service for the clients of this process.
///
/// Only the bus's thread uses it.
final class ServiceEngineHandler: BusHandler {
  /// A client of this process, as it was opened.
  private struct Program: Sendable {
    var opening: RemoteConnection.Opening
    /// What it ranges, in order, to be ranged again by a service that was started again.
    var ranged: [(constraint: IdentityConstraint, region: RegionIdentifier?)] = []
    /// The path of its session; `nil` while there is none.
    var path: String?
    /// Reads its stream.
    var reader: EventStreamReader?
    /// Whether the ranging of the session before it was requested again.
    var isRestored = false
    /// What was requested before the session was there.
    var waiting: [(member: String, arguments: [DBusValue], request: ClientRequest?)] = []
  }

  /// Receives what became of opening a client.
  typealias Opened = (Result<RemoteEngine.Client, ServiceEngine.Failure>) -> Void

  /// How long a call may take; the service answers at once.
  private static let timeout = Duration.seconds(10)
  /// How long to wait before the bus is connected to again, or a client is opened again.
  private static let retryInterval = Duration.seconds(1)

  private let changed: @Sendable (ClientID, ServiceEngine.Standing) -> Void
  private let found: AsyncStream<ServiceEngine.Failure?>.Continuation
  private var programs: [ClientID: Program] = [:]
  private var standings: [ClientID: ServiceEngine.Standing] = [:]
  private var isFound = false
  /// The clients that lost their session while the service runs, and when they are opened again.
  private var closed: Set<ClientID> = []
  private var reopenAt: Uptime?

  init(
    _ changed: @escaping @Sendable (ClientID, ServiceEngine.Standing) -> Void,
    _ found: AsyncStream<ServiceEngine.Failure?>.Continuation
  ) {
    self.changed = changed
    self.found = found
  }

  deinit { found.finish() }

  // MARK: The connection

  func connected(_ loop: BusLoop) { loop.follow(ServiceName.bus) }

  func ownerChanged(of name: String, to owner: String?, _ loop: BusLoop) {
    (closed, reopenAt) = ([], nil)
    guard owner != nil else {
      if !isFound { found.yield(.notRunning) }
      // Its sessions ended with it.
      for client in programs.keys { lose(client) }
      return
    }
    found.yield(nil)
    guard isFound else {
      isFound = true
      return
    }
    for client in programs.keys.sorted() { reopen(client, loop) }
  }

  /// Opens a client again, until it has a session or the service is gone.
  private func reopen(_ client: ClientID, _ loop: BusLoop) {
    open(client, loop) { [weak self] result in
      guard let self, let opening = programs[client]?.opening else { return }
      guard case .failure(let failure) = result else { return opening.notice(.serviceAvailable) }
      var standing = standings[client] ?? ServiceEngine.Standing()
      standing.fault = failure
      set(standing, of: client)
      reopenLater(client)
    }
  }

  /// Plans to open a client again.
  private func reopenLater(_ client: ClientID) {
    closed.insert(client)
    reopenAt = reopenAt ?? .now + Self.retryInterval
  }

  private func set(_ standing: ServiceEngine.Standing, of client: ClientID) {
    guard standing != standings[client] ?? ServiceEngine.Standing() else { return }
    standings[client] = standing
    changed(client, standing)
  }

  private func lose(_ client: ClientID) {
    if programs[client]?.path != nil { programs[client]?.opening.notice(.serviceUnavailable) }
    programs[client]?.path = nil
    programs[client]?.isRestored = false
    programs[client]?.reader?.stop()
  }

  func connectionFailed(_ failure: BusFailure, _ loop: BusLoop) -> Duration? {
    guard isFound else {
      found.yield(.bus("\(failure)"))
      return nil
    }
    (closed, reopenAt) = ([], nil)
    for client in programs.keys { lose(client) }
    return Self.retryInterval
  }

  func called(_ message: borrowing Message, _ loop: BusLoop) -> Answer? { nil }
  func drained(_ loop: BusLoop) {}
  var nextDeadline: Uptime? { reopenAt }

  func timePassed(_ loop: BusLoop) {
    let clients = closed.sorted()
    (closed, reopenAt) = ([], nil)
    for client in clients where programs[client]?.path == nil { reopen(client, loop) }
  }

  func signal(_ message: borrowing Message, _ loop: BusLoop) -> Bool {
    guard let path = message.path, let values = message.read({ $0.values() }),
      let client = programs.first(where: { $0.value.path == path })?.key
    else { return true }
    switch (message.member, values.count) {
    case ("PropertiesChanged", 3): note(values[1], of: client)
    case ("Opened", 2): opened(values, client)
    default: break
    }
    return true
  }

  /// Notes that the user tapped a notification: the session is in the foreground.
  private func opened(_ values: [DBusValue], _ client: ClientID) {
    guard case .int64(let time) = values[0], let region = values[1].text else { return }
    programs[client]?.opening.isForeground = true
    programs[client]?.opening.tapped(RegionIdentifier(region), Timestamp(microseconds: time))
  }

  /// Notes properties of a session.
  private func note(_ properties: DBusValue, of client: ClientID) {
    let options = ServiceOptions(properties)
    var standing = standings[client] ?? ServiceEngine.Standing()
    if let limit = try? options.text("Limit") { standing.limit = limit }
    if let key = try? options.text("Client") { standing.key = key }
    standing.fault = nil
    set(standing, of: client)
  }

  // MARK: Opening

  func open(
    _ opening: RemoteConnection.Opening,
    _ loop: BusLoop,
    _ done: @escaping Opened
  ) {
    programs[opening.client] = Program(opening: opening)
    open(opening.client, loop, done)
  }

  private func open(_ client: ClientID, _ loop: BusLoop, _ done: @escaping Opened) {
    guard let program = programs[client] else { return }
    let options = Self.options(program.opening)
    call(ServiceName.path, ServiceName.manager, "CreateSession", [options], loop) {
      [weak self] result in
      guard let self else { return done(.failure(.notRunning)) }
      switch result {
      case .failure(let error): done(.failure(ServiceEngine.Failure(error)))
      case .success(let values):
        guard let path = values.first?.text else { return done(.failure(.refused("no session"))) }
        programs[client]?.path = path
        openStream(client, path, loop, done)
      }
    }
  }

  private static func options(_ program: RemoteConnection.Opening) -> DBusValue {
    .properties([
      "label": .string(program.name), "foreground": .boolean(program.isForeground),
      "manifest": program.manifest.servedValue,
    ])
  }

  private func openStream(
    _ client: ClientID,
    _ path: String,
    _ loop: BusLoop,
    _ done: @escaping Opened
  ) {
    // A session of which a part is missing is closed: else each further try would leave one.
    let done: Opened = { [weak self] result in
      if case .failure = result { self?.abandon(client, path, loop) }
      done(result)
    }
    let since = programs[client]?.reader?.last ?? 0
    let options: DBusValue = since > 0 ? .properties(["since": .uint64(since)]) : .properties([:])
    call(path, ServiceName.session, "OpenStream", [options], loop) { [weak self] result in
      guard let self, let program = programs[client] else {
        return done(.failure(.notRunning))
      }
      guard case .success(let values) = result, case .descriptor(let file)? = values.first,
        let number = file.take()
      else {
        if case .failure(let error) = result { return done(.failure(ServiceEngine.Failure(error))) }
        return done(.failure(.refused("no stream")))
      }
      let deliver = program.opening.deliver
      programs[client]?.reader = EventStreamReader(number, after: since) { line in
        deliver(line.event, line.time)
      }
      readState(client, path, loop, done)
    }
  }

  /// Closes a session that is of no use.
  private func abandon(_ client: ClientID, _ path: String, _ loop: BusLoop) {
    if programs[client]?.path == path { lose(client) }
    loop.request(MethodCall(ServiceName.bus, path, ServiceName.session, "Close"))
  }

  private func readState(
    _ client: ClientID,
    _ path: String,
    _ loop: BusLoop,
    _ done: @escaping Opened
  ) {
    // The answers come in the order of the calls.
    var failure: CallError?
    var services = true
    let manager = [DBusValue.string(ServiceName.manager), .string("Services")]
    call(ServiceName.path, BusName.properties, "Get", manager, loop) { result in
      switch result {
      case .success(let values): services = values.first != .variant(.boolean(false))
      case .failure(let error): failure = error
      }
    }
    var regions: [Region] = []
    call(path, ServiceName.session, "ListRegions", [], loop) { result in
      switch result {
      case .success(let values): regions = Self.regions(values.first)
      case .failure(let error): failure = failure ?? error
      }
    }
    let session = [DBusValue.string(ServiceName.session)]
    call(path, BusName.properties, "GetAll", session, loop) { [weak self] result in
      guard let self else { return done(.failure(.notRunning)) }
      if case .failure(let error) = result { failure = failure ?? error }
      if let failure { return done(.failure(ServiceEngine.Failure(failure))) }
      guard case .success(let values) = result, let properties = values.first else {
        return done(.failure(.refused("no properties")))
      }
      note(properties, of: client)
      done(.success(Self.client(properties, services, regions)))
      restore(client, loop)
    }
  }

  private static func client(
    _ properties: DBusValue,
    _ areServicesOn: Bool,
    _ regions: [Region]
  ) -> RemoteEngine.Client {
    let options = ServiceOptions(properties)
    let name = (try? options.text("Authorization")) ?? ""
    let isPrecise = (try? options.boolean("Precise")) ?? true
    return RemoteEngine.Client(
      status: AuthorizationStatus.allCases.first { $0.name == name } ?? .notDetermined,
      accuracy: isPrecise ? .full : .reduced,
      isInUse: (try? options.text("Limit")) != SessionLimit.notInUse.rawValue,
      areServicesOn: areServicesOn,
      regions: regions
    )
  }

  private static func regions(_ value: DBusValue?) -> [Region] {
    guard case .array(_, let values)? = value else { return [] }
    return values.compactMap { value in
      guard case .structure(let members) = value, members.count == 3, let name = members[0].text,
        let constraint = try? ServiceOptions(members[1]).constraint()
      else { return nil }
      return try? Region(RegionIdentifier(name), constraint, ServiceOptions(members[2]))
    }
  }

  /// Requests the constraints from before the restart of the service, and the new ones.
  private func restore(_ client: ClientID, _ loop: BusLoop) {
    guard let program = programs[client] else { return }
    programs[client]?.waiting = []
    programs[client]?.isRestored = true
    // Twice is as once.
    for (constraint, region) in program.ranged {
      send("StartRanging", [Self.ranging(constraint, region)], nil, of: client, loop)
    }
    for (member, arguments, request) in program.waiting {
      send(member, arguments, request, of: client, loop)
    }
  }

  func perform(_ command: RemoteEngine.Command, _ loop: BusLoop) {
    switch command {
    case .request(let request, let client): self.request(request, by: client, loop)
    case .setForeground(let isForeground, let client):
      programs[client]?.opening.isForeground = isForeground
      send("SetForeground", [.boolean(isForeground)], nil, of: client, loop)
    case .close(let client): close(client, loop)
    }
  }

  private func close(_ client: ClientID, _ loop: BusLoop) {
    guard let program = programs.removeValue(forKey: client) else { return }
    program.reader?.stop()
    guard let path = program.path else { return }
    loop.request(MethodCall(ServiceName.bus, path, ServiceName.session, "Close"))
  }

  // MARK: Requests

  private func request(_ request: ClientRequest, by client: ClientID, _ loop: BusLoop) {
    switch request {
    case .range(let constraint, let region):
      programs[client]?.ranged.removeAll { $0.constraint == constraint }
      programs[client]?.ranged.append((constraint, region))
      send("StartRanging", [Self.ranging(constraint, region)], request, of: client, loop)
    case .stopRanging(let constraint):
      programs[client]?.ranged.removeAll { $0.constraint == constraint }
      send("StopRanging", [constraint.wireValue], request, of: client, loop)
    // The session has the reason.
    case .monitor where request.refusal != nil, .notify where request.refusal != nil:
      refused(request, "", of: client)
    case .monitor(let region, let assumed):
      var options = region.monitoringOptions
      if let assumed { options.append(("assuming", .string(assumed.description))) }
      let arguments = [
        .string(region.identifier.rawValue), region.constraint.wireValue, .properties(options),
      ]
      send("StartMonitoring", arguments, request, of: client, loop)
    case .stopMonitoring(let region):
      send("StopMonitoring", [.string(region.rawValue)], request, of: client, loop)
    case .requestState(let region):
      send("RequestState", [.string(region.rawValue)], request, of: client, loop)
    case .authorize(let wanted):
      let (kind, options) = ClientRequest.served(wanted)
      send("Request", [.string(kind), options], request, of: client, loop)
    case .notify(let notification):
      let (region, options) = (notification.region, notification.options)
      let arguments = [
        .string(region.identifier.rawValue), region.constraint.wireValue, .properties(options),
      ]
      send("Notify", arguments, request, of: client, loop)
    case .stopNotifying(let region):
      send("StopNotifying", [.string(region.rawValue)], request, of: client, loop)
    }
  }

  private static func ranging(
    _ constraint: IdentityConstraint,
    _ region: RegionIdentifier?
  ) -> DBusValue {
    guard case .dictionary(let types, let entries) = constraint.wireValue, let region else {
      return constraint.wireValue
    }
    let place = DBusEntry(key: .string("whileInside"), value: .variant(.string(region.rawValue)))
    return .dictionary(of: types, entries + [place])
  }

  /// Calls a method of a client's session, or keeps the call until there is one.
  private func send(
    _ member: String,
    _ arguments: [DBusValue],
    _ request: ClientRequest?,
    of client: ClientID,
    _ loop: BusLoop
  ) {
    guard let program = programs[client] else { return }
    // A request from before the restoration would overtake the ranging of the session before.
    guard let path = program.path, program.isRestored, program.reader?.isOpen == true else {
      if program.waiting.count < Self.mostWaiting {
        programs[client]?.waiting.append((member, arguments, request))
      }
      return
    }
    call(path, ServiceName.session, member, arguments, loop) { [weak self] result in
      guard let self, case .failure(let error) = result else { return }
      if let name = error.name, !Self.isOfEnd(error) || Self.isMissing(request, error) {
        if let request { refused(request, name, of: client) }
        return
      }
      // The service ended before it did this, or does not answer; the next session does it.
      if programs[client]?.path == path {
        lose(client)
        if error != .disconnected {
          loop.request(MethodCall(ServiceName.bus, path, ServiceName.session, "Close"))
          reopenLater(client)
        }
      }
      send(member, arguments, request, of: client, loop)
    }
  }

  /// Whether an error means that the session, or the service, is gone.
  private static func isOfEnd(_ error: CallError) -> Bool {
    let ends = ["NoReply", "UnknownObject", "UnknownMethod"]
    return error.isWithoutOwner
      || ends.contains { error.name == "org.freedesktop.DBus.Error.\($0)" }
  }

  /// Whether a service of before notifications does not know the method of a request.
  private static func isMissing(_ request: ClientRequest?, _ error: CallError) -> Bool {
    switch request {
    case .notify, .stopNotifying: error.name == "org.freedesktop.DBus.Error.UnknownMethod"
    default: false
    }
  }

  /// The most calls that wait for a session.
  private static let mostWaiting = 256

  /// Delivers that the service refused a request, as an engine would.
  private func refused(_ request: ClientRequest, _ name: String, of client: ClientID) {
    guard let deliver = programs[client]?.opening.deliver else { return }
    switch request {
    case .monitor(let region, _):
      if name.hasSuffix(".LimitExceeded") {
        deliver(.diagnostic(.regionLimitExceeded(region.identifier)), nil)
      }
      deliver(.failure(.regionMonitoringFailure, .region(region.identifier)), nil)
    case .range(let constraint, _):
      deliver(.failure(.rangingFailure, .constraint(constraint)), nil)
    case .notify(let notification) where !name.isEmpty:
      let text = "the service does not show the notification of region"
      programs[client]?.opening.notice(
        .requestRefused(reason: "\(text) '\(notification.region.identifier)': \(name)")
      )
    default: break
    }
  }

  private func call(
    _ path: String,
    _ interface: String,
    _ member: String,
    _ arguments: [DBusValue],
    _ loop: BusLoop,
    _ done: @escaping (Result<[DBusValue], CallError>) -> Void
  ) {
    let call = MethodCall(ServiceName.bus, path, interface, member, arguments)
    loop.call(call, timeout: Self.timeout, then: done)
  }
}

extension ServiceEngine.Failure {
  /// The meaning of a failed call to the service.
  init(_ error: CallError) {
    switch error {
    case _ where error.isWithoutOwner: self = .notRunning
    case .refused(let name, let message): self = .refused(message.isEmpty ? name : message)
    case .timedOut: self = .noAnswer
    case .disconnected: self = .notRunning
    case .unexpectedAnswer, .invalid, .tooManyCalls: self = .refused("\(error)")
    }
  }
}
