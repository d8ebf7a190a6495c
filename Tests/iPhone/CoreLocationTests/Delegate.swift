// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

import CoreLocation

/// Records its callbacks, and performs a test's actions in them.
@MainActor
final class Delegate: NSObject, @MainActor CLLocationManagerDelegate {
  private(set) var callbacks: [String] = []
  var onAuthorization: (CLLocationManager) -> Void = { _ in }
  var onState: (CLLocationManager, CLRegionState, CLRegion) -> Void = { _, _, _ in }
  var onRange: (CLLocationManager, [CLBeacon]) -> Void = { _, _ in }

  /// Returns how often a callback was received.
  func count(_ line: String) -> Int { callbacks.count { $0 == line } }

  func locationManagerDidChangeAuthorization(_ manager: CLLocationManager) {
    callbacks.append("authorization \(manager.authorizationStatus.rawValue)")
    onAuthorization(manager)
  }

  func locationManager(
    _ manager: CLLocationManager,
    didChangeAuthorization status: CLAuthorizationStatus
  ) {
    callbacks.append("status \(status.rawValue)")
  }

  func locationManager(
    _ manager: CLLocationManager,
    didRange beacons: [CLBeacon],
    satisfying beaconConstraint: CLBeaconIdentityConstraint
  ) {
    callbacks.append("range \(beacons.map { "\($0.rssi)" })")
    onRange(manager, beacons)
  }

  func locationManager(
    _ manager: CLLocationManager,
    didRangeBeacons beacons: [CLBeacon],
    in region: CLBeaconRegion
  ) {
    callbacks.append("range in \(region.identifier) \(beacons.count)")
  }

  func locationManager(
    _ manager: CLLocationManager,
    didFailRangingFor beaconConstraint: CLBeaconIdentityConstraint,
    error: any Error
  ) {
    callbacks.append("range failure \((error as NSError).code)")
  }

  func locationManager(_ manager: CLLocationManager, didStartMonitoringFor region: CLRegion) {
    callbacks.append("start \(region.identifier)")
  }

  func locationManager(
    _ manager: CLLocationManager,
    monitoringDidFailFor region: CLRegion?,
    withError error: any Error
  ) {
    callbacks.append("failure \(region?.identifier ?? "?") \((error as NSError).code)")
  }

  func locationManager(_ manager: CLLocationManager, didEnterRegion region: CLRegion) {
    callbacks.append("enter \(region.identifier)")
  }

  func locationManager(_ manager: CLLocationManager, didExitRegion region: CLRegion) {
    callbacks.append("exit \(region.identifier)")
  }

  func locationManager(
    _ manager: CLLocationManager,
    didDetermineState state: CLRegionState,
    for region: CLRegion
  ) {
    callbacks.append("state \(region.identifier) \(state.rawValue)")
    onState(manager, state, region)
  }

  func locationManager(_ manager: CLLocationManager, didVisit visit: CLVisit) {
    let end = visit.departureDate == .distantFuture ? "" : " to \(Self.second(visit.departureDate))"
    callbacks.append("visit \(visit.regionIdentifier) \(Self.second(visit.arrivalDate))\(end)")
  }

  private static func second(_ date: Date) -> Int { Int(date.timeIntervalSince1970) % 1000 }

  func locationManager(_ manager: CLLocationManager, didFailWithError error: any Error) {
    callbacks.append("failed \((error as NSError).code)")
  }
}
