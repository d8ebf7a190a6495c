// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

import CoreLocation

/// A museum guide: it monitors the museum's region, and ranges the paintings' beacons while inside.
///
/// Nothing here is specific to Linux; `BEACONS_SOURCE` chooses the source of beacons.
final class MuseumGuide: NSObject, CLLocationManagerDelegate {
  private static let museum = UUID(uuidString: "F7826DA6-4FA2-4E98-8024-BC5B71E0893E")

  private let manager = CLLocationManager()
  private var nearest: CLBeacon?

  func open() {
    manager.delegate = self
    manager.requestWhenInUseAuthorization()
  }

  // 1. The region: every beacon of the museum.
  func locationManagerDidChangeAuthorization(_ manager: CLLocationManager) {
    switch manager.authorizationStatus {
    case .authorizedWhenInUse, .authorizedAlways: break
    default: return
    }
    guard let museum = Self.museum else { return }
    let constraint = CLBeaconIdentityConstraint(uuid: museum)
    let region = CLBeaconRegion(beaconIdentityConstraint: constraint, identifier: "museum")
    manager.startMonitoring(for: region)
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
