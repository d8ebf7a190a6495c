// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

import BeaconCore
import BeaconFormats
import BeaconTestSupport
import Testing

/// A capture whose recorder's clock was wrong or was set keeps its order, and nothing in it is lost.
@Suite struct SteadyClockTests {
  static let day = 86_400.0

  /// Reads reports with given stamps, in batches of a size.
  static func steady(
    _ stamps: [Double],
    batchSize: Int = 1000,
    hasEnded: Bool = false
  ) -> (times: [Double], notices: [SourceNotice], clock: SteadyClock) {
    var clock = SteadyClock()
    var (times, payloads, notices): ([Double], [UInt8], [SourceNotice]) = ([], [], [])
    func keep(_ batch: ScanBatch) {
      for input in batch.inputs {
        switch input {
        case .report(let report):
          times.append((report.time - TestScan.start).seconds)
          payloads += batch.payload(of: report)
        case .notice(let notice, _): notices.append(notice)
        case .level, .radio, .mark, .place: Issue.record("\(input)")
        }
      }
    }
    var batch = ScanBatch()
    for (index, stamp) in stamps.enumerated() {
      let time = Timestamp(microseconds: TestScan.start.microseconds + Int64(stamp * 1e6))
      batch.append(
        AdvertisingReport(time: time, rssi: -60, payloadStart: 0, payloadCount: 0),
        payload: [UInt8(truncatingIfNeeded: index)]
      )
      guard batch.inputs.count == batchSize else { continue }
      keep(clock.steady(batch))
      batch = ScanBatch()
    }
    keep(clock.steady(batch))
    keep(clock.finish(hasEnded: hasEnded))
    #expect(payloads == stamps.indices.map { UInt8(truncatingIfNeeded: $0) }, "order and content")
    return (times, notices, clock)
  }

  @Test func `a right clock is left as it is`() {
    // Records out of order by up to two seconds, pauses of any length.
    let stamps = [0, 1, 1.5, 0.2, 2, 300, 301, 5000, 5000, 4999, 5040]
    let (times, notices, clock) = Self.steady(stamps)
    #expect(times == stamps)
    #expect(notices.isEmpty)
    #expect(clock.moved == 0)
  }

  @Test(arguments: [5.0, 11, 31, 45, 59, 61, 150 * day, -31, -45, -600 * day, -1e9, 1e12])
  func `one wild stamp is placed between its neighbors`(_ wild: Double) {
    let (times, notices, clock) = Self.steady([0, 1, 2, 3 + wild, 4, 5, 6])
    #expect(times == [0, 1, 2, 2, 4, 5, 6])
    #expect(notices.count == 1)
    #expect(clock.moved == 1)
    #expect(clock.wrongStamps == 1)
  }

  @Test func `two wild stamps in a row are placed too`() {
    let (times, _, clock) = Self.steady([0, 1, 9e6, 8e6, 4, 5, -5e6, -4e6, 6, 7])
    #expect(times == [0, 1, 1, 1, 4, 5, 5, 5, 6, 7])
    #expect(clock.wrongStamps == 4)
  }

  @Test func `the last stamp of a capture is wrong if it is far from those before it`() {
    for wild in [300 * Self.day, -45] {
      let (times, notices, clock) = Self.steady([0, 1, 2, wild])
      #expect(times == [0, 1, 2, 2])
      #expect(notices.count == 1)
      #expect(clock.wrongStamps == 1)
    }
    // A silence is usual, and two inputs confirm each other.
    #expect(Self.steady([0, 1, 2, 47]).times == [0, 1, 2, 47])
    #expect(Self.steady([0, 1, 2, 7200, 7201]).times == [0, 1, 2, 7200, 7201])
    // So is the end of a recording that is written when it is over.
    #expect(Self.steady([0, 1, 2, 7200], hasEnded: true).times == [0, 1, 2, 7200])
    #expect(Self.steady([0, 1, 9e6, 2], hasEnded: true).times == [0, 1, 1, 2])
  }

  @Test(arguments: [3.0, 31, 45, 59, 61, 3600])
  func `a clock that is set back for a while is right again`(_ back: Double) {
    let stamps = (0..<90).map { second in
      Double(second) / 2 - ((30..<60).contains(second) ? back : 0)
    }
    let (times, notices, clock) = Self.steady(stamps)
    #expect(clock.moved <= 30)
    #expect(notices.count <= 2)
    for (index, time) in times.enumerated() {
      #expect(abs(time - Double(index) / 2) <= 1, "\(index): \(time)")
    }
  }

