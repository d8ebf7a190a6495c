// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

import CoreLocation

/// Records its callbacks, and does what a test wants in them.
@MainActor
final class Delegate: NSObject, @MainActor CLLocationManagerDelegate {
  private(set) var told: [String] = []
  var onAuthorization: (CLLocationManager) -> Void = { _ in }
  var onState: (CLLocationManager, CLRegionState, CLRegion) -> Void = { _, _, _ in }
  var onRange: (CLLocationManager, [CLBeacon]) -> Void = { _, _ in }

  /// Returns how often a callback was received.
  func count(_ line: String) -> Int { told.count { $0 == line } }

  func locationManagerDidChangeAuthorization(_ manager: CLLocationManager) {
    told.append("authorization \(manager.authorizationStatus.rawValue)")
    onAuthorization(manager)
  }

  func locationManager(
    _ manager: CLLocationManager,
    didChangeAuthorization status: CLAuthorizationStatus
  ) {
    told.append("status \(status.rawValue)")
  }

  func locationManager(
    _ manager: CLLocationManager,
    didRange beacons: [CLBeacon],
    satisfying beaconConstraint: CLBeaconIdentityConstraint
  ) {
    told.append("range \(beacons.map { "\($0.rssi)" })")
    onRange(manager, beacons)
  }

  func locationManager(
    _ manager: CLLocationManager,
    didRangeBeacons beacons: [CLBeacon],
    in region: CLBeaconRegion
  ) {
    told.append("range in \(region.identifier) \(beacons.count)")
  }

  func locationManager(
    _ manager: CLLocationManager,
    didFailRangingFor beaconConstraint: CLBeaconIdentityConstraint,
    error: any Error
  ) {
    told.append("range failure \((error as NSError).code)")
  }

  func locationManager(_ manager: CLLocationManager, didStartMonitoringFor region: CLRegion) {
    told.append("start \(region.identifier)")
  }

  func locationManager(
    _ manager: CLLocationManager,
    monitoringDidFailFor region: CLRegion?,
    withError error: any Error
  ) {
    told.append("failure \(region?.identifier ?? "?") \((error as NSError).code)")
  }

  func locationManager(_ manager: CLLocationManager, didEnterRegion region: CLRegion) {
    told.append("enter \(region.identifier)")
  }

  func locationManager(_ manager: CLLocationManager, didExitRegion region: CLRegion) {
    told.append("exit \(region.identifier)")
  }

  func locationManager(
    _ manager: CLLocationManager,
    didDetermineState state: CLRegionState,
    for region: CLRegion
  ) {
    told.append("state \(region.identifier) \(state.rawValue)")
    onState(manager, state, region)
  }

  func locationManager(_ manager: CLLocationManager, didFailWithError error: any Error) {
    told.append("failed")
  }
}
