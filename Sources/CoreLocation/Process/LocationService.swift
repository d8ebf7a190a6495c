// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

package import Beacons
internal import Synchronization

/// What all managers and monitors of one program share: its client in a session, how it stands, its regions.
///
/// The timeline of a capture begins when a run loop first turns, or a monitor's events are first waited for. So a program
/// sets up at the capture's first moment, however long it takes.
package final class LocationService: Sendable {
  /// How the program stands, as it was last told.
  package struct Standing: Sendable, Equatable {
    package var status: AuthorizationStatus
    package var accuracy: AccuracyAuthorization
  }

  private struct State {
    var snapshot: Standing
    var servicesOn = true
    /// The regions that are monitored through managers.
    var regions: [String: CLBeaconRegion] = [:]
    /// The last region that was asked for under an identifier, whatever came of it.
    var asked: [String: CLBeaconRegion] = [:]
    /// How many managers range a constraint.
    var rangings: [IdentityConstraint: Int] = [:]
    /// How many keep a continuous session in the background.
    var backgroundSessions = 0
    /// The names of the monitors that are open.
    var openNames: Set<String> = []
    /// Managers and iterators that have not been told everything.
    var listening = 0
    /// Told when nobody listens any more.
    var waiter: CheckedContinuation<Void, Never>?
    var hasBegun = false
    var now = Timestamp.earliest
    var failure: (any Error)?
    var notes: Set<String> = []
  }

  /// The client as it was opened; `nil` when that failed, which ``failure`` tells.
  package let opening: Task<BeaconMonitor?, Never>
  let courier: RequestQueue
  private let state: Mutex<State>
  private let failed: Failure
  private let drive: @Sendable (BeaconSession) async throws -> Void
  private let ended: @Sendable (_ hasFailed: Bool) async -> Void
  private let write: @Sendable (String) -> Void

  /// Why the client could not be opened.
  private final class Failure: Sendable {
    let error = Mutex<(any Error)?>(nil)
  }

  /// Creates what a program's managers share.
  ///
  /// - Parameters:
  ///   - manifest: What the program says of itself.
  ///   - saved: How it stands to begin with.
  ///   - configuration: How the engine will work.
  ///   - open: Opens the program's client.
  ///   - drive: Hears the source to its end, once everybody listens.
  ///   - ended: Told when the source has ended or failed.
  ///   - write: Takes a line for the person who runs the program.
  package init(
    _ manifest: Manifest,
    saved: SavedClient,
    configuration: Configuration,
    open: @escaping @Sendable () async throws -> BeaconMonitor,
    drive: @escaping @Sendable (BeaconSession) async throws -> Void,
    ended: @escaping @Sendable (_ hasFailed: Bool) async -> Void = { _ in },
    write: @escaping @Sendable (String) -> Void
  ) {
    var state = State(snapshot: Self.snapshot(manifest, saved, configuration))
    state.servicesOn = saved.authorization.servicesOn
    for region in saved.regions where !CLMonitor.isCondition(region.region.identifier) {
      let region = CLBeaconRegion(region.region)
      state.regions[region.identifier] = region
    }
    self.state = Mutex(state)
    self.drive = drive
    self.ended = ended
    self.write = write
    let failed = Failure()
    self.failed = failed
    opening = Task {
      do {
        return try await open()
      } catch {
        failed.error.withLock { $0 = error }
        return nil
      }
    }
    courier = RequestQueue(to: opening)
  }

  /// How a client that was saved so stands, found with an engine that receives nothing.
  private static func snapshot(
    _ manifest: Manifest,
    _ saved: SavedClient,
    _ configuration: Configuration
  ) -> Standing {
    var driver = EngineDriver(configuration, startingAt: .earliest)
    let client = driver.connect(
      manifest,
      restoring: SavedClient(authorization: saved.authorization)
    )
    let snapshot = driver.snapshot(of: client)
    return Standing(
      status: snapshot?.status ?? .notDetermined,
      accuracy: snapshot?.accuracy ?? .full
    )
  }

  // MARK: Beginning and ending

  /// Somebody listens.
  func listens() { state.withLock { $0.listening += 1 } }

  /// Somebody who listened has been told everything, or is gone.
  func listensNoMore() {
    state.withLock { state in
      state.listening -= 1
      return state.listening == 0 ? state.waiter.take() : nil
    }?.resume()
  }

  /// Waits until everybody has been told everything, once the session has ended.
  private func allTold() async {
    await withCheckedContinuation { continuation in
      let isOver = state.withLock { state in
        if state.listening > 0 { state.waiter = continuation }
        return state.listening == 0
      }
      if isOver { continuation.resume() }
    }
  }

  /// Somebody waits for what the timeline brings; those who were made before hold it until they wait as well.
  func begin() {
    let begins = state.withLock { state in
      defer { state.hasBegun = true }
      return !state.hasBegun
    }
    guard begins else { return }
    Task {
      if let monitor = await opening.value {
        await courier.settled()
        do {
          try await drive(monitor.client.session)
        } catch {
          state.withLock { $0.failure = error }
        }
      }
      if let failure { note("\(failure)") }
      await allTold()
      await ended(failure != nil)
    }
  }

  /// Where the timeline stands, as far as it was told.
  package var now: Timestamp { state.withLock { $0.now } }

  /// Something of a time is told.
  func reaches(_ time: Timestamp) { state.withLock { $0.now = max($0.now, time) } }

  /// Why nothing more is told: the source could not be opened, or failed.
  var failure: (any Error)? {
    state.withLock { $0.failure } ?? failed.error.withLock { $0 }
  }

  /// Says something to the person who runs the program, once.
  func note(_ text: String) {
    guard state.withLock({ $0.notes.insert(text).inserted }) else { return }
    write("CoreLocation: \(text)")
  }

  // MARK: How the program stands

  /// How the program stands, as it was last told.
  package var snapshot: Standing { state.withLock { $0.snapshot } }

  /// Whether location services are on.
  var servicesOn: Bool { state.withLock { $0.servicesOn } }

  /// The program was told how it stands.
  func stands(_ snapshot: Standing) async {
    let saved = await opening.value?.client.saved
    state.withLock { state in
      state.snapshot = snapshot
      state.servicesOn = saved?.authorization.servicesOn ?? true
    }
  }

  // MARK: Regions

  /// The regions that are monitored through managers.
  var regions: [CLBeaconRegion] { state.withLock { Array($0.regions.values) } }

  func region(_ identifier: RegionIdentifier) -> CLBeaconRegion? {
    state.withLock { $0.regions[identifier.rawValue] }
  }

  /// The region that was last asked for under an identifier, which may have failed.
  func lastAsked(_ identifier: RegionIdentifier) -> CLBeaconRegion? {
    state.withLock { $0.asked[identifier.rawValue] }
  }

  /// Monitors a region; one of the same identifier is replaced.
  func monitor(_ region: CLBeaconRegion) {
    let identifier = region.identifier
    state.withLock { state in
      state.regions[identifier] = region
      state.asked[identifier] = region
    }
    let wanted = region.region
    courier.send { [weak self] monitor in
      await monitor.add(wanted)
      let known = await monitor.client.regions.first { $0.identifier == wanted.identifier }
      self?.reconcile(identifier, known)
    }
  }

  /// Stops monitoring a region.
  func stopMonitoring(_ identifier: String) {
    state.withLock { $0.regions[identifier] = nil }
    courier.send { await $0.remove(RegionIdentifier(identifier)) }
  }

  /// What was asked for may have failed: what is monitored is what the engine has.
  private func reconcile(_ identifier: String, _ known: Region?) {
    state.withLock { state in
      guard let mine = state.regions[identifier] else { return }
      if let known {
        if known.constraint != mine.beaconIdentityConstraint.constraint {
          state.regions[identifier] = CLBeaconRegion(known)
        }
      } else {
        state.regions[identifier] = nil
      }
    }
  }

  // MARK: Names of monitors

  /// Opens a monitor's name.
  ///
  /// - Returns: Whether it was not open.
  func opens(_ name: String) -> Bool { state.withLock { $0.openNames.insert(name).inserted } }

  /// Gives a monitor's name free.
  func closes(_ name: String) { state.withLock { _ = $0.openNames.remove(name) } }

  // MARK: Ranging

  /// A manager ranges a constraint.
  func range(_ constraint: IdentityConstraint) {
    state.withLock { $0.rangings[constraint, default: 0] += 1 }
    askForRanging(constraint)
  }

  /// Asks once more for what is ranged already, which matters where it failed.
  func askForRanging(_ constraint: IdentityConstraint) {
    courier.send { await $0.client.request(.range(constraint)) }
  }

  /// A manager ranges a constraint no more.
  func stopRanging(_ constraint: IdentityConstraint) {
    let isLast = state.withLock { state in
      let others = (state.rangings[constraint] ?? 1) - 1
      state.rangings[constraint] = others > 0 ? others : nil
      return others <= 0
    }
    guard isLast else { return }
    courier.send { await $0.client.request(.stopRanging(constraint)) }
  }

  // MARK: Authorization

  /// Asks for authorization or accuracy.
  func authorize(_ request: AuthorizationRequest) {
    courier.send { await $0.client.authorize(request) }
  }

  /// A manager begins or ceases to keep a continuous session in the background.
  func keepsBackgroundSession(_ keeps: Bool) {
    let keepers = state.withLock { state in
      state.backgroundSessions += keeps ? 1 : -1
      return state.backgroundSessions
    }
    // Beginning is asked for even where another manager has asked: that may have been refused.
    if keeps { authorize(.startSession) } else if keepers == 0 { authorize(.stopSession) }
  }
}
