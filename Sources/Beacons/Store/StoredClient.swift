// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

internal import SystemKit
internal import Dispatch
internal import Synchronization

/// A client's place in a store while a program runs as it.
///
/// Saving returns at once: a queue with a thread of its own writes, and of several states that wait it writes the newest.
/// The same queue looks four times a second whether another process changed the grants or a switch, so that a change is
/// never mistaken for what this process itself has yet to write.
final class StoredClient: Sendable {
  /// What was kept when the client was opened.
  struct Contents: Sendable {
    /// The grants, with the switches put in; `nil` for the operator.
    var grants: SavedAuthorization?
    /// Whether the store knew the client.
    var isKnown = false
    var state = ClientState()
    var notes: [ClientDiagnostic] = []
  }

  /// What waits to be written.
  private struct Pending {
    var grants: SavedAuthorization?
    var areServicesOn: Bool?
    var state: (state: ClientState, grants: SavedAuthorization?, isLast: Bool)?
    var isScheduled = false
  }

  /// What the queue knows of the files; only the queue changes it.
  private struct Seen {
    var grants = SavedAuthorization()
    var isStored = false
    var stamp: ClientStore.Stamp?
    var lease: FileLock?
    var timer: (any DispatchSourceTimer)?
    var isClosed = false
    /// What was reported and still holds, so that it is reported once.
    var failures: [ClientDiagnostic] = []
  }

  private let store: ClientStore
  /// `nil` is nobody, for whom only the switches are watched.
  private let name: String?
  private let isOperator: Bool
  private let queue = DispatchQueue(label: "beacons.store")
  private let pending = Mutex(Pending())
  private let seen = Mutex(Seen())
  private let report: Mutex<(@Sendable (ClientDiagnostic) -> Void)?> = Mutex(nil)
  /// The user actions that changes by other processes amount to, in order.
  let changes: AsyncStream<[UserAction]>
  private let changed: AsyncStream<[UserAction]>.Continuation

  /// Four times a second: at once, to a user who gave a command in another window.
  static let interval = DispatchTimeInterval.milliseconds(250)

  init(_ name: String?, in store: ClientStore, isOperator: Bool = false) {
    self.name = name
    self.store = store
    self.isOperator = isOperator
    (changes, changed) = AsyncStream.makeStream(bufferingPolicy: .bufferingNewest(64))
  }

  deinit {
    changed.finish()
    seen.withLock { $0.timer?.cancel() }
  }

  // MARK: Opening

  /// Reads what was kept, and takes the lease.
  ///
  /// - Throws: ``SessionError/monitorAlreadyOpen(_:)`` while another runs as the client.
  func open() async throws(SessionError) -> Contents {
    let contents = await perform { $0.openNow() }
    guard let contents else { throw .monitorAlreadyOpen(name ?? "") }
    return contents
  }

  private func openNow() -> Contents? {
    var contents = Contents()
    var lease: FileLock?
    if let name {
      lease = store.lease(of: name)
      if lease == nil || store.isRunByOldProgram(name) { return nil }
      contents.isKnown = store.hasGrants(name)
    }
    let stamp = store.stamp(of: name)
    if let name, !isOperator {
      contents.grants = store.grants(of: name, notes: &contents.notes)
    } else {
      var grants = SavedAuthorization()
      grants.servicesOn = store.areServicesOn(notes: &contents.notes)
      contents.grants = isOperator ? nil : grants
    }
    if let name { contents.state = store.state(of: name, notes: &contents.notes) }
    seen.withLock { seen in
      seen.lease = lease
      seen.stamp = stamp
      seen.grants = contents.grants ?? SavedAuthorization()
      seen.isStored = contents.isKnown
      seen.failures = contents.notes.filter(\.isLasting)
    }
    return contents
  }

  /// Sets who is warned of what cannot be read or written.
  func onFailure(_ report: @escaping @Sendable (ClientDiagnostic) -> Void) {
    self.report.withLock { $0 = report }
  }

  /// Begins to look for changes by other processes.
  func watch() {
    seen.withLock { seen in
      guard seen.timer == nil, !seen.isClosed else { return }
      let timer = DispatchSource.makeTimerSource(queue: queue)
      timer.schedule(deadline: .now() + Self.interval, repeating: Self.interval)
      timer.setEventHandler { [weak self] in self?.look() }
      timer.resume()
      seen.timer = timer
    }
  }

  // MARK: Saving

  /// Writes grants that a user changed, unless they are in the file already; the switch is no part of them.
  func save(_ grants: SavedAuthorization) {
    guard name != nil, !isOperator else { return }
    submit { $0.grants = grants }
  }

  /// Switches location services of the store's account, as the user did in this program.
  func saveServices(on isOn: Bool) { submit { $0.areServicesOn = isOn } }

