// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

package import BeaconCore

/// A day in a museum: when visitors come, and where each of them is at every time.
package struct SimulatedDay: Sendable {
  /// One visitor with a receiver.
  package struct Visitor: Sendable {
    /// The visitor's number in the order of arrival, from 1.
    package var number: Int
    /// The party's number, the same for all visitors of one party.
    package var party: Int
    package var path: VisitPath

    /// Creates a visitor.
    package init(number: Int, party: Int, path: VisitPath) {
      self.number = number
      self.party = party
      self.path = path
    }
  }

  /// The museum.
  package let site: SimulatedSite
  /// The seed of all random numbers.
  package let seed: UInt64
  /// The time that second 0 of the paths stands for.
  package let start: Timestamp
  /// The visitors, in the order of arrival.
  package private(set) var visitors: [Visitor] = []

  /// The default start: ten o'clock on an arbitrary day.
  package static let opening = Timestamp(microseconds: 1_780_308_000_000_000)

  /// Creates a day.
  ///
  /// - Parameters:
  ///   - site: The museum.
  ///   - model: How visitors move through the museum.
  ///   - count: The number of visitors; the first one comes at the start.
  ///   - seed: The seed of all random numbers.
  ///   - start: The time of the first arrival.
  ///   - isCancelled: Returns whether the day is no longer wanted; it then stays incomplete.
  package init(
    _ site: SimulatedSite,
    _ model: VisitorModel,
    visitors count: Int,
    seed: UInt64,
    start: Timestamp = Self.opening,
    isCancelled: () -> Bool = { false }
  ) {
    self.site = site
    self.seed = seed
    self.start = start
    var random = SeededRandom(seed: seed, part: .visitors)
    // The attraction of exhibits: beta (2, 3), mean 0.4 (assumed).
    let attraction = site.exhibits.map { _ in random.beta(rank: 2, of: 4) }
    let sizes = Self.parties(of: count, model, &random)
    // Arrivals: beta (2, 2) over the hours of arrival, with most in the middle.
    var arrivals = sizes.map { _ in random.beta(rank: 2, of: 3) * model.openHours * 3600 }
    arrivals.sort()
    let first = arrivals.first ?? 0
    for (party, size) in sizes.enumerated() where !isCancelled() {
      var planner = VisitPlanner(
        site,
        model,
        attraction: attraction,
        arriving: arrivals[party] - first,
        random: SeededRandom(seed: seed, part: .paths, number: party)
      )
      let way = planner.way()
      for member in 0..<size {
        guard let path = path(along: way, member: member, of: size, party: party) else { continue }
        visitors.append(Visitor(number: visitors.count + 1, party: party + 1, path: path))
      }
    }
  }

  /// Draws parties of one, two and three until all visitors belong to one.
  private static func parties(
    of count: Int,
    _ model: VisitorModel,
    _ random: inout SeededRandom
  ) -> [Int] {
    // The model gives shares of visitors; divided by the party's size they become weights of parties.
    let weights = [1 - model.pairs - model.threes, model.pairs / 2, model.threes / 3]
    let total = weights[0] + weights[1] + weights[2]
    var sizes: [Int] = []
    var left = max(0, count)
    while left > 0 {
      let draw = random.unit() * total
      let size = draw < weights[0] ? 1 : draw < weights[0] + weights[1] ? 2 : 3
      sizes.append(min(size, left))
      left -= min(size, left)
    }
    return sizes
  }

  /// Returns the path of one member of a party: next to the others if there is room, after them in doors.
  private func path(
    along way: [VisitPlanner.Waypoint],
    member: Int,
    of size: Int,
    party: Int
  ) -> VisitPath? {
    guard let first = way.first else { return nil }
    let beside = Double(member) - Double(size - 1) / 2
    let offset = Plan.Point(0.45 * beside, 0.3 * beside)
    let places = way.map { place(of: $0, offset: offset) }
    var path: VisitPath?
    var since = first.time
    func add(_ leg: VisitPath.Leg) {
      if path == nil { path = VisitPath(leg) } else { path?.append(leg) }
    }
    for (index, waypoint) in way.enumerated() {
      let level = site.rooms[waypoint.room].level
      if index > 0, waypoint.time > since {
        add(
          VisitPath.Leg(
            start: since,
            end: waypoint.time,
            from: places[index - 1],
            to: places[index],
            level: level,
            heading: (places[index] - places[index - 1]).direction,
            isStanding: false
          )
        )
      }
      since = waypoint.time + waypoint.stay
      guard waypoint.stay > 0 else { continue }
      let facing = waypoint.exhibit.map { site.exhibits[$0].position - places[index] }
      add(
        VisitPath.Leg(
          start: waypoint.time,
          end: since,
          from: places[index],
          to: places[index],
          level: level,
          heading: (facing ?? Plan.Point(0, 1)).direction,
          isStanding: true,
          exhibit: waypoint.exhibit
        )
      )
    }
    return path
  }

  private func place(of waypoint: VisitPlanner.Waypoint, offset: Plan.Point) -> Plan.Point {
    guard waypoint.isOpen else { return waypoint.position }
    let place = waypoint.position + offset
    let outline = site.rooms[waypoint.room].outline
    return Polygon.contains(place, in: outline) ? place : waypoint.position
  }
}
