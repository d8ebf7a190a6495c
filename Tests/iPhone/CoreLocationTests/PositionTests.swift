// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

import Beacons
@testable import CoreLocation
import Testing

/// Symbols of positions keep their values and deliver nothing.
@MainActor
@Suite struct PositionTests {
  private let museum = CLLocationCoordinate2D(latitude: 52.5206, longitude: 13.3975)

  @Test func `settings keep their values, and nothing is known`() throws {
    let manager = CLLocationManager(try App(receiving: "*").service)
    manager.desiredAccuracy = kCLLocationAccuracyHundredMeters
    manager.distanceFilter = 5
    manager.activityType = .fitness
    manager.headingFilter = kCLHeadingFilterNone
    manager.headingOrientation = .landscapeLeft
    #expect(manager.desiredAccuracy == 100 && manager.distanceFilter == 5)
    #expect(manager.activityType == .fitness && manager.headingFilter == -1)
    #expect(manager.headingOrientation == .landscapeLeft)
    #expect(manager.location == nil && manager.heading == nil)
    #expect(manager.maximumRegionMonitoringDistance == -1)
    #expect(!CLLocationManager.headingAvailable())
    #expect(!CLLocationManager.significantLocationChangeMonitoringAvailable())
    #expect(!CLLocationManager.isMonitoringAvailable(for: CLCircularRegion.self))
  }

  @Test func `a request for a position fails after it returns, a circle is not monitored`()
    async throws
  {
    let app = try App(receiving: "**")
    let manager = CLLocationManager(app.service)
    let delegate = Delegate()
    manager.delegate = delegate
    manager.requestLocation()
    manager.startMonitoring(
      for: CLCircularRegion(center: museum, radius: 100, identifier: "island")
    )
    #expect(delegate.callbacks == [])
    await app.toEnd()
    // The authorization is always the first callback.
    #expect(delegate.callbacks == ["authorization 4", "status 4", "failed 0", "failure island 5"])
    #expect(manager.monitoredRegions == [])
  }

  @Test func `a request for a position fails with denied under a denial`() async throws {
    let app = try App(receiving: "**", granted: .denied)
    let manager = CLLocationManager(app.service)
    let delegate = Delegate()
    manager.delegate = delegate
    manager.requestLocation()
    await app.toEnd()
    #expect(delegate.callbacks == ["authorization 2", "status 2", "failed 1"])
  }

  // MARK: Visits

