// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

import CoreLocation
import Testing
import UserNotifications

// Programs as they are written for an iPhone, in Swift 5, each for what one talk or page of documentation shows. That they
// compile is the test; their callbacks are tested elsewhere.

/// Regions and ranging by constraints (iOS 13).
class ConstraintGuide: NSObject, CLLocationManagerDelegate {
  let locationManager = CLLocationManager()
  let museum = UUID(uuidString: "F7826DA6-4FA2-4E98-8024-BC5B71E0893E")!

  func begin() {
    locationManager.delegate = self
    guard CLLocationManager.isMonitoringAvailable(for: CLBeaconRegion.self),
      CLLocationManager.isRangingAvailable()
    else { return }
    locationManager.requestWhenInUseAuthorization()
    let constraint = CLBeaconIdentityConstraint(uuid: museum, major: 1)
    let region = CLBeaconRegion(beaconIdentityConstraint: constraint, identifier: "room 1")
    region.notifyOnEntry = true
    region.notifyOnExit = false
    region.notifyEntryStateOnDisplay = true
    locationManager.startMonitoring(for: region)
    locationManager.requestState(for: region)
    for region in locationManager.monitoredRegions where region.identifier == "old" {
      locationManager.stopMonitoring(for: region)
    }
  }

  func locationManager(
    _ manager: CLLocationManager,
    didDetermineState state: CLRegionState,
    for region: CLRegion
  ) {
    guard let region = region as? CLBeaconRegion else { return }
    let constraint = region.beaconIdentityConstraint
    switch state {
    case .inside: manager.startRangingBeacons(satisfying: constraint)
    case .outside, .unknown: manager.stopRangingBeacons(satisfying: constraint)
    @unknown default: break
    }
    _ = manager.rangedBeaconConstraints.contains(constraint)
  }

  func locationManager(
    _ manager: CLLocationManager,
    didRange beacons: [CLBeacon],
    satisfying beaconConstraint: CLBeaconIdentityConstraint
  ) {
    guard let nearest = beacons.first else { return }
    let room = CLBeaconMajorValue(truncating: nearest.major)
    let exhibit = nearest.minor.intValue
    switch nearest.proximity {
    case .immediate, .near: print(room, exhibit, nearest.accuracy, nearest.rssi, nearest.timestamp)
    case .far, .unknown: break
    @unknown default: break
    }
  }

  func locationManager(
    _ manager: CLLocationManager,
    didFailRangingFor beaconConstraint: CLBeaconIdentityConstraint,
    error: Error
  ) {
    guard let error = error as? CLError else { return }
    switch error.code {
    case .rangingUnavailable, .rangingFailure: print(error.localizedDescription)
    case .denied: manager.stopRangingBeacons(satisfying: beaconConstraint)
    default: break
    }
  }
}

/// Regions and ranging by regions (iOS 7 to 12).
class RegionGuide: NSObject, CLLocationManagerDelegate {
  var locationManager: CLLocationManager!
  var authorization = CLAuthorizationStatus.notDetermined

  func begin() {
    locationManager = CLLocationManager()
    locationManager.delegate = self
    locationManager.allowsBackgroundLocationUpdates = true
    if CLLocationManager.locationServicesEnabled() {
      authorization = CLLocationManager.authorizationStatus()
    }
    locationManager.requestAlwaysAuthorization()
  }

  func locationManager(
    _ manager: CLLocationManager,
    didChangeAuthorization status: CLAuthorizationStatus
  ) {
    guard status == .authorizedAlways || status == .authorizedWhenInUse else { return }
    let uuid = UUID(uuidString: "F7826DA6-4FA2-4E98-8024-BC5B71E0893E")!
    let region = CLBeaconRegion(proximityUUID: uuid, major: 1, minor: 17, identifier: "painting")
    manager.startMonitoring(for: region)
    manager.startRangingBeacons(in: region)
  }

