// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

import CoreLocation
import CoreLocation.CLLocationManagerDelegate
import class CoreLocation.CLBeaconRegion
import Testing

// Habits of public programs that have no other test: that they compile without a warning is the test.

/// A mock that inherits the manager's initializer.
class MockManager: CLLocationManager {
  var ranged = 0
  override var location: CLLocation? { CLLocation(latitude: 1, longitude: 2) }
  override func startRangingBeacons(satisfying constraint: CLBeaconIdentityConstraint) {
    ranged += 1
  }
}

/// A manager with a separate initializer.
class NamedManager: CLLocationManager {
  let name: String
  init(name: String) {
    self.name = name
    super.init()
  }
}

/// A beacon with values of a test's own.
class MockBeacon: CLBeacon, @unchecked Sendable {
  override var proximity: CLProximity { .near }
  override var major: NSNumber { 7 }
  override var rssi: Int { -60 }
  override var uuid: UUID { UUID(uuidString: "F7826DA6-4FA2-4E98-8024-BC5B71E0893E")! }
}

/// A region that calls an initializer of its superclass.
class RoomRegion: CLBeaconRegion, @unchecked Sendable {
  init(room: UInt16) {
    super.init(uuid: UUID(), major: room, identifier: "room \(room)")
  }
  required init?(coder: NSCoder) { super.init(coder: coder) }
}

/// A program's own protocol, which Apple's manager fulfils.
protocol LocationManaging: AnyObject {
  var delegate: CLLocationManagerDelegate? { get set }
  var desiredAccuracy: CLLocationAccuracy { get set }
  func requestTemporaryFullAccuracyAuthorization(withPurposeKey purposeKey: String)
  func requestTemporaryFullAccuracyAuthorization(
    withPurposeKey purposeKey: String,
    completion: ((Error?) -> Void)?
  )
  func requestLocation()
  func startUpdatingHeading()
}
extension CLLocationManager: LocationManaging {}

/// Passes callbacks on to several delegates, as optional methods are called.
class Multicast: NSObject, CLLocationManagerDelegate {
  let locationManager = CLLocationManager()
  var delegates: [CLLocationManagerDelegate] = []
  weak var delegate: CLLocationManagerDelegate?

  func begin() {
    locationManager.delegate = self
    locationManager.desiredAccuracy = kCLLocationAccuracyBest
    self.locationManager.startUpdatingLocation()
  }

  func locationManager(
    _ manager: CLLocationManager,
    didRange beacons: [CLBeacon],
    satisfying constraint: CLBeaconIdentityConstraint
  ) {
    delegate?.locationManager?(manager, didRange: beacons, satisfying: constraint)
    delegates.forEach { $0.locationManager?(manager, didRange: beacons, satisfying: constraint) }
  }

  func locationManagerDidChangeAuthorization(_ manager: CLLocationManager) {
    delegate?.locationManagerDidChangeAuthorization?(manager)
  }

  func locationManager(_ manager: CLLocationManager, didUpdateLocations locations: [CLLocation]) {
    delegate?.locationManager?(manager, didUpdateLocations: locations)
  }

  func locationManager(_ manager: CLLocationManager, didFailWithError error: Error) {
    delegate?.locationManager?(manager, didFailWithError: error)
  }
}

/// Counts the callbacks through ``Multicast``.
class Counter: NSObject, CLLocationManagerDelegate {
  var count = 0
  func locationManager(
    _ manager: CLLocationManager,
    didRange beacons: [CLBeacon],
    satisfying constraint: CLBeaconIdentityConstraint
  ) { count += beacons.count }
}

extension CLLocationCoordinate2D: Equatable {
  /// Apple's type is not `Equatable`, so programs make it so.
  public static func == (first: CLLocationCoordinate2D, second: CLLocationCoordinate2D) -> Bool {
    first.latitude == second.latitude && first.longitude == second.longitude
  }
}

@Suite struct HabitTests {
  @Test func `mocks have what they override`() {
    let manager = MockManager()
    manager.startRangingBeacons(satisfying: CLBeaconIdentityConstraint(uuid: UUID()))
    #expect(manager.ranged == 1 && manager.location?.coordinate.longitude == 2)
    #expect(NamedManager(name: "a").name == "a")
    let beacon = MockBeacon()
    #expect(beacon.major == 7 && beacon.minor == 0 && beacon.proximityUUID == beacon.uuid)
    #expect(beacon.description.contains("major:7") && beacon.description.contains("rssi:-60"))
    #expect(RoomRegion(room: 3).major == 3)
  }

  @Test func `optional methods reach the delegate`() {
    let (multicast, counter) = (Multicast(), Counter())
    multicast.delegate = counter
    multicast.delegates = [counter, Multicast()]
    let constraint = CLBeaconIdentityConstraint(uuid: UUID())
    multicast.locationManager(CLLocationManager(), didRange: [CLBeacon()], satisfying: constraint)
    #expect(counter.count == 2)
  }

  @Test func `states are unsigned`() {
    let raw: UInt = CLMonitor.Event.State.unmonitored.rawValue
    #expect(raw == 3)
    #expect(CLLocationCoordinate2D() == CLLocationCoordinate2DMake(0, 0))
  }
}
