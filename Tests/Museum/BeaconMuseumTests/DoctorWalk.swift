// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

import BeaconCore

@testable import BeaconMuseum

/// A walk from exhibit to exhibit, six seconds in front of each, with the levels of the simulator's radio.
struct DoctorWalk {
  /// The plan that the walk is compared with.
  let plan: Plan
  /// The exhibit in whose place a beacon hangs, by its index.
  var homes: [Int: Int] = [:]
  /// How much weaker a beacon is than in the plan, in dB.
  var losses: [Int: Double] = [:]
  var silent: Set<Int> = []
  /// Second beacons with the identity of an exhibit, each in the place of another.
  var twins: [Int: Int] = [:]
  var seconds = 6.0
  /// The path loss exponent of the building.
  var exponent: Double?

  init(_ plan: Plan) { self.plan = plan }

  // MARK: Plans

  /// A hall without walls, with beacons on a grid.
  static func hall(_ count: Int, apart: Double) -> Plan {
    let columns = Int(Double(count).squareRoot().rounded(.up))
    let rows = (count + columns - 1) / columns
    let (width, height) = (Double(columns) * apart, Double(rows) * apart)
    let outline = [(0, 0), (width, 0), (width, height), (0, height)].map { Plan.Point($0.0, $0.1) }
    return plan(
      [Plan.Room(major: 1, name: LocalizedText("Hall", in: "en"), outline: outline)],
      doors: [],
      (0..<count).map { index in
        let row = index / columns
        // The walk goes up one column and down the next.
        let column = row.isMultiple(of: 2) ? index % columns : columns - 1 - index % columns
        return (1, Plan.Point((Double(column) + 0.5) * apart, (Double(row) + 0.5) * apart))
      }
    )
  }

  /// Rooms of 10 by 8 meters in two rows along a wall with doors, each with four beacons.
  static func rooms(_ count: Int) -> Plan {
    var rooms: [Plan.Room] = []
    var exhibits: [(room: UInt16, place: Plan.Point)] = []
    var doors: [Plan.Point] = []
    let columns = (count + 1) / 2
    for index in 0..<count {
      let (row, column) = (index / columns, index / columns == 0 ? index : 2 * columns - 1 - index)
      let corner = Plan.Point(Double(column) * 10, Double(row) * 8)
      let outline = [(0.0, 0.0), (10, 0), (10, 8), (0, 8)].map { corner + Plan.Point($0.0, $0.1) }
      let major = UInt16(index + 1)
      rooms.append(
        Plan.Room(major: major, name: LocalizedText("\(major)", in: "en"), outline: outline)
      )
      exhibits += [(2.0, 1.5), (8, 1.5), (8, 6.5), (2, 6.5)].map {
        (major, corner + Plan.Point($0.0, $0.1))
      }
      if column + 1 < columns { doors.append(corner + Plan.Point(10, 4)) }
      if row == 0, column == columns - 1 { doors.append(corner + Plan.Point(5, 8)) }
    }
    return plan(rooms, doors: doors, exhibits)
  }

  private static func plan(
    _ rooms: [Plan.Room],
    doors: [Plan.Point],
    _ exhibits: [(room: UInt16, place: Plan.Point)]
  ) -> Plan {
    let uuid: UInt128 = 0xF782_6DA6_4FA2_4E98_8024_BC5B_71E0_893E
    return Plan(
      museum: LocalizedText("Museum", in: "en"),
      uuid: uuid,
      languages: ["en"],
      floors: [Plan.Floor(level: 0, name: LocalizedText("Ground", in: "en"), doors: doors)],
      rooms: rooms,
      exhibits: exhibits.enumerated().map { index, exhibit in
        Plan.Exhibit(
          identity: BeaconIdentity(uuid: uuid, major: exhibit.room, minor: UInt16(index + 1)),
          title: LocalizedText("\(index + 1)", in: "en"),
          position: exhibit.place
        )
      }
    )
  }

  // MARK: Walks

  /// The plan as the building really is.
  private var building: Plan {
    var building = plan
    building.calibration.exponent = exponent ?? plan.calibration.exponent
    building.exhibits = plan.exhibits.enumerated().compactMap { index, exhibit in
      guard !silent.contains(index) else { return nil }
      var exhibit = exhibit
      exhibit.position = plan.exhibits[homes[index] ?? index].position
      if let loss = losses[index] { exhibit.power = -59 - loss }
      return exhibit
    }
    building.exhibits += twins.sorted { $0.key < $1.key }.map { index, home in
      var exhibit = plan.exhibits[index]
      exhibit.position = plan.exhibits[home].position
      return exhibit
    }
    return building
  }

  func examination(seed: UInt64) throws -> PlanExamination {
    let building = try SimulatedSite(building)
    let day = SimulatedDay(building, VisitorModel(), visitors: 0, seed: seed)
    let visitor = SimulatedDay.Visitor(number: 1, party: 1, path: try path(seed: seed))
    let radio = RadioSite(building, LinkModel(), ReceptionModel(), seed: seed)
    return examination(VisitScan(radio, day, visitor, crowd: nil), radio)
  }

  /// The examination of a simulated visit instead of a walk.
  func visit(seed: UInt64) throws -> PlanExamination {
    let building = try SimulatedSite(building)
    let day = SimulatedDay(building, VisitorModel(), visitors: 1, seed: seed)
    let radio = RadioSite(building, LinkModel(), ReceptionModel(), seed: seed)
    return examination(VisitScan(radio, day, day.visitors[0], crowd: nil), radio)
  }

  private func examination(_ scan: VisitScan, _ radio: RadioSite) -> PlanExamination {
    var scan = scan
    var examination = PlanExamination(plan)
    let identities = Dictionary(
      zip(radio.addresses, radio.site.exhibits.map(\.identity))
    ) { first, _ in first }
    while let batch = scan.next() {
      for case .report(let report) in batch.inputs {
        guard let address = report.address, let identity = identities[address] else { continue }
        examination.add(identity, rssi: report.rssi, from: address, at: report.time)
      }
    }
    return examination
  }

  private func path(seed: UInt64) throws -> VisitPath {
    var random = SeededRandom(seed: seed)
    let site = try SimulatedSite(plan)
    let first = site.exhibits[0].position
    var legs = [leg(from: first, to: first, at: 0, for: 2)]
    func add(_ place: Plan.Point, seconds: Double? = nil) {
      let last = legs[legs.count - 1]
      let way = seconds ?? max(0.1, last.to.distance(to: place) / 0.8)
      legs.append(leg(from: last.to, to: place, at: last.end, for: way))
    }
    for (index, exhibit) in site.exhibits.enumerated() {
      if index > 0 {
        for door in site.doors(from: site.exhibits[index - 1].room, to: exhibit.room) ?? [] {
          add(door)
        }
      }
      let side = Plan.Point(random.normal(), random.normal()).direction
      add(exhibit.position + side * random.uniform(0.8, 1.4))
      add(legs[legs.count - 1].to, seconds: seconds)
      legs[legs.count - 1].heading = side * -1
      legs[legs.count - 1].isStanding = true
    }
    var path = VisitPath(legs[0])
    for leg in legs.dropFirst() { path.append(leg) }
    return path
  }

  private func leg(
    from: Plan.Point,
    to: Plan.Point,
    at start: Double,
    for seconds: Double
  ) -> VisitPath.Leg {
    VisitPath.Leg(
      start: start,
      end: start + seconds,
      from: from,
      to: to,
      level: 0,
      heading: from == to ? Plan.Point(0, 1) : (to - from).direction,
      isStanding: false
    )
  }
}
