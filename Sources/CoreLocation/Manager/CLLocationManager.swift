// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

internal import Beacons

/// A program's way to beacons, regions and authorization.
///
/// What it has to say it says to its delegate, on the run loop of the thread on which it was made. Calls return at once;
/// what comes of them is told.
open class CLLocationManager: NSObject, @unchecked Sendable {
  // What can change is guarded by the lock.

  let service: LocationService
  let lock = NSLock()
  let loop: any Actor
  var asks = ManagerAsks()
  var snapshot: LocationService.Standing
  /// What a delegate that comes late is still to be told.
  var missed: MissedCallbacks?
  weak var listener: (any CLLocationManagerDelegate)?
  /// The last tick of each constraint; used by callbacks alone.
  var lastTicks: [IdentityConstraint: TickBeacons] = [:]
  private var listening: Task<Void, Never>?

  /// Creates a manager; who is told what runs on this thread's run loop.
  public override convenience init() {
    self.init(.ofProcess)
  }

  package init(_ service: LocationService) {
    self.service = service
    snapshot = service.snapshot
    loop = CallbackLoop.ofThisThread { service.note($0) }
    super.init()
    service.listens()
    // What is told is kept from here on, before anything that is asked through this manager; on a capture the timeline
    // waits until it is taken.
    let (sequences, sequence) = AsyncStream.makeStream(of: ClientSequence<Delivery>.self)
    service.courier.send { sequence.yield($0.client.deliveries) }
    let (manager, loop) = (Weakly(self), loop)
    listening = Task {
      await Self.listen(for: manager, to: sequences, of: service, on: loop)
      service.listensNoMore()
    }
  }

  deinit {
    listening?.cancel()
    for constraint in asks.ranged { service.stopRanging(constraint) }
    if asks.keepsBackgroundSession { service.keepsBackgroundSession(false) }
  }

  /// Who is told; it is not kept.
  ///
  /// One that is set late is still told how things stand.
  open weak var delegate: (any CLLocationManagerDelegate)? {
    get { lock.withLock { listener } }
    set { listen(newValue) }
  }

  // MARK: Authorization

  /// What the program may do.
  open var authorizationStatus: CLAuthorizationStatus { lock.withLock { snapshot.status.cl } }

  /// Whether the program may know beacons and regions at all.
  open var accuracyAuthorization: CLAccuracyAuthorization {
    lock.withLock { snapshot.accuracy == .full ? .fullAccuracy : .reducedAccuracy }
  }

  /// What the program may do.
  ///
  /// The spelling of iOS 13.
  open class func authorizationStatus() -> CLAuthorizationStatus {
    LocationService.ofProcess.snapshot.status.cl
  }

  /// Whether location services are on.
  open class func locationServicesEnabled() -> Bool { LocationService.ofProcess.servicesOn }

  /// Asks for authorization while in use; without `NSLocationWhenInUseUsageDescription` it does nothing.
  open func requestWhenInUseAuthorization() { service.authorize(.whenInUse) }

  /// Asks for authorization at any time; without `NSLocationWhenInUseUsageDescription` and
  /// `NSLocationAlwaysAndWhenInUseUsageDescription` it does nothing.
  open func requestAlwaysAuthorization() { service.authorize(.always) }

  /// Asks for full accuracy for this use.
  ///
  /// - Parameters:
  ///   - purposeKey: The reason's key in `NSLocationTemporaryUsageDescriptionDictionary`.
  ///   - completion: Called on the manager's run loop, without an error when the prompt was answered, however it was; with
  ///     ``CLError/Code/promptDeclined`` when it could not be shown.
  open func requestTemporaryFullAccuracyAuthorization(
    withPurposeKey purposeKey: String,
    completion: (@Sendable ((any Error)?) -> Void)? = nil
  ) {
    lock.withLock { asks.completions[purposeKey, default: []].append(completion ?? { _ in }) }
    service.authorize(.temporaryFull(purpose: purposeKey))
  }

  /// Asks for full accuracy for this use, and waits for the answer.
  ///
  /// - Throws: ``CLError/Code/promptDeclined`` when the prompt could not be shown.
  open func requestTemporaryFullAccuracyAuthorization(
    withPurposeKey purposeKey: String
  ) async throws {
    try await withCheckedThrowingContinuation {
      (continuation: CheckedContinuation<Void, any Error>) in
      requestTemporaryFullAccuracyAuthorization(withPurposeKey: purposeKey) { error in
        if let error { continuation.resume(throwing: error) } else { continuation.resume() }
      }
    }
  }

  // MARK: Being in use in the background

  /// Whether ``startUpdatingLocation()`` keeps the program in use in the background; it needs `location` among the
  /// `UIBackgroundModes`.
  open var allowsBackgroundLocationUpdates: Bool {
    get { lock.withLock { asks.allowsBackgroundUpdates } }
    set { changeBackgroundSession { $0.allowsBackgroundUpdates = newValue } }
  }

  /// Kept as it is set: without locations there are no updates to pause.
  open var pausesLocationUpdatesAutomatically: Bool {
    get { lock.withLock { asks.pausesUpdates } }
    set { lock.withLock { asks.pausesUpdates = newValue } }
  }

