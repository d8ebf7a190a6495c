// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

@testable import BeaconFormats
@testable import BeaconScenarios
import BeaconCore
@testable import CoreLocation
import Foundation
import Testing

/// Records a delegate's callbacks as the events that scenario files name, with sentinels converted back to missing
/// values.
@MainActor
final class RoomCallbacks: NSObject, @MainActor CLLocationManagerDelegate {
  private let service: LocationService
  private let start: Timestamp
  private let client: Int
  private var status: CLAuthorizationStatus?
  private var announced: CLAuthorizationStatus?
  private(set) var delivered: [ScenarioRunner.Delivered] = []

  init(_ service: LocationService, _ client: Int, startingAt start: Timestamp) {
    (self.service, self.client, self.start) = (service, client, start)
  }

  private func note(_ type: String, _ fields: [(String, FormValue)]) {
    delivered.append(
      ScenarioRunner.Delivered(
        time: RoomScenario.wholeTime(service.now - start),
        client: client,
        record: EventRecord(type: type, fields: fields.map { FormField($0.0, $0.1) })
      )
    )
  }

  // MARK: Authorization

  func locationManagerDidChangeAuthorization(_ manager: CLLocationManager) {
    defer { status = manager.authorizationStatus }
    announced = manager.authorizationStatus
    // The first callback gives the current status, which is not part of a scenario.
    guard status != nil else { return }
    note(
      "authorization",
      [
        ("status", .text(name(manager.authorizationStatus))),
        ("accuracy", .text(manager.accuracyAuthorization == .fullAccuracy ? "full" : "reduced")),
      ]
    )
  }

  func locationManager(
    _ manager: CLLocationManager,
    didChangeAuthorization status: CLAuthorizationStatus
  ) {
    // The old callback follows the new one, with the same status, and only if the status changed.
    #expect(announced == status)
    announced = nil
  }

  private func name(_ status: CLAuthorizationStatus) -> String {
    AuthorizationStatus(rawValue: Int(status.rawValue))?.name ?? "?"
  }

  func completed(_ purpose: String, _ error: (any Error)?) {
    note(
      "completion",
      [
        ("request", .text("temporaryFull")), ("purpose", .text(purpose)),
        ("error", .optional((error as? CLError)?.code.rawValue)),
      ]
    )
  }

  // MARK: Ranging

  func locationManager(
    _ manager: CLLocationManager,
    didRange beacons: [CLBeacon],
    satisfying beaconConstraint: CLBeaconIdentityConstraint
  ) {
    note(
      "ranged",
      [
        ("constraint", .text(beaconConstraint.constraint.description)),
        ("beacons", .list(beacons.map { .object(fields(of: $0)) })),
      ]
    )
  }

  private func fields(of beacon: CLBeacon) -> [FormField] {
    // Each unknown value has its own sentinel, and a beacon that was not received has all of them.
    #expect(beacon.accuracy >= 0 || beacon.accuracy == -1)
    #expect((beacon.accuracy == -1) == (beacon.proximity == .unknown))
    #expect(beacon.rssi <= 20)
    let proximity = Proximity(rawValue: beacon.proximity.rawValue) ?? .unknown
    let lastReceived = (beacon.timestamp.timeIntervalSince1970 * 1_000_000).rounded()
    return [
      FormField("uuid", .text(beacon.uuid.uuidString)),
      FormField("major", .integer(beacon.major.intValue)),
      FormField("minor", .integer(beacon.minor.intValue)),
      FormField("proximity", .text(proximity.name)),
      FormField("distance", .optional(beacon.accuracy == -1 ? nil : beacon.accuracy)),
      FormField("rssi", .optional(beacon.rssi == 0 ? nil : beacon.rssi)),
      FormField("last_heard", .time(Timestamp(microseconds: Int64(lastReceived)))),
    ]
  }

  func locationManager(
    _ manager: CLLocationManager,
    didFailRangingFor beaconConstraint: CLBeaconIdentityConstraint,
    error: any Error
  ) {
    fail(error, ("constraint", .text(beaconConstraint.constraint.description)))
  }

  private func fail(_ error: any Error, _ subject: (String, FormValue)) {
    note("failure", [("code", .optional((error as? CLError)?.code.rawValue)), subject])
  }

  // MARK: Regions

  func locationManager(_ manager: CLLocationManager, didStartMonitoringFor region: CLRegion) {
    note(
      "completion",
      [
        ("request", .text("monitor")), ("region", .text(region.identifier)), ("error", .null),
      ]
    )
  }

  func locationManager(
    _ manager: CLLocationManager,
    monitoringDidFailFor region: CLRegion?,
    withError error: any Error
  ) {
    fail(error, ("region", .optional(region?.identifier)))
  }

  func locationManager(_ manager: CLLocationManager, didEnterRegion region: CLRegion) {
    note("region.enter", [("region", .text(region.identifier))])
  }

  func locationManager(_ manager: CLLocationManager, didExitRegion region: CLRegion) {
    note("region.exit", [("region", .text(region.identifier))])
  }

  func locationManager(
    _ manager: CLLocationManager,
    didDetermineState state: CLRegionState,
    for region: CLRegion
  ) {
    let name = RegionState.allCases.first { Int($0.rawValue) == state.rawValue }
    note(
      "region.state",
      [
        ("region", .text(region.identifier)), ("state", .text(name?.description ?? "?")),
      ]
    )
  }
}
