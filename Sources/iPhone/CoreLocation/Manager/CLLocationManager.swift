// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

internal import Beacons

/// Ranges beacons, monitors regions and requests authorization for a program.
///
/// It calls its delegate on the run loop of the thread that created the manager. Every request returns immediately; the
/// delegate receives the result later.
open class CLLocationManager: NSObject {
  // All mutable state is guarded by the lock, so the module's own code may send it. It is not `Sendable`, as Apple's is
  // not: programs make it so themselves, and a subclass of a `Sendable` class would have to repeat it.

  let service: LocationService
  let lock = NSLock()
  let loop: any Actor
  var requests = ManagerRequests()
  var snapshot: LocationService.Authorization
  /// The callbacks that a delegate receives if it is set late.
  var missed: MissedCallbacks?
  weak var listener: (any CLLocationManagerDelegate)?
  /// The last tick of each constraint; used only by callbacks.
  var lastTicks: [IdentityConstraint: TickBeacons] = [:]
  /// The stays, from the delegate's deliveries; used only by callbacks.
  var visits = VisitLog()
  /// The callbacks that wait for the first one, that of the authorization; `nil` after it.
  var early: [Unshared<(CLLocationManager) -> Void>]? = []
  /// Whether the delegate receives its callbacks; used only by callbacks.
  var check = DelegateCheck()
  private var listening: Task<Void, Never>?

  /// Creates a manager; its delegate is called on the run loop of the current thread.
  public override init() {
    let service = LocationService.ofProcess
    self.service = service
    snapshot = service.snapshot
    loop = CallbackLoop.ofThisThread { service.note($0) }
    super.init()
    listening = startListening()
  }

  /// Creates a manager of another service, for this module's tests.
  ///
  /// A subclass in this package would get an override of it, were it visible there.
  init(_ service: LocationService) {
    self.service = service
    snapshot = service.snapshot
    loop = CallbackLoop.ofThisThread { service.note($0) }
    super.init()
    listening = startListening()
  }

  private func startListening() -> Task<Void, Never> {
    let service = service
    service.addListener()
    // Deliveries are kept from here on, before any request through this manager. On a capture the timeline waits until
    // they are processed.
    let (sequences, sequence) = AsyncStream.makeStream(of: ClientSequence<Delivery>.self)
    service.requestQueue.send { sequence.yield($0.client.deliveries) }
    let manager = Weakly(self)
    let loop = loop
    return Task {
      await CLLocationManager.listen(for: manager, to: sequences, of: service, on: loop)
      service.removeListener()
    }
  }

  deinit {
    listening?.cancel()
    for constraint in requests.ranged { service.stopRanging(constraint) }
    if requests.keepsBackgroundSession { service.keepsBackgroundSession(false) }
  }

  /// The object that receives the callbacks; the manager does not retain it.
  ///
  /// A delegate that is set late still receives the current state.
  open weak var delegate: (any CLLocationManagerDelegate)? {
    get { lock.withLock { listener } }
    set { listen(newValue) }
  }

  // MARK: Authorization

  /// The program's authorization status.
  open var authorizationStatus: CLAuthorizationStatus { lock.withLock { snapshot.status.cl } }

  /// Whether the program may know of beacons and regions.
  open var accuracyAuthorization: CLAccuracyAuthorization {
    lock.withLock { snapshot.accuracy == .full ? .fullAccuracy : .reducedAccuracy }
  }

  /// The program's authorization status.
  ///
  /// This is the name in iOS 13.
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
  ///   - completion: Called on the manager's run loop: without an error when the prompt was answered, whatever the
  ///     answer; with ``CLError/Code/promptDeclined`` when it could not be shown.
  open func requestTemporaryFullAccuracyAuthorization(
    withPurposeKey purposeKey: String,
    completion: (((any Error)?) -> Void)?
  ) {
    lock.withLock { requests.completions[purposeKey, default: []].append(completion ?? { _ in }) }
    service.authorize(.temporaryFull(purpose: purposeKey))
  }

  /// Asks for full accuracy for this use.
  open func requestTemporaryFullAccuracyAuthorization(withPurposeKey purposeKey: String) {
    requestTemporaryFullAccuracyAuthorization(withPurposeKey: purposeKey, completion: nil)
  }

