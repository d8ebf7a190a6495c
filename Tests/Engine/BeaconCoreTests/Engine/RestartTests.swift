// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

import BeaconTestSupport
import Testing

@testable import BeaconCore

/// A restart gives the events of an uninterrupted run, except for what the rows say of restarts: a stopped program
/// receives nothing, so its regions' clocks stop, and it delivers its first state as restored.
///
/// An uninterrupted run with no reports during the same time also receives nothing, so the two must agree to the
/// microsecond.
@Suite struct RestartTests {
  /// When the program is stopped, and for how long: longer than a gap, but shorter than the retention time of beacons.
  static let stop = 900.0
  static let down = 90.0
  static let end = 1800.0

  /// Exit times are learned within a run.
  static var learning: Configuration {
    var configuration = Configuration()
    configuration.regions.learning.hold = .seconds(30)
    return configuration
  }

  static let regions = [
    Region("all", .uuid(TestScan.museum)), Region("one", .minor(TestScan.beacon(1, 1))),
    Region("two", .minor(TestScan.beacon(1, 2))), Region("three", .minor(TestScan.beacon(1, 3))),
  ]

  /// Three beacons that come and go, each with its own arrival intervals, and no reports while the program is stopped.
  static func scan(_ seed: UInt64) -> ScanBatch {
    var random = SplitMix64(seed: seed)
    var scan = TestScan()
    let beacons: [(interval: Double, received: Double, loss: LossyBeacon.Loss)] = [
      (0.25, 0.7, .independent), (0.35, 0.6, .bursts), (1, 0.8, .independent),
    ]
    for (number, kind) in beacons.enumerated() {
      var beacon = LossyBeacon(
        interval: kind.interval,
        received: kind.received,
        loss: kind.loss,
        seed: random.next()
      )
      var (isPresent, until) = (true, Double.random(in: 100..<400, using: &random))
      while beacon.now < end {
        _ = beacon.nextGap()
        while beacon.now >= until {
          isPresent.toggle()
          until += Double.random(in: isPresent ? 100..<400 : 20..<90, using: &random)
        }
        let isDown = beacon.now > stop && beacon.now < stop + down
        guard isPresent, !isDown else { continue }
        scan.report(TestScan.beacon(1, UInt16(number + 1)), -60, at: beacon.now)
      }
    }
    for second in stride(from: 0.5, to: end, by: 10) where second < stop || second > stop + down {
      scan.mark(at: second)
    }
    return scan.inOrder
  }

  /// The region events of a run, except for those that only a restart or a gap causes.
  static func delivered(_ deliveries: [Delivery]) -> [Delivery] {
    deliveries.filter { delivery in
      switch delivery.event {
      case .regionEntered, .regionExited: true
      case .regionState(_, _, let origin, _): origin == .observed
      default: false
      }
    }
  }

  static func begin(_ configuration: Configuration) -> (Engine, [Delivery]) {
    var engine = Engine(configuration, startingAt: TestScan.start)
    let client = engine.connect()
    var out: [Delivery] = []
    for region in regions {
      engine.request(.monitor(region, assuming: .outside), by: client, into: &out)
    }
    return (engine, out)
  }

  static func uninterrupted(_ scan: ScanBatch, _ configuration: Configuration) -> [Delivery] {
    var (engine, delivered) = begin(configuration)
    delivered += engine.run(scan)
    return Self.delivered(delivered)
  }