  @Test(arguments: 0..<300)
  func `wild stamps move nothing but themselves`(_ seed: UInt64) {
    var random = SplitMix64(seed: seed)
    let longest = [0.1, 1, 5, 10.24][Int(seed % 4)]
    var (time, truth, stamps) = (0.0, [Double](), [Double]())
    var wild: [Int] = []
    for index in 0..<200 {
      time += Double.random(in: 0.01...longest, using: &random)
      truth.append(time)
      let isAlone = wild.last.map { index - $0 > 3 } ?? true
      guard index > 0, isAlone, Int.random(in: 0..<8, using: &random) == 0 else {
        stamps.append(time)
        continue
      }
      // Farther off than what is received next, so that it is no disorder.
      let off = Double.random(in: 0...1, using: &random)
      let size = 4 * longest + 3 + [10, 60, 3600, 1e7][index % 4] * off
      wild.append(index)
      stamps.append(Bool.random(using: &random) ? time + size : time - size)
    }
    let (times, _, _) = Self.steady(stamps)
    for index in truth.indices {
      let expected = wild.contains(index) && index < 197 ? truth[index - 1] : truth[index]
      // Of the last three, too few inputs follow to know.
      guard index < 197 else { break }
      #expect(abs(times[index] - expected) < 2e-6, "\(index): \(times[index]) \(expected)")
    }
  }

  @Test func `a clock that is set back goes on where it was`() {
    let (times, notices, clock) = Self.steady([
      0, 1, 2, 3, -Self.day, 1 - Self.day, 3 - Self.day, 4 - Self.day,
    ])
    #expect(times == [0, 1, 2, 3, 3, 4, 6, 7])
    #expect(notices == [.late(by: TimeSpan(seconds: Self.day + 3))])
    #expect(clock.stepsBack.count == 1)
    #expect(clock.stepsBack.first == TimeSpan(seconds: Self.day + 3))
    #expect(clock.moved == 4)
  }

  @Test func `a clock that is right again has its own times again`() {
    let back = -Self.day
    let (times, notices, _) = Self.steady([0, 1, 2, back, back + 1, back + 2, 6, 7, 8, 9])
    #expect(times == [0, 1, 2, 2, 3, 4, 6, 7, 8, 9])
    #expect(notices.count == 1)
  }

  @Test func `a clock that is set when the network comes makes a gap`() {
    // The year 1970, then now.
    let boot = -TestScan.start.microseconds / 1_000_000
    let stamps = [10, 11, 12, 13].map { Double(boot) + $0 } + [0, 1, 2, 3]
    let (times, notices, _) = Self.steady(stamps)
    #expect(times == stamps)
    #expect(notices.isEmpty)
  }

  @Test func `a first stamp that cannot be right is placed by the next`() {
    #expect(Self.steady([-1.6e9, 1, 2, 3]).times == [1, 1, 2, 3])
    #expect(Self.steady([1e12, 1, 2, 3]).times == [1, 1, 2, 3])
    #expect(Self.steady([-1.6e9]).times == [-1.6e9])
  }

  @Test func `several boots without a battery are one after the other`() {
    // Each boot starts at the same hour that was saved at the last shutdown.
    let boots = [0.0, -30, -90].flatMap { start in (0..<20).map { start + Double($0) } }
    let (times, notices, clock) = Self.steady(boots)
    #expect(times == times.sorted())
    #expect(times.last == 57)
    #expect(notices.count == 2)
    #expect(clock.stepsBack.count == 2)
  }

  @Test(arguments: 0..<200)
  func `times never go far back, whatever the stamps, and batches change nothing`(_ seed: UInt64) {
    var random = SplitMix64(seed: seed)
    var (time, stamps) = (0.0, [Double]())
    for _ in 0..<Int.random(in: 1...120, using: &random) {
      switch Int.random(in: 0..<30, using: &random) {
      case 0: time += Double.random(in: -1e6...1e6, using: &random)
      case 1: stamps.append(Double.random(in: -2e9...2e12, using: &random))
      case 2: time += 100
      default: time += Double.random(in: -0.5...1, using: &random)
      }
      stamps.append(time)
    }
    let whole = Self.steady(stamps)
    for (index, time) in whole.times.enumerated().dropFirst() {
      let latest = whole.times[..<index].max() ?? 0
      #expect(time >= latest - 2.1, "\(index)")
    }
    for size in [1, 2, 7] {
      let pieces = Self.steady(stamps, batchSize: size)
      #expect(pieces.times == whole.times)
      #expect(pieces.notices == whole.notices)
    }
  }
}