  /// Row C34.
  @Test(arguments: [AccuracyAuthorization.full, .reduced])
  func `visits are the stays in the program's regions`(_ accuracy: AccuracyAuthorization)
    async throws
  {
    let text = "------------***" + String(repeating: "-", count: 40)
    let app = try App(receiving: text, granted: .authorizedWhenInUse, accuracy)
    let manager = CLLocationManager(app.service)
    let delegate = Delegate()
    manager.delegate = delegate
    manager.startMonitoring(for: CLBeaconRegion(uuid: UUID(App.uuid), identifier: "hall"))
    manager.startMonitoringVisits()
    await app.toEnd()
    let visits = delegate.callbacks.filter { $0.hasPrefix("visit") }
    let log = await app.service.opening.value?.client.visits ?? []
    #expect(visits.count == (accuracy == .full ? 2 : 0), "\(visits)")
    #expect(log.count == (accuracy == .full ? 1 : 0))
    guard let stay = log.first, let departure = stay.departure else { return }
    func second(_ time: Timestamp) -> Int { Int(time.microseconds / 1_000_000) % 1000 }
    let (from, to) = (second(stay.arrival), second(departure))
    #expect(visits == ["visit hall \(from)", "visit hall \(from) to \(to)"])
    // It follows the crossing.
    #expect(
      delegate.callbacks.firstIndex(of: "enter hall").map { delegate.callbacks[$0 + 1] }
        == "visit hall \(from)"
    )
  }

  @Test func `without a request no visit comes`() async throws {
    let app = try App(receiving: "------------***" + String(repeating: "-", count: 40))
    let manager = CLLocationManager(app.service)
    let delegate = Delegate()
    manager.delegate = delegate
    manager.startMonitoring(for: CLBeaconRegion(uuid: UUID(App.uuid), identifier: "hall"))
    manager.startMonitoringVisits()
    manager.stopMonitoringVisits()
    await app.toEnd()
    #expect(delegate.count("exit hall") == 1)
    #expect(!delegate.callbacks.contains { $0.hasPrefix("visit") })
  }

  @Test func `other requests for positions end with an error`() async throws {
    let manager = CLLocationManager(try App(receiving: "*").service)
    let pushed = await withCheckedContinuation { continuation in
      manager.startMonitoringLocationPushes { continuation.resume(returning: ($0, $1)) }
    }
    #expect(
      pushed.0 == nil && (pushed.1 as? CLLocationPushServiceError)?.code == .missingPushExtension
    )
    let history = await withCheckedContinuation { continuation in
      manager.requestHistoricalLocations(purposeKey: "a", sampleCount: 1) {
        continuation.resume(returning: ($0.count, $1))
      }
    }
    #expect(history.0 == 0 && (history.1 as? CLError)?.code == .historicalLocationError)
    let found = await withCheckedContinuation { continuation in
      CLGeocoder().geocodeAddressString("Bodestraße") {
        continuation.resume(returning: ($0?.count, $1))
      }
    }
    #expect(found.0 == nil && (found.1 as? CLError)?.code == .network)
    await #expect(throws: CLError(.network)) {
      _ = try await CLGeocoder().reverseGeocodeLocation(CLLocation(latitude: 1, longitude: 2))
    }
  }

  @Test func `updates say that there is no position, and end with their task`() async throws {
    let app = try App(receiving: "*")
    let task = Task { @MainActor in
      var updates: [CLLocationUpdate] = []
      for try await update in CLLocationUpdate.liveUpdates(of: app.service) {
        updates.append(update)
        withUnsafeCurrentTask { unsafe $0?.cancel() }
      }
      return updates
    }
    let updates = try await task.value
    #expect(updates.count == 1 && updates[0].location == nil && updates[0].locationUnavailable)
    #expect(!updates[0].authorizationDenied && !updates[0].insufficientlyInUse)
  }

  /// Rows N10 and N11.
  @Test func `updates and a background session ask for authorization, and updates have it`()
    async throws
  {
    let app = try App(receiving: "*", granted: .denied)
    var denied = CLLocationUpdate.liveUpdates(of: app.service).makeAsyncIterator()
    #expect(try await denied.next()?.authorizationDenied == true)
    let asked = try App(receiving: "***", granted: .notDetermined, answers: [.dontAllow])
    var flags: [[Bool]] = []
    var updates = CLLocationUpdate.liveUpdates(of: asked.service).makeAsyncIterator()
    while flags.last?.last != true, let update = try await updates.next() {
      flags.append([update.authorizationRequestInProgress, update.authorizationDenied])
    }
    #expect(flags == [[true, false], [false, true]])
    let undecided = try App(receiving: "*", granted: .notDetermined)
    let session = CLBackgroundActivitySession(undecided.service)
    await undecided.service.requestQueue.settled()
    #expect(await undecided.service.opening.value?.client.snapshot?.prompt != nil)
    session.invalidate()
  }

  @Test(arguments: [true, false])
  func `a session in the background keeps a program in use`(_ isKept: Bool) async throws {
    let app = try App(receiving: String(repeating: "*", count: 60))
    let manager = CLLocationManager(app.service)
    let delegate = Delegate()
    manager.delegate = delegate
    manager.startRangingBeacons(satisfying: CLBeaconIdentityConstraint(uuid: UUID(App.uuid)))
    let session = CLBackgroundActivitySession(app.service)
    if !isKept { session.invalidate() }
    await app.service.requestQueue.settled()
    await app.service.opening.value?.client.enterBackground()
    await app.toEnd()
    let ticks = delegate.callbacks.count { $0.hasPrefix("range") }
    #expect(isKept ? ticks > 50 : ticks < 50, "\(ticks)")
  }

  /// Tests of public wrappers pass such values around.
  @Test func `stand-ins are made without values`() throws {
    let here = CLLocation()
    #expect(here.coordinate.latitude == 0 && here.coordinate.longitude == 0)
    #expect(here.horizontalAccuracy == 0 && here.verticalAccuracy == -1)
    #expect(CLRegion().identifier == "" && CLRegion() == CLRegion())
    #expect(!CLRegion().contains(here.coordinate) && CLRegion() != CLCircularRegion())
    #expect(CLCircularRegion().radius == 0)
    #expect(!CLCircularRegion().contains(here.coordinate))
    let data = try NSKeyedArchiver.archivedData(
      withRootObject: CLCircularRegion(),
      requiringSecureCoding: true
    )
    let copy = try NSKeyedUnarchiver.unarchivedObject(ofClass: CLCircularRegion.self, from: data)
    #expect(copy == CLCircularRegion())
  }

  @Test func `distances and circles are computed`() {
    let berlin = CLLocation(latitude: 52.5206, longitude: 13.3975)
    let paris = CLLocation(latitude: 48.8606, longitude: 2.3376)
    // The geodesic's length is 879.7 km.
    #expect(abs(berlin.distance(from: paris) - 879_700) < 0.006 * 879_700)
    #expect(berlin.distance(from: berlin) == 0)
    let circle = CLCircularRegion(center: museum, radius: 1000, identifier: "island")
    #expect(circle.contains(museum))
    #expect(!circle.contains(paris.coordinate))
    #expect(!CLBeaconRegion(uuid: UUID(), identifier: "b").contains(museum))
    #expect(!CLLocationCoordinate2DIsValid(kCLLocationCoordinate2DInvalid))
  }
}
