// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

package import BeaconCore
internal import Beacons
internal import Synchronization

/// Keeps the states of a run's regions for the next run, and restores what the last one kept.
///
/// A live run does so by itself, as monitored regions outlive a program (row G3). A replay does it where it is asked
/// to, in a directory of its own; else what it tells would depend on what was run before.
package final class RegionKeeper: RunParticipant {
  private let regions: [Region]
  private let client: String
  private let store: ClientStore
  private let isOperator: Bool
  private let writer = CoalescingWriter()
  private let notes = KeeperNotes()
  private let age: TimeSpan
  private let restores: Bool
  private let isLive: Bool
  private let showLine: (String) -> Void
  private var id: ClientID?
  private var known: [SavedRegion]?
  private var nextTime = Timestamp.earliest

  /// A minute of what a crash can lose: some thousandths of the age up to which a state is restored, and a write of a
  /// few kilobytes that a memory card does not notice.
  private static let interval = TimeSpan.seconds(60)

  /// Creates the keeper from a run's options.
  ///
  /// - Returns: `nil` if there is nothing to keep: no region, or a replay that was not asked to.
  package init?(
    _ options: RunOptions,
    isLive: Bool,
    io: CommandIO,
    show: @escaping (String) -> Void
  ) {
    guard !options.regions.isEmpty, isLive || options.stateDirectory != nil else { return nil }
    regions = options.regions
    client = options.client?.name ?? RunClient.operatorName
    isOperator = options.client == nil
    store =
      options.stateDirectory.map { ClientStore(directory: $0) }
      ?? ClientStore(environment: io.environment)
    age = options.configuration.regions.restoredStateAge
    // A recording holds all that its run knew, and does not hold what was known before.
    restores = options.recording == nil
    self.isLive = isLive
    showLine = show
  }

  /// Monitors the regions for the run's client, from what the last run kept where it did.
  package func monitor(
    by id: ClientID,
    _ run: inout RunContext
  ) {
    self.id = id
    nextTime = run.now + Self.interval
    for region in regions {
      if let saved = saved(region) {
        run.driver?.resume(saved, by: id)
      } else {
        run.engine.request(.monitor(region), by: id)
      }
    }
  }

  private func saved(_ region: Region) -> SavedRegion? {
    guard restores else { return nil }
    if known == nil {
      var notes: [ClientDiagnostic] = []
      known = store.state(of: client, notes: &notes).runRegions
      show(notes)
    }
    // One that has changed since is another region.
    return known?.first { $0.region == region }
  }

  // A replay may deliver thousands of events a second and can be run again, so it keeps states at its end alone.

  package func handle(_ moment: RunMoment, _ run: inout RunContext) {
    switch moment {
    case .delivered(let deliveries):
      if isLive, deliveries.contains(where: Self.changesStates) { keep(run) }
    case .settled: if isLive, run.now >= nextTime { keep(run) }
    case .ended(isComplete: true):
      keep(run, isLast: true)
      writer.flush()
      show(notes.drain())
    default: break
    }
  }

  /// Whether an event says that what is kept is no longer so, or no longer to be kept.
  private static func changesStates(_ delivery: Delivery) -> Bool {
    switch delivery.event {
    case .regionEntered, .regionExited, .authorization: true
    case .regionState(_, _, let origin, _): origin == .observed
    default: false
    }
  }

  private func keep(_ run: borrowing RunContext, isLast: Bool = false) {
    guard let id else { return }
    nextTime = run.now + Self.interval
    show(notes.drain())
    let saved = run.engine.saved(id)
    let grants = isOperator ? nil : saved.authorization
    let (time, names) = (run.now, Set(regions.map(\.identifier)))
    // The disk may take long, which must not hold up what is delivered.
    writer.submit { [store, client, age, notes] in
      var found: [ClientDiagnostic] = []
      do {
        try store.keepRun(
          saved.regions,
          replacing: names,
          of: client,
          grants: grants,
          at: time,
          for: age,
          isLast: isLast,
          notes: &found
        )
      } catch {
        notes.fail("\(error)")
      }
      notes.add(found)
    }
  }

  private func show(_ notes: [ClientDiagnostic]) {
    for note in notes { showLine(ClientNote.text(of: note, client, "regions' states")) }
  }
}

/// What the writer found and the run has yet to say.
private final class KeeperNotes: Sendable {
  private let state = Mutex((notes: [ClientDiagnostic](), hasFailed: false))

  func add(_ notes: [ClientDiagnostic]) { state.withLock { $0.notes += notes } }

  /// A failure is reported once: a folder that cannot be written stays so.
  func fail(_ reason: String) {
    state.withLock { state in
      if !state.hasFailed { state.notes.append(.persistenceUnavailable(reason: reason)) }
      state.hasFailed = true
    }
  }

  func drain() -> [ClientDiagnostic] {
    state.withLock { state in
      defer { state.notes = [] }
      return state.notes
    }
  }
}
