// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

import BeaconCore
import BeaconTestSupport
import Testing

@testable import BeaconCommands

@Suite struct AirMeasurementTests {
  private static func measured(_ air: Air) -> AirMeasurement {
    var measurement = AirMeasurement()
    measurement.take(air.inOrder)
    measurement.end(after: .seconds(10))
    return measurement
  }

  /// Five beacons, ten times a second.
  static func gallery() -> AirMeasurement { measured(Air.gallery(of: 5, seconds: 10)) }

  /// Five beacons told of once a scan.
  static func filtered() -> AirMeasurement {
    var air = Air()
    for minor in 1...5 { air.report(Air.beacon(1, UInt16(minor)), -60, at: Double(minor) / 10) }
    return measured(air)
  }

  /// A beacon of which only large changes are told.
  static func coarse() -> AirMeasurement {
    var air = Air()
    for tenth in 0..<100 {
      air.report(Air.beacon(1, 1), tenth % 2 == 0 ? -60 : -69, at: Double(tenth) / 10)
    }
    return measured(air)
  }

  /// Devices that are no beacons.
  static func strangers() -> AirMeasurement {
    var air = Air()
    for tenth in 0..<100 {
      air.add(
        .report(
          AdvertisingReport(
            time: Air.at(Double(tenth) / 10),
            rssi: -80,
            address: DeviceAddress(UInt64(tenth % 3), kind: .random),
            payloadStart: 0,
            payloadCount: 0
          )
        )
      )
    }
    return measured(air)
  }

  @Test func `an air is measured`() {
    let air = Self.gallery()
    #expect(air.reports == 500)
    #expect(air.rate == 50)
    #expect(air.beaconCount == 5)
    #expect(air.medianGap == .milliseconds(100))
    #expect(air.smallestStep == 2)
    #expect(air.duplicates == .passed)
    #expect(air.busiestUUID == Air.museum)
    #expect(Self.coarse().smallestStep == 9)
    #expect(Self.strangers().beaconCount == 0)
    #expect(Self.strangers().duplicates == .passed)
  }

  @Test func `duplicates are filtered where each device is told of once, and else it is not known`()
  {
    #expect(Self.filtered().duplicates == .filtered)
    #expect(Self.filtered().medianGap == nil)
    #expect(AirMeasurement().duplicates == .unknown)
    var air = Air()
    for second in 0..<3 { air.report(Air.beacon(1, 1), -60, at: Double(second)) }
    #expect(Self.measured(air).duplicates == .unknown)
  }
}
