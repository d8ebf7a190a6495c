// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

package import BeaconCore

/// Keeps in a store what must outlive a run about its clients: for a command, a session and a service alike.
///
/// It writes grants when they change, and states once a minute and at the end. What other processes change in the store
/// becomes a user action of the run.
package final class StoreKeeper: RunParticipant {
  /// A client of the run.
  package struct Client {
    let id: ClientID
    let name: String
    /// The records of the monitor that the client belongs to: handled and unhandled events; `nil` without a monitor.
    var records: (() -> (handled: [MonitorEvent], unhandled: [MonitorEvent]))?
    /// Where the client is stored; `nil` if it is not.
    var files: ClientFiles?

    var isOperator: Bool { files?.isOperator ?? false }
  }

  /// The clients, in the order in which they were added.
  private(set) var clients: [Client] = []
  private let isLive: Bool
  /// The files of a command's one client; `nil` in a session.
  private let files: ClientFiles?
  /// The regions that a command names.
  private let regions: [Region]
  /// The greatest age at which the state of such a region is restored.
  private let age: TimeSpan
  private let restores: Bool
  private let elapsed: () -> TimeSpan
  private let show: (_ note: ClientDiagnostic, _ isOfState: Bool) -> Void
  private var nextLook = TimeSpan.zero
  /// How many clients' files were looked at.
  private var looked = 0
  /// The grants of each client as last passed to its files, with the driver's number of their changes.
  private var keptGrants: [ClientID: SavedAuthorization] = [:]
  private var keptVersion: UInt64?
  private var nextSaving = Timestamp.earliest

  /// How much a crash can lose: a minute.
  ///
  /// That is a small part of the age up to which a state is restored, and a few kilobytes a minute are little to write,
  /// even for a memory card.
  private static let savingInterval = TimeSpan.seconds(60)
  /// Four times a second: a user who gives a command in another window sees its effect immediately.
  package static let lookInterval = TimeSpan.milliseconds(250)
  private static let looksPerSecond = 4
  /// So many clients are looked at each time, however many there are.
  private static let fewClients = 4

  /// Creates a keeper.
  ///
  /// A session adds its clients, and looks at their files itself. A command has one client, whose files the keeper looks
  /// at while the run waits.
  ///
  /// - Parameters:
  ///   - isLive: Whether states are saved while the run continues. A replay may deliver thousands of events a second and
  ///     can be run again, so it saves them only at its end.
  ///   - files: The files of a command's client.
  ///   - regions: The regions that a command names.
  ///   - age: The greatest age at which the state of such a region is restored.
  ///   - restores: Whether states of earlier runs are restored; a recorded run must not depend on them.
  ///   - elapsed: The time since some start.
  ///   - show: Shows the user of a command a warning about the grants, or about the state.
  package init(
    isLive: Bool,
    of files: ClientFiles? = nil,
    regions: [Region] = [],
    restoredFor age: TimeSpan = .zero,
    restores: Bool = false,
    elapsed: @escaping () -> TimeSpan = { .zero },
    show: @escaping (_ note: ClientDiagnostic, _ isOfState: Bool) -> Void = { _, _ in }
  ) {
    self.isLive = isLive
    self.files = files
    self.regions = regions
    self.age = age
    self.restores = restores
    self.elapsed = elapsed
    self.show = show
  }

  // MARK: A command

  /// Reads the grants of a command's client.
  package func readGrants() -> SavedAuthorization {
    var notes: [ClientDiagnostic] = []
    let grants = files?.readGrants(notes: &notes)
    for note in notes { show(note, false) }
    return grants ?? SavedAuthorization()
  }

  /// Keeps the client of a command from now on, and monitors its regions, with the states that the last run left.
  package func begin(_ client: ClientID, _ run: inout RunContext) {
    guard let files else { return }
    nextSaving = run.now + Self.savingInterval
    add(Client(id: client, name: files.name ?? "", files: files))
    guard !regions.isEmpty else { return }
    var notes: [ClientDiagnostic] = []
    let saved = restores ? files.readState(notes: &notes).runRegions : []
    for note in notes { show(note, true) }
    for region in regions {
      // One that has changed since is another region.
      if let saved = saved.first(where: { $0.region == region }) {
        run.driver?.resume(saved, by: client)
      } else {
        run.engine.request(.monitor(region), by: client)
      }
    }
  }

  /// Whether something of a command's client could not be written, once its run has ended.
  package var hasUnwritten: Bool { files?.hasUnwritten ?? false }

  // MARK: Clients

  /// Keeps a client from now on.
  func add(_ client: Client) {
    clients.append(client)
    keptVersion = nil
  }

  /// Keeps nothing more of a client.
  func remove(_ client: ClientID) {
    clients.removeAll { $0.id == client }
    keptGrants[client] = nil
  }

  /// Returns what is kept of a client; `nil` for one that was given no name.
  func client(_ id: ClientID) -> Client? { clients.first { $0.id == id } }

  // MARK: The run

  package func handle(_ moment: RunMoment, _ run: inout RunContext) {
    guard !clients.isEmpty else { return }
    switch moment {
    case .delivered(let deliveries):
      keepGrants(run)
      if isLive, files != nil, deliveries.contains(where: Self.changesStates) { saveAll(run) }
    case .settled:
      keepGrants(run)
      if isLive, run.now >= nextSaving { saveAll(run) }
    case .willWait where isLive: look(&run)
    case .ended(let isComplete):
      if isComplete { saveAll(run, isLast: true) }
      files?.wait()
    default: return
    }
    for note in files?.drainNotes() ?? [] { show(note.diagnostic, note.isOfState) }
  }

  private func keepGrants(_ run: borrowing RunContext) {
    // Asked for each delivery, so the clients are not looked at one by one.
    guard run.engine.grantsVersion != keptVersion else { return }
    keptVersion = run.engine.grantsVersion
    for client in clients where !client.isOperator {
      guard let grants = run.driver?.grants(of: client.id), keptGrants[client.id] != grants else {
        continue
      }
      keptGrants[client.id] = grants
      client.files?.save(grants)
      // A command continues only when the user's decision is on the disk; a session, an actor, may not wait for it.
      files?.wait()
    }
  }

  /// Whether an event says that what is kept of a run's regions is no longer so, or no longer to be kept.
  private static func changesStates(_ delivery: Delivery) -> Bool {
    switch delivery.event {
    case .regionEntered, .regionExited, .authorization: true
    case .regionState(_, _, let origin, _): origin == .observed
    default: false
    }
  }

  private func saveAll(_ run: borrowing RunContext, isLast: Bool = false) {
    nextSaving = run.now + Self.savingInterval
    for client in clients {
      save(client, run.engine.saved(client.id), at: run.now, isLast: isLast)
    }
  }

  /// Saves a client's state; the disk may take long, which does not hold up the deliveries.
  ///
  /// Of a client that is neither a monitor's nor a command's with regions only the grants are kept.
  func save(_ client: Client, _ saved: SavedClient, at now: Timestamp, isLast: Bool = false) {
    guard let files = client.files else { return }
    let grants = files.isOperator ? nil : saved.authorization
    if !regions.isEmpty {
      let (names, age) = (Set(regions.map(\.identifier)), age)
      files.saveState(grants, isLast: isLast) {
        $0.keepRun(saved.regions, replacing: names, at: now, for: age)
      }
    } else if let records = client.records {
      let kept = ClientState(saved, records())
      files.save(saved.authorization)
      files.saveState(grants, isLast: isLast) { $0.keepProgram(kept) }
    }
  }

  /// The clients of a session whose files are looked at now: few each time, many in turn, each of them once a second.
  func nextToLook(and switches: ClientFiles? = nil) -> [ClientFiles] {
    let all = clients.compactMap(\.files) + [switches].compactMap { $0 }
    let count = min(all.count, max(Self.fewClients, all.count / Self.looksPerSecond + 1))
    defer { looked &+= count }
    return (0..<count).map { all[(looked + $0) % all.count] }
  }

  private func look(_ run: inout RunContext) {
    guard let files, elapsed() >= nextLook else { return }
    nextLook = elapsed() + Self.lookInterval
    for action in files.lookNow() { run.perform(action) }
  }
}

extension ClientState {
  /// Creates the state of a program's client.
  init(_ saved: SavedClient, _ records: (handled: [MonitorEvent], unhandled: [MonitorEvent])) {
    self.init()
    regions = saved.regions
    held = saved.authorization.held
    heldEvents = saved.heldEvents
    (handled, unhandled) = records
  }

  /// Replaces everything that is a program's.
  mutating func keepProgram(_ program: ClientState) {
    let ofRuns = runRegions
    self = program
    runRegions = ofRuns
  }

  /// Replaces the regions of a command's run; those of other runs stay until they are too old to be restored.
  mutating func keepRun(
    _ regions: [SavedRegion],
    replacing names: Set<RegionIdentifier>,
    at now: Timestamp,
    for age: TimeSpan
  ) {
    let others = runRegions.filter { other in
      let elapsed = now - other.savedAt
      return !names.contains(other.region.identifier) && elapsed >= .zero && elapsed <= age
    }
    // A region without a known state is not kept.
    let known = regions.filter {
      $0.state != .unknown || $0.lastKnown != nil || !$0.intervals.isEmpty
    }
    runRegions = (known + others).sorted { $0.region.identifier < $1.region.identifier }
  }
}
