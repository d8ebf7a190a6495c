// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

import BeaconCore
import BeaconTestSupport
import Testing

@testable import BeaconMuseum

/// The smoothed estimate of a visitor's places.
@Suite struct SmootherTests {
  /// A belief and its smoothed estimates, updated with the visitor's position second by second.
  private struct Visitor {
    var belief: PlaceBelief
    var smoother: Smoother
    var estimates: [Smoother.Estimate] = []
    /// The most probable exhibit of each second, as estimated at that second.
    var live: [Int?] = []
    private let plan: Plan

    init(_ plan: Plan) {
      self.plan = plan
      let rules = GuideConfiguration()
      belief = PlaceBelief(Places(plan, exponent: 2.4, rules), rules)
      smoother = Smoother(rules)
    }

    mutating func receive(at point: Plan.Point, second: Int) {
      let levels = plan.exhibits.enumerated().compactMap { index, exhibit in
        exhibit.position.map {
          PlaceBelief.Level(
            exhibit: index,
            decibels: -24 * DeterministicMath.log10(max(0.5, $0.distance(to: point))) - 4
          )
        }
      }
      belief.process(levels, at: TestScan.at(Double(second)))
      live.append(belief.exhibitShares.firstIndex { $0 > 0.5 })
      estimates += smoother.add(belief, reaches: [], at: TestScan.at(Double(second)))
    }

    mutating func end() { estimates += smoother.end(belief.places) }

    /// The most probable exhibit of each second, as estimated afterwards.
    var known: [Int?] { estimates.map { $0.exhibits.first { $0.share > 0.5 }?.exhibit } }
  }

  @Test func `the belief is a distribution, also while nothing is received`() throws {
    var visitor = Visitor(try PlanTests.fixture())
    for second in 0..<20 { visitor.receive(at: Plan.Point(2, 2.5), second: second) }
    let rooms = visitor.belief.places.places.map(\.room).max() ?? 0
    for second in 20..<620 {
      visitor.belief.process([], at: TestScan.at(Double(second)))
      #expect((visitor.belief.shares.reduce(0, +) - 1).magnitude < 1e-9, "second \(second)")
    }
    #expect((visitor.belief.roomShares(rooms + 1).reduce(0, +) - 1).magnitude < 1e-9)
    #expect(visitor.belief.exhibitShares.reduce(0, +) <= 1)
  }

  @Test(arguments: [1, 59, 75, 76, 200])
  func `each second is returned once and in order, however long a visit is`(length: Int) throws {
    var visitor = Visitor(try PlanTests.fixture())
    for second in 0..<length { visitor.receive(at: Plan.Point(2, 2.5), second: second) }
    visitor.end()
    #expect(visitor.estimates.map(\.time) == (0..<length).map { TestScan.at(Double($0)) })
  }

  @Test func `an arrival is estimated at the right second`() throws {
    var visitor = Visitor(try PlanTests.fixture())
    for second in 0..<100 {
      // From the sundial to the hourglass, 6 m to the right, at 1 m/s.
      let x = min(max(Double(second) - 47, 2), 8)
      visitor.receive(at: Plan.Point(x, 2.5), second: second)
    }
    visitor.end()
    // From 6.5 m on, the hourglass is nearer than the water clock.
    let known = try #require(visitor.known.firstIndex(of: 2))
    let live = try #require(visitor.live.firstIndex(of: 2))
    #expect(abs(Double(known) - 53.5) <= 1.5)
    #expect(known <= live)
    #expect(visitor.known[..<45].allSatisfy { $0 == 0 })
  }

  @Test func `a gap does not change what was before it`() throws {
    var visitor = Visitor(try PlanTests.fixture())
    for second in 0..<20 { visitor.receive(at: Plan.Point(2, 2.5), second: second) }
    for second in 100..<120 { visitor.receive(at: Plan.Point(12, 2.5), second: second) }
    visitor.end()
    #expect(visitor.estimates.count == 40)
    #expect(visitor.known[5..<20].allSatisfy { $0 == 0 })
    #expect(visitor.known[25...].allSatisfy { $0 == 5 })
  }
}
