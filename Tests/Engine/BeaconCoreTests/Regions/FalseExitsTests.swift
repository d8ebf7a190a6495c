// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

import BeaconCore
import BeaconTestSupport
import Testing

/// The count of false exits in `tools/bench sweep`, on captures with a known truth.
@Suite struct FalseExitsTests {
  static let beacon = TestScan.beacon(1, 7)

  /// The result of an engine with a fixed exit for reports at whole seconds, each with its RSSI; the power is −59 dBm.
  ///
  /// - Parameters:
  ///   - reports: The reports that the engine processes.
  ///   - truth: The reports that count as the truth; `nil`: the same.
  ///   - exit: The silence in seconds after which a region is left.
  ///   - zone: The radius of the region.
  /// - Returns: The count.
  static func count(
    _ reports: [(Double, Int8)],
    believed truth: [(Double, Int8)]? = nil,
    exit: Int64,
    zone: Zone? = nil
  ) -> FalseExits {
    var scan = TestScan()
    for (second, rssi) in reports { scan.report(beacon, rssi, at: second) }
    // The timeline continues after the last report, so that due events are delivered.
    scan.marks(from: 0, through: (reports.last?.0 ?? 0) + 50)
    var configuration = Configuration()
    configuration.regions.exitTiming = .fixed(.seconds(exit))
    // The reports themselves are the truth.
    configuration.ranging.filter = .latest(LatestFilter.Parameters())
    let samples = (truth ?? reports).map { (time: TestScan.at($0.0), stream: 0, rssi: $0.1) }
    return FalseExits(
      [scan.inOrder],
      of: [(identity: beacon, power: -59)],
      TwoWayLevels(samples, streams: 1),
      configuration,
      zone: zone
    )
  }

  /// A beacon a second from one second to another, without the seconds of a silence.
  static func seconds(_ last: Int, without silence: Range<Int> = 0..<0, rssi: Int8 = -60)
    -> [(Double, Int8)]
  {
    (0...last).filter { !silence.contains($0) }.map { (Double($0), rssi) }
  }

  @Test func `a short silence of a beacon that stays is a false exit`() {
    let count = Self.count(Self.seconds(100, without: 40..<52), exit: 5)
    // The second exit is the one at the end, without a return.
    #expect(count.exits == 2 && count.falseExits == 1)
    #expect(count.silences == [5, 5])
    #expect(Self.count(Self.seconds(100, without: 40..<52), exit: 15).falseExits == 0)
  }

  @Test func `a silence without reports around it is no evidence`() {
    // From 45 s on; at 55 s there was no report within 10 s before or after.
    let count = Self.count(Self.seconds(120, without: 40..<70), exit: 5)
    #expect(count.exits == 2 && count.falseExits == 0)
  }

  /// The true level is that of the strong reports all the time; the engine's reports are weak for a long time.
  @Test(arguments: [(50, 1), (70, 0)])
  func `a return after more than a minute is no false exit`(_ seconds: Int, _ wanted: Int) throws {
    let zone = try Zone(enterWithin: 2, leaveBeyond: 3)
    var samples = Self.seconds(150)
    for second in 40..<40 + seconds { samples[second].1 = -80 }
    let count = Self.count(samples, believed: Self.seconds(150), exit: 5, zone: zone)
    #expect(count.exits == 2 && count.falseExits == wanted)
  }

  @Test func `a short jump beyond the zone is a false exit, a walk is not`() throws {
    let zone = try Zone(enterWithin: 2, leaveBeyond: 3)
    var strayed = Self.seconds(100)
    strayed[50].1 = -80
    let stray = Self.count(strayed, exit: 5, zone: zone)
    #expect(stray.exits == 2 && stray.falseExits == 1)
    var walked = Self.seconds(100)
    for second in 40..<65 { walked[second].1 = -80 }
    let walk = Self.count(walked, exit: 5, zone: zone)
    #expect(walk.exits == 2 && walk.falseExits == 0)
  }

  @Test func `without reports there is no event`() {
    #expect(Self.count([], exit: 5).exits == 0)
    let none = FalseExits([], of: [], TwoWayLevels([], streams: 0), Configuration())
    #expect(none.exits == 0 && none.falseExits == 0)
  }
}
