// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

import BeaconCore
import BeaconTestSupport
import Testing

@testable import BeaconMuseum

/// What of a visit is looking at an exhibit: standing still before it.
@Suite struct ViewingTests {
  /// A visitor who walks along x at some speed between two times, else stands; one place a second.
  private static func steps(_ speed: Double, from start: Int, to end: Int, of length: Int)
    -> FootSteps
  {
    var steps = FootSteps()
    for second in 0...length {
      let walked = Double(min(max(second - start, 0), end - start)) * speed
      steps.note(Plan.Point(walked, 0), at: Air.at(Double(second)))
    }
    return steps
  }

  @Test func `who walks does not stand`() throws {
    let steps = Self.steps(0.6, from: 0, to: 60, of: 60)
    #expect(steps.stood(from: Air.at(0), to: Air.at(60)) == 0)
  }

  @Test func `who stands, stands all the time`() throws {
    let steps = Self.steps(0, from: 0, to: 60, of: 60)
    #expect(steps.stood(from: Air.at(10), to: Air.at(40)) == 30)
  }

  @Test func `walking up and away is no dwell`() throws {
    let steps = Self.steps(0.7, from: 0, to: 20, of: 60)
    let stood = try #require(steps.stood(from: Air.at(0), to: Air.at(60)))
    #expect(abs(stood - 40) <= FootSteps.window.seconds)
  }

  @Test func `a time without places says nothing, and a gap is not stood`() throws {
    var steps = Self.steps(0, from: 0, to: 0, of: 10)
    #expect(steps.stood(from: Air.at(20), to: Air.at(30)) == nil)
    steps.note(Plan.Point(0, 0), at: Air.at(110))
    #expect(try #require(steps.stood(from: Air.at(0), to: Air.at(120))) < 15)
  }

  @Test func `stays a moment apart are one visit`() {
    let visit = VisitStatisticsTests.visit([(0, 0, 10), (1, 10, 13), (0, 13, 20), (0, 40, 50)])
    let viewings = visit.viewings(shortest: 5)
    #expect(viewings.map(\.exhibit) == [0, 0])
    #expect(viewings.map(\.dwell) == [17, 10])
  }

  @Test func `walking by is no visit, however long it takes`() {
    var visit = VisitStatisticsTests.visit([(0, 0, 10), (1, 10, 30)])
    visit.stays[0].stood = 2
    visit.stays[1].stood = 12
    let viewings = visit.viewings(shortest: 5)
    #expect(viewings.map(\.exhibit) == [1])
    #expect(viewings.map(\.dwell) == [12])
  }
}
