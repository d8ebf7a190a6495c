// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

import BeaconCore
import Testing

@testable import BeaconMuseum

/// The walls between a beacon and a visitor equal a count made by walking the line in small steps.
@Suite struct SimulatedWallTests {
  /// Counts walls by walking: each step from one room into another, or out of the building, crosses a wall.
  private static func walked(
    _ site: SimulatedSite,
    from start: Plan.Point,
    to end: Plan.Point
  ) -> Int {
    let steps = 3000
    var count = 0
    var room = site.room(at: start, level: 0)
    for step in 1...steps {
      let place = start + (end - start) * (Double(step) / Double(steps))
      let here = site.room(at: place, level: 0)
      if here != room { count += 1 }
      room = here
    }
    return count
  }

  @Test func `as many walls as rooms are left on the way, and as many on the way back`() throws {
    let site = try SimulatedSite(PlanTests.fixture())
    var random = SeededRandom(seed: 1, part: .site)
    var counts: Set<Int> = []
    for _ in 0..<60 {
      let start = Plan.Point(random.uniform(0.3, 29.7), random.uniform(0.3, 13.7))
      let end = Plan.Point(random.uniform(-1, 31), random.uniform(-1, 15))
      let corners = site.rooms.flatMap(\.outline)
      // Two walls that meet within their thickness are one, so a line past a corner has no definite count.
      guard corners.allSatisfy({ $0.distance(toWallFrom: start, to: end) > 0.6 }) else { continue }
      let walls = site.walls(from: start, to: end, level: 0)
      #expect(walls == Self.walked(site, from: start, to: end), "\(start) to \(end)")
      #expect(walls == site.walls(from: end, to: start, level: 0))
      counts.insert(walls)
    }
    #expect(counts.isSuperset(of: [0, 1, 2]))
  }

  @Test func `a visitor close to a wall is on their own side of it`() throws {
    let site = try SimulatedSite(PlanTests.fixture())
    let beacon = Plan.Point(8, 1.5)
    #expect(site.walls(from: beacon, to: Plan.Point(9.95, 2), level: 0) == 0)
    #expect(site.walls(from: beacon, to: Plan.Point(10.05, 2), level: 0) == 1)
  }

  @Test func `another floor's walls do not count`() throws {
    let site = try SimulatedSite(PlanTests.fixture())
    #expect(site.walls(from: Plan.Point(5, 3), to: Plan.Point(25, 3), level: 0) == 2)
    #expect(site.walls(from: Plan.Point(5, 3), to: Plan.Point(25, 3), level: 1) == 0)
  }

  @Test func `shadowing spreads as wide between grid points as on them`() throws {
    let site = try SimulatedSite(PlanTests.fixture())
    var link = LinkModel()
    link.shadowFloor = 0
    var squares = 0.0
    var count = 0.0
    for number in 0..<40 {
      var random = SeededRandom(seed: 3, part: .shadows, number: number)
      let field = BeaconField(of: site.exhibits[0], in: site, link, random: &random)
      // Positions in the middle of cells, far enough apart to be nearly independent.
      for x in stride(from: 1.25, to: 29, by: 4) {
        for y in stride(from: 1.25, to: 13, by: 4) {
          let shadow = field.shadow(at: Plan.Point(x, y))
          squares += shadow * shadow
          count += 1
        }
      }
    }
    #expect(abs((squares / count).squareRoot() - link.shadowDeviation) < 0.25)
  }
}
