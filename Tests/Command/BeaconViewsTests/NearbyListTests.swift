// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

import BeaconCore
import BeaconTestSupport
import Testing

@testable import BeaconViews

/// The list of everything nearby on a page: rows that stay in their places, and no more than a page has.
@Suite struct NearbyListTests {
  /// Plays seconds, in each of which some beacons of major 1 send.
  private static func list(_ seconds: Int, _ minors: (Int) -> [UInt16]) -> NearbyList {
    var list = NearbyList(RangingConfiguration())
    var driver = EngineDriver(startingAt: TestScan.at(0))
    driver.watchNearby()
    for second in 0..<seconds {
      var scan = TestScan()
      for minor in minors(second) {
        scan.report(
          TestScan.beacon(1, minor),
          -50 - Int8(minor % 40),
          at: Double(second),
          address: UInt64(minor)
        )
      }
      scan.mark(at: Double(second) + 0.9)
      driver.supply(scan.batch)
      list.receive(driver.collectDeliveries())
      list.receive(scan.batch, receivers: ["hci0"])
    }
    return list
  }

  private static func minors(_ list: NearbyList) -> [UInt16] {
    list.rows.map(\.row.key.identity.minor)
  }

  @Test func `a row keeps its place, whatever comes nearer or later`() {
    let list = Self.list(20) { $0 < 10 ? [9, 3] : [3, 9, 1] }
    #expect(Self.minors(list).suffix(1) == [1])
    #expect(Self.minors(list).prefix(2) == Self.minors(Self.list(5) { _ in [9, 3] })[...])
  }

  @Test func `a silent beacon stays for two minutes`() {
    #expect(Self.minors(Self.list(100) { $0 < 5 ? [1, 2] : [1] }) == [1, 2])
    #expect(Self.minors(Self.list(140) { $0 < 5 ? [1, 2] : [1] }) == [1])
  }

  @Test func `a page has two hundred beacons, and the number of the others`() {
    let list = Self.list(4) { _ in Array(1...300) }
    #expect(list.rows.count == 200 && list.further == 100)
  }
}