  /// Asks for full accuracy for this use and waits for the answer.
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
    get { lock.withLock { requests.allowsBackgroundUpdates } }
    set { changeBackgroundSession { $0.allowsBackgroundUpdates = newValue } }
  }

  /// Stored without effect, since location updates do not exist.
  open var pausesLocationUpdatesAutomatically: Bool {
    get { lock.withLock { requests.pausesUpdates } }
    set { lock.withLock { requests.pausesUpdates = newValue } }
  }

  /// Stored without effect: the engine's usage indicator always shows a session in the background.
  open var showsBackgroundLocationIndicator: Bool {
    get { lock.withLock { requests.showsIndicator } }
    set { lock.withLock { requests.showsIndicator = newValue } }
  }

  /// Starts the continuous session that keeps a program in use in the background.
  ///
  /// It delivers no locations.
  ///
  /// Calling it again makes the request again, which is useful after a refusal in the background.
  open func startUpdatingLocation() {
    let keeps = lock.withLock { requests.keepsBackgroundSession }
    guard !keeps else { return service.authorize(.startSession) }
    changeBackgroundSession { $0.isUpdating = true }
  }

  /// Ends the continuous session.
  open func stopUpdatingLocation() { changeBackgroundSession { $0.isUpdating = false } }

  private func changeBackgroundSession(_ change: (inout ManagerRequests) -> Void) {
    let keeps = lock.withLock { () -> Bool? in
      let before = requests.keepsBackgroundSession
      change(&requests)
      return requests.keepsBackgroundSession == before ? nil : !before
    }
    if let keeps { service.keepsBackgroundSession(keeps) }
  }

  // MARK: Regions

  /// Whether regions of a class can be monitored: beacon regions can, with any source.
  open class func isMonitoringAvailable(for regionClass: AnyClass) -> Bool {
    regionClass is CLBeaconRegion.Type
  }

  /// The monitored regions.
  ///
  /// A program's managers share them, and they stay monitored after the program ends.
  open var monitoredRegions: Set<CLRegion> { Set(service.regions) }

  /// Monitors a region, replacing one with the same identifier.
  ///
  /// Only a ``CLBeaconRegion`` can be monitored: for another region `monitoringDidFailFor` is called.
  open func startMonitoring(for region: CLRegion) {
    guard let beacons = region.copy() as? CLBeaconRegion else {
      return report { manager in
        manager.delegate?.locationManager(
          manager,
          monitoringDidFailFor: region,
          withError: CLError(.regionMonitoringFailure)
        )
      }
    }
    service.monitor(beacons)
  }

  /// Stops monitoring the region with the same identifier.
  open func stopMonitoring(for region: CLRegion) { service.stopMonitoring(region.identifier) }

  /// Requests the current state of a region, which the delegate receives; it is unknown if the region is not monitored.
  open func requestState(for region: CLRegion) {
    let identifier = RegionIdentifier(region.identifier)
    guard let region = region.copy() as? CLRegion else { return }
    lock.withLock { requests.stateRequests[identifier, default: []].append(region) }
    service.requestQueue.send { await $0.client.requestState(for: identifier) }
  }

  // MARK: Ranging

  /// Whether beacons can be ranged: always, with any source.
  open class func isRangingAvailable() -> Bool { true }

  /// The constraints that this manager ranges.
  open var rangedBeaconConstraints: Set<CLBeaconIdentityConstraint> {
    lock.withLock { Set(requests.constraints.values) }
  }

  /// Ranges beacons: a callback on each whole second, beginning with the first whole second after this call.
  open func startRangingBeacons(satisfying constraint: CLBeaconIdentityConstraint) {
    startRanging(constraint.constraint) { $0.constraints[constraint.constraint] = constraint }
  }

  /// Stops ranging; after this returns, callbacks do not come.
  open func stopRangingBeacons(satisfying constraint: CLBeaconIdentityConstraint) {
    stopRanging(constraint.constraint) { $0.constraints[constraint.constraint] = nil }
  }

  /// The regions that this manager ranges.
  ///
  /// This is the name in iOS 12.
  open var rangedRegions: Set<CLRegion> { lock.withLock { Set(requests.rangedRegions.values) } }

  /// Ranges a region's beacons.
  ///
  /// This is the name in iOS 12.
  open func startRangingBeacons(in region: CLBeaconRegion) {
    if let old = lock.withLock({ requests.rangedRegions[region.identifier] }) {
      stopRangingBeacons(in: old)
    }
    startRanging(region.beaconIdentityConstraint.constraint) {
      $0.rangedRegions[region.identifier] = region
    }
  }

  /// Stops ranging a region's beacons.
  ///
  /// This is the name in iOS 12.
  open func stopRangingBeacons(in region: CLBeaconRegion) {
    guard let old = lock.withLock({ requests.rangedRegions[region.identifier] }) else { return }
    stopRanging(old.beaconIdentityConstraint.constraint) {
      $0.rangedRegions[region.identifier] = nil
    }
  }

  // MARK: Positions and headings, which nothing here measures

  /// Always `nil`.
  open var location: CLLocation? { nil }

  /// Stored without effect.
  open var desiredAccuracy: CLLocationAccuracy {
    get { lock.withLock { requests.positions.desiredAccuracy } }
    set { lock.withLock { requests.positions.desiredAccuracy = newValue } }
  }

  /// Stored without effect.
  open var distanceFilter: CLLocationDistance {
    get { lock.withLock { requests.positions.distanceFilter } }
    set { lock.withLock { requests.positions.distanceFilter = newValue } }
  }

  /// Stored without effect.
  open var activityType: CLActivityType {
    get { lock.withLock { requests.positions.activityType } }
    set { lock.withLock { requests.positions.activityType = newValue } }
  }

  /// Ends in `didFailWithError`: with ``CLError/Code/denied`` if the program may not know, otherwise with
  /// ``CLError/Code/locationUnknown``.
  open func requestLocation() {
    report { manager in
      let isDenied = [.denied, .restricted].contains(manager.authorizationStatus)
      let code: CLError.Code = isDenied ? .denied : .locationUnknown
      manager.delegate?.locationManager(manager, didFailWithError: CLError(code))
    }
  }

  /// Ends with ``CLError/Code/historicalLocationError``.
  open func requestHistoricalLocations(
    purposeKey: String,
    sampleCount: Int,
    completionHandler handler: @escaping ([CLLocation], (any Error)?) -> Void
  ) { report { _ in handler([], CLError(.historicalLocationError)) } }

  /// The largest radius of a circle that can be monitored: -1, none can.
  open var maximumRegionMonitoringDistance: CLLocationDistance { -1 }

  /// Whether significant changes of the position can be reported: never.
  open class func significantLocationChangeMonitoringAvailable() -> Bool { false }

  /// Does nothing.
  open func startMonitoringSignificantLocationChanges() {}

  /// Does nothing.
  open func stopMonitoringSignificantLocationChanges() {}

  /// Starts the delivery of visits: the stays in the program's regions, to the delegates of all its managers.
  open func startMonitoringVisits() { service.monitorsVisits = true }

  /// Stops the delivery of visits.
  open func stopMonitoringVisits() { service.monitorsVisits = false }

  /// Whether updates can be deferred: never.
  open class func deferredLocationUpdatesAvailable() -> Bool { false }

  /// Does nothing.
  open func allowDeferredLocationUpdates(
    untilTraveled distance: CLLocationDistance,
    timeout: TimeInterval
  ) {}

  /// Does nothing.
  open func disallowDeferredLocationUpdates() {}

  /// Ends with ``CLLocationPushServiceError/Code/missingPushExtension``.
  open func startMonitoringLocationPushes(completion: ((Data?, (any Error)?) -> Void)? = nil) {
    report { _ in completion?(nil, CLLocationPushServiceError(.missingPushExtension)) }
  }

  /// Does nothing.
  open func stopMonitoringLocationPushes() {}

  /// Whether widgets may know of positions: never, since they do not exist.
  open var isAuthorizedForWidgetUpdates: Bool { false }

  /// Whether headings can be measured: never.
  open class func headingAvailable() -> Bool { false }

  /// Always `nil`.
  open var heading: CLHeading? { nil }

  /// Stored without effect.
  open var headingFilter: CLLocationDegrees {
    get { lock.withLock { requests.positions.headingFilter } }
    set { lock.withLock { requests.positions.headingFilter = newValue } }
  }

  /// Stored without effect.
  open var headingOrientation: CLDeviceOrientation {
    get { lock.withLock { requests.positions.headingOrientation } }
    set { lock.withLock { requests.positions.headingOrientation = newValue } }
  }

  /// Does nothing.
  open func startUpdatingHeading() {}

  /// Does nothing.
  open func stopUpdatingHeading() {}

  /// Does nothing.
  open func dismissHeadingCalibrationDisplay() {}

  private func startRanging(
    _ constraint: IdentityConstraint,
    _ add: (inout ManagerRequests) -> Void
  ) {
    let isNew = lock.withLock {
      defer { add(&requests) }
      return !requests.ranged.contains(constraint)
    }
    if isNew { service.range(constraint) } else { service.requestRanging(constraint) }
  }

  private func stopRanging(
    _ constraint: IdentityConstraint,
    _ remove: (inout ManagerRequests) -> Void
  ) {
    let isOver = lock.withLock {
      guard requests.ranged.contains(constraint) else { return false }
      remove(&requests)
      return !requests.ranged.contains(constraint)
    }
    if isOver { service.stopRanging(constraint) }
  }
}

