// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

internal import BeaconFormats
internal import SystemKit
internal import Synchronization

/// The files of one client: a queue reads, watches and writes them for a ``StoreKeeper``.
///
/// Saving returns at once; of several waiting states the newest is written. Since one queue reads and writes, a change of
/// another process is never confused with one that this process has yet to write.
package final class ClientFiles: Sendable {
  /// Who runs as the client.
  ///
  /// | | a program | a run of a command |
  /// |---|---|---|
  /// | another program as the same client | is refused | may run |
  /// | the store knows the client | after its first run | after its user's first decision |
  /// | a restriction | is kept | ends with the run |
  /// | saved regions | replace all of the program | replace those of the same names |
  /// | held events, a monitor's records | are kept | end with the run |
  package enum Owner: Sendable { case program, run }

  /// What a run does with the client's grants.
  enum Mode: Sendable {
    /// Neither read nor write them, as a replay whose recording contains them.
    case none
    /// Only read them, as any other replay that was given no store.
    case read
    /// Read them, follow what other processes change, and write.
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
    /// Whether the queue is about to read changed files.
    var isDue = false
    var isClosed = false
    /// Conditions that were reported and still hold, so that each is reported once.
    var failures: [ClientDiagnostic] = []
    /// Why the last change of grants or a switch is not in its file.
    var failure: (any Error)?
  }

  /// What a user should know of the files.
  private struct Notes {
    var report: (@Sendable (ClientDiagnostic) -> Void)?
    /// What no closure has received.
    var waiting: [(note: ClientDiagnostic, isOfState: Bool)] = []
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
  private let writer = CoalescingWriter("beacons.store")
  private let pending = Mutex(Pending())
  private let seen = Mutex(Seen())
  private let notes = Mutex(Notes())
  /// The changes by other processes as user actions, in order.
  let changes: AsyncStream<[UserAction]>
  private let changed: AsyncStream<[UserAction]>.Continuation

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
  ///   - owner: Who runs as the client.
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
    (changes, changed) = AsyncStream.makeStream(bufferingPolicy: .bufferingNewest(64))
  }

  deinit { changed.finish() }

  private var mode: Mode {
    if seen.withLock({ $0.stamp }) == nil { return .none }
    return grantsStore == nil ? .read : .keep
  }

  // MARK: Opening

  /// Reads the saved data of a program's client and takes the lease.
  ///
  /// - Throws: ``SessionError/monitorAlreadyOpen(_:)`` while another process runs as the client.
  func open() async throws(SessionError) -> Contents {
    let contents = await writer.perform { self.openNow() }
    guard let contents else { throw .monitorAlreadyOpen(name ?? "") }
    return contents
  }

  private func openNow() -> Contents? {
    var contents = Contents()
    var lease: FileLock?
    if let name {
      lease = store.lease(of: name)
      if lease == nil { return nil }
      contents.isKnown = store.hasGrants(name)
    }
    let grants = readGrants(notes: &contents.notes)
    contents.grants = isOperator ? nil : grants
    contents.state = readState(notes: &contents.notes)
    seen.withLock { seen in
      seen.lease = lease
      seen.isStored = contents.isKnown
      seen.failures = contents.notes.filter(\.isLasting)
    }
    return contents
  }

  /// Reads the grants, or only the switches for the operator; they are watched from now on.
  package func readGrants(notes: inout [ClientDiagnostic]) -> SavedAuthorization {
    let client = isOperator ? nil : name
    let stamp = store.stamp(of: client)
    var grants = SavedAuthorization()
    if let client {
      grants = store.grants(of: client, notes: &notes)
    } else {
      grants.servicesOn = store.areServicesOn(notes: &notes)
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
    writer.schedule { self.work() }
  }

  private func work() {
    writePending()
    guard seen.withLock({ $0.isDue && !$0.isClosed }) else { return }
    let actions = look()
    if !actions.isEmpty { changed.yield(actions) }
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
      if grantsFailed == nil, stateFailed == nil { seen.failures.removeAll { $0.isOfWriting } }
    }
  }

  /// Writes a file and reports what a user should know of it; returns why it cannot be written.
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
    notes: inout [ClientDiagnostic]
  ) throws {
    let (known, isStored) = seen.withLock { ($0.grants, $0.isStored) }
    var new = grants.lasting
    if owner == .run { new.isRestricted = known.isRestricted }
    guard new != known.lasting || (owner == .program && !isStored) else { return }
    // If another process wrote first, its grants stay. They then count as a change made after ours.
    try grantsStore?.change(name, from: grantsStore == store ? known : nil, notes: &notes) {
      $0 = new
    }
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
    changed.finish()
  }

  // MARK: Watching

  /// Whether changes by other processes still matter.
  var isOpen: Bool { seen.withLock { !$0.isClosed } }

  /// Reads the files on the queue if any of them was replaced; what it finds is in ``changes``.
  ///
  /// - Parameter switches: A stamp that has the switches as they are now.
  func check(_ switches: ClientStore.Stamp) {
    guard isReplaced(switches) else { return }
    seen.withLock { $0.isDue = true }
    writer.schedule { self.work() }
  }

  /// Reads the files if any of them was replaced, and waits for that; returns what other processes changed.
  func checkNow() -> [UserAction] {
    guard isReplaced(store.stamp(of: nil)) else { return [] }
    return writer.wait {
      writePending()
      return look()
    }
  }

  /// Whether a file was replaced since the grants were last read.
  private func isReplaced(_ switches: ClientStore.Stamp) -> Bool {
    guard mode != .none else { return false }
    let stamp = ClientStore.Stamp(ofGrants: grantsPath, switchesOf: switches)
    return seen.withLock { $0.stamp != stamp }
  }

  /// Reads what another process changed in the grants or a switch since the files were last read.
  private func look() -> [UserAction] {
    let old = seen.withLock { seen in
      seen.isDue = false
      return seen.grants
    }
    var notes: [ClientDiagnostic] = []
    let new = readGrants(notes: &notes)
    warn(notes, isOfState: false)
    return GrantChange.inputs(from: old, to: new)
  }

  // MARK: Warning

  /// Sets the closure that receives a warning when something cannot be read or written.
  func onFailure(_ report: @escaping @Sendable (ClientDiagnostic) -> Void) {
    notes.withLock { $0.report = report }
  }

  /// Removes and returns what a user should know, if no closure receives it.
  func drainNotes() -> [(note: ClientDiagnostic, isOfState: Bool)] {
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
    for note in found {
      let isNew = seen.withLock { seen in
        guard note.isLasting else { return true }
        guard !seen.failures.contains(note) else { return false }
        seen.failures.append(note)
        return true
      }
      guard isNew else { continue }
      let report = notes.withLock { notes in
        if notes.report == nil { notes.waiting.append((note, isOfState)) }
        return notes.report
      }
      report?(note)
    }
  }
}

extension ClientDiagnostic {
  /// Whether the condition lasts, so that it is reported once.
  fileprivate var isLasting: Bool {
    switch self {
    case .stateOfNewerVersion, .switchUnreadable, .persistenceUnavailable: true
    case .engine, .failure, .requestRefused, .promptUnanswered, .deliveriesDropped, .stateSetAside,
      .nothingRequested:
      false
    }
  }

  /// Whether the condition is that something could not be written.
  fileprivate var isOfWriting: Bool {
    if case .persistenceUnavailable = self { true } else { false }
  }
}
