// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

internal import BeaconFormats

/// Runs an engine over a source and delivers to clients what may reach them.
///
/// Make one, connect clients, then ``run()`` it, or run a program with it: ``run(_:)``. A source is read once.
///
/// **Lock-step.** Where the source is not live, the session goes on only when every sequence of a client that is being
/// listened to has been taken empty and asks for its next. A client answers (begins to range, asks for authorization)
/// at that point of the timeline, so a replay gives the same events at any speed and on any machine.
///
/// **Back-pressure.** A live source cannot wait. Each sequence then keeps the newest 256 elements that were not taken;
/// the oldest are dropped, counted, and told as ``ClientDiagnostic/deliveriesDropped(total:)``.
///
/// **Ending.** When the source ends, what was due is told and every sequence finishes. When the task of `run` is
/// cancelled or the source fails, regions become unknown for the reason `shutdown`, never left, and then the same.
public actor BeaconSession {
  enum Phase {
    case ready, running, ended
  }

  /// The most time that a live source is waited for at once, so that a request made meanwhile is served when it falls
  /// due: all that a request sets going falls due on whole seconds.
  static let livePatience = TimeSpan.seconds(1)

  let source: any ScanSource
  let configuration: Configuration
  let prompter: (any Prompter)?
  let recording: Recording?
  nonisolated let listeners: ListenerList
  nonisolated let prompts: DeliveryBuffer<ShownPrompt>

  var phase = Phase.ready
  /// Whether the timeline waits for clients to ask for their next delivery.
  var isSettling = false
  var driver: EngineDriver?
  /// What each client leaves to a later run; set when the session ends.
  var lastSaved: [ClientID: SavedClient] = [:]
  var clients: [ClientID] = []
  /// The recording while it is written, the receivers it knows, and why it cannot be written any more.
  var recorder: Recorder?
  var receivers: [String] = []
  var recordingFailure: (any Error)?
  /// What clients are called in the recording, and how they stood when they connected.
  var names: [ClientID: String] = [:]
  var initialGrants: [ClientStateLine] = []
  /// What users did before the run.
  var earlyActions: [RecordedUserAction] = []
  /// How many sequences range a constraint for a client.
  private var rangings: [RangingKey: Int] = [:]
  private var nextService: UInt64 = 0
  /// The monitors that are open, in the order they were opened, and the names that are in use.
  var monitors: [OpenMonitor] = []
  var openNames: Set<String> = []
  /// Whose switch of location services a live session follows, and how it is.
  let store: ClientStore?
  var switches: StoredClient?
  var areServicesOn = true
  /// The grants of each monitor's client as they were last handed to its store, and when states are next.
  var keptGrants: [ClientID: SavedAuthorization] = [:]
  var nextSaving = Timestamp.earliest

  struct RangingKey: Hashable {
    let client: ClientID
    let constraint: IdentityConstraint
  }

  /// A prompt on its way to the prompter.
  struct ShownPrompt: Sendable {
    let prompt: Prompt
    let client: ClientID
  }

  /// Creates a session.
  ///
  /// - Parameters:
  ///   - source: Where inputs come from.
  ///   - configuration: How the engine works.
  ///   - prompter: Who answers prompts; without one a prompt stays open until ``BeaconClient/answer(_:precise:)``.
  ///   - recording: Where what goes in is recorded; `nil` for nowhere.
  ///   - store: Whose switch of location services holds while the source is live; `nil` follows none. A replay reads
  ///     none.
  public init(
    _ source: any ScanSource,
    configuration: Configuration = Configuration(),
    prompter: (any Prompter)? = nil,
    recording: Recording? = nil,
    followingSwitchOf store: ClientStore? = ClientStore()
  ) {
    self.source = source
    self.configuration = configuration
    self.prompter = prompter
    self.recording = recording
    self.store = store
    listeners = ListenerList(isLive: source.isLive)
    prompts = listeners.makeBuffer(isOfProgram: false)
    if prompter == nil { prompts.end() }
  }

  /// Where the timeline stands; before the first client, where the source's does.
  public var now: Timestamp {
    get async throws {
      try await start()
      return driver?.now ?? .earliest
    }
  }

  /// What the engine has counted so far.
  public var statistics: EngineStatistics { driver?.statistics ?? EngineStatistics() }

  // MARK: Clients

  /// Connects the operator as a client: always authorized, always in use.
  ///
  /// - Throws: What the source throws when asked for its time.
  public func connect() async throws -> BeaconClient {
    try await start()
    let client = join(driver?.connect())
    name(client.id, "operator", nil)
    return client
  }

  /// Connects a client that has grants of its own.
  ///
  /// - Parameters:
  ///   - manifest: What the program says of itself.
  ///   - name: What it is called in a recording; `nil` calls it by its number.
  ///   - saved: What an earlier run left of it: ``BeaconClient/saved``.
  ///   - isForeground: Whether it starts in the foreground.
  /// - Returns: The client.
  /// - Throws: What the source throws when asked for its time.
  public func connect(
    _ manifest: Manifest,
    named name: String? = nil,
    restoring saved: SavedClient = SavedClient(),
    isForeground: Bool = true
  ) async throws -> BeaconClient {
    try await start()
    var saved = saved
    saved.authorization.servicesOn = saved.authorization.servicesOn && areServicesOn
    let id = driver?.connect(manifest, restoring: saved, isForeground: isForeground)
    let client = join(id)
    self.name(client.id, name, saved.authorization)
    deliverAll()
    return client
  }

  /// Connects a client that stands as an authorization status says, for tests and for tools that need no prompts.
  ///
  /// - Throws: What the source throws when asked for its time.
  public func connect(
    _ manifest: Manifest,
    granted status: AuthorizationStatus,
    _ accuracy: AccuracyAuthorization = .full
  ) async throws -> BeaconClient {
    let authorization = SavedAuthorization(status: status, accuracy: accuracy)
    return try await connect(manifest, restoring: SavedClient(authorization: authorization))
  }

  /// Performs what a user did to the whole machine, such as switching location services.
  public func user(_ input: UserAction) async { user(input, of: nil) }

  func start() async throws {
    guard driver == nil else { return }
    let start = try await source.now
    await readSwitch()
    // Another call may have come first while this one waited.
    if driver == nil { driver = EngineDriver(configuration, startingAt: start) }
  }

  func join(_ id: ClientID?) -> BeaconClient {
    guard let id else {
      preconditionFailure("a client was connected before the engine was started")
    }
    clients.append(id)
    return BeaconClient(id: id, session: self, listeners: listeners)
  }

  // MARK: What clients ask

  func request(_ request: ClientRequest, by client: ClientID) {
    guard phase != .ended else { return }
    // What was stopped before is stopped before.
    runDeferredRequests()
    driver?.request(request, by: client)
    deliverAll()
  }

  /// Performs what a user did, at once: a microsecond after everything that was admitted.
  ///
  /// - Parameters:
  ///   - action: What the user did.
  ///   - client: The client concerned; `nil` concerns every client.
  ///   - isFromStore: Whether the store said it, which then needs not be written to it.
  func user(_ action: UserAction, of client: ClientID?, isFromStore: Bool = false) {
    guard phase != .ended else { return }
    driver?.perform(action, by: client)
    while let step = driver?.nextBeforeInput() { handle(step) }
    if case .services(let isOn) = action, !isFromStore { keepServices(on: isOn, by: client) }
    keepChanges()
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

  /// Does what was left by those who could not wait: sequences and handles that were dropped.
  func runDeferredRequests() {
    for deferred in listeners.drainDeferredRequests() {
      switch deferred {
      case .stopRanging(let constraint, let client):
        let key = RangingKey(client: client, constraint: constraint)
        let others = (rangings[key] ?? 1) - 1
        rangings[key] = others > 0 ? others : nil
        if others <= 0 { driver?.request(.stopRanging(constraint), by: client) }
      case .endService(let id, let client):
        driver?.request(.authorize(.endService(id: id)), by: client)
      }
    }
    deliverAll()
  }

  func terminate(_ client: ClientID) {
    guard phase != .ended else { return }
    driver?.terminate(client)
    deliverAll()
    listeners.finish(client)
  }

  func saved(_ client: ClientID) -> SavedClient {
    lastSaved[client] ?? driver?.saved(client) ?? SavedClient()
  }

  // MARK: Delivering

  /// Hands over what requests have caused, in order; the timeline stands.
  func deliverAll() {
    deliver(driver?.drainDeliveries() ?? [])
  }

  /// Does what the driver says, but for what takes time: to wait for clients, and for the source.
  func handle(_ step: EngineDriver.Step) {
    switch step {
    case .deliver(let deliveries): deliver(deliveries)
    case .record(let slice): record(slice)
    case .recordAction(let action): record(action)
    case .willPerform, .pull, .sourceEnded, .ended: break
    }
  }

  private func deliver(_ deliveries: [Delivery]) {
    keepChanges()
    for delivery in deliveries {
      guard case .client(let client) = delivery.recipient else { continue }
      var beacon: BeaconIdentity?
      if case .regionState(let region, .inside, _, _) = delivery.event {
        beacon = driver?.beacon(keeping: region, of: client)
      }
      listeners.tell(.delivery(delivery, beacon: beacon), to: client)
      if case .prompt(let prompt) = delivery.event { show(prompt, of: client) }
    }
  }

  private func show(_ prompt: Prompt, of client: ClientID) {
    if prompter != nil {
      prompts.put(ShownPrompt(prompt: prompt, client: client))
    } else if !listeners.hasPromptListener(client) {
      listeners.notify(.promptUnanswered(prompt), to: client)
    }
  }
}
