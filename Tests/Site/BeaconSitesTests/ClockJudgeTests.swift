// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

import BeaconCore
import BeaconTestSupport
import Testing

@testable import BeaconSites

/// Clocks of receivers, judged from the packets that they have in common.
@Suite struct ClockJudgeTests {
  /// What receivers receive of a beacon for two minutes, in order of their stamps.
  ///
  /// - Parameters:
  ///   - offsets: How far each receiver's clock is ahead, in seconds.
  ///   - interval: Milliseconds between two packets.
  ///   - random: The longest random time before a packet, in microseconds, as devices wait; 0 for none.
  ///   - heard: The share of packets that a receiver receives.
  private static func site(
    _ offsets: [Double],
    interval: Int64 = 100,
    random: Int64 = 10_000,
    heard: Double = 0.8,
    jitter: Int64 = 1000
  ) -> ScanBatch {
    var generator = SplitMix64(seed: 7)
    var reports: [(time: Double, receiver: UInt8)] = []
    var sent: Int64 = 40_000_000
    while sent < 160_000_000 {
      sent += interval * 1000
      if random > 0 { sent += Int64.random(in: 0...random, using: &generator) }
      for (receiver, offset) in offsets.enumerated() {
        guard Double.random(in: 0..<1, using: &generator) < heard else { continue }
        let late = Int64.random(in: 0...jitter, using: &generator)
        reports.append((Double(sent + late) / 1_000_000 + offset, UInt8(receiver)))
      }
    }
    var inputs = SiteInputs()
    for report in reports.sorted(by: { ($0.time, $0.receiver) < ($1.time, $1.receiver) }) {
      inputs.report(-60, from: report.receiver, at: report.time)
    }
    return inputs.batch
  }

  private static func judged(_ batch: ScanBatch) -> [String] {
    var judge = ClockJudge()
    judge.add(batch)
    return judge.finish().map { offset in
      let tenths = (offset.offset.seconds * 10).rounded() / 10
      return "\(offset.receiver) to \(offset.reference): \(tenths)"
    }
  }

  @Test func `a clock that is off is found, ahead or behind`() {
    #expect(Self.judged(Self.site([0, 5])) == ["1 to 0: 5.0"])
    #expect(Self.judged(Self.site([0, -12.3])) == ["1 to 0: -12.3"])
    #expect(Self.judged(Self.site([0, 1.5], interval: 400)) == ["1 to 0: 1.5"])
    #expect(Self.judged(Self.site([0, 4], interval: 1000, heard: 1)) == ["1 to 0: 4.0"])
  }

  @Test func `of several clocks the one that differs from the others is off`() {
    #expect(Self.judged(Self.site([3, 0, 0.2])) == ["0 to 2: 2.8"])
    #expect(Self.judged(Self.site([0, 0.1, -7, 0])) == ["2 to 0: -7.0"])
  }

  @Test func `clocks that are right are not accused`() {
    for interval: Int64 in [20, 100, 500, 1000, 2000] {
      for random: Int64 in [0, 10_000] {
        let batch = Self.site([0, 0.02, -0.4], interval: interval, random: random, heard: 0.7)
        #expect(Self.judged(batch) == [], "\(interval) \(random)")
      }
    }
  }

  @Test func `nothing is concluded where two differences are as good`() {
    // Without random times, each multiple of the interval fits.
    #expect(Self.judged(Self.site([0, 5], random: 0)) == [])
    // Receivers without a common packet.
    var inputs = SiteInputs()
    let other = BeaconIdentity(uuid: 1, major: 1, minor: 1)
    for second in 0..<100 {
      inputs.report(-60, from: 0, at: Double(second))
      inputs.report(-60, from: 1, at: Double(second) + 0.5, of: other)
    }
    #expect(Self.judged(inputs.batch) == [])
    #expect(Self.judged(ScanBatch()) == [])
    // Too few packets.
    #expect(Self.judged(Self.site([0, 5], interval: 8000)) == [])
  }

  @Test func `reports that point nowhere and receivers without end neither trap nor count`() {
    var batch = Self.site([0, 5])
    for number in 0...255 {
      batch.inputs.append(
        .report(
          AdvertisingReport(
            time: SiteInputs.time(150),
            rssi: nil,
            receiver: UInt8(number),
            payloadStart: .max,
            payloadCount: .max
          )
        )
      )
    }
    #expect(Self.judged(batch) == ["1 to 0: 5.0"])
  }

  @Test(arguments: [5.0, -5.0]) func `corrected inputs are those of a right clock`(offset: Double) {
    let right = Self.site([0, 0])
    let wrong = Self.site([0, offset])
    var judge = ClockJudge()
    judge.add(wrong)
    let offsets = judge.finish()
    var correction = ClockCorrection(offsets)
    var corrected: [ScanInput] = []
    var payloads: [[UInt8]] = []
    var start = 0
    while start < wrong.inputs.count {
      var piece = ScanBatch(bytes: wrong.bytes)
      piece.inputs = Array(wrong.inputs[start..<min(start + 100, wrong.inputs.count)])
      let batch = correction.add(piece)
      corrected += batch.inputs
      payloads += batch.inputs.map { Array(batch.payload(of: $0)) }
      start += 100
    }
    let rest = correction.finish()
    corrected += rest.inputs
    payloads += rest.inputs.map { Array(rest.payload(of: $0)) }
    #expect(zip(corrected, corrected.dropFirst()).allSatisfy { $0.time <= $1.time })
    let notices = corrected.filter { if case .notice = $0 { true } else { false } }
    #expect(notices.count == 1)
    let reports = zip(corrected, payloads).filter { if case .report = $0.0 { true } else { false } }
    #expect(reports.count == right.inputs.count)
    // The judged difference is exact to some milliseconds.
    for (mine, truth) in zip(reports, right.inputs) {
      #expect(abs((mine.0.time - truth.time).seconds) < 0.02)
      #expect(mine.1 == Array(right.payload(of: truth)))
    }
  }
}
