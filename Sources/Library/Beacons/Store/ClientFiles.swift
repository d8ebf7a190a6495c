// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

internal import BeaconFormats
internal import SystemKit
internal import Synchronization

/// The files of one client: a queue reads, watches and writes them for a ``StoreKeeper``.
///
/// Saving returns immediately; of several waiting states the newest is written. Since one queue reads and writes, a change of
/// another process is never confused with one that this process has yet to write.
package final class ClientFiles: Sendable {
  /// The kind of program that runs as the client.
  ///
  /// | | a program | a run of a command |
  /// |---|---|---|
  /// | another program as the same client | is refused | may run |
  /// | the store knows the client | after its first run | after its user's first decision |
  /// | a restriction | is kept | ends with the run |
  /// | saved regions | replace all of the program | replace those of the same names |
  /// | held events, a monitor's records | are kept | end with the run |
  package enum Owner: Sendable { case program, run }

  /// The use that a run makes of the client's grants.
  enum Mode: Sendable {
    /// Neither read nor write them, as a replay whose recording contains them.
    case none
    /// Only read them, as any other replay that was given no store.
    case read
    /// Read them, follow the changes of other processes, and write.
    case keep
  }

  /// The saved data when the client was opened.
  struct Contents: Sendable {
    /// The grants, with the switches applied; `nil` for the operator.
    var grants: SavedAuthorization?
    /// Whether the store knew the client.
    var isKnown = false
    var state = ClientState()
    var notes: [ClientDiagnostic] = []
  }

  /// A change of the saved state.
  typealias StateChange = @Sendable (inout ClientState) -> Void

  /// Changes that wait to be written.
  private struct Pending {
    var grants: SavedAuthorization?
    var areServicesOn: Bool?
    var state: (change: StateChange, grants: SavedAuthorization?, isLast: Bool)?
  }

  /// The queue's knowledge of the files; only the queue changes it.
  private struct Seen {
    var grants = SavedAuthorization()
    var isStored = false
    var stamp: ClientStore.Stamp?
    var lease: FileLock?
    var isClosed = false
    /// Conditions that were reported and still hold, so that each is reported once.
    var failures: [Note] = []
    /// Why the last change of grants or a switch is not in its file.
    var failure: (any Error)?
  }

  /// A warning for the user about the files.
  struct Note: Sendable, Equatable {
    let diagnostic: ClientDiagnostic
    /// Whether it is about the state; a program does not distinguish it from the grants.
    let isOfState: Bool
  }

  private struct Notes {
    var report: (@Sendable (ClientDiagnostic) -> Void)?
    /// Warnings that no closure has received.
    var waiting: [Note] = []
  }

  /// The store that has the grants, and whose switches apply.
  let store: ClientStore
  /// The client's name; `nil` watches only the switches.
  let name: String?
  let isOperator: Bool
  let owner: Owner
  /// Where grants are written; `nil` if they are only read.
  private let grantsStore: ClientStore?
  /// Where the state is read and written; `nil` if it is not.
  private let stateStore: ClientStore?
  /// The file of its grants; `nil` where only the switches are watched.
  private let grantsPath: String?
  private let writer = CoalescingWriter("beacons.store", isOneOfMany: true)
  private let pending = Mutex(Pending())
  private let seen = Mutex(Seen())
  private let notes = Mutex(Notes())

  /// Creates the files of a program's client.
  convenience init(_ name: String?, in store: ClientStore, isOperator: Bool = false) {
    self.init(
      name,
      of: .program,
      readingGrantsOf: store,
      keepingGrantsIn: store,
      keepingStateIn: store,
      isOperator: isOperator
    )
  }

  /// Creates the files of a client.
  ///
  /// - Parameters:
  ///   - name: The client's name; `nil` watches only the switches.
  ///   - owner: The kind of program that runs as the client.
  ///   - store: The store that has the grants, and whose switches apply.
  ///   - grantsStore: Where grants are written; `nil` only reads them.
  ///   - stateStore: Where the state is read and written; `nil` does neither.
  ///   - isOperator: Whether the client is the operator, who has no grants.
  package init(
    _ name: String?,
    of owner: Owner,
    readingGrantsOf store: ClientStore,
    keepingGrantsIn grantsStore: ClientStore?,
    keepingStateIn stateStore: ClientStore?,
    isOperator: Bool
  ) {
    self.name = name
    self.owner = owner
    self.store = store
    self.grantsStore = grantsStore
    self.stateStore = stateStore
    self.isOperator = isOperator
    grantsPath = isOperator ? nil : name.map { store.grantsPath(of: $0) }
  }

  private var mode: Mode {
    if seen.withLock({ $0.stamp }) == nil { return .none }
    return grantsStore == nil ? .read : .keep
  }

  // MARK: Opening

  /// Reads the saved data of a program's client and takes the lease.
  ///
  /// - Throws: ``SessionError/monitorAlreadyOpen(_:)`` while another process runs as the client,
  ///   ``SessionError/storeUnavailable(_:reason:)`` while descriptors are missing, so that its grants are not known.
  func open() async throws(SessionError) -> Contents {
    try await writer.perform { () -> Result<Contents, SessionError> in
      do throws(SessionError) {
        return .success(try self.openNow())
      } catch {
        return .failure(error)
      }
    }.get()
  }

  private func openNow() throws(SessionError) -> Contents {
    var contents = Contents()
    var lease: FileLock?
    if let name {
      do throws(OutputRefusal) {
        lease = try store.lease(of: name)
      } catch {
        if case .cannotLock = error { throw .storeUnavailable(name, reason: "\(error)") }
      }
      if lease == nil { throw .monitorAlreadyOpen(name) }
      contents.isKnown = store.hasGrants(name)
    }
    let grants: SavedAuthorization
    do throws(SystemError) {
      grants = try readGrantsNow(notes: &contents.notes)
    } catch {
      guard name == nil else { throw .storeUnavailable(name ?? "", reason: "\(error)") }
      // The switch counts as off until it is read, which is tried each second.
      contents.notes.append(.switchUnreadable(path: store.machinePath, reason: "\(error)"))
      grants = SavedAuthorization(servicesOn: false)
      seen.withLock { ($0.stamp, $0.grants) = (.never, grants) }
    }
    contents.grants = isOperator ? nil : grants
    contents.state = readState(notes: &contents.notes)
    seen.withLock { seen in
      seen.lease = lease
      seen.isStored = contents.isKnown
      seen.failures = contents.notes.filter(\.isLasting).map {
        Note(diagnostic: $0, isOfState: false)
      }
    }
    return contents
  }

  /// Reads the grants, or only the switches for the operator; they are watched from now on.
  package func readGrants(notes: inout [ClientDiagnostic]) -> SavedAuthorization {
    do throws(SystemError) {
      return try readGrantsNow(notes: &notes)
    } catch {
      notes.append(.persistenceUnavailable(reason: "\(error)"))
      seen.withLock { ($0.stamp, $0.grants) = (.never, ClientStore.unread) }
      return ClientStore.unread
    }
  }

  /// Reads the same; if descriptors are missing, nothing changes, and ``look()`` tries again.
  private func readGrantsNow(
    notes: inout [ClientDiagnostic]
  ) throws(SystemError) -> SavedAuthorization {
    let client = isOperator ? nil : name
    let stamp = store.stamp(of: client)
    var grants = SavedAuthorization()
    if let client {
      grants = try store.readGrants(of: client, notes: &notes)
    } else {
      grants.servicesOn = try store.readSwitches(notes: &notes)
    }
    seen.withLock { ($0.stamp, $0.grants) = (stamp, grants) }
    return grants
  }

  /// Reads the saved state.
  package func readState(notes: inout [ClientDiagnostic]) -> ClientState {
    guard let name, let stateStore else { return ClientState() }
    return stateStore.state(of: name, notes: &notes)
  }

  // MARK: Saving

  /// Writes grants that a user changed, unless the file has them already.
  ///
  /// The switch is not part of them.
  func save(_ grants: SavedAuthorization) {
    guard mode == .keep, name != nil, !isOperator else { return }
    submit { $0.grants = grants }
  }

  /// Writes grants that a user decided just now, also if they are those of before: their file may have been removed.
  ///
  /// - Returns: Why they are not in their file; `nil` if they are on the disk.
  func saveDecision(_ grants: SavedAuthorization) async -> (any Error)? {
    await writer.perform { () -> (any Error)? in
      self.writePending()
      let failure = self.attempt(isOfState: false) { notes in
        guard let name = self.name, !self.seen.withLock({ $0.isClosed }) else {
          throw StoreError.closed
        }
        try self.write(grants, of: name, isDecision: true, notes: &notes)
      }
      self.seen.withLock { seen in
        seen.failure = failure
        if failure == nil { seen.failures.removeAll { $0.diagnostic.isOfWriting } }
      }
      return failure
    }
  }

  /// Switches location services of the store's account, as the user did in this program.
  func saveServices(on isOn: Bool) { submit { $0.areServicesOn = isOn } }

  /// Changes the state, unless the file has the new one already.
  ///
  /// A later change replaces one that still waits.
  ///
  /// - Parameters:
  ///   - grants: The client's grants; `nil` for the operator.
  ///   - isLast: Whether to write even if only the time of saving differs, as at the end of a run.
  ///   - change: Changes the regions and records.
  func saveState(_ grants: SavedAuthorization?, isLast: Bool, _ change: @escaping StateChange) {
    guard stateStore != nil, name != nil else { return }
    submit { pending in
      let wasLast = pending.state?.isLast ?? false
      pending.state = (change, grants, isLast || wasLast)
    }
  }

  private func submit(_ change: (inout Pending) -> Void) {
    pending.withLock { change(&$0) }
    writer.schedule { self.writePending() }
  }

  private func writePending() {
    let (grants, areServicesOn, state) = pending.withLock { pending in
      defer { pending = Pending() }
      return (pending.grants, pending.areServicesOn, pending.state)
    }
    guard let name, !seen.withLock({ $0.isClosed }) else { return }
    let grantsFailed = attempt(isOfState: false) { notes in
      if let grants { try write(grants, of: name, notes: &notes) }
      if let areServicesOn {
        try store.setServices(on: areServicesOn)
        seen.withLock { $0.grants.servicesOn = areServicesOn }
      }
    }
    let stateFailed = attempt(isOfState: true) { notes in
      guard let (change, grants, isLast) = state else { return }
      try stateStore?.changeState(of: name, grants: grants, isLast: isLast, notes: &notes, change)
    }
    seen.withLock { seen in
      if grants != nil || areServicesOn != nil { seen.failure = grantsFailed }
      if grantsFailed == nil, stateFailed == nil {
        seen.failures.removeAll { $0.diagnostic.isOfWriting }
      }
    }
  }

  /// Writes a file and reports its warnings; returns why it cannot be written.
  private func attempt(
    isOfState: Bool,
    _ write: (inout [ClientDiagnostic]) throws -> Void
  ) -> (any Error)? {
    var notes: [ClientDiagnostic] = []
    var failure: (any Error)?
    do {
      try write(&notes)
    } catch {
      failure = error
      notes.append(Self.note(of: error))
    }
    warn(notes, isOfState: isOfState)
    return failure
  }

  private func write(
    _ grants: SavedAuthorization,
    of name: String,
    isDecision: Bool = false,
    notes: inout [ClientDiagnostic]
  ) throws {
    let (known, isStored) = seen.withLock { ($0.grants, $0.isStored) }
    var new = grants.lasting
    if owner == .run { new.isRestricted = known.isRestricted }
    guard isDecision || new != known.lasting || (owner == .program && !isStored) else { return }
    // If another process wrote first, its grants stay. They then count as a change made after ours. A removed file has no
    // decision that could be lost, so a user's takes its place; a change by time does not.
    let written = try grantsStore?.change(
      name,
      from: grantsStore == store ? known : nil,
      orAbsent: isDecision || new.decision != known.decision,
      notes: &notes
    ) { $0 = new }
    if isDecision, written == nil { throw StoreError.contested(path: store.grantsPath(of: name)) }
    seen.withLock { seen in
      new.servicesOn = seen.grants.servicesOn
      seen.grants = new
      seen.isStored = true
    }
  }

  /// Waits until everything saved before is on the disk, or writing it has failed.
  ///
  /// - Returns: Why the grants or the switch that were saved last are not in their file; `nil` if they are.
  @discardableResult
  func flush() async -> (any Error)? {
    await writer.perform { self.seen.withLock { $0.failure } }
  }

  /// Waits until everything saved before is on the disk, or writing it has failed; it blocks.
  func wait() { writer.wait {} }

  /// Waits until everything is on the disk, then lets other processes run as the client.
  func close() async {
    await writer.perform {
      self.seen.withLock { seen in
        seen.isClosed = true
        seen.lease = nil
      }
    }
  }

  // MARK: Watching

  private static let watch = CoalescingWriter("beacons.store.watch")

  /// Returns those of some clients of which another process may have replaced a file, by a system call for each client.
  static func replaced(among clients: [ClientFiles]) async -> [ClientFiles] {
    await watch.perform {
      // The switches are the same for all clients of a store.
      var switches: [ClientStore: ClientStore.Stamp] = [:]
      return clients.filter { client in
        let stamp = switches[client.store] ?? client.store.stamp(of: nil)
        switches[client.store] = stamp
        return client.isReplaced(stamp)
      }
    }
  }

  /// Reads the files; returns the changes of other processes since they were last read.
  func look() async -> [UserAction] { await writer.perform { self.changes() } }

  /// Reads the files if any of them was replaced, and waits for that; returns the changes of other processes.
  func lookNow() -> [UserAction] {
    isReplaced(store.stamp(of: nil)) ? writer.wait { changes() } : []
  }

  /// Whether a file was replaced since the grants were last read.
  private func isReplaced(_ switches: ClientStore.Stamp) -> Bool {
    guard mode != .none else { return false }
    let stamp = ClientStore.Stamp(ofGrants: grantsPath, switchesOf: switches)
    return seen.withLock { $0.stamp != stamp && !$0.isClosed }
  }

  private func changes() -> [UserAction] {
    writePending()
    let old = seen.withLock { $0.grants }
    var notes: [ClientDiagnostic] = []
    var new = old
    do throws(SystemError) {
      new = try readGrantsNow(notes: &notes)
      seen.withLock { $0.failures.removeAll { $0.diagnostic == Self.putOff } }
    } catch {
      // The grants of before stay until the files can be read.
      notes = [Self.putOff]
    }
    warn(notes, isOfState: false)
    return GrantChange.inputs(from: old, to: new)
  }

  /// The warning that a change of the files is not known yet.
  fileprivate static let putOff = ClientDiagnostic.persistenceUnavailable(
    reason:
      "its changed grants cannot be read now, for want of descriptors or memory; those of before hold"
  )

  /// Whether the last attempt to write the state or the grants failed.
  var hasUnwritten: Bool { seen.withLock { $0.failures.contains { $0.diagnostic.isOfWriting } } }

  // MARK: Warning

  /// Sets the closure that receives a warning when something cannot be read or written.
  func onFailure(_ report: @escaping @Sendable (ClientDiagnostic) -> Void) {
    notes.withLock { $0.report = report }
  }

  /// Removes and returns the warnings that no closure has received.
  func drainNotes() -> [Note] {
    notes.withLock { notes in
      defer { notes.waiting = [] }
      return notes.waiting
    }
  }

  private static func note(of error: any Error) -> ClientDiagnostic {
    if case StoreError.newerVersion(let path, let version) = error {
      return .stateOfNewerVersion(path: path, version: version)
    }
    return .persistenceUnavailable(reason: "\(error)")
  }

  private func warn(_ found: [ClientDiagnostic], isOfState: Bool) {
    let isOfState = isOfState && owner == .run
    for note in found.map({ Note(diagnostic: $0, isOfState: isOfState) }) {
      let isNew = seen.withLock { seen in
        guard note.diagnostic.isLasting else { return true }
        guard !seen.failures.contains(note) else { return false }
        seen.failures.append(note)
        return true
      }
      guard isNew else { continue }
      let report = notes.withLock { notes in
        if notes.report == nil { notes.waiting.append(note) }
        return notes.report
      }
      report?(note.diagnostic)
    }
  }
}

extension SavedAuthorization {
  /// The part that only a user changes.
  fileprivate var decision: SavedAuthorization {
    SavedAuthorization(grant: grant, accuracy: accuracy, isRestricted: isRestricted)
  }
}

extension ClientDiagnostic {
  /// Whether the condition lasts, so that it is reported once.
  fileprivate var isLasting: Bool {
    switch self {
    case .stateOfNewerVersion, .switchUnreadable, .persistenceUnavailable: true
    case .engine, .failure, .requestRefused, .promptUnanswered, .deliveriesDropped, .stateSetAside,
      .nothingRequested, .replayContinued, .serviceUnavailable, .serviceAvailable:
      false
    }
  }

  /// Whether the condition is that something could not be written.
  fileprivate var isOfWriting: Bool {
    if case .persistenceUnavailable = self { self != ClientFiles.putOff } else { false }
  }
}
