// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

internal import SystemKit
internal import Dispatch
internal import Synchronization

/// Saves a client's grants and state, and watches them, while a program runs as the client.
///
/// Saving returns at once. A queue with its own thread writes; of several waiting states it writes the newest. Where a
/// ``StoreWatch`` finds changed files, the same queue reads whether another process changed the grants or a switch. Since
/// one queue does both, a change of another process is never confused with one that this process has yet to write.
final class StoredClient: Sendable {
  /// The saved data when the client was opened.
  struct Contents: Sendable {
    /// The grants, with the switches applied; `nil` for the operator.
    var grants: SavedAuthorization?
    /// Whether the store knew the client.
    var isKnown = false
    var state = ClientState()
    var notes: [ClientDiagnostic] = []
  }

  /// Changes that wait to be written.
  private struct Pending {
    var grants: SavedAuthorization?
    var areServicesOn: Bool?
    var state: (state: ClientState, grants: SavedAuthorization?, isLast: Bool)?
    var isScheduled = false
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
  }

  let store: ClientStore
  /// The client's name; `nil` watches only the switches.
  private let name: String?
  private let isOperator: Bool
  /// The file of its grants; `nil` where only the switches are watched.
  private let grantsPath: String?
  private let queue = DispatchQueue(label: "beacons.store")
  private let pending = Mutex(Pending())
  private let seen = Mutex(Seen())
  private let report: Mutex<(@Sendable (ClientDiagnostic) -> Void)?> = Mutex(nil)
  /// The changes by other processes as user actions, in order.
  let changes: AsyncStream<[UserAction]>
  private let changed: AsyncStream<[UserAction]>.Continuation

  init(_ name: String?, in store: ClientStore, isOperator: Bool = false) {
    self.name = name
    self.store = store
    self.isOperator = isOperator
    grantsPath = isOperator ? nil : name.map { store.grantsPath(of: $0) }
    (changes, changed) = AsyncStream.makeStream(bufferingPolicy: .bufferingNewest(64))
  }

  deinit { changed.finish() }

  // MARK: Opening

  /// Reads the saved data and takes the lease.
  ///
  /// - Throws: ``SessionError/monitorAlreadyOpen(_:)`` while another process runs as the client.
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
      if lease == nil { return nil }
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

  /// Sets the closure that receives a warning when something cannot be read or written.
  func onFailure(_ report: @escaping @Sendable (ClientDiagnostic) -> Void) {
    self.report.withLock { $0 = report }
  }

  // MARK: Saving

  /// Writes grants that a user changed, unless the file has them already.
  ///
  /// The switch is not part of them.
  func save(_ grants: SavedAuthorization) {
    guard name != nil, !isOperator else { return }
    submit { $0.grants = grants }
  }

  /// Switches location services of the store's account, as the user did in this program.
  func saveServices(on isOn: Bool) { submit { $0.areServicesOn = isOn } }

  /// Writes a state, unless the file has it already.
  ///
  /// A later state replaces one that still waits.
  ///
  /// - Parameters:
  ///   - state: The regions and records.
  ///   - grants: The client's grants; `nil` for the operator.
  ///   - isLast: Whether to write even if only the time of saving differs, as at the end of a run.
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
      // If another process wrote first, its grants stay. They then count as a change made after ours.
      try store.change(name, from: known, notes: &notes) { $0 = grants }
      seen.withLock { seen in
        let areServicesOn = seen.grants.servicesOn
        seen.grants = grants
        seen.grants.servicesOn = areServicesOn
        seen.isStored = true
      }
    }
  }

  /// Waits until everything saved before is on the disk, or writing it has failed.
  func flush() async { await perform { _ in } }

  /// Waits until everything is on the disk, then lets other processes run as the client.
  func close() async {
    await perform { client in
      client.seen.withLock { seen in
        seen.isClosed = true
        seen.lease = nil
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

  /// Whether changes by other processes still matter.
  var isOpen: Bool { seen.withLock { !$0.isClosed } }

  /// Reads the files on the queue if any of them was replaced.
  ///
  /// - Parameter switches: A stamp that has the switches as they are now.
  func check(_ switches: ClientStore.Stamp) {
    let stamp = ClientStore.Stamp(ofGrants: grantsPath, switchesOf: switches)
    let isDue = seen.withLock { seen in
      guard seen.stamp != stamp, !seen.isClosed, !seen.isDue else { return false }
      seen.isDue = true
      return true
    }
    if isDue { queue.async { self.look() } }
  }

  /// Reads whether another process changed the grants or a switch since the files were last read.
  private func look() {
    seen.withLock { $0.isDue = false }
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
