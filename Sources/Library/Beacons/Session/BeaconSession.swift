// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

internal import BeaconFormats
internal import SystemKit

/// Runs an engine over a source and delivers to each client the events that it may receive.
///
/// Make one, connect clients, then ``run(draining:)`` it, or run a program with it: ``run(draining:_:)``. A source is read once.
///
/// **Lock-step.** If the source is not live, the session continues only when every task that iterates a sequence has
/// handled its events and waits for the next one, and no thread of the process runs or is ready to run. So a request (to
/// range, to get authorization) takes effect at the point of the timeline to which it is the answer, from whichever task,
/// actor, queue or thread it comes, and a replay gives the same events at any speed and on any machine.
///
/// At its start a replay stays until each client has ranged or monitored something: for the others 100 ms after the first,
/// 1 s while none has, 10 s while no program does anything. Later it cannot know of a request that waits for a time or for
/// another process outside of the loop to which it belongs. If the process never rests, since other threads compute all the
/// time, the session waits only until each task that is ready has begun.
///
/// A task that neither asks for its next event nor ends is waited for: after 30 s in which nothing happens the run throws
/// ``SessionError/stalled(waitingFor:)``. A client that had ranged and monitored nothing when the replay ended gets the
/// diagnostic ``ClientDiagnostic/nothingRequested``.
///
/// **Back-pressure.** A live source cannot wait. A sequence whose reader is more than 256 elements behind loses its
/// oldest ticks of ranging; everything else is kept up to 1,024 elements. The drops are counted and reported as
/// ``ClientDiagnostic/deliveriesDropped(total:)``.
///
/// **Ending.** When the source ends, all events that are due are delivered and every sequence finishes. When the task
/// of `run` is cancelled, the source fails or the program calls ``stop()``, regions first become unknown with the reason
/// `shutdown`. They are never reported as left. A cancelled task's loops end without further events, so a program that handles its last
/// events calls ``stop()``.
public actor BeaconSession {
  enum Phase {
    case ready, running, ended
  }

  /// The longest single wait for a live source.
  ///
  /// A request made during the wait is then served in time: everything that a request causes is due on a whole second.
  static let livePatience = TimeSpan.seconds(1)

  /// Where the inputs come from; `nil` if the engine is another process's.
  let source: (any ScanSource)?
  /// The connection to another process's engine; `nil` for a session with a source.
  nonisolated let remote: RemoteFeed?
  let configuration: Configuration
  let prompter: (any Prompter)?
  let recording: Recording?
  nonisolated let listeners: ListenerList
  nonisolated let prompts: DeliveryBuffer<ShownPrompt>

  var phase = Phase.ready
  /// Whether the session is waiting for clients to ask for their next delivery.
  var isSettling = false
  var core: RunCore?
  private let moments = SessionMoments()
  /// Whether the source has ended, and every due deadline by then is delivered.
  private(set) var hasSourceEnded = false
  /// The state of each client to save for a later run; set when the session ends.
  var lastSaved: [ClientID: SavedClient] = [:]
  var clients: [ClientID] = []
  /// The recording while it is written, the receivers it knows, and the error that stopped it.
  var recorder: Recorder?
  var receivers: [String] = []
  var recordingFailure: (any Error)?
  /// The clients' names in the recording, and their grants when they connected.
  var names: [ClientID: String] = [:]
  var initialGrants: [ClientStateLine] = []
  /// User actions, and a service's actions for its clients, from before the run.
  var earlyLines: [EarlyLine] = []
  /// How a service records its clients' requests with the inputs; `nil` for any other session.
  let serviceRecording: ServiceRecording?
  /// Whether the session is a service's, whose replay has no program that could be run again.
  let isOfService: Bool
  /// How many sequences of a client range each constraint.
  private var rangings: [RangingKey: Int] = [:]
  private var nextService: UInt64 = 0
  /// The clients that have ranged and monitored nothing so far, and those of them when a replay ended.
  var unasked: Set<ClientID> = []
  /// The taps of clients that do not follow theirs yet; `nil` for one that does.
  var earlyTaps: [ClientID: [ClientMessage]?] = [:]
  var endedUnasked: Set<ClientID> = []
  /// Whether a replay continues after the end of its source until its regions have settled.
  var drains = false
  /// The activity until the process last rested.
  var restedAt: UInt64?
  let continuesWhenStalled: Bool
  /// How many prompts were answered.
  var answers = 0
  /// The clients with a name, and what is kept of them.
  let keeper: StoreKeeper
  /// Why no other client gets a name in use.
  var openNames: [String: SessionError] = [:]
  /// The store whose switch of location services and whose grants a live session follows, and the state of the switch.
  let store: ClientStore?
  var switches: ClientFiles?
  /// Looks for changes by other processes in the stores that the session uses.
  var storeWatch: Task<Void, Never>?
  var areServicesOn = true
  /// Notes for a user on the switch, for the clients that have no separate files.
  var switchNotes: [ClientDiagnostic] = []

  struct RangingKey: Hashable {
    let client: ClientID
    let constraint: IdentityConstraint
  }

  /// Who takes the deliveries of a service's clients.
  var takers: [ClientID: DeliveryTaker] = [:]
  /// Who gets the operator's sightings, if anyone.
  var sightingsTaker: (@Sendable (Sighting) -> Void)?

  /// A prompt on its way to the prompter.
  struct ShownPrompt: Sendable {
    let prompt: Prompt
    let client: ClientID
  }

  /// Creates a session.
  ///
  /// - Parameters:
  ///   - source: The source of the scan inputs.
  ///   - configuration: The configuration of the engine.
  ///   - prompter: Answers prompts; without one, a prompt stays open until ``BeaconClient/answer(_:precise:)``.
  ///   - recording: Where to record the inputs; `nil` records nothing.
  ///   - store: The store whose switch of location services, and whose grants of clients connected by name, apply while
  ///     the source is live; `nil` for none. A replay reads and writes neither, and a simulation none of the account's
  ///     own store.
  ///   - continuesWhenStalled: Whether a replay continues without a program that does nothing for long, in place of
  ///     throwing ``SessionError/stalled(waitingFor:)``. Its events may then differ from one run to the next, which
  ///     ``ClientDiagnostic/replayContinued(without:)`` reports.
  ///   - log: Receives messages for the program's user: each diagnostic of the session, and how the run ends.
  public init(
    _ source: any ScanSource,
    configuration: Configuration = Configuration(),
    prompter: (any Prompter)? = nil,
    recording: Recording? = nil,
    followingSwitchOf store: ClientStore? = ClientStore(),
    continuesWhenStalled: Bool = false,
    log: SessionLog? = nil
  ) {
    self.continuesWhenStalled = continuesWhenStalled
    self.source = source
    remote = nil
    self.configuration = configuration
    self.prompter = prompter
    self.recording = recording
    self.store = store
    serviceRecording = nil
    isOfService = false
    listeners = ListenerList(isLive: source.isLive, log: log)
    keeper = StoreKeeper(isLive: source.isLive)
    prompts = listeners.makeBuffer(for: nil, "prompts")
    if prompter == nil { prompts.end() }
  }

  /// Creates a session of a service, which records its clients' requests as well.
  package init(
    _ source: any ScanSource,
    configuration: Configuration,
    followingSwitchOf store: ClientStore,
    recordingRequests recording: ServiceRecording?
  ) {
    // The programs are other processes.
    continuesWhenStalled = true
    self.source = source
    remote = nil
    self.configuration = configuration
    prompter = nil
    self.recording = nil
    self.store = store
    serviceRecording = recording
    isOfService = true
    listeners = ListenerList(isLive: source.isLive)
    keeper = StoreKeeper(isLive: source.isLive)
    prompts = listeners.makeBuffer(for: nil, "prompts")
    prompts.end()
  }

  /// Creates a session whose engine is another process's.
  ///
  /// Its clients have the same requests, sequences and diagnostics. Grants and regions are kept by the other process, and
  /// a user answers there.
  package init(remote connection: RemoteConnection, log: SessionLog? = nil) {
    let feed = RemoteFeed(connection)
    continuesWhenStalled = false
    source = nil
    remote = feed
    configuration = Configuration()
    prompter = nil
    recording = nil
    serviceRecording = nil
    isOfService = false
    store = nil
    listeners = ListenerList(isLive: true, log: log) { feed.arrive(.request) }
    keeper = StoreKeeper(isLive: true)
    prompts = listeners.makeBuffer(for: nil, "prompts")
    core = RunCore(
      RunEngine(RemoteEngine(startingAt: Timestamp(microseconds: WallTime.microseconds))),
      policy: .live,
      participants: [moments],
      waitsForPrograms: true
    )
    prompts.end()
  }

  /// The current time of the timeline; before the first client connects, that of the source's timeline.
  ///
  /// It throws the source's error if the source cannot begin.
  public var now: Timestamp {
    get async throws {
      try await start()
      return core?.context.now ?? .earliest
    }
  }

  /// What the engine has counted so far.
  public var statistics: EngineStatistics { core?.context.engine.statistics ?? EngineStatistics() }

  // MARK: Clients

  /// Connects the operator as a client: always authorized, always in use.
  ///
  /// - Throws: The source's error when it is asked for its time.
  public func connect() async throws -> BeaconClient {
    try await start()
    let id = try await connectToEngine(
      nil,
      named: ClientStore.operatorName,
      restoring: SavedClient(),
      isForeground: true
    )
    let client = join(id, as: ClientStore.operatorName, nil)
    notify(client.id, nil)
    return client
  }

  /// Connects a client with separate grants.
  ///
  /// On a live source a client with a name is the account's client of that name, as for `beaconctl`: it starts with the
  /// grants that the session's store has of it, a user's decisions are kept there, and a change by another program takes
  /// effect within a second. Until the session ends or the client is terminated, no other program can run as it. On a
  /// replay, and on a simulation without a separate store, the name is only the name in a recording.
  ///
  /// - Parameters:
  ///   - manifest: The program's manifest: why it asks for location, and its modes.
  ///   - name: The client's name in the store and in a recording; `nil` keeps no grants, and records its number.
  ///   - saved: The state that an earlier run saved: ``BeaconClient/saved``. Its grants count if the store does not know
  ///     the client.
  ///   - isForeground: Whether the client starts in the foreground.
  /// - Returns: The client.
  /// - Throws: ``SessionError/nameInUse(_:)`` or ``SessionError/monitorAlreadyOpen(_:)`` if the name is in use,
  ///   ``SessionError/reservedName(_:)`` if it is the operator's, and the source's error when it is asked for its time.
  public func connect(
    _ manifest: Manifest,
    named name: String? = nil,
    restoring saved: SavedClient = SavedClient(),
    isForeground: Bool = true
  ) async throws -> BeaconClient {
    try await start()
    let name = name ?? (isRemote ? "default" : nil)
    let files = try name.flatMap { name in
      try reserve(name, isMonitor: false)
      return listeners.isLive ? usable(store).map { ClientFiles(name, in: $0) } : nil
    }
    let contents = try await open(files, as: name ?? "")
    var saved = saved
    saved.authorization = grants(in: contents, unlessKnown: saved.authorization)
    let id = try await connectToEngine(
      manifest,
      named: name ?? "",
      restoring: saved,
      isForeground: isForeground
    )
    let client = join(id, as: name, saved.authorization)
    noteRestored(saved.regions, by: client.id)
    if let name { keep(StoreKeeper.Client(id: client.id, name: name, files: files)) }
    deliverAll()
    notify(client.id, contents)
    return client
  }

  /// Connects a client that already has an authorization status, for tests and for tools without prompts.
  ///
  /// - Throws: The source's error when it is asked for its time.
  public func connect(
    _ manifest: Manifest,
    granted status: AuthorizationStatus,
    _ accuracy: AccuracyAuthorization = .full
  ) async throws -> BeaconClient {
    let authorization = SavedAuthorization(status: status, accuracy: accuracy)
    return try await connect(manifest, restoring: SavedClient(authorization: authorization))
  }

  /// Performs a user action that concerns the whole machine, such as switching location services on or off.
  public func perform(_ action: UserAction) async { perform(action, of: nil) }

  func start() async throws {
    guard core == nil, let source else { return }
    let start = try await source.now
    let utcOffset = await source.utcOffset
    await readSwitch()
    var configuration = configuration
    configuration.authorization.utcOffset = configuration.authorization.utcOffset ?? utcOffset
    // Another call may have created the engine while this one waited.
    guard core == nil else { return }
    core = RunCore(
      RunEngine(EngineDriver(configuration, startingAt: start)),
      policy: .scripted,
      participants: [keeper, moments],
      waitsForPrograms: true
    )
    if prompter != nil { core?.context.driver?.asksWhenQuiet() }
    if isOfService { core?.context.driver?.roundTimes() }
  }

  /// Adds a client with a name, or with one that tells it from the others.
  func join(_ id: ClientID?, as name: String?, _ grants: SavedAuthorization?) -> BeaconClient {
    guard let id else {
      preconditionFailure("a client was connected before the engine was started")
    }
    clients.append(id)
    unasked.insert(id)
    self.name(id, name ?? reserveName(of: id), grants)
    return client(id)
  }

  func client(_ id: ClientID) -> BeaconClient {
    BeaconClient(id: id, name: names[id] ?? "\(id)", session: self, listeners: listeners)
  }

  // MARK: Requests

  func request(_ request: ClientRequest, by client: ClientID) {
    guard phase != .ended else { return }
    listeners.lockStep.note()
    // Deferred stops were made before this request, so they take effect first.
    runDeferredRequests()
    record(.request(request), of: client)
    if let reason = remote?.connection.refusal(request) {
      listeners.notify(.requestRefused(reason: reason), to: client)
    }
    core?.context.engine.request(request, by: client)
    deliverAll()
    if request.asksForBeacons { noteAsked(client) }
  }

  /// Performs a user action immediately: a microsecond after everything that was admitted.
  ///
  /// - Parameters:
  ///   - action: The user action.
  ///   - client: The client concerned; `nil` for every client.
  ///   - isFromStore: Whether the action comes from the store, so that it need not be written to it.
  func perform(_ action: UserAction, of client: ClientID?, isFromStore: Bool = false) {
    guard phase != .ended else { return }
    listeners.lockStep.note()
    try? core?.act(action, by: client)
    handleMoments()
    if case .services(let isOn) = action, !isFromStore { keepServices(on: isOn, by: client) }
    if case .answer = action { noteAnswer() }
    try? core?.settle()
  }

  /// Plans a client's user action for a time after now.
  func schedule(_ action: UserAction, of client: ClientID, after span: TimeSpan) {
    guard let now = core?.context.now else { return }
    let client = action.concernsAll ? nil : client
    core?.context.driver?.schedule(
      TimedUserAction(time: now + span, client: client, action: action)
    )
  }

  func startRanging(
    _ constraint: IdentityConstraint,
    whileInside region: RegionIdentifier?,
    for client: ClientID
  ) {
    rangings[RangingKey(client: client, constraint: constraint), default: 0] += 1
    request(.range(constraint, whileInside: region), by: client)
  }

  func nextServiceNumber() -> UInt64 {
    nextService += 1
    return nextService
  }

  /// Performs the requests deferred by sequences and handles that were released and could not wait.
  func runDeferredRequests() {
    for deferred in listeners.drainDeferredRequests() {
      switch deferred {
      case .stopRanging(let constraint, let client):
        let key = RangingKey(client: client, constraint: constraint)
        let others = (rangings[key] ?? 1) - 1
        rangings[key] = others > 0 ? others : nil
        if others <= 0 { core?.context.engine.request(.stopRanging(constraint), by: client) }
      case .endService(let id, let client):
        core?.context.engine.request(.authorize(.endService(id: id)), by: client)
      }
    }
    deliverAll()
  }

  func terminate(_ client: ClientID) async {
    finishProcess(of: client)
    // A monitor keeps its name until it is closed.
    if let open = keeper.client(client), open.records == nil { await release(open) }
  }

  func finishProcess(of client: ClientID) {
    guard phase != .ended else { return }
    unasked.remove(client)
    core?.context.engine.terminate(client)
    deliverAll()
    listeners.finish(client)
  }

  func saved(_ client: ClientID) -> SavedClient {
    lastSaved[client] ?? core?.context.engine.saved(client) ?? SavedClient()
  }

  // MARK: Delivering

  /// Delivers what requests have caused, in order, without moving the timeline.
  func deliverAll() {
    let deliveries = core?.context.engine.drainDeliveries() ?? []
    try? core?.settle()
    deliver(deliveries)
    sendCommands()
  }

  /// Handles the engine's deliveries in order.
  func handleMoments() {
    for moment in moments.drain() {
      switch moment {
      case .delivered(let deliveries): deliver(deliveries)
      case .recorded(let slice): record(slice)
      case .recordedAction(let action):
        record(action)
        if case .tapNotification(let region) = action.action, let client = action.client {
          listeners.deliver(.tapped(RegionIdentifier(region), at: action.time), to: client)
        }
      case .sourceEnded:
        hasSourceEnded = true
        if core?.wasCutShort ?? false { record(.shutdown, of: nil) }
        endRecording(at: core?.context.now ?? .earliest)
      default: break
      }
    }
    sendCommands()
  }

  private func deliver(_ deliveries: [Delivery]) {
    for delivery in deliveries {
      guard case .client(let client) = delivery.recipient else {
        if case .sighting(let sighting) = delivery.event { sightingsTaker?(sighting) }
        continue
      }
      let beacon = core?.context.engine.beacon(of: delivery, to: client)
      listeners.deliver(.delivery(delivery, beacon: beacon), to: client)
      pass(delivery, of: client)
      if case .prompt(let prompt) = delivery.event { show(prompt, of: client) }
    }
  }

  private func show(_ prompt: Prompt, of client: ClientID) {
    if prompter != nil {
      prompts.put(ShownPrompt(prompt: prompt, client: client))
    } else if !isRemote, !listeners.hasPromptListener(client) {
      listeners.notify(.promptUnanswered(prompt), to: client)
    }
  }
}

