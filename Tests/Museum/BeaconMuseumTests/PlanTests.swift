// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

import BeaconCore
import Foundation
import BeaconTestSupport
import Foundation
import Testing

@testable import BeaconMuseum

/// The fixtures' plan is read with its content.
@Suite struct PlanTests {
  static func fixture() throws -> Plan {
    let file = ProjectFiles.fixtures.appending(path: "museum/plan.json5")
    return try Plan(reading: Array(try Data(contentsOf: file)))
  }

  @Test func `the plan has five rooms, a cafeteria and 24 exhibits`() throws {
    let plan = try Self.fixture()
    #expect(plan.rooms.count { $0.major != nil } == 5)
    #expect(plan.rooms.filter { $0.major == nil }.map(\.name["en"]) == ["Cafeteria"])
    #expect(plan.exhibits.count == 24)
    #expect(plan.languages == ["en", "de"])
  }

  @Test func `no two exhibits are closer than three meters`() throws {
    let exhibits = try Self.fixture().exhibits
    for (place, first) in exhibits.enumerated() {
      for second in exhibits.dropFirst(place + 1) {
        let distance = try #require(first.position).distance(to: try #require(second.position))
        #expect(distance >= 3, "\(first.title["en"]), \(second.title["en"])")
      }
    }
  }

  @Test func `an exhibit stands in the room of its major`() throws {
    let plan = try Self.fixture()
    for exhibit in plan.exhibits {
      let place = try #require(exhibit.position)
      #expect(plan.room(at: place, level: 0)?.major == exhibit.identity.major)
    }
  }

  @Test func `every door stands in walls of two rooms`() throws {
    let plan = try Self.fixture()
    for door in try #require(plan.floor(0)).doors {
      let rooms = plan.rooms.count {
        Polygon.distance(from: door, toWallsOf: $0.outline) ?? 1 < 0.01
      }
      #expect(rooms == 2)
    }
  }

  @Test func `texts are in the requested language, otherwise in the first`() throws {
    let plan = try Self.fixture()
    #expect(plan.museum["de"] == "Museum des Messens")
    #expect(plan.museum["fr"] == "Museum of Measure")
    let manifest = plan.manifest.manifest(in: "de")
    #expect(manifest.whenInUse == "Um Ihnen zu zeigen, wovor Sie stehen.")
    #expect(manifest.purposes.map(\.key) == ["ExhibitGuide"])
  }

  @Test func `the plan's measurements reach the engine`() throws {
    var configuration = Configuration()
    var plan = try Self.fixture()
    plan.exhibits[0].power = -63
    try plan.calibrate(&configuration)
    #expect(configuration.ranging.pathLoss == .logDistance(exponent: 2.4))
    let calibration = configuration.ranging.calibration
    #expect(calibration.power(for: plan.exhibits[0].identity, announced: -50) == -63)
    #expect(calibration.power(for: plan.exhibits[1].identity, announced: -50) == -59)
  }

  @Test func `rooms with very many corners are compared until the limit`() throws {
    var plan = try Self.fixture()
    let twin = plan.rooms[0]
    let ring = (0..<1000).map { number in
      let angle = Double(number % 500) / 500 * 2 * Double.pi * (number < 500 ? 1 : -1)
      let radius = number < 500 ? 40.0 : 39.8
      return Plan.Point(
        50 + radius * cos(angle),
        50 + radius * sin(angle)
      )
    }
    plan.rooms = (0..<6).map { _ in
      var room = twin
      room.outline = ring
      return room
    }
    plan.rooms = [twin, twin] + plan.rooms
    var comparison = RoomComparison(plan, limit: 100_000)
    let isFound = comparison.doOverlap(0, 1)
    let pairs = (2..<8).flatMap { first in (2..<8).map { (first, $0) } }
    let found = pairs.filter { comparison.doOverlap($0, $1) }
    #expect(isFound && found.isEmpty && comparison.left <= 0 && comparison.left > -2000)
  }

  @Test(arguments: [true, false])
  func `the places one step apart are found among their neighbors`(_ hasDoors: Bool) throws {
    var plan = try Self.fixture()
    if !hasDoors { plan.floors[0].doors = [] }
    let places = Places(plan, exponent: 2.4, GuideConfiguration())
    let area = plan.rooms.reduce(0) { $0 + Polygon.area($1.outline) }
    let step = max(Places.step, (area / Double(Places.limit)).squareRoot())
    let doors = plan.floors[0].doors
    var expected: [[Int]] = []
    for (first, place) in places.places.enumerated() {
      for (second, other) in places.places.enumerated().dropFirst(first + 1) {
        let (here, there) = (try #require(place.point), try #require(other.point))
        let isStep =
          place.room == other.room
          ? here.distance(to: there) <= 1.6 * step
          : hasDoors
            ? doors.contains {
              $0.distance(to: here) <= Places.doorway && $0.distance(to: there) <= Places.doorway
            } : here.distance(to: there) <= 2 * step
        if isStep { expected.append([first, second]) }
      }
    }
    #expect(places.steps.map { [$0.0, $0.1] } == expected)
  }

  @Test func `a door is at each room whose wall is near`() throws {
    let plan = try Self.fixture()
    let floor = try #require(plan.floor(0))
    for (door, rooms) in zip(floor.doors, RoomGraph.rooms(atDoorsOf: floor, plan)) {
      let near = plan.rooms.indices.filter {
        Polygon.distance(from: door, toWallsOf: plan.rooms[$0].outline) ?? 1 < RoomGraph.reach
      }
      #expect(rooms == near && rooms.count >= 2)
    }
  }
}