  /// Writes a state, unless the file has it; a later one takes its place while it waits.
  ///
  /// - Parameters:
  ///   - state: The regions and records.
  ///   - grants: How the client stands; `nil` is the operator.
  ///   - isLast: Whether the time of saving alone is written too, as at the end of a run.
  func save(_ state: ClientState, _ grants: SavedAuthorization?, isLast: Bool) {
    submit { pending in
      let wasLast = pending.state?.isLast ?? false
      pending.state = (state, grants, isLast || wasLast)
    }
  }

  private func submit(_ change: (inout Pending) -> Void) {
    let isNew = pending.withLock { pending in
      change(&pending)
      defer { pending.isScheduled = true }
      return !pending.isScheduled
    }
    if isNew { queue.async { self.writePending() } }
  }

  private func writePending() {
    let (grants, areServicesOn, state) = pending.withLock { pending in
      defer { pending = Pending() }
      return (pending.grants, pending.areServicesOn, pending.state)
    }
    guard let name, !seen.withLock({ $0.isClosed }) else { return }
    var notes: [ClientDiagnostic] = []
    var hasFailed = false
    do {
      if let grants { try write(grants, of: name, notes: &notes) }
      if let areServicesOn {
        try store.setServices(on: areServicesOn)
        seen.withLock { $0.grants.servicesOn = areServicesOn }
      }
    } catch {
      hasFailed = true
      notes.append(Self.note(of: error))
    }
    do {
      if let (state, grants, isLast) = state {
        try store.changeState(of: name, grants: grants, isLast: isLast, notes: &notes) {
          let runRegions = $0.runRegions
          $0 = state
          $0.runRegions = runRegions
        }
      }
    } catch {
      hasFailed = true
      notes.append(Self.note(of: error))
    }
    if !hasFailed { seen.withLock { $0.failures.removeAll { $0.isOfWriting } } }
    warn(notes)
  }

  private func write(
    _ grants: SavedAuthorization,
    of name: String,
    notes: inout [ClientDiagnostic]
  ) throws {
    let (known, isStored) = seen.withLock { ($0.grants, $0.isStored) }
    if !isStored || grants.lasting != known.lasting {
      // Where another process came first, its grants stay; as if ours had been written before, they are then a change.
      try store.change(name, from: known, notes: &notes) { $0 = grants }
      seen.withLock { seen in
        let areServicesOn = seen.grants.servicesOn
        seen.grants = grants
        seen.grants.servicesOn = areServicesOn
        seen.isStored = true
      }
    }
  }

  /// Returns when everything that was saved before is on the disk, or was found not to be writable.
  func flush() async { await perform { _ in } }

  /// Returns when everything is on the disk and another may run as the client.
  func close() async {
    await perform { client in
      client.seen.withLock { seen in
        seen.isClosed = true
        seen.lease = nil
        seen.timer?.cancel()
        seen.timer = nil
      }
    }
    changed.finish()
  }

  private func perform<Result: Sendable>(
    _ work: @escaping @Sendable (StoredClient) -> Result
  ) async -> Result {
    await withCheckedContinuation { continuation in
      queue.async { continuation.resume(returning: work(self)) }
    }
  }

  // MARK: Watching

  /// Looks whether another process changed the grants or a switch since.
  private func look() {
    let client = isOperator ? nil : name
    let stamp = store.stamp(of: client)
    guard seen.withLock({ $0.stamp != stamp && !$0.isClosed }) else { return }
    var notes: [ClientDiagnostic] = []
    var grants = SavedAuthorization()
    if let client {
      grants = store.grants(of: client, notes: &notes)
    } else {
      grants.servicesOn = store.areServicesOn(notes: &notes)
    }
    let inputs = seen.withLock { seen in
      defer { (seen.grants, seen.stamp) = (grants, stamp) }
      return GrantChange.inputs(from: seen.grants, to: grants)
    }
    warn(notes)
    if !inputs.isEmpty { changed.yield(inputs) }
  }

  // MARK: Warning

  private static func note(of error: any Error) -> ClientDiagnostic {
    if case StoreError.newerVersion(let path, let version) = error {
      return .stateOfNewerVersion(path: path, version: version)
    }
    return .persistenceUnavailable(reason: "\(error)")
  }

  private func warn(_ notes: [ClientDiagnostic]) {
    for note in notes {
      let isNew = seen.withLock { seen in
        guard note.isLasting else { return true }
        guard !seen.failures.contains(note) else { return false }
        seen.failures.append(note)
        return true
      }
      if isNew { report.withLock { $0 }?(note) }
    }
  }
}

extension ClientDiagnostic {
  /// Whether it goes on to hold, so that it is reported once.
  fileprivate var isLasting: Bool {
    switch self {
    case .stateOfNewerVersion, .switchUnreadable, .persistenceUnavailable: true
    case .engine, .failure, .promptUnanswered, .deliveriesDropped, .stateSetAside,
      .grantsNarrowed:
      false
    }
  }

  /// Whether it says that something could not be written.
  fileprivate var isOfWriting: Bool {
    if case .persistenceUnavailable = self { true } else { false }
  }
}
