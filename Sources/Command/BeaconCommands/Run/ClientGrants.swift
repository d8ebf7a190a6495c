// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

internal import BeaconCommandLine
internal import BeaconTerminal
package import BeaconCore
package import BeaconFormats
package import Beacons

/// The grants of a run's client: it fetches them, asks the user, and shows what limits the run.
package final class ClientGrants: RunParticipant {
  /// The places at which the user is asked.
  package enum Asking: Sendable {
    /// With lines at the terminal.
    case terminal
    /// In a view, and not with lines.
    case view
    /// With lines at the terminal, if there is one, and on pages.
    case terminalAndPages
  }

  private let client: RunClient
  private let io: CommandIO
  /// Whether the run continues while the user thinks; a replay waits.
  private let isLive: Bool
  private let showsLimits: Bool
  private let asking: Asking
  private let isForForeground: Bool
  private let beforeShowing: () throws -> Void
  /// Reads the grants and keeps them; `nil` if nothing is kept.
  package let keeper: StoreKeeper?

  /// The grants that the run starts with.
  package private(set) var initialGrants = SavedAuthorization()
  /// Whether the client starts in the foreground; not if a recording continues with it in the background.
  private var startsInForeground = true
  /// Whether the user answers prompts, and not a file or a recording.
  private var asksUser: Bool
  /// The client's limit now, and the one last shown: an open question has all the information.
  private var limit: RunLimit?
  private var shownLimit: RunLimit?
  private var prompt: PromptText?
  /// The usage indicator's style.
  package private(set) var indicator = UsageIndicator.Style.none

  /// - Parameters:
  ///   - client: The client.
  ///   - keeper: Reads the grants and keeps them.
  ///   - io: The command's surroundings.
  ///   - isLive: Whether the run continues while the user thinks; a replay waits.
  ///   - showsLimits: Whether limits are shown.
  ///   - asking: The places at which the user is asked.
  ///   - isForForeground: Whether the client is meant to work only in the foreground, so that it needs no more than
  ///     while-in-use.
  ///   - beforeShowing: Called before anything is shown.
  package init(
    _ client: RunClient,
    _ keeper: StoreKeeper?,
    io: CommandIO,
    isLive: Bool,
    showsLimits: Bool,
    asking: Asking = .terminal,
    isForForeground: Bool = false,
    beforeShowing: @escaping () throws -> Void
  ) {
    self.client = client
    self.keeper = keeper
    self.io = io
    self.isLive = isLive
    self.showsLimits = showsLimits
    self.asking = asking
    self.isForForeground = isForForeground
    self.beforeShowing = beforeShowing
    asksUser = client.answers == nil
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
    initialGrants = keeper?.readGrants() ?? SavedAuthorization()
    guard initialGrants.grant == .notDetermined, client.answers == nil, io.user == nil,
      asking == .terminal
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

  /// Uses the grants that a recording started with; the client's file is neither read nor written.
  package func useGrants(ofRecording grants: SavedAuthorization, isForeground: Bool = true) {
    initialGrants = grants
    startsInForeground = isForeground
    asksUser = false
  }

  /// Connects the client and schedules the answers.
  package func connect(to run: inout RunContext) -> ClientID? {
    if asksUser, io.user != nil || asking != .terminal { run.driver?.asksWhenQuiet() }
    let id = run.driver?.connect(
      client.manifest,
      restoring: SavedClient(authorization: initialGrants),
      isForeground: startsInForeground
    )
    (run.client, run.asksUser) = (id, asksUser)
    limit = run.snapshot.flatMap(RunLimit.init)
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
    let least = needsAlways ? AuthorizationRequest.always : .whenInUse
    run.driver?.request(.authorize(client.request ?? least), by: id)
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
    case .willWait where isLive: try readKeys(&run)
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
    // A page has answered it.
    if prompt != nil, run.snapshot?.prompt == nil { withdraw() }
    if concernsGrants { try settle(run) }
  }

  /// Shows a limit that is new.
  private func settle(_ run: borrowing RunContext) throws {
    guard let snapshot = run.snapshot else { return }
    limit = RunLimit(snapshot)
    guard limit != shownLimit, limit != .notDetermined || snapshot.prompt == nil else { return }
    shownLimit = limit
    if let limit, showsLimits {
      try show(limit.text(for: client.name, isForForeground: isForForeground))
    }
  }

  // MARK: Prompts

  private func show(_ prompt: Prompt) throws {
    guard asksUser, asking != .view, let user = io.user else { return }
    let text = PromptText(prompt, of: client.name)
    self.prompt = text
    for line in text.lines { try show(line) }
    user.receiveKeys(true)
  }

  private var needsUser: Bool { prompt != nil && !isLive }

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

  /// Leaves the terminal as it was.
  package func end() {
    withdraw()
  }

  // MARK: Messages

  private func show(_ line: String) throws {
    try beforeShowing()
    io.show(line)
  }
}