  func locationManager(_ manager: CLLocationManager, didEnterRegion region: CLRegion) {
    if let region = region as? CLBeaconRegion { manager.startRangingBeacons(in: region) }
  }

  func locationManager(_ manager: CLLocationManager, didExitRegion region: CLRegion) {
    if let region = region as? CLBeaconRegion { manager.stopRangingBeacons(in: region) }
  }

  func locationManager(
    _ manager: CLLocationManager,
    didRangeBeacons beacons: [CLBeacon],
    in region: CLBeaconRegion
  ) {
    let known = beacons.filter { $0.proximity != CLProximity.unknown }
    let nearest = known.min { $0.accuracy < $1.accuracy }
    if nearest?.proximityUUID == region.proximityUUID, nearest?.major == region.major {
      print(manager.rangedRegions.count)
    }
  }

  func locationManager(
    _ manager: CLLocationManager,
    monitoringDidFailFor region: CLRegion?,
    withError error: Error
  ) {
    let error = error as NSError
    if error.domain == kCLErrorDomain, error.code == CLError.regionMonitoringFailure.rawValue {
      print(region?.identifier ?? "?")
    }
  }

  func locationManager(_ manager: CLLocationManager, didFailWithError error: Error) {
    if case CLError.denied = error { print(error) }
  }
}

/// Accuracy as a second axis (iOS 14).
class AccuracyGuide: NSObject, CLLocationManagerDelegate {
  private let manager = CLLocationManager()

  func begin() { manager.delegate = self }

  func locationManagerDidChangeAuthorization(_ manager: CLLocationManager) {
    switch (manager.authorizationStatus, manager.accuracyAuthorization) {
    case (.notDetermined, _): manager.requestWhenInUseAuthorization()
    case (.authorizedAlways, .reducedAccuracy), (.authorizedWhenInUse, .reducedAccuracy):
      manager.requestTemporaryFullAccuracyAuthorization(withPurposeKey: "ExhibitGuide") { error in
        if let error = error { print(error.localizedDescription) }
      }
    default: break
    }
  }

  func stay() async {
    do {
      try await manager.requestTemporaryFullAccuracyAuthorization(withPurposeKey: "ExhibitGuide")
    } catch CLError.promptDeclined {
      print("no")
    } catch { print(error) }
  }

  func forget() {
    manager.requestTemporaryFullAccuracyAuthorization(withPurposeKey: "ExhibitGuide")
  }
}

/// Conditions and service sessions (iOS 17 and 18).
class ConditionGuide {
  private var monitor: CLMonitor?
  private var session: CLServiceSession?

  func begin(_ uuid: UUID) {
    session = CLServiceSession(authorization: .whenInUse, fullAccuracyPurposeKey: "ExhibitGuide")
    Task {
      let monitor = await CLMonitor("museum")
      self.monitor = monitor
      let condition = CLMonitor.BeaconIdentityCondition(uuid: uuid, major: 1)
      await monitor.add(condition, identifier: "room 1", assuming: .unsatisfied)
      for try await event in await monitor.events {
        guard let lastEvent = await monitor.record(for: event.identifier)?.lastEvent else {
          continue
        }
        switch event.state {
        case .satisfied where lastEvent.state != .satisfied: print(event.date)
        case .unsatisfied, .unknown, .unmonitored: break
        default: break
        }
        if let beacon = event.refinement as? CLMonitor.BeaconIdentityCondition {
          print(beacon.uuid, beacon.major ?? 0, beacon.minor ?? 0)
        }
      }
    }
    Task {
      guard let session = session else { return }
      for try await diagnostic in session.diagnostics {
        if diagnostic.authorizationDenied || diagnostic.fullAccuracyDenied { session.invalidate() }
      }
    }
  }
}

