// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

import BeaconCore
import BeaconTestSupport
import Testing

/// Law L3: a request acts at the time of the last input, and the time of its answer must not tell when that was a report.
struct ToldTimesTests {
  enum Limit: CaseIterable {
    case denied, undecided, reduced, background

    var authorization: SavedAuthorization {
      switch self {
      case .denied: SavedAuthorization(grant: .denied)
      case .undecided: SavedAuthorization(grant: .notDetermined)
      case .reduced: SavedAuthorization(grant: .whenInUse, accuracy: .reduced)
      case .background: SavedAuthorization(grant: .whenInUse)
      }
    }
  }

  private let manifest = Manifest(whenInUse: "when", alwaysAndWhenInUse: "always")
  private let museum = IdentityConstraint.uuid(TestScan.museum)

  /// The deliveries to a client in twenty seconds of a service, with reports at any time or without reports.
  private func deliveries(_ limit: Limit, reports: Bool, seed: UInt64) -> [Delivery] {
    var random = SplitMix64(seed: seed)
    let engine = TestEngine(startingAt: TestScan.start.wholeSecond)
    engine.driver.roundTimes()
    let client = engine.driver.connect(
      manifest,
      restoring: SavedClient(authorization: limit.authorization),
      isForeground: limit != .background
    )
    var all: [Delivery] = []
    for second in 1...20 {
      let start = TestScan.start.wholeSecond + .seconds(Int64(second))
      all += engine.run(ScanBatch(inputs: [.mark(start)]), ending: false)
      let time = start + .milliseconds(Int64.random(in: 1..<900, using: &random))
      if reports {
        var batch = ScanBatch()
        batch.append(
          AdvertisingReport(time: time, rssi: -60, payloadStart: 0, payloadCount: 0),
          payload: BeaconEncoder.advertisingData(SecretBeacons.beacon(0), measuredPower: -59)
        )
        all += engine.run(batch, ending: false)
      }
      let region = RegionIdentifier("r\(second % 3)")
      engine.driver.request(.monitor(Region(region, museum)), by: client)
      engine.driver.request(.requestState(region), by: client)
      engine.driver.request(.range(museum), by: client)
      engine.driver.request(.stopRanging(museum), by: client)
      if second % 5 == 0 { engine.driver.request(.authorize(.whenInUse), by: client) }
      if second % 7 == 0 {
        engine.driver.perform(
          .services(on: second % 2 == 0),
          by: client,
          exactlyAt: engine.driver.now
        )
      }
      all += engine.driver.drainDeliveries()
    }
    all += engine.run(ScanBatch(inputs: [.mark(TestScan.start + .seconds(22))]), ending: false)
    return all.filter { $0.recipient == .client(client) }
  }

  @Test(arguments: Limit.allCases)
  func `the time of an answer tells a limited client nothing of reports`(_ limit: Limit) {
    for seed in UInt64(0)..<20 {
      let with = deliveries(limit, reports: true, seed: seed)
      let without = deliveries(limit, reports: false, seed: seed)
      #expect(with == without)
      #expect(with.count > 20)
      #expect(with.allSatisfy { $0.time == $0.time.wholeSecond })
    }
  }

  /// A crossing has the exact time of its report, and no later event an earlier one.
  @Test func `what a client may know has its exact time, and time does not go back`() {
    let engine = TestEngine(startingAt: TestScan.start.wholeSecond)
    engine.driver.roundTimes()
    let client = engine.driver.connect(
      manifest,
      restoring: SavedClient(authorization: SavedAuthorization(grant: .always))
    )
    engine.driver.request(.monitor(Region("hall", museum)), by: client)
    let time = TestScan.start.wholeSecond + .milliseconds(1250)
    var batch = ScanBatch()
    batch.append(
      AdvertisingReport(time: time, rssi: -60, payloadStart: 0, payloadCount: 0),
      payload: BeaconEncoder.advertisingData(
        BeaconIdentity(uuid: TestScan.museum, major: 1, minor: 2),
        measuredPower: -59
      )
    )
    var all = engine.driver.drainDeliveries() + engine.run(batch, ending: false)
    #expect(
      all.contains {
        if case .regionState("hall", .inside, _, _) = $0.event { $0.time == time } else { false }
      }
    )
    engine.driver.perform(
      .settings(authorization: .never),
      by: client,
      exactlyAt: time + .milliseconds(10)
    )
    all += engine.run(ScanBatch(inputs: [.mark(time + .milliseconds(20))]), ending: false)
    engine.driver.request(.requestState("hall"), by: client)
    all += engine.driver.drainDeliveries()
    let times = all.filter { $0.recipient == .client(client) }.map(\.time)
    #expect(times == times.sorted())
    #expect(times.last == time)
  }
}