  /// The same run with a restart, through the saved state.
  static func restarted(
    _ scan: ScanBatch,
    _ configuration: Configuration,
    keeping kept: (SavedRegion) -> SavedRegion = { $0 }
  ) throws -> [Delivery] {
    let place = scan.inputs.firstIndex { $0.time > TestScan.at(stop) } ?? scan.inputs.count
    var (engine, delivered) = begin(configuration)
    delivered += engine.run(ScanBatch(bytes: scan.bytes, inputs: Array(scan.inputs[..<place])))
    let regions = engine.saved(try #require(delivered.first?.client)).regions.map(kept)
    let rest = ScanBatch(bytes: scan.bytes, inputs: Array(scan.inputs[place...]))
    var next = Engine(configuration, startingAt: try #require(rest.inputs.first?.time))
    _ = next.connect(restoring: regions, into: &delivered)
    delivered += next.run(rest)
    return Self.delivered(delivered)
  }

  static let seeds = 1...UInt64(max(2, Effort.rounds(8)))

  @Test(arguments: [0.0, 12])
  func `a run that was stopped and restarted delivers the same`(exit: Double) throws {
    var configuration = Self.learning
    configuration.regions.exitTiming = exit == 0 ? .learned : .fixed(.seconds(Int64(exit)))
    for seed in Self.seeds {
      let scan = Self.scan(seed)
      let whole = Self.uninterrupted(scan, configuration)
      #expect(whole.count > 20, "seed \(seed)")
      let pieces = try Self.restarted(scan, configuration)
      let difference = zip(pieces, whole).first { $0 != $1 }
      #expect(difference == nil && pieces.count == whole.count, "seed \(seed)")
    }
  }

  @Test(.slow) func `without the intervals it does not`() throws {
    var differing = 0
    for seed in Self.seeds {
      let scan = Self.scan(seed)
      let pieces = try Self.restarted(scan, Self.learning) { region in
        var region = region
        region.intervals = []
        return region
      }
      if pieces != Self.uninterrupted(scan, Self.learning) { differing += 1 }
    }
    #expect(differing > Self.seeds.count / 2)
  }

  @Test func `intervals that are too old or damaged are as good as none`() throws {
    let scan = Self.scan(1)
    let bare = try Self.restarted(scan, Self.learning) { region in
      var region = region
      region.intervals = []
      return region
    }
    let damaged = try Self.restarted(scan, Self.learning) { region in
      var region = region
      for index in region.intervals.indices { region.intervals[index].target = .max }
      return region
    }
    #expect(damaged == bare)
    let old = try Self.restarted(scan, Self.learning) { region in
      var region = region
      region.savedAt = TestScan.at(Self.stop - 3600)
      return region
    }
    let registered = try Self.restarted(scan, Self.learning) { region in
      var region = region
      region.savedAt = TestScan.at(Self.stop - 3600)
      region.intervals = []
      return region
    }
    #expect(old == registered)
  }

  @Test func `what is kept of gaps comes back as it was`() throws {
    var (engine, delivered) = Self.begin(Self.learning)
    delivered += engine.run(Self.scan(3), ending: false)
    let intervals = engine.saved(try #require(delivered.first?.client)).regions[0].intervals
    #expect(
      intervals.map(\.identity) == [
        TestScan.beacon(1, 1), TestScan.beacon(1, 2), TestScan.beacon(1, 3),
      ]
    )
    for kept in intervals {
      let gaps = try #require(ArrivalIntervals(kept))
      #expect(gaps.isLearned)
      #expect(gaps.saved(of: kept.identity) == kept)
    }
  }

  @Test func `learning continues from any consistent numbers`() throws {
    var random = SplitMix64(seed: 5)
    for _ in 0..<2000 {
      let target = UInt16.random(in: 0...(.max), using: &random)
      var saved = SavedIntervals(TestScan.beacon(1, 1))
      func period() -> SavedIntervals.Period {
        var period = SavedIntervals.Period()
        let count = Int.random(in: 0...24, using: &random)
        period.longest = (0..<count).map { _ in UInt16.random(in: 1...(.max), using: &random) }
          .sorted(by: >)
        period.presence = UInt32.random(in: 0...57_600_000, using: &random)
        period.gaps = UInt32.random(in: 0...(.max), using: &random)
        period.withLosses = UInt32.random(in: 0...period.gaps, using: &random)
        return period
      }
      saved.current = period()
      saved.previous = period()
      saved.first = Array(repeating: 900, count: Int.random(in: 0...7, using: &random))
      saved.estimatedInterval =
        Bool.random(using: &random) ? 0 : UInt16.random(in: 0...(.max), using: &random)
      saved.exit = UInt16.random(in: target...(.max), using: &random)
      saved.target = target
      saved.doubtUntil = UInt32.random(in: 0...(.max), using: &random)
      saved.refreshAt = UInt32.random(in: 0...(.max), using: &random)
      saved.beyondCap = UInt16.random(in: 0...(.max), using: &random)
      saved.shorter = UInt8.random(in: 0...128, using: &random)
      saved.longer = UInt8.random(in: 0...24, using: &random)
      var gaps = try #require(ArrivalIntervals(saved))
      for _ in 0..<20 {
        gaps.received(after: .milliseconds(Int64.random(in: 1...31_000, using: &random)), .standard)
      }
      #expect(gaps.exitTime(.standard) <= .seconds(30))
    }
  }
}

extension Delivery {
  fileprivate var client: ClientID? {
    guard case .client(let client) = recipient else { return nil }
    return client
  }
}
