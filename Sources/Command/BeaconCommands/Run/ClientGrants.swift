// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

internal import BeaconCommandLine
internal import BeaconTerminal
package import BeaconCore
package import BeaconFormats
internal import Beacons

/// The grants of a run's client: it fetches and keeps them, asks the user, and shows what limits the run.
package final class ClientGrants: RunParticipant {
  /// How the user is asked.
  package struct Ways {
    /// Whether the run continues while the user thinks; a replay waits.
    var isLive: Bool
    /// Whether limits are shown.
    var showsLimits: Bool
    /// Whether a view asks the user, instead of lines at the terminal.
    var hasView: Bool
    /// Whether the client is meant to work only in the foreground, so that it needs no more than while-in-use.
    var isForForeground: Bool
    /// The folder of the store that a replay was given; without one it keeps nothing.
    var stateDirectory: String?
    /// Called before anything is shown.
    var beforeShowing: () throws -> Void

    package init(
      isLive: Bool,
      showsLimits: Bool,
      hasView: Bool = false,
      isForForeground: Bool = false,
      keepingStateIn stateDirectory: String? = nil,
      beforeShowing: @escaping () throws -> Void
    ) {
      self.isLive = isLive
      self.showsLimits = showsLimits
      self.hasView = hasView
      self.isForForeground = isForForeground
      self.stateDirectory = stateDirectory
      self.beforeShowing = beforeShowing
    }
  }

  private let client: RunClient
  private let io: CommandIO
  private let ways: Ways
  /// Where the grants are read: on a replay the store it was given, if that knows the client, else the account's.
  private let store: ClientStore

  /// The grants that the run starts with.
  package private(set) var initialGrants = SavedAuthorization()
  /// Whether the client starts in the foreground; not where a recording goes on with it in the background.
  private var startsInForeground = true
  /// Whether the user answers prompts, and not a file or a recording.
  private var asksUser: Bool
  /// Where the grants are kept; a replay keeps them in a store that it was given, and never in the account's.
  private let keepingStore: ClientStore?
  /// The grants as the store has them; `nil` if the run has nothing to do with the store.
  private var kept: (grants: SavedAuthorization, stamp: ClientStore.Stamp)?
  private var limit: RunLimit?
  private var prompt: PromptText?
  private var nextLook = TimeSpan.zero
  /// What the usage indicator shows.
  package private(set) var indicator = UsageIndicator.Style.none

  /// Four times a second: at once, to a user who gave a command in another window.
  private static let lookInterval = TimeSpan.milliseconds(250)

  package init(_ client: RunClient, io: CommandIO, _ ways: Ways) {
    self.client = client
    asksUser = client.answers == nil
    self.io = io
    self.ways = ways
    let standard = ClientStore(environment: io.environment)
    let named = ways.isLive ? nil : ways.stateDirectory.map { ClientStore(directory: $0) }
    keepingStore = ways.isLive ? standard : named
    store = named.flatMap { $0.clients.contains(client.name) ? $0 : nil } ?? standard
  }

  /// Whether the client may not know of beacons now.
  package var isLimited: Bool { limit != nil && limit != .notInUse }

  /// The client's name in outputs.
  package var name: String { client.name }

  // MARK: The start

  /// Fetches the grants from the client's file.
  ///
  /// - Throws: ``CommandFailure`` 77 if the user must be asked and cannot be.
  package func fetchGrants() throws {
    var notes: [ClientDiagnostic] = []
    initialGrants = readGrants(notes: &notes)
    show(notes)
    guard initialGrants.grant == .notDetermined, client.answers == nil, io.user == nil,
      !ways.hasView
    else { return }
    let missing = (client.manifest.whenInUse ?? "").isEmpty
    throw CommandFailure(
      .notPermitted,
      "\(client.name) is not authorized, and no user can be asked:"
        + (missing ? " its manifest has no text 'whenInUse', and" : "")
        + " there is no terminal; 'beaconctl auth set whenInUse --client \(client.name)' grants it,"
        + " or give a user's answers with --answers FILE"
    )
  }

  private func readGrants(notes: inout [ClientDiagnostic]) -> SavedAuthorization {
    var stamp = store.stamp(of: client.name)
    let grants = store.grants(of: client.name, notes: &notes)
    // A damaged file was set aside, and its place is empty now.
    if !notes.isEmpty { stamp = store.stamp(of: client.name) }
    kept = (grants, stamp)
    return grants
  }

  /// Uses the grants that a recording started with; the client's file is neither read nor written.
  package func useGrants(ofRecording grants: SavedAuthorization, isForeground: Bool = true) {
    initialGrants = grants
    startsInForeground = isForeground
    asksUser = false
  }

  /// Connects the client and schedules the answers.
  package func connect(to run: inout RunContext) -> ClientID? {
    let id = run.driver?.connect(
      client.manifest,
      restoring: SavedClient(authorization: initialGrants),
      isForeground: startsInForeground
    )
    (run.client, run.asksUser) = (id, asksUser)
    for answer in client.answers ?? [] {
      run.schedule(
        RecordedUserAction(
          time: run.now + answer.time,
          client: answer.client,
          input: answer.input
        ),
        of: client.name
      )
    }
    return id
  }

  /// Requests what the client needs.
  package func ask(_ run: inout RunContext, monitoring isMonitoring: Bool) {
    guard let id = run.client else { return }
    // Only iOS 12 needs more for regions than for ranging; nobody is asked for more than is needed.
    let needsAlways = isMonitoring && run.engine.configuration?.profile == .coreLocation12
    run.driver?.request(.authorize(needsAlways ? .always : .whenInUse), by: id)
  }

  /// How the client stood at the start, for a recording.
  package var stateLine: ClientStateLine {
    ClientStateLine(client: client.name, grants: initialGrants, isForeground: startsInForeground)
  }

  // MARK: While it runs

  package func handle(_ moment: RunMoment, _ run: inout RunContext) throws {
    switch moment {
    case .delivered(let deliveries):
      try show(deliveries, run)
      // A replay stands while its user thinks.
      if needsUser { run.waitForUser() }
    case .willWait where ways.isLive:
      try readKeys(&run)
      applyChanges(&run)
    case .user(let span) where needsUser:
      try readKeys(&run, within: span)
      if io.user?.hasEnded ?? true { withdraw() }
      if needsUser { run.waitForUser() }
    case .settled: try settle(run)
    default: break
    }
  }

  private func show(_ deliveries: [Delivery], _ run: borrowing RunContext) throws {
    var concernsGrants = deliveries.isEmpty
    for delivery in deliveries {
      switch delivery.event {
      case .prompt(let prompt): try show(prompt)
      case .promptWithdrawn: withdraw()
      case .indicator(let style): indicator = style
      case .sighting, .ranged, .regionEntered, .regionExited, .regionState, .notification: continue
      default: break
      }
      concernsGrants = true
    }
    if concernsGrants { try settle(run) }
  }

  /// Says a limit that is new, and keeps grants that changed.
  private func settle(_ run: borrowing RunContext) throws {
    guard let id = run.client, let snapshot = run.snapshot, let grants = run.driver?.grants(of: id)
    else { return }
    let now = RunLimit(snapshot)
    // While the question is open, it says all there is to say.
    if now != limit, now != .notDetermined || snapshot.prompt == nil {
      limit = now
      if let now, ways.showsLimits {
        try show(now.text(for: client.name, isForForeground: ways.isForForeground))
      }
    }
    keep(grants)
  }

  private func keep(_ grants: SavedAuthorization) {
    guard let file = kept, let keepingStore else { return }
    // The switches and policies are not the client's to keep; an event held back ends with the run.
    var lasting = grants
    lasting.confirmationDue = lasting.confirmationDue || lasting.held != nil
    lasting.held = nil
    lasting.servicesOn = file.grants.servicesOn
    lasting.isRestricted = file.grants.isRestricted
    guard lasting != file.grants else { return }
    var notes: [ClientDiagnostic] = []
    // Whoever changed the grants meanwhile comes first: a live run takes them up next, a replay leaves them.
    let expected = keepingStore == store ? file.grants : nil
    do {
      let result = try keepingStore.change(client.name, from: expected, notes: &notes) {
        $0 = lasting
      }
      show(notes)
      if result != nil { kept = (lasting, store.stamp(of: client.name)) }
    } catch {
      kept = nil
      show([.persistenceUnavailable(reason: "\(error)")])
    }
  }

  /// Applies changes that another process made to the client's grants.
  private func applyChanges(_ run: inout RunContext) {
    guard let file = kept, io.clock.elapsed >= nextLook else { return }
    nextLook = io.clock.elapsed + Self.lookInterval
    guard store.stamp(of: client.name) != file.stamp else { return }
    var notes: [ClientDiagnostic] = []
    let grants = readGrants(notes: &notes)
    show(notes)
    for input in GrantChange.inputs(from: file.grants, to: grants) { run.perform(input) }
  }

  // MARK: Prompts

  private func show(_ prompt: Prompt) throws {
    guard asksUser, !ways.hasView, let user = io.user else { return }
    let text = PromptText(prompt, of: client.name)
    self.prompt = text
    for line in text.lines { try show(line) }
    user.receiveKeys(true)
  }

  private var needsUser: Bool { prompt != nil && !ways.isLive }

  private func readKeys(_ run: inout RunContext, within patience: Duration = .zero) throws {
    guard prompt != nil, let key = io.user?.key(within: patience),
      let outcome = prompt?.press(key)
    else { return }
    switch outcome {
    case .answer(let input):
      withdraw()
      run.perform(input)
    case .changed: if let keys = prompt?.keys { try show(keys) }
    case .none: break
    }
  }

  private func withdraw() {
    guard prompt != nil else { return }
    prompt = nil
    io.user?.receiveKeys(false)
  }

  /// Leaves the terminal as it was, and keeps what was earned.
  package func end() {
    withdraw()
  }

  // MARK: Messages

  private func show(_ line: String) throws {
    try ways.beforeShowing()
    io.show(line)
  }

  private func show(_ notes: [ClientDiagnostic]) {
    try? ways.beforeShowing()
    for note in notes { io.show(ClientNote.text(of: note, client.name)) }
  }
}
