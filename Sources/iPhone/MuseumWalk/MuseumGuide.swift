// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

import CoreLocation
import UserNotifications

/// A museum guide: it greets on arrival, monitors the museum's region, and ranges the paintings' beacons while inside.
///
/// Nothing here is specific to Linux; `BEACONS_SOURCE` chooses the source of beacons.
final class MuseumGuide: NSObject, CLLocationManagerDelegate, UNUserNotificationCenterDelegate {
  private static let museum = UUID(uuidString: "F7826DA6-4FA2-4E98-8024-BC5B71E0893E")

  private let manager = CLLocationManager()
  private var nearest: CLBeacon?

  func open() {
    manager.delegate = self
    UNUserNotificationCenter.current().delegate = self
    manager.requestWhenInUseAuthorization()
  }

  // 1. The arrival, which the system watches, and the region: every beacon of the museum.
  func locationManagerDidChangeAuthorization(_ manager: CLLocationManager) {
    switch manager.authorizationStatus {
    case .authorizedWhenInUse, .authorizedAlways: break
    default: return
    }
    guard let museum = Self.museum else { return }
    let constraint = CLBeaconIdentityConstraint(uuid: museum)
    let region = CLBeaconRegion(beaconIdentityConstraint: constraint, identifier: "museum")
    greet(onArrivalAt: constraint)
    manager.startMonitoring(for: region)
  }

  private func greet(onArrivalAt museum: CLBeaconIdentityConstraint) {
    let region = CLBeaconRegion(beaconIdentityConstraint: museum, identifier: "entrance")
    region.notifyOnEntry = true
    region.notifyOnExit = false
    let content = UNMutableNotificationContent()
    content.title = "Welcome to the museum"
    content.body = "Tap to open your guide."
    let trigger = UNLocationNotificationTrigger(region: region, repeats: true)
    UNUserNotificationCenter.current().add(
      UNNotificationRequest(identifier: "arrival", content: content, trigger: trigger)
    )
  }

  // A tap opens the guide: it is in use, and its region's state follows.
  func userNotificationCenter(
    _ center: UNUserNotificationCenter,
    didReceive response: UNNotificationResponse,
    withCompletionHandler completionHandler: @escaping () -> Void
  ) {
    print("opened by '\(response.notification.request.content.title)'")
    completionHandler()
  }

  // 2. Its state: a visitor who is already inside when the guide opens does not cross the boundary, and one who arrived
  // while it was closed learns it on opening it.
  func locationManager(
    _ manager: CLLocationManager,
    didDetermineState state: CLRegionState,
    for region: CLRegion
  ) {
    guard let region = region as? CLBeaconRegion else { return }
    if state == .inside {
      print("welcome to the \(region.identifier)")
      manager.startRangingBeacons(satisfying: region.beaconIdentityConstraint)
    } else {
      print("the \(region.identifier) is out of sight")
      nearest = nil
      manager.stopRangingBeacons(satisfying: region.beaconIdentityConstraint)
    }
  }

  // 3. Ranging: major is the room, minor the painting, and the nearest comes first.
  func locationManager(
    _ manager: CLLocationManager,
    didRange beacons: [CLBeacon],
    satisfying constraint: CLBeaconIdentityConstraint
  ) {
    guard let first = beacons.first, first.proximity != .unknown else { return }
    if let nearest, nearest.major == first.major, nearest.minor == first.minor { return }
    nearest = first
    let meters = (first.accuracy * 10).rounded() / 10
    print("room \(first.major), painting \(first.minor): \(meters) m")
  }
}
