// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

import Beacons
@testable import CoreLocation
import Foundation
import Testing

/// Objects go through archives, and errors through `NSError`, with all that they hold.
@Suite struct ArchiveTests {
  private func archived<Object: NSObject & NSSecureCoding>(_ object: Object) throws -> Object {
    let data = try NSKeyedArchiver.archivedData(withRootObject: object, requiringSecureCoding: true)
    return try #require(try NSKeyedUnarchiver.unarchivedObject(ofClass: Object.self, from: data))
  }

  @Test func `regions and constraints`() throws {
    let uuid = UUID()
    let region = CLBeaconRegion(uuid: uuid, major: 0, minor: 65535, identifier: "hall")
    region.notifyOnExit = false
    region.notifyEntryStateOnDisplay = true
    let copy = try archived(region)
    #expect(copy == region && copy.beaconIdentityConstraint == region.beaconIdentityConstraint)
    #expect(copy.notifyOnEntry && !copy.notifyOnExit && copy.notifyEntryStateOnDisplay)
    let constraint = CLBeaconIdentityConstraint(uuid: uuid, major: 7)
    #expect(try archived(constraint) == constraint)
    let circle = CLCircularRegion(
      center: CLLocationCoordinate2D(latitude: 1, longitude: 2),
      radius: 3,
      identifier: "c"
    )
    let circleCopy = try archived(circle)
    #expect(circleCopy == circle && circleCopy.radius == 3 && circleCopy.center.longitude == 2)
  }

  @Test func `beacons and positions`() throws {
    let empty = CLBeacon()
    #expect(empty.proximity == .unknown && empty.accuracy == -1 && empty.rssi == 0)
    #expect(try archived(empty).description == empty.description)
    let location = CLLocation(latitude: 0.1, longitude: .infinity)
    let copy = try archived(location)
    #expect(copy.coordinate.latitude == 0.1 && copy.coordinate.longitude == .infinity)
    #expect(copy.timestamp == location.timestamp)
    _ = try archived(CLHeading())
    _ = try archived(CLVisit())
  }

  @Test func `an archive of something else is refused`() throws {
    let data = try NSKeyedArchiver.archivedData(
      withRootObject: CLVisit(),
      requiringSecureCoding: true
    )
    let reader = try NSKeyedUnarchiver(forReadingFrom: data)
    #expect(CLBeaconRegion(coder: reader) == nil)
    #expect(CLBeacon(coder: reader) == nil)
    #expect(CLLocation(coder: reader) == nil)
  }

  @Test func `an advertisement holds 21 bytes`() throws {
    let uuid = try #require(UUID(uuidString: "00112233-4455-6677-8899-AABBCCDDEEFF"))
    let region = CLBeaconRegion(uuid: uuid, major: 258, minor: 772, identifier: "a")
    func bytes(_ power: NSNumber?) -> [UInt8]? {
      (region.peripheralData(withMeasuredPower: power)["kCBAdvDataAppleBeaconKey"] as? Data)
        .map { [UInt8]($0) }
    }
    let identity: [UInt8] = [
      0x00, 0x11, 0x22, 0x33, 0x44, 0x55, 0x66, 0x77, 0x88, 0x99, 0xAA, 0xBB, 0xCC, 0xDD, 0xEE,
      0xFF, 1, 2, 3, 4,
    ]
    #expect(bytes(nil) == identity + [0xC5])
    #expect(bytes(-70) == identity + [0xBA])
  }

  @Test func `an error keeps its user info`() throws {
    let other = CLBeaconRegion(uuid: UUID(), identifier: "other")
    let error = CLError(
      .regionMonitoringFailure,
      userInfo: [kCLErrorUserInfoAlternateRegionKey: other, NSLocalizedDescriptionKey: "full"]
    )
    #expect(error.alternateRegion === other && error.localizedDescription == "full")
    #expect((error as NSError).userInfo[kCLErrorUserInfoAlternateRegionKey] as? CLRegion === other)
    let back = CLError(_nsError: error._nsError)
    #expect(back == error && back.alternateRegion === other)
    #expect(CLError(_nsError: NSError(domain: "x", code: 99)).code == .locationUnknown)
  }
}