/// Keeps the moments of a session's run until the session, an actor, handles them.
private final class SessionMoments: RunParticipant {
  private var moments: [RunMoment] = []

  func handle(_ moment: RunMoment, _ run: inout RunContext) {
    switch moment {
    case .delivered, .recorded, .recordedAction, .sourceEnded: moments.append(moment)
    default: break
    }
  }

  func drain() -> [RunMoment] {
    defer { moments = [] }
    return moments
  }
}

/// The file to which a session records its inputs, as JSON Lines.
///
/// The recording has the scan inputs, the user actions and the clients' grants at the start, each with its admission
/// time. It does not have a program's requests, since a replay runs the program again. So a session over a
/// ``CaptureSource`` of the file, with the same clients and requests, delivers the same events. Such a session asks its
/// own prompter; `beaconctl`, which can also replay the file, uses the recorded user actions.
public struct Recording: Sendable, Equatable {
  /// The path of the file.
  ///
  /// A live session continues a recording that exists. Any other existing file is left as it is, and the session does
  /// not run, unless ``replacesExisting`` is set.
  public var path: String
  /// Whether an existing file is replaced.
  public var replacesExisting: Bool
  /// Whether device addresses are recorded unchanged.
  ///
  /// If not, each is replaced by a pseudonym that has no meaning outside the file.
  public var includesAddresses: Bool

  /// Creates the description of a recording.
  ///
  /// Nothing is written before the session runs.
  public init(path: String, includesAddresses: Bool = false, replacesExisting: Bool = false) {
    self.path = path
    self.replacesExisting = replacesExisting
    self.includesAddresses = includesAddresses
  }
}