/// A greeting on arrival at a circle (2019, session 705).
func greet() {
  let center = CLLocationCoordinate2D(latitude: 37.3, longitude: -122.0)
  let region = CLCircularRegion(center: center, radius: 2000.0, identifier: "Museum")
  region.notifyOnEntry = true
  region.notifyOnExit = false
  let trigger = UNLocationNotificationTrigger(region: region, repeats: false)
  let content = UNMutableNotificationContent()
  content.title = "Museum"
  content.sound = .default
  let request = UNNotificationRequest(identifier: "arrival", content: content, trigger: trigger)
  UNUserNotificationCenter.current().requestAuthorization(options: [.alert, .sound]) {
    granted,
    error in
    guard granted, error == nil else { return }
    UNUserNotificationCenter.current().add(request) { error in
      if let error = error { print(error) }
    }
  }
}

/// Work in a monitor's isolation (iOS 17).
extension CLMonitor {
  func addAll(_ conditions: [String: any CLCondition]) {
    for (name, condition) in conditions { add(condition, identifier: name) }
  }
  func clear() { for name in identifiers { remove(name) } }
  func inside() -> [String] {
    identifiers.filter { record(for: $0)?.lastEvent.state == .satisfied }
  }
}
func forget(_ name: String, in monitor: isolated CLMonitor) { monitor.remove(name) }

/// Conditions in a program's own files.
struct Exhibit: Codable {
  var name: String
  var condition: CLMonitor.BeaconIdentityCondition
}

/// A session in the background with its diagnostics (iOS 18).
func watch() async throws {
  let session = CLBackgroundActivitySession()
  for try await diagnostic in session.diagnostics {
    if diagnostic.authorizationDenied || diagnostic.insufficientlyInUse
      || diagnostic.serviceSessionRequired
    {
      break
    }
  }
  session.invalidate()
}

/// Names of old code.
@available(*, deprecated)
func old(_ manager: CLLocationManager, _ here: CLLocation, _ there: CLLocation, _ region: CLRegion)
{
  _ = here.getDistance(from: there) + here.getDistanceFrom(there)
  _ = manager.headingAvailable && manager.locationServicesEnabled
  manager.startMonitoring(for: region, desiredAccuracy: 10)
  CLGeocoder().geocodeAddressDictionary(["City": "x"]) { _, _ in }
}

@Suite struct TalkTests {
  /// Rows U1 and R9.
  @Test func `raw values are Apple's`() {
    #expect(CLProximity.unknown.rawValue == 0 && CLProximity.far.rawValue == 3)
    #expect(CLRegionState.unknown.rawValue == 0 && CLRegionState.outside.rawValue == 2)
    #expect(CLAuthorizationStatus.authorizedWhenInUse.rawValue == 4)
    #expect(CLAuthorizationStatus.authorizedAlways == .authorized)
    #expect(CLAccuracyAuthorization.reducedAccuracy.rawValue == 1)
    #expect(CLError.Code.denied.rawValue == 1 && CLError.promptDeclined.rawValue == 18)
    #expect(CLError(.rangingUnavailable).errorCode == 16)
    #expect((CLError(.denied) as NSError).domain == kCLErrorDomain)
  }

  @Test func `regions and constraints compare as Apple's`() throws {
    let uuid = UUID()
    let one = CLBeaconIdentityConstraint(uuid: uuid, major: 0)
    #expect(one == CLBeaconIdentityConstraint(uuid: uuid, major: 0))
    #expect(one != CLBeaconIdentityConstraint(uuid: uuid))
    #expect(Set([one, CLBeaconIdentityConstraint(uuid: uuid, major: 0)]).count == 1)
    let region = CLBeaconRegion(uuid: uuid, major: 65535, minor: 0, identifier: "a")
    #expect(region == CLBeaconRegion(proximityUUID: UUID(), identifier: "a"))
    #expect(region.major == 65535 && region.minor == 0)
    #expect(CLBeaconRegion(uuid: uuid, identifier: "b").major == nil)
    let copy = try #require(region.copy() as? CLBeaconRegion)
    copy.notifyOnExit = false
    #expect(region.notifyOnExit)
  }
}
