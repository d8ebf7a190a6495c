// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

package import Beacons
internal import Synchronization

/// The state that all managers and monitors of a program share: its client in a session, its authorization and its
/// regions.
///
/// The timeline of a capture starts when a run loop first turns, or a monitor's events are first waited for, and stays at
/// its start until something is ranged or monitored (``StartHold``). So the program's setup takes place at the start of
/// the capture, on whichever thread it is done.
package final class LocationService: Sendable {
  /// The program's authorization, as last delivered.
  package struct Authorization: Sendable, Equatable {
    package var status: AuthorizationStatus
    package var accuracy: AccuracyAuthorization
  }

  private struct State {
    var snapshot: Authorization
    var servicesOn = true
    /// The regions that are monitored through managers.
    var regions: [String: CLBeaconRegion] = [:]
    /// The last region requested with each identifier, even if the request failed.
    var requestedRegions: [String: CLBeaconRegion] = [:]
    /// How many managers range a constraint.
    var rangings: [IdentityConstraint: Int] = [:]
    /// How many managers keep a continuous session in the background.
    var backgroundSessions = 0
    /// The names of the monitors that are open.
    var openNames: Set<String> = []
    var monitorsVisits = false
    /// The number of managers and iterators that have not yet received everything.
    var listening = 0
    /// Resumed without listeners left.
    var waiter: CheckedContinuation<Void, Never>?
    var hasBegun = false
    var now = Timestamp.earliest
    var failure: (any Error)?
    var notes: Set<String> = []
  }

  /// The opened client; `nil` if opening failed, with the error in ``failure``.
  package let opening: Task<BeaconMonitor?, Never>
  let requestQueue: RequestQueue
  /// The beacons that stand for circles on the map, by the circles' identifiers.
  let circles: [String: IdentityConstraint]
  private let state: Mutex<State>
  private let failed: Failure
  private let drive: @Sendable (BeaconSession) async throws -> Void
  private let ended: @Sendable (_ hasFailed: Bool) async -> Void
  let write: @Sendable (String) -> Void

  /// Holds the error because of which the client could not be opened.
  private final class Failure: Sendable {
    let error = Mutex<(any Error)?>(nil)
  }

  /// Creates the service.
  ///
  /// - Parameters:
  ///   - manifest: The program's manifest.
  ///   - saved: The program's saved state.
  ///   - configuration: The configuration of the engine.
  ///   - circles: The beacons that stand for circles on the map.
  ///   - open: Opens the program's client.
  ///   - drive: Reads the source to its end, after all listeners are connected.
  ///   - ended: Called when the source has ended or failed.
  ///   - write: Writes a line for the user who runs the program.
  package init(
    _ manifest: Manifest,
    saved: SavedClient,
    configuration: Configuration,
    circles: [String: IdentityConstraint] = [:],
    open: @escaping @Sendable () async throws -> BeaconMonitor,
    drive: @escaping @Sendable (BeaconSession) async throws -> Void,
    ended: @escaping @Sendable (_ hasFailed: Bool) async -> Void = { _ in },
    write: @escaping @Sendable (String) -> Void
  ) {
    var state = State(snapshot: Self.snapshot(manifest, saved, configuration))
    state.servicesOn = saved.authorization.servicesOn
    for region in saved.regions where !ConditionName.isCondition(region.region.identifier) {
      let region = CLBeaconRegion(region.region)
      state.regions[region.identifier] = region
    }
    self.state = Mutex(state)
    self.circles = circles
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
    requestQueue = RequestQueue(to: opening)
  }

  /// Returns the authorization of a client restored from a saved state.
  private static func snapshot(
    _ manifest: Manifest,
    _ saved: SavedClient,
    _ configuration: Configuration
  ) -> Authorization {
    let client = ClientAuthorization(
      manifest,
      configuration,
      restoring: saved.authorization,
      isForeground: true,
      at: .earliest
    )
    return Authorization(status: client.effective.status, accuracy: client.accuracy)
  }

  // MARK: Beginning and ending

  /// Adds a listener.
  func addListener() { state.withLock { $0.listening += 1 } }

  /// Removes a listener, which has received everything or was released.
  func removeListener() {
    state.withLock { state in
      state.listening -= 1
      return state.listening == 0 ? state.waiter.take() : nil
    }?.resume()
  }

  /// Waits until all listeners have received everything, after the session has ended.
  private func allDelivered() async {
    await withCheckedContinuation { continuation in
      let isOver = state.withLock { state in
        if state.listening > 0 { state.waiter = continuation }
        return state.listening == 0
      }
      if isOver { continuation.resume() }
    }
  }

  /// Starts the session, since a listener is ready.
  ///
  /// Listeners created earlier hold the timeline until they are ready too.
  func begin() {
    let begins = state.withLock { state in
      defer { state.hasBegun = true }
      return !state.hasBegun
    }
    guard begins else { return }
    Task {
      if let monitor = await opening.value {
        await requestQueue.settled()
        do {
          try await drive(monitor.client.session)
          if await monitor.client.session.hasEndedUnasked(monitor.client.id) { note(Self.endNote) }
        } catch {
          state.withLock { $0.failure = error }
        }
      }
      if let failure { note("\(failure)") }
      // A loop for which the replay waited in vain does not end.
      if !(failure is SessionError) { await allDelivered() }
      await ended(failure != nil)
    }
  }

  /// The message when a capture has ended and the program has asked for nothing.
  package static let endNote =
    "the capture ended before the program ranged or monitored anything"

  /// The time of the latest delivery.
  package var now: Timestamp { state.withLock { $0.now } }

  /// Notes the time of a delivery.
  func reaches(_ time: Timestamp) { state.withLock { $0.now = max($0.now, time) } }

  /// The error that ended the deliveries: the source could not be opened, or failed.
  var failure: (any Error)? {
    state.withLock { $0.failure } ?? failed.error.withLock { $0 }
  }

  /// Writes a note for the user who runs the program; each note only once.
  func note(_ text: String) {
    guard state.withLock({ $0.notes.insert(text).inserted }) else { return }
    write("CoreLocation: \(text)")
  }

  // MARK: The program's authorization

  /// The program's authorization, as last delivered.
  package var snapshot: Authorization { state.withLock { $0.snapshot } }

  /// Whether location services are on.
  var servicesOn: Bool { state.withLock { $0.servicesOn } }

  /// Notes the program's new authorization.
  func updateAuthorization(_ snapshot: Authorization) async {
    let saved = await opening.value?.client.saved
    state.withLock { state in
      state.snapshot = snapshot
      state.servicesOn = saved?.authorization.servicesOn ?? true
    }
  }

  /// Notes the service's state of the program, if it receives for the program.
  func adoptRemoteState() async {
    guard let client = await opening.value?.client, client.session.isRemote,
      let known = await client.snapshot
    else { return }
    let (saved, regions) = (await client.saved, await client.monitoredRegions)
    state.withLock { state in
      state.snapshot = Authorization(status: known.status, accuracy: known.accuracy)
      state.servicesOn = saved.authorization.servicesOn
      for region in regions where !ConditionName.isCondition(region.identifier) {
        if state.regions[region.identifier.rawValue] == nil {
          state.regions[region.identifier.rawValue] = CLBeaconRegion(region)
        }
      }
    }
  }

  // MARK: Regions

  /// The regions that are monitored through managers.
  var regions: [CLBeaconRegion] { state.withLock { Array($0.regions.values) } }

  func region(_ identifier: RegionIdentifier) -> CLBeaconRegion? {
    state.withLock { $0.regions[identifier.rawValue] }
  }

  /// Returns the region last requested with an identifier, even if the request failed.
  func lastRequested(_ identifier: RegionIdentifier) -> CLBeaconRegion? {
    state.withLock { $0.requestedRegions[identifier.rawValue] }
  }

  /// Monitors a region, replacing one with the same identifier.
  func monitor(_ region: CLBeaconRegion) {
    let identifier = region.identifier
    state.withLock { state in
      state.regions[identifier] = region
      state.requestedRegions[identifier] = region
    }
    let wanted = region.region
    requestQueue.send { [weak self] monitor in
      await monitor.add(wanted)
      let known = await monitor.client.monitoredRegions.first { $0.identifier == wanted.identifier }
      self?.reconcile(identifier, known)
    }
  }

  /// Stops monitoring a region.
  func stopMonitoring(_ identifier: String) {
    state.withLock { $0.regions[identifier] = nil }
    requestQueue.send { await $0.remove(RegionIdentifier(identifier)) }
  }

  /// Updates a region from the engine: a request may have failed, and only the engine knows the monitored regions.
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

  /// Whether the managers' delegates receive visits.
  var monitorsVisits: Bool {
    get { state.withLock { $0.monitorsVisits } }
    set { state.withLock { $0.monitorsVisits = newValue } }
  }

  // MARK: Names of monitors

  /// Opens a monitor's name.
  ///
  /// - Returns: Whether the name was free.
  func opens(_ name: String) -> Bool { state.withLock { $0.openNames.insert(name).inserted } }

  /// Releases a monitor's name.
  func closes(_ name: String) { state.withLock { _ = $0.openNames.remove(name) } }

  // MARK: Ranging

  /// Starts ranging of a constraint for a manager.
  func range(_ constraint: IdentityConstraint) {
    state.withLock { $0.rangings[constraint, default: 0] += 1 }
    requestRanging(constraint)
  }

  /// Requests ranging again for a constraint that is already ranged, which is useful after a failure.
  func requestRanging(_ constraint: IdentityConstraint) {
    requestQueue.send { await $0.client.request(.range(constraint)) }
  }

  /// Stops ranging of a constraint for a manager.
  func stopRanging(_ constraint: IdentityConstraint) {
    let isLast = state.withLock { state in
      let others = (state.rangings[constraint] ?? 1) - 1
      state.rangings[constraint] = others > 0 ? others : nil
      return others <= 0
    }
    guard isLast else { return }
    requestQueue.send { await $0.client.request(.stopRanging(constraint)) }
  }

  // MARK: Authorization

  /// Asks for authorization or accuracy.
  func authorize(_ request: AuthorizationRequest) {
    requestQueue.send { await $0.client.requestAuthorization(request) }
  }

  /// Starts or stops a manager's continuous session in the background.
  func keepsBackgroundSession(_ keeps: Bool) {
    let keepers = state.withLock { state in
      state.backgroundSessions += keeps ? 1 : -1
      return state.backgroundSessions
    }
    // The start is requested even if another manager requested it before, since that request may have been refused.
    if keeps { authorize(.startSession) } else if keepers == 0 { authorize(.stopSession) }
  }
}
