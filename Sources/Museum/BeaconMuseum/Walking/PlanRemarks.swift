// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

internal import BeaconCore
package import BeaconFormats

/// The weaknesses of a valid plan, each with the part that it concerns.
package struct PlanRemarks {
  /// A remark.
  package struct Remark: Sendable {
    /// The weakness, and its correction.
    package let message: PlanFault
    /// The kind that it concerns: `museum`, `room`, `exhibit`, or `door`.
    package let kind: String
    /// The part's index in the plan; a door's among those of its floor.
    package let index: Int
    /// The level of a door.
    package var level: Int?
  }

  /// The most titles of a remark.
  private static let mostTitles = 5
  /// The least distance of two beacons in meters: below it, shadowing of 4 dB too often makes them equally strong.
  static let leastSpacing = 2.0
  /// The most rooms that are compared with each other.
  private static let mostRooms = 500

  /// The remarks: on rooms, exhibits, doors, then the museum.
  package let all: [Remark]

  /// Looks at a plan.
  ///
  /// - Parameters:
  ///   - plan: A valid plan.
  ///   - fault: Returns the fault of a file of the plan's folder by its name.
  package init(_ plan: Plan, fault: (String) -> PlanFault?) {
    all =
      Self.empty(plan) + Self.overlaps(plan) + Self.close(plan) + Self.files(plan, fault)
      + Self.numbers(plan) + Self.doors(plan) + Self.purposes(plan)
  }

  private static func title(_ exhibit: Plan.Exhibit, _ plan: Plan) -> String {
    exhibit.title[plan.languages.first ?? ""]
  }

  private static func name(_ room: Plan.Room, _ plan: Plan) -> String {
    room.name[plan.languages.first ?? ""]
  }

  private static func empty(_ plan: Plan) -> [Remark] {
    plan.rooms.enumerated().filter { $1.major != nil && plan.exhibits(in: $1).isEmpty }.map {
      Remark(message: PlanFault(\.empty, .text(name($1, plan))), kind: "room", index: $0)
    }
  }

  private static func overlaps(_ plan: Plan) -> [Remark] {
    var comparison = RoomComparison(plan)
    let rooms = plan.rooms.indices.filter { !plan.rooms[$0].outline.isEmpty }.prefix(mostRooms)
    return rooms.flatMap { first in
      rooms.filter { $0 > first && comparison.doOverlap(first, $0) }.map { second in
        Remark(
          message: PlanFault(
            \.overlap,
            .text(name(plan.rooms[first], plan)),
            .text(name(plan.rooms[second], plan))
          ),
          kind: "room",
          index: second
        )
      }
    }
  }

  private static func close(_ plan: Plan) -> [Remark] {
    closeExhibits(of: plan).map { first, second in
      Remark(
        message: PlanFault(
          \.close,
          .text(title(plan.exhibits[first], plan)),
          .text(title(plan.exhibits[second], plan)),
          .decimal("\(leastSpacing)")
        ),
        kind: "exhibit",
        index: second
      )
    }
  }

  private static func files(_ plan: Plan, _ fault: (String) -> PlanFault?) -> [Remark] {
    plan.exhibits.enumerated().flatMap { index, exhibit in
      let names = [exhibit.image].compactMap(\.self) + (exhibit.audio?.entries.map(\.text) ?? [])
      return names.compactMap { name in
        fault(name).map { Remark(message: $0, kind: "exhibit", index: index) }
      }
    }
  }

  private static func numbers(_ plan: Plan) -> [Remark] {
    Dictionary(grouping: plan.exhibits.indices) { plan.exhibits[$0].number }
      .filter { $0.value.count > 1 }.sorted { $0.key < $1.key }.map { number, exhibits in
        let titles = exhibits.prefix(mostTitles).map { title(plan.exhibits[$0], plan) }
        let rest = exhibits.count > mostTitles ? ", …" : ""
        return Remark(
          message: PlanFault(\.numbers, .text("\(number)"), .quoted(titles), .text(rest)),
          kind: "exhibit",
          index: exhibits.last ?? 0
        )
      }
  }

  private static func doors(_ plan: Plan) -> [Remark] {
    plan.floors.flatMap { floor in
      RoomGraph.rooms(atDoorsOf: floor, plan).enumerated().filter(\.element.isEmpty).map {
        index,
        _ in
        Remark(
          message: PlanFault(\.door, .text("\(index + 1)")),
          kind: "door",
          index: index,
          level: floor.level
        )
      }
    }
  }

  private static func purposes(_ plan: Plan) -> [Remark] {
    guard plan.manifest.purposes.isEmpty else { return [] }
    return [Remark(message: PlanFault(\.noPurpose), kind: "museum", index: 0)]
  }

  /// Returns exhibits of a room that are too close to an earlier one, each once.
  ///
  /// A plan that comes from elsewhere can put thousands at one place, so each is compared only with those in the squares around it
  /// that are not too close to others: a few.
  private static func closeExhibits(of plan: Plan) -> [(Int, Int)] {
    struct Square: Hashable { var major: UInt16, x: Int, y: Int }
    var apart: [Square: [Int]] = [:]
    var close: [(Int, Int)] = []
    for (index, exhibit) in plan.exhibits.enumerated() {
      guard let place = exhibit.position else { continue }
      let own = Square(
        major: exhibit.identity.major,
        x: Int((place.x / leastSpacing).rounded(.down)),
        y: Int((place.y / leastSpacing).rounded(.down))
      )
      let around = (-1...1).flatMap { x in
        (-1...1).flatMap { y in
          apart[Square(major: own.major, x: own.x + x, y: own.y + y)] ?? []
        }
      }
      let other = around.first { other in
        plan.exhibits[other].position.map { $0.distance(to: place) < leastSpacing } == true
      }
      if let other {
        close.append((other, index))
      } else {
        apart[own, default: []].append(index)
      }
    }
    return close
  }

  /// Writes the remarks in a language as a member of an object.
  package func write(in language: String, to writer: inout JSONLineWriter) {
    writer.key("warnings")
    writer.beginArray()
    for remark in all {
      writer.beginObject()
      writer.string("message", remark.message.text(in: language))
      writer.string("kind", remark.kind)
      writer.integer("index", remark.index)
      writer.integer("level", remark.level)
      writer.endObject()
    }
    writer.endArray()
  }
}
