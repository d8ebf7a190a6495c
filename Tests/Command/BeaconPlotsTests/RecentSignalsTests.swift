// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

import BeaconCore
import BeaconFormats
import BeaconTestSupport
import Testing

@testable import BeaconPlots

/// The signals of a run's last minutes, in bounded memory.
@Suite struct RecentSignalsTests {
  private static let beacon = TestScan.beacon(1, 1)

  /// Plays a beacon that sends once a second, with one receiver, and returns its signals.
  private static func signals(seconds: Int, _ regions: [Region] = []) -> RecentSignals {
    var signals = RecentSignals(regions, NameBook(), limits: (0.5, 3))
    var driver = EngineDriver(startingAt: TestScan.at(0))
    driver.watchNearby()
    driver.watchSightings(satisfying: [])
    driver.keepSlices()
    for second in 0..<seconds {
      var scan = TestScan()
      if second == 0 { scan.add(.radio(receiver: 0, .listening, TestScan.at(0))) }
      scan.report(Self.beacon, -60, at: Double(second))
      if !regions.isEmpty {
        for part in 1..<4 {
          scan.report(Self.beacon, -60, at: Double(second) + Double(part) * 0.25)
        }
      }
      driver.supply(scan.batch)
      signals.add(driver.collectDeliveries())
      signals.pass(to: TestScan.at(Double(second)))
    }
    return signals
  }

  @Test func `a beacon that is received is followed from then on`() throws {
    let signals = Self.signals(seconds: 100)
    let region = try #require(signals.regions.first)
    #expect(region.constraint == .minor(Self.beacon))
    let plot = try #require(signals.plot(of: region.identifier, named: "Globe"))
    #expect(plot.lanes.map(\.region.identifier.rawValue) == ["Globe"])
    #expect(plot.lanes[0].reports > 95 && plot.lanes[0].distance.columns.count > 90)
    #expect(plot.extent == TestScan.at(0)...TestScan.at(99))
    #expect(signals.plot(of: RegionIdentifier("other"), named: "x") == nil)
  }

  @Test(arguments: [500, 600, 700, 1250, 1900])
  func `the charts of a region are the same ones however long it is received`(_ seconds: Int) throws
  {
    let gate = Region(RegionIdentifier("gate"), .minor(Self.beacon))
    var signals = Self.signals(seconds: seconds, [gate])
    signals.pass(to: TestScan.at(Double(seconds) + 20))
    let plot = try #require(signals.plot(of: gate.identifier, named: "gate"))
    let picture = SignalPicture(of: plot, titled: "", .utc).section
    for chart in ["RSSI", "Distance", "Silence, and the exit time"] {
      #expect(picture.contains(">\(chart)"), "\(chart)")
    }
    #expect(plot.lanes[0].silence.silences.last?.upperBound == TestScan.at(Double(seconds) + 20))
  }

  @Test func `a silence is as long as it is, also after the older half of the past is gone`() throws
  {
    let gate = Region(RegionIdentifier("gate"), .minor(Self.beacon))
    var signals = Self.signals(seconds: 300, [gate])
    for second in 300..<1500 { signals.pass(to: TestScan.at(Double(second))) }
    let plot = try #require(signals.plot(of: gate.identifier, named: "gate"))
    let silence = try #require(plot.lanes[0].silence.silences.last)
    #expect(silence.lowerBound == TestScan.at(299.75) && silence.upperBound == TestScan.at(1499))
  }

  @Test func `every listed beacon has its signals, and those that left as far as there is room`() {
    var signals = RecentSignals([], NameBook(), limits: (0.5, 3))
    let all = (1...400).map { TestScan.beacon(1, UInt16($0)) }
    signals.follow(Set(all.prefix(200)))
    #expect(signals.regions.count == 200)
    signals.follow(Set(all[150..<350]))
    #expect(signals.regions.count <= 240)
    for beacon in all[150..<350] {
      #expect(signals.plot(of: RegionIdentifier("\(beacon)"), named: "x") != nil, "\(beacon)")
    }
    #expect(signals.plot(of: RegionIdentifier("\(all[399])"), named: "x") == nil)
  }

  @Test func `of a long run ten to twenty minutes stay`() throws {
    let signals = Self.signals(seconds: 4000)
    let region = try #require(signals.regions.first)
    let plot = try #require(signals.plot(of: region.identifier, named: "Globe"))
    let extent = try #require(plot.extent)
    #expect(extent.upperBound == TestScan.at(3999))
    let span = (extent.upperBound - extent.lowerBound).seconds
    #expect((600...1200).contains(span), "\(span)")
    #expect(abs(Double(plot.lanes[0].reports) - span) < 10)
  }
}