  /// Kept as it is set: the engine's usage indicator shows a session in the background in any case.
  open var showsBackgroundLocationIndicator: Bool {
    get { lock.withLock { asks.showsIndicator } }
    set { lock.withLock { asks.showsIndicator = newValue } }
  }

  /// Begins the continuous session that keeps a program in use in the background; there are no locations to tell.
  ///
  /// Called again it asks again, which matters where it was refused in the background.
  open func startUpdatingLocation() {
    let keeps = lock.withLock { asks.keepsBackgroundSession }
    guard !keeps else { return service.authorize(.startSession) }
    changeBackgroundSession { $0.isUpdating = true }
  }

  /// Ends the continuous session.
  open func stopUpdatingLocation() { changeBackgroundSession { $0.isUpdating = false } }

  private func changeBackgroundSession(_ change: (inout ManagerAsks) -> Void) {
    let keeps = lock.withLock { () -> Bool? in
      let before = asks.keepsBackgroundSession
      change(&asks)
      return asks.keepsBackgroundSession == before ? nil : !before
    }
    if let keeps { service.keepsBackgroundSession(keeps) }
  }

  // MARK: Regions

  /// Whether regions of a kind can be monitored: beacon regions can, wherever the source comes from.
  open class func isMonitoringAvailable(for regionClass: AnyClass) -> Bool {
    regionClass is CLBeaconRegion.Type
  }

  /// The regions that are monitored; a program's managers share them, and they outlast it.
  open var monitoredRegions: Set<CLRegion> { Set(service.regions) }

  /// Monitors a region; one of the same identifier is replaced.
  open func startMonitoring(for region: CLRegion) {
    guard let region = region.copy() as? CLBeaconRegion else { return }
    service.monitor(region)
  }

  /// Stops monitoring the region of an identifier.
  open func stopMonitoring(for region: CLRegion) { service.stopMonitoring(region.identifier) }

  /// Has a monitored region's state told as it is known.
  open func requestState(for region: CLRegion) {
    let identifier = RegionIdentifier(region.identifier)
    lock.withLock { asks.stateRequests[identifier, default: 0] += 1 }
    service.courier.send { [weak self] monitor in
      // Of a region that is not monitored there is no answer.
      if await monitor.client.regions.contains(where: { $0.identifier == identifier }) {
        await monitor.client.requestState(of: identifier)
      } else {
        self?.lock.withLock { self?.asks.stateRequests[identifier, default: 1] -= 1 }
      }
    }
  }

  // MARK: Ranging

  /// Whether beacons can be ranged; always, wherever the source comes from.
  open class func isRangingAvailable() -> Bool { true }

  /// The constraints that this manager ranges.
  open var rangedBeaconConstraints: Set<CLBeaconIdentityConstraint> {
    lock.withLock { Set(asks.constraints.values) }
  }

  /// Ranges beacons: a callback on each whole second, the first on the first whole second after this.
  open func startRangingBeacons(satisfying constraint: CLBeaconIdentityConstraint) {
    startRanging(constraint.constraint) { $0.constraints[constraint.constraint] = constraint }
  }

  /// Stops ranging; no callback comes after this returns.
  open func stopRangingBeacons(satisfying constraint: CLBeaconIdentityConstraint) {
    stopRanging(constraint.constraint) { $0.constraints[constraint.constraint] = nil }
  }

  /// The regions that this manager ranges.
  ///
  /// The spelling of iOS 12.
  open var rangedRegions: Set<CLRegion> { lock.withLock { Set(asks.rangedRegions.values) } }

  /// Ranges a region's beacons.
  ///
  /// The spelling of iOS 12.
  open func startRangingBeacons(in region: CLBeaconRegion) {
    if let old = lock.withLock({ asks.rangedRegions[region.identifier] }) {
      stopRangingBeacons(in: old)
    }
    startRanging(region.beaconIdentityConstraint.constraint) {
      $0.rangedRegions[region.identifier] = region
    }
  }

  /// Stops ranging a region's beacons.
  ///
  /// The spelling of iOS 12.
  open func stopRangingBeacons(in region: CLBeaconRegion) {
    guard let old = lock.withLock({ asks.rangedRegions[region.identifier] }) else { return }
    stopRanging(old.beaconIdentityConstraint.constraint) {
      $0.rangedRegions[region.identifier] = nil
    }
  }

  private func startRanging(
    _ constraint: IdentityConstraint,
    _ add: (inout ManagerAsks) -> Void
  ) {
    let isNew = lock.withLock {
      defer { add(&asks) }
      return !asks.ranged.contains(constraint)
    }
    if isNew { service.range(constraint) } else { service.askForRanging(constraint) }
  }

  private func stopRanging(
    _ constraint: IdentityConstraint,
    _ remove: (inout ManagerAsks) -> Void
  ) {
    let isOver = lock.withLock {
      guard asks.ranged.contains(constraint) else { return false }
      remove(&asks)
      return !asks.ranged.contains(constraint)
    }
    if isOver { service.stopRanging(constraint) }
  }
}
