// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

import BeaconCore
import BeaconFormats
import BeaconTestSupport
import Testing

@testable import BeaconFleet

/// What is concluded from what beacons say of their batteries and counters.
@Suite struct BatteryWatchTests {
  /// Telemetry four times a day.
  private func watch(_ volts: [Double]) -> BatteryWatch {
    var watch = BatteryWatch()
    for (day, level) in volts.enumerated() {
      for hour in 0..<4 {
        let time = TestScan.at(Double(day) * 86_400 + Double(hour) * 3600)
        watch.add(Telemetry(volts: level), at: time, receiver: 0)
      }
      watch.endDay()
    }
    return watch
  }

  @Test func `a battery is low below 2.4 V, and falls when it will be low in a month`() {
    #expect(watch([3, 2.9, 2.35]).isLow)
    #expect(
      !watch([3, 2.9, 2.45]).isLow && watch([2.35, 2.45]).isLow && !watch([2.35, 2.55]).isLow
    )
    #expect(watch((0..<10).map { 2.9 - 0.02 * Double($0) }).willBeLow)
    #expect(!watch((0..<10).map { 3.0 - 0.002 * Double($0) }).willBeLow)
    #expect(!watch([2.9, 2.8, 2.7]).willBeLow)
    #expect(!watch((0..<14).map { $0 % 2 == 0 ? 2.9 : 2.84 }).willBeLow)
  }

  @Test func `counters that go back without a restart are another device`() {
    func contested(_ uptimes: [Int64], receivers: Int = 1) -> Bool {
      var watch = BatteryWatch()
      for (index, uptime) in uptimes.enumerated() {
        let time = TestScan.at(Double(index) * 30)
        watch.add(Telemetry(uptime: .seconds(uptime)), at: time, receiver: index % receivers)
      }
      let goesBack = watch.goesBack
      watch.endHour()
      #expect(!watch.goesBack)
      return goesBack
    }
    #expect(contested([90_000, 5000, 90_060, 5060, 90_120, 5120, 90_180, 5180]))
    #expect(!contested([90_000, 90_030, 10, 40, 70, 100]))
    // It restarts again and again.
    #expect(!contested([90_000, 5, 35, 3, 33, 2, 32, 1]))
    // One device at two receivers, of which one has a clock that is five minutes late.
    #expect(
      !contested([90_000, 89_700, 90_060, 89_760, 90_120, 89_820, 90_180, 89_880], receivers: 2)
    )
  }
}
