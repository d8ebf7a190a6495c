// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

import BeaconCore
import BeaconTestSupport
import Testing

@testable import DoctorCommands

@Suite struct ReceptionMeasurementTests {
  private static func measured(_ scan: TestScan) -> ReceptionMeasurement {
    var measurement = ReceptionMeasurement()
    measurement.receive(scan.inOrder)
    measurement.end(after: .seconds(10))
    return measurement
  }

  /// Five beacons, ten times a second.
  static func gallery() -> ReceptionMeasurement { measured(TestScan.gallery(of: 5, seconds: 10)) }

  /// Five beacons reported once a scan.
  static func filtered() -> ReceptionMeasurement {
    var scan = TestScan()
    for minor in 1...5 {
      scan.report(TestScan.beacon(1, UInt16(minor)), -60, at: Double(minor) / 10)
    }
    return measured(scan)
  }

  /// A beacon of which only large changes are reported.
  static func coarse() -> ReceptionMeasurement {
    var scan = TestScan()
    for tenth in 0..<100 {
      scan.report(TestScan.beacon(1, 1), tenth % 2 == 0 ? -60 : -69, at: Double(tenth) / 10)
    }
    return measured(scan)
  }

  /// Devices that are not beacons.
  static func strangers() -> ReceptionMeasurement {
    var scan = TestScan()
    for tenth in 0..<100 {
      scan.add(
        .report(
          AdvertisingReport(
            time: TestScan.at(Double(tenth) / 10),
            rssi: -80,
            address: DeviceAddress(UInt64(tenth % 3), kind: .random),
            payloadStart: 0,
            payloadCount: 0
          )
        )
      )
    }
    return measured(scan)
  }

  @Test func `a scan is measured`() {
    let scan = Self.gallery()
    #expect(scan.reports == 500)
    #expect(scan.rate == 50)
    #expect(scan.beaconCount == 5)
    #expect(scan.medianGap == .milliseconds(100))
    #expect(scan.smallestStep == 2)
    #expect(scan.duplicates == .passed)
    #expect(scan.busiestUUID == TestScan.museum)
    #expect(Self.coarse().smallestStep == 9)
    #expect(Self.strangers().beaconCount == 0)
    #expect(Self.strangers().duplicates == .passed)
  }

  @Test func `duplicates are filtered if each device is reported once, else it is unknown`() {
    #expect(Self.filtered().duplicates == .filtered)
    #expect(Self.filtered().medianGap == nil)
    #expect(ReceptionMeasurement().duplicates == .unknown)
    var scan = TestScan()
    for second in 0..<3 { scan.report(TestScan.beacon(1, 1), -60, at: Double(second)) }
    #expect(Self.measured(scan).duplicates == .unknown)
  }
}
