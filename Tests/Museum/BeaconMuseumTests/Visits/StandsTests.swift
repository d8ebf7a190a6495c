// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

import BeaconCore
import BeaconTestSupport
import Testing

@testable import BeaconMuseum

/// Which parts of a visit count as standing, and in front of which exhibit.
@Suite struct StandsTests {
  /// A visitor who walks along x at some speed between two times and otherwise stands; one estimate for each second,
  /// with the exhibit that a test gives.
  private static func stands(
    _ speed: Double,
    from start: Int,
    to end: Int,
    of length: Int,
    before exhibit: (Int) -> [(exhibit: Int, share: Double)] = { _ in [(0, 0.9)] }
  ) -> [(exhibit: Int, seconds: ClosedRange<Int>)] {
    var stands = Stands()
    for second in 0...length {
      let walked = Double(min(max(second - start, 0), end - start)) * speed
      stands.note(estimate(second, Plan.Point(walked, 0), exhibit(second)))
    }
    return seconds(stands)
  }

  private static func estimate(
    _ second: Int,
    _ point: Plan.Point?,
    _ exhibits: [(exhibit: Int, share: Double)]
  ) -> Smoother.Estimate {
    Smoother.Estimate(
      time: TestScan.at(Double(second)),
      exhibits: exhibits,
      reaches: [],
      point: point
    )
  }

  private static func seconds(
    _ stands: Stands
  ) -> [(exhibit: Int, seconds: ClosedRange<Int>)] {
    stands.all.compactMap { exhibit, estimates in
      guard let first = estimates.first, let last = estimates.last else { return nil }
      let begin = Int((first.time - TestScan.at(0)).seconds.rounded())
      let end = Int((last.time - TestScan.at(0)).seconds.rounded())
      return (exhibit, begin...end)
    }
  }

  @Test func `a walking visitor is not standing`() {
    #expect(Self.stands(0.5, from: 0, to: 60, of: 60).isEmpty)
  }

  @Test func `a visitor who stands is standing all the time`() {
    #expect(Self.stands(0, from: 0, to: 60, of: 60).map(\.seconds) == [0...60])
  }

  @Test func `walking up and away is not a part of it`() throws {
    let stand = try #require(Self.stands(0.7, from: 0, to: 20, of: 60).first)
    #expect(abs(stand.seconds.lowerBound - 20) <= 1 && stand.seconds.upperBound == 60)
  }

  @Test func `a stop of less than five seconds is walking by`() {
    var stands = Stands()
    for second in 0...20 {
      let x = 0.7 * Double(second <= 8 ? second : second <= 11 ? 8 : second - 3)
      stands.note(Self.estimate(second, Plan.Point(x, 0), [(0, 0.9)]))
    }
    #expect(stands.all.isEmpty)
  }

  @Test func `a neighbor that is briefly more probable does not split a stay`() {
    let stands = Self.stands(0, from: 0, to: 0, of: 30) { second in
      (10...14).contains(second) ? [(1, 0.8), (0, 0.2)] : [(0, 0.8), (1, 0.2)]
    }
    #expect(stands.map(\.exhibit) == [0])
    #expect(stands.map(\.seconds) == [0...30])
  }

  @Test func `standing without an exhibit in front is not a stay`() {
    #expect(Self.stands(0, from: 0, to: 0, of: 30) { _ in [(0, 0.4), (1, 0.1)] }.isEmpty)
  }

  @Test func `a gap ends a stand`() {
    var stands = Stands()
    for second in Array(0...20) + Array(100...120) {
      stands.note(Self.estimate(second, Plan.Point(0, 0), [(0, 0.9)]))
    }
    #expect(Self.seconds(stands).map(\.seconds) == [0...20, 100...120])
  }

  @Test func `without places the most probable exhibit decides if a stay starts and ends`() {
    var stands = Stands()
    for second in 0...30 {
      stands.note(Self.estimate(second, nil, [(second < 10 ? 0 : 1, 0.9)]))
    }
    let found = Self.seconds(stands)
    #expect(found.map(\.exhibit) == [0, 1])
    #expect(found.map(\.seconds) == [0...9, 10...30])
  }

  @Test func `without estimates there is no stand`() {
    #expect(Stands().all.isEmpty)
  }
}
