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

  // MARK: More beacons than a page has

  /// Plays beacons whose levels fall with their number, and vary by several decibels.
  private static func hall(
    _ seconds: Int,
    _ list: inout NearbyList,
    _ watch: (Int, NearbyList) -> Void
  ) {
    var random = SplitMix64(seed: 11)
    var driver = EngineDriver(startingAt: TestScan.at(0))
    driver.watchNearby()
    for second in 0..<seconds {
      var scan = TestScan()
      for minor in 1...300 {
        for part in 0..<2 {
          let noise = Int(random.next() % 5) + Int(random.next() % 5) - 4
          // The one of minor 300 comes near after a minute.
          let level = minor == 300 && second >= 60 ? -45 : -50 - minor / 7
          scan.report(
            TestScan.beacon(1, UInt16(minor)),
            Int8(clamping: level + noise),
            at: Double(second) + Double(part) * 0.5 + Double(minor) * 0.001,
            address: UInt64(minor)
          )
        }
      }
      scan.mark(at: Double(second) + 0.9)
      driver.supply(scan.batch)
      list.receive(driver.collectDeliveries())
      list.receive(scan.batch, receivers: ["hci0"])
      watch(second, list)
    }
  }

  @Test func `of more beacons than a page has the nearest stay, and no row moves`() {
    var list = NearbyList(RangingConfiguration())
    var last: [UInt16] = []
    var changes = 0
    Self.hall(90, &list) { second, list in
      let now = Self.minors(list)
      if second > 20, second != 60 {
        #expect(now.count == 200)
        let changed = zip(last, now).count { $0 != $1 }
        changes += changed
        #expect(changed <= 3, "\(second): rows are exchanged or move")
        #expect(Set(1...60).isSubset(of: now), "\(second): a near beacon is missing")
      }
      last = now
    }
    #expect(changes < 20, "\(changes)")
    #expect(last.contains(300), "a beacon that comes near is listed")
  }
}
