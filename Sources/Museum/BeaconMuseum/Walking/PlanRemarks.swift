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
    /// The kind that it concerns: `museum`, `floor`, `room`, `exhibit`, `door`, or `entrance`.
    package let kind: String
    /// The part's index in the plan; a door's among those of its floor.
    package let index: Int
    /// The level of a door or an entrance.
    package var level: Int?
    /// The page's field.
    var field: String?
  }

  /// The most titles of a remark.
  private static let mostTitles = 5
  /// The least distance of two beacons in meters: below it, shadowing of 4 dB too often makes them equally strong.
  static let leastSpacing = 2.0
  /// The most rooms that are compared with each other.
  private static let mostRooms = 500

  /// The remarks: on rooms, exhibits, doors, the museum, then on unfinished parts.
  package let all: [Remark]

  /// Looks at a plan.
  ///
  /// - Parameters:
  ///   - plan: A valid plan.
  ///   - fault: Returns the fault of a file of the plan's folder by its name.
  package init(_ plan: Plan, fault: (String) -> PlanFault?) {
    all =
      Self.empty(plan) + Self.overlaps(plan) + Self.close(plan) + Self.files(plan, fault)
      + Self.numbers(plan) + Self.doors(plan) + Self.entrances(plan) + Self.purposes(plan)
      + Self.unfinished(plan) + Self.untranslated(plan)
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
    let apart = rooms.filter { comparison.isApart($0) }.map { room in
      let meters = PlanFault.Value.text("\(Int(RoomComparison.farthest))")
      let message = PlanFault(\.apart, .text(name(plan.rooms[room], plan)), meters)
      return Remark(message: message, kind: "room", index: room)
    }
    return apart
      + rooms.flatMap { first in
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

  private static func entrances(_ plan: Plan) -> [Remark] {
    plan.floors.compactMap { floor in
      guard let entrance = floor.entrance else { return nil }
      let room = plan.rooms.first { room in
        room.level == floor.level && Polygon.contains(entrance, in: room.outline)
          && Polygon.distance(from: entrance, toWallsOf: room.outline) ?? 0 > RoomGraph.reach
      }
      return room.map {
        let message = PlanFault(\.entrance, .text(name($0, plan)))
        return Remark(message: message, kind: "entrance", index: 0, level: floor.level)
      }
    }
  }

  // MARK: Unfinished parts

  /// Exhibits without a place, a text or a title, and rooms without an outline.
  private static func unfinished(_ plan: Plan) -> [Remark] {
    // A plan without any drawing needs no places.
    let isDrawn = plan.rooms.contains { !$0.outline.isEmpty }
    let proposed = Set(StartPhrases.all.map(\.exhibit))
    let titles = plan.exhibits.map { title($0, plan) }
    let unplaced = plan.exhibits.indices.filter { isDrawn && plan.exhibits[$0].position == nil }
    let textless = plan.exhibits.indices.filter { plan.exhibits[$0].text == nil }
    let untitled = titles.indices.filter { isProposed(titles[$0], proposed) }
    let undrawn = plan.rooms.indices.filter { isDrawn && plan.rooms[$0].outline.isEmpty }
    return list(\.undrawn, plan.rooms.map { name($0, plan) }, undrawn, "room", "name")
      + list(\.unplaced, titles, unplaced, "exhibit", "title")
      + list(\.textless, titles, textless, "exhibit", "text")
      + list(\.untitled, titles, untitled, "exhibit", "title")
  }

  /// Whether a title is the word for an exhibit and a number, as the editor proposes it.
  private static func isProposed(_ title: String, _ words: Set<String>) -> Bool {
    guard let space = title.lastIndex(of: " ") else { return false }
    return words.contains(String(title[..<space]))
      && Int(title[title.index(after: space)...]) != nil
  }

  /// A remark on several parts, of which it names some; its button leads to the first.
  private static func list(
    _ phrase: any KeyPath<FaultPhrases, String> & Sendable,
    _ names: [String],
    _ parts: [Int],
    _ kind: String,
    _ field: String
  ) -> [Remark] {
    guard let first = parts.first else { return [] }
    let some = PlanFault.Value.quoted(parts.prefix(mostTitles).map { names[$0] })
    let rest = PlanFault.Value.text(parts.count > mostTitles ? ", …" : "")
    return [
      Remark(message: PlanFault(phrase, some, rest), kind: kind, index: first, field: field)
    ]
  }

  /// A text of a plan, with its part and its field.
  private struct Text {
    let text: LocalizedText
    let kind: String
    let index: Int
    let field: String
  }

  private static func texts(_ plan: Plan) -> [Text] {
    let reasons = [
      (plan.manifest.whenInUse, "whenInUse"),
      (plan.manifest.alwaysAndWhenInUse, "alwaysAndWhenInUse"),
    ]
    let all = [(plan.museum, "museum")] + reasons.compactMap { text, key in text.map { ($0, key) } }
    let purposes = plan.manifest.purposes.map { ($0.text, "purpose") }
    return (all + purposes).map { Text(text: $0, kind: "museum", index: 0, field: $1) }
      + plan.floors.enumerated().map {
        Text(text: $1.name, kind: "floor", index: $0, field: "name")
      }
      + plan.rooms.enumerated().map { Text(text: $1.name, kind: "room", index: $0, field: "name") }
      + plan.exhibits.enumerated().flatMap { index, exhibit in
        ([(exhibit.title, "title")] + [exhibit.text].compactMap(\.self).map { ($0, "text") })
          .map { Text(text: $0, kind: "exhibit", index: index, field: $1) }
      }
  }

  /// The texts that are missing in each language; the first one has all.
  private static func untranslated(_ plan: Plan) -> [Remark] {
    let texts = texts(plan)
    return plan.languages.dropFirst().compactMap { language in
      let missing = texts.filter { $0.text.entries.allSatisfy { $0.language != language } }
      return missing.first.map { first in
        let message = PlanFault(
          missing.count == 1 ? \.untranslatedOne : \.untranslated,
          .text("\(missing.count)"),
          .languages([language]),
          .languages(Array(plan.languages.prefix(1)))
        )
        let field = "\(first.field)-\(language)"
        return Remark(message: message, kind: first.kind, index: first.index, field: field)
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
      writer.string("field", remark.field)
      writer.endObject()
    }
    writer.endArray()
  }
}
