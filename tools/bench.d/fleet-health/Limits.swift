// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

import BeaconCore
import BeaconFleet
import BeaconTestSupport

/// The cost of a report and a minute with as many beacons at as many receivers as are followed.
enum Limits {
  /// A slow beacon: the judgements of each minute cost most with few reports.
  private static let interval = 50
  /// The usual interval is known after five hours; from then on clocks are compared.
  private static let hours = (learning: 6, measured: 1)

  static func measure() {
    for (beacons, receivers) in [(500, 16), (500, 64), (2000, 16), (2000, 64)] {
      measure(beacons, receivers)
    }
  }

  private static func measure(_ beacons: Int, _ receivers: Int) {
    let identities = (0..<beacons).map { TestScan.beacon(1, UInt16($0)) }
    var health = FleetHealth(FleetRoster(identities))
    let payloads = identities.flatMap { BeaconEncoder.advertisingData($0, measuredPower: -59) }
    let size = payloads.count / beacons
    let clock = ContinuousClock()
    var (spent, reports) = (Duration.zero, 0)
    let rounds = (hours.learning + hours.measured) * 3600 / interval
    for round in 0..<rounds {
      // The bytes of all, and the reports of a tenth of them at a time.
      for part in 0..<10 {
        var batch = ScanBatch()
        batch.bytes = payloads
        for beacon in beacons * part / 10..<beacons * (part + 1) / 10 {
          let seconds = Double(round * interval) + Double(beacon * interval) / Double(beacons)
          for receiver in 0..<receivers {
            batch.inputs.append(
              .report(
                AdvertisingReport(
                  time: TestScan.at(seconds + Double(receiver) / 10_000),
                  rssi: Int8(-60 - (beacon + receiver) % 30),
                  receiver: UInt8(receiver),
                  address: DeviceAddress(0xC000_0000_0000 + UInt64(beacon), kind: .random),
                  payloadStart: UInt32(beacon * size),
                  payloadCount: UInt16(size)
                )
              )
            )
          }
        }
        let start = clock.now
        health.add(batch)
        guard round * interval >= hours.learning * 3600 else { continue }
        spent += clock.now - start
        reports += batch.inputs.count
      }
    }
    let seconds = Double(spent.components.attoseconds) / 1e18 + Double(spent.components.seconds)
    let each = Int(seconds / Double(reports) * 1e9)
    print(
      "\(beacons) beacons at \(receivers) receivers: \(reports) reports,"
        + " \(each) ns each with the minutes between"
    )
  }
}
