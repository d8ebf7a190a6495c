// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

import BeaconCore
import BeaconTestSupport
import Testing

@testable import BeaconMuseum

/// Copies of a recording are one visit.
@Suite struct DistinctVisitsTests {
  /// The reports of a visit; each visitor receives others.
  private static func reports(of visitor: Int, _ count: Int = 5000) -> [(Timestamp, Int8, [UInt8])]
  {
    var random = SplitMix64(seed: UInt64(visitor))
    var time = TestScan.at(0)
    return (0..<count).map { _ in
      time = time + TimeSpan(microseconds: Int64(random.next() % 200_000))
      let payload = (0..<30).map { _ in UInt8(random.next() % 3) }
      return (time, Int8(-40 - Int(random.next() % 50)), payload)
    }
  }

  private static func batch(
    _ reports: some Sequence<(Timestamp, Int8, [UInt8])>,
    address: DeviceAddress? = nil
  ) -> ScanBatch {
    var batch = ScanBatch(bytes: [1, 2, 3])
    for (time, rssi, payload) in reports {
      var report = AdvertisingReport(time: time, rssi: rssi, payloadStart: 0, payloadCount: 0)
      report.address = address
      batch.append(report, payload: payload)
    }
    return batch
  }

  private static func sketch(_ batches: ScanBatch...) -> RecordingSketch {
    var sketch = RecordingSketch()
    batches.forEach { sketch.add($0) }
    return sketch
  }

  @Test func `a copy is of the same visit, whatever a conversion changes or leaves out`() {
    let all = Self.reports(of: 1)
    let first = Self.sketch(Self.batch(all))
    let address = DeviceAddress(0x0102_0304_0506, kind: .random)
    #expect(first.sums.count == RecordingSketch.limit)
    let copies: [RecordingSketch] = [
      Self.sketch(Self.batch(all, address: address)),
      Self.sketch(Self.batch(all.prefix(7)), Self.batch(all.dropFirst(7))),
      Self.sketch(Self.batch(all.prefix(500))), Self.sketch(Self.batch(all.suffix(500))),
      Self.sketch(Self.batch(all[2000..<2600])),
      Self.sketch(Self.batch(all.enumerated().filter { $0.0 % 3 > 0 }.map(\.1))),
      Self.sketch(Self.batch(all.prefix(4990)), Self.batch(Self.reports(of: 2, 20))),
    ]
    for (index, copy) in copies.enumerated() {
      #expect(first.isOfSameVisit(as: copy) && copy.isOfSameVisit(as: first), "\(index)")
    }
  }

  @Test func `different visitors are different, and so is each change of their reports`() {
    let sketches = (1...40).map { Self.sketch(Self.batch(Self.reports(of: $0, 40 * $0))) }
    for one in sketches.indices {
      for other in sketches.indices where other != one {
        #expect(!sketches[one].isOfSameVisit(as: sketches[other]))
      }
    }
    let reports = Self.reports(of: 3, 300)
    let changed: [[(Timestamp, Int8, [UInt8])]] = [
      reports.map { ($0.0 + TimeSpan(microseconds: 1), $0.1, $0.2) },
      reports.map { ($0.0, $0.1 + 1, $0.2) },
      reports.map { ($0.0, $0.1, Array($0.2.dropLast()) + [9]) },
      reports.map { ($0.0, $0.1, $0.2 + [0]) },
    ]
    for copy in changed {
      #expect(!Self.sketch(Self.batch(reports)).isOfSameVisit(as: Self.sketch(Self.batch(copy))))
    }
  }

  @Test func `without a report the times identify it`() {
    func empty(_ start: Double, _ end: Double) -> RecordingSketch {
      var sketch = RecordingSketch()
      sketch.end(from: TestScan.at(start), until: TestScan.at(end))
      return sketch
    }
    #expect(empty(1, 2).isOfSameVisit(as: empty(1, 2)))
    #expect(
      !empty(1, 2).isOfSameVisit(as: empty(1, 3)) && !empty(1, 2).isOfSameVisit(as: empty(0, 2))
    )
  }

  /// A visit of a recording; the start tells which recording counts.
  private static func played(_ mark: Double, _ sketch: RecordingSketch) -> VisitReplay.Played {
    var played = VisitReplay.Played(
      visit: Visit(start: TestScan.at(mark), end: TestScan.at(mark + 1)),
      reports: sketch.count,
      planReports: Int(mark)
    )
    played.sketch = sketch
    return played
  }

  @Test func `the longest counts, and before it the one with actions of the visitor`() {
    let all = Self.reports(of: 1)
    let whole = Self.sketch(Self.batch(all))
    let (early, late) = (
      Self.sketch(Self.batch(all.prefix(1500))), Self.sketch(Self.batch(all.suffix(1000)))
    )
    let other = Self.sketch(Self.batch(Self.reports(of: 2)))
    func starts(_ recordings: [(RecordingSketch, Bool)]) -> ([Double], [[String]], Int) {
      var visits = DistinctVisits()
      let names = recordings.enumerated().map { index, recording in
        visits.add(
          Self.played(Double(index), recording.0),
          named: "\(index)",
          isOfVisitor: recording.1
        )
      }
      let starts = visits.visits.map { ($0.start - TestScan.at(0)).seconds }
      #expect(visits.planReports == Int(starts.reduce(0, +)))
      return (starts, names, visits.copies)
    }
    #expect(
      starts([(whole, false), (other, false), (whole, false)]) == ([0, 1], [[], [], ["0"]], 1)
    )
    #expect(
      starts([(early, false), (other, false), (whole, false)]) == ([2, 1], [[], [], ["0"]], 1)
    )
    #expect(starts([(early, true), (whole, false)]) == ([0], [[], ["0"]], 1))
    #expect(starts([(whole, false), (early, true)]) == ([1], [[], ["0"]], 1))
    // Two parts are two visits until a recording has both.
    #expect(
      starts([(early, false), (late, false), (other, true), (whole, false)])
        == ([3, 2], [[], [], [], ["0", "1"]], 2)
    )
    // A part of a recording that does not count is a part of the visit.
    #expect(
      starts([(early, true), (whole, false), (late, false)]) == ([0], [[], ["0"], ["0"]], 2)
    )
  }
}
