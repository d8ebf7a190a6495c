// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

import BeaconCore
import BeaconTestSupport
import Testing

@testable import BeaconMuseum

/// The simulated museum is the same for the same seed, stays within the plan, and follows its constants.
@Suite(.slow) struct SimulatorTests {
  private static func world(
    seed: UInt64,
    visitors: Int,
    _ change: (inout LinkModel, inout ReceptionModel) -> Void = { _, _ in }
  ) throws -> (SimulatedDay, RadioSite) {
    var link = LinkModel()
    var reception = ReceptionModel()
    change(&link, &reception)
    let site = try SimulatedSite(PlanTests.fixture())
    let day = SimulatedDay(site, VisitorModel(), visitors: visitors, seed: seed)
    return (day, RadioSite(site, link, reception, seed: seed))
  }

  private static func inputs(_ day: SimulatedDay, _ radio: RadioSite, visitor: Int = 0)
    -> [ScanInput]
  {
    var scan = VisitScan(radio, day, day.visitors[visitor], crowd: CrowdTable(day))
    var inputs: [ScanInput] = []
    while let batch = scan.next() { inputs += batch.inputs }
    return inputs
  }

  /// Returns the numbers of a model by name, each changed through its constant's key path.
  private static func changed<Model>(
    _ model: Model,
    by constants: [SimulationConstant<Model>]
  ) -> (known: Set<String>, changed: [String]) {
    func numbers(_ model: Model) -> [(String, Double)] {
      Mirror(reflecting: model).children.compactMap { child in
        (child.value as? Double).map { (child.label ?? "", $0) }
      }
    }
    let before = numbers(model)
    let changed = constants.flatMap { constant in
      var model = model
      model[keyPath: constant.path] += 1
      return zip(before, numbers(model)).filter { $0.1 != $1.1 }.map(\.0.0)
    }
    return (Set(before.map(\.0)), changed)
  }