/// The open requests of a manager.
struct ManagerRequests {
  var constraints: [IdentityConstraint: CLBeaconIdentityConstraint] = [:]
  var rangedRegions: [String: CLBeaconRegion] = [:]
  /// The regions whose state was requested and that have no answer yet.
  var stateRequests: [RegionIdentifier: [CLRegion]] = [:]
  /// The completions that wait for an answer about full accuracy, by purpose key.
  var completions: [String: [((any Error)?) -> Void]] = [:]
  var allowsBackgroundUpdates = false
  var isUpdating = false
  // Properties that programs for Apple's systems set and that have no effect here.
  var pausesUpdates = true
  var showsIndicator = false
  var positions = PositionSettings()

  /// The settings for positions and headings.
  struct PositionSettings {
    var desiredAccuracy: CLLocationAccuracy = kCLLocationAccuracyBest
    var distanceFilter: CLLocationDistance = kCLDistanceFilterNone
    var activityType = CLActivityType.other
    var headingFilter: CLLocationDegrees = 1
    var headingOrientation = CLDeviceOrientation.portrait
  }

  /// The ranged constraints, requested as constraints or as regions.
  var ranged: Set<IdentityConstraint> {
    Set(constraints.keys).union(rangedRegions.values.map(\.beaconIdentityConstraint.constraint))
  }

  var keepsBackgroundSession: Bool { allowsBackgroundUpdates && isUpdating }
}