  @Test func `every number of a model has one constant, which names its source`() {
    let link = Self.changed(LinkModel(), by: LinkModel.constants)
    // The number of people without a receiver is an option, not a constant.
    #expect(link.known.subtracting(["bystanders"]) == Set(link.changed))
    let reception = Self.changed(ReceptionModel(), by: ReceptionModel.constants)
    #expect(reception.known == Set(reception.changed))
    let visitors = Self.changed(VisitorModel(), by: VisitorModel.constants)
    #expect(visitors.known == Set(visitors.changed))
    for all in [link, reception, visitors] { #expect(Set(all.changed).count == all.changed.count) }
    #expect(LinkModel.constants.allSatisfy { !$0.source.isEmpty })
    #expect(ReceptionModel.constants.allSatisfy { !$0.source.isEmpty })
    #expect(VisitorModel.constants.allSatisfy { !$0.source.isEmpty })
  }

  @Test func `ranges of numbers in the wrong order contain only the first`() {
    var link = LinkModel()
    link.bodyLossMost = link.bodyLossLeast - 1
    #expect(link.bodyLoss == link.bodyLossLeast...link.bodyLossLeast)
    var visitors = VisitorModel()
    (visitors.slowest, visitors.fastest) = (-1, -2)
    #expect(visitors.speed == 0.1...0.1)
    (visitors.standNearest, visitors.standFarthest) = (-1, -2)
    #expect(visitors.viewingDistance == 0...0)
  }

  @Test func `a seed names one day, and another seed another`() throws {
    let (day, radio) = try Self.world(seed: 5, visitors: 3)
    let (again, sameRadio) = try Self.world(seed: 5, visitors: 3)
    let (other, otherRadio) = try Self.world(seed: 6, visitors: 3)
    #expect(Self.inputs(day, radio) == Self.inputs(again, sameRadio))
    #expect(Self.inputs(day, radio) != Self.inputs(other, otherRadio))
  }

  @Test func `visitors stay within the museum, and legs follow one another`() throws {
    let (day, _) = try Self.world(seed: 2, visitors: 60)
    #expect(day.visitors.count == 60)
    for visitor in day.visitors {
      for (leg, next) in zip(visitor.path.legs, visitor.path.legs.dropFirst()) {
        #expect(leg.end == next.start)
        #expect(leg.to.distance(to: next.from) < 1e-9)
      }
      for leg in visitor.path.legs {
        #expect((0...30).contains(leg.to.x) && (0...14).contains(leg.to.y))
        let speed = leg.from.distance(to: leg.to) / max(leg.end - leg.start, 1e-9)
        #expect(leg.isStanding ? speed == 0 : speed < 1.5)
      }
    }
  }

  @Test func `a visitor in front of an exhibit is near it and in its room`() throws {
    let (day, _) = try Self.world(seed: 3, visitors: 40)
    for leg in day.visitors.flatMap(\.path.legs) {
      guard leg.isStanding, let exhibit = leg.exhibit else { continue }
      #expect(leg.to.distance(to: day.site.exhibits[exhibit].position) < 2.5)
      #expect(day.site.room(at: leg.to, level: 0) == day.site.exhibits[exhibit].room)
    }
  }

  @Test func `stops are as long as measured ones`() throws {
    let (day, _) = try Self.world(seed: 4, visitors: 400)
    let stops = day.visitors.flatMap(\.path.legs)
      .filter { $0.isStanding && $0.exhibit != nil }.map { $0.end - $0.start }
    let distribution = try #require(Distribution(stops))
    // Smith and Smith 2001: the median is 17 s; the one visitor in ten who came for a few exhibits stays half as long
    // again.
    #expect((16...21).contains(distribution.median))
  }

  @Test func `reports come in order, from entrance to exit`() throws {
    let (day, radio) = try Self.world(seed: 7, visitors: 1)
    let inputs = Self.inputs(day, radio)
    #expect(zip(inputs, inputs.dropFirst()).allSatisfy { $0.time <= $1.time })
    let length = TimeSpan(seconds: day.visitors[0].path.end)
    #expect(inputs.last?.time == day.start + length)
  }

  @Test(arguments: [0.9, 0.77, 0.5]) func `the requested share of packets is received`(
    share: Double
  )
    throws
  {
    let (day, radio) = try Self.world(seed: 8, visitors: 6) { $1.delivered = share }
    var (strong, received) = (0, 0)
    for visitor in day.visitors {
      var scan = VisitScan(radio, day, visitor, crowd: nil)
      while scan.next() != nil {}
      strong += scan.strong
      received += scan.strongReceived
    }
    #expect(abs(Double(received) / Double(strong) - share) < 0.05)
  }

  @Test func `stale RSSI changes by eight decibels or not at all`() throws {
    let (day, radio) = try Self.world(seed: 9, visitors: 1) { $1.isStale = true }
    var last: [DeviceAddress: Int8] = [:]
    var changes = 0
    for case .report(let report) in Self.inputs(day, radio) {
      let address = try #require(report.address)
      let rssi = try #require(report.rssi)
      if let before = last[address], before != rssi {
        changes += 1
        #expect(abs(Int(before) - Int(rssi)) >= 8)
      }
      last[address] = rssi
    }
    #expect(changes > 10)
  }

  @Test func `nothing is received while the receiver pauses`() throws {
    let (day, radio) = try Self.world(seed: 10, visitors: 1) { $1.duty = (on: 2, off: 3) }
    for case .report(let report) in Self.inputs(day, radio) {
      let seconds = (report.time - day.start).seconds
      #expect(seconds.truncatingRemainder(dividingBy: 5) < 2.001)
    }
  }

  @Test func `a crowd weakens the signal`() throws {
    func received(_ people: Double) throws -> Int {
      let (day, radio) = try Self.world(seed: 11, visitors: 1) { link, _ in link.bystanders = people
      }
      return Self.inputs(day, radio).count
    }
    #expect(try received(2) < received(0))
  }

  @Test func `the ground truth is written ten times a second`() throws {
    let (day, _) = try Self.world(seed: 12, visitors: 1)
    let path = day.visitors[0].path
    var truth = GroundTruth(day, day.visitors[0])
    var count = 0
    while let sample = truth.next() {
      count += 1
      if let nearest = sample.nearest {
        let distance = day.site.exhibits[nearest].position.distance(to: sample.state.position)
        #expect(distance == sample.distance)
      }
    }
    #expect(abs(Double(count) - (path.end - path.start) * 10) <= 1)
  }

  @Test func `a plan without places cannot be simulated, and the error names the missing parts`()
    throws
  {
    var plan = try PlanTests.fixture()
    plan.exhibits[3].position = nil
    #expect(throws: SimulatedSite.Failure.self) { try SimulatedSite(plan) }
    plan = try PlanTests.fixture()
    plan.exhibits = []
    #expect(throws: SimulatedSite.Failure.self) { try SimulatedSite(plan) }
  }

  @Test
  func `a visitor resting in the cafeteria is not ranged through walls, and sees the next room`()
    throws
  {
    let plan = try PlanTests.fixture()
    let replay = VisitReplay(plan)
    var (rested, ranged) = (0.0, 0.0)
    for seed in 1001...1002 {
      let (day, radio) = try Self.world(seed: UInt64(seed), visitors: 8) { link, _ in
        (link.beaconDeviation, link.receiverDeviation) = (0, 0)
      }
      for visitor in day.visitors {
        guard
          let rest = visitor.path.legs.first(where: { leg in
            leg.isStanding && leg.exhibit == nil && leg.end - leg.start > 60
          })
        else { continue }
        var scan = VisitScan(radio, day, visitor, crowd: nil)
        let played = try replay.play(&scan)
        let (start, end) = (
          day.start + TimeSpan(seconds: rest.start), day.start + TimeSpan(seconds: rest.end)
        )
        rested += rest.end - rest.start
        for ranging in played.rangings {
          let both = min(ranging.upperBound, end) - max(ranging.lowerBound, start)
          ranged += max(0, both.seconds)
        }
        // The museum is received all the time, otherwise the room would be lost too, so it is not silence that ends
        // ranging.
        let rooms = try #require(played.visit?.rooms)
        #expect(zip(rooms, rooms.dropFirst()).allSatisfy { $0.end == $1.start })
        var cursor = 0
        let inRoom = stride(from: rest.end, to: visitor.path.end, by: 0.1).first { time in
          let place = visitor.path.state(at: time, cursor: &cursor).position
          return plan.room(at: place, level: 0)?.major != nil
        }
        guard let inRoom else { continue }
        let found = try #require(rooms.first { $0.start >= end })
        #expect((found.start - day.start).seconds - inRoom <= 8, "seed \(seed)")
      }
    }
    #expect(rested > 300)
    #expect(ranged / rested < 0.3)
  }
}
