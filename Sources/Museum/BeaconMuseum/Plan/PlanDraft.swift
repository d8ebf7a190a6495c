// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

internal import BeaconCore
package import BeaconFormats

/// What an editor changes of a plan: floors, rooms and exhibits with their places and their names in one language.
///
/// Everything else of the file, such as texts, other languages, manifest and comments, stays as its author wrote it.
package struct PlanDraft: Sendable, Equatable {
  /// A floor as the editor has it.
  package struct Floor: Sendable, Equatable {
    /// The floor's index in the file; `nil` for a new one.
    package var was: Int?
    package var level: Int
    package var name: String
    package var entrance: Plan.Point?
    package var doors: [Plan.Point]
  }

  /// A room as the editor has it.
  package struct Room: Sendable, Equatable {
    /// The room's index in the file; `nil` for a new one.
    package var was: Int?
    package var major: Int?
    package var name: String
    package var level: Int
    package var outline: [Plan.Point]
  }

  /// An exhibit as the editor has it.
  package struct Exhibit: Sendable, Equatable {
    /// The exhibit's index in the file; `nil` for a new one.
    package var was: Int?
    package var room: Int
    package var minor: Int
    package var number: Int
    package var title: String
    package var position: Plan.Point?
  }

  package var floors: [Floor]
  package var rooms: [Room]
  package var exhibits: [Exhibit]
  /// The language of the names.
  package let language: String

  /// Creates the draft of a plan as it is, with the names in its first language.
  package init(of plan: Plan) {
    let language = plan.languages.first ?? "en"
    self.language = language
    floors = plan.floors.enumerated().map { index, floor in
      Floor(
        was: index,
        level: floor.level,
        name: floor.name[language],
        entrance: floor.entrance,
        doors: floor.doors
      )
    }
    rooms = plan.rooms.enumerated().map { index, room in
      Room(
        was: index,
        major: room.major.map(Int.init),
        name: room.name[language],
        level: room.level,
        outline: room.outline
      )
    }
    exhibits = plan.exhibits.enumerated().map { index, exhibit in
      Exhibit(
        was: index,
        room: Int(exhibit.identity.major),
        minor: Int(exhibit.identity.minor),
        number: exhibit.number,
        title: exhibit.title[language],
        position: exhibit.position
      )
    }
  }

  // MARK: Applying

  /// Returns a plan's file with the draft's changes.
  ///
  /// - Parameter bytes: The file, which is a valid plan.
  /// - Returns: The changed file, which is a valid plan as well; the same bytes if nothing is changed.
  /// - Throws: `JSON5Faults` with the fault of the changed plan, or with the file.
  package func applied(to bytes: [UInt8]) throws(JSON5Faults) -> [UInt8] {
    let plan = try Plan(reading: bytes)
    let before = PlanDraft(of: plan)
    var file = Editing(bytes, plan)
    try apply(floors: before.floors, &file)
    try apply(rooms: before.rooms, &file)
    let renamed = rooms.contains { room in
      room.was.map { before.rooms.indices.contains($0) && before.rooms[$0].name != room.name }
        ?? false
    }
    try apply(exhibits: before.exhibits, renamed: renamed, &file)
    _ = try Plan(reading: file.bytes)
    return file.bytes
  }

  private func apply(floors before: [Floor], _ file: inout Editing) throws(JSON5Faults) {
    if before.isEmpty, !floors.isEmpty { try file.set("[]", [.key("floors")]) }
    for floor in floors {
      guard let was = floor.was, before.indices.contains(was) else {
        try file.append(
          [
            "level: \(floor.level)", "name: \(file.names(floor.name))",
            floor.entrance.map { "entrance: \(Self.text($0))" },
            floor.doors.isEmpty ? nil : "doors: \(Self.text(floor.doors))",
          ],
          "floors"
        )
        continue
      }
      let old = before[was]
      let path: [JSON5Step] = [.key("floors"), .index(was)]
      if floor.name != old.name { try file.setName(floor.name, path + [.key("name")]) }
      if let entrance = floor.entrance, Self.text(entrance) != old.entrance.map(Self.text) {
        try file.set(Self.text(entrance), path + [.key("entrance")])
      }
      if Self.text(floor.doors) != Self.text(old.doors) {
        try file.set(Self.text(floor.doors), path + [.key("doors")])
      }
    }
  }

  private func apply(rooms before: [Room], _ file: inout Editing) throws(JSON5Faults) {
    for room in rooms {
      guard let was = room.was, before.indices.contains(was) else {
        try file.append(
          [
            room.major.map { "major: \($0)" }, "name: \(file.names(room.name))",
            room.level == (floors.first?.level ?? 0) ? nil : "floor: \(room.level)",
            room.outline.isEmpty ? nil : "outline: \(Self.text(room.outline))",
          ],
          "rooms"
        )
        continue
      }
      let old = before[was]
      let path: [JSON5Step] = [.key("rooms"), .index(was)]
      if room.name != old.name { try file.setName(room.name, path + [.key("name")]) }
      if room.major != old.major, let major = room.major {
        try file.set("\(major)", path + [.key("major")])
      }
      if room.level != old.level { try file.set("\(room.level)", path + [.key("floor")]) }
      if !room.outline.isEmpty, Self.text(room.outline) != Self.text(old.outline) {
        try file.set(Self.text(room.outline), path + [.key("outline")])
      }
    }
    try file.remove(before.indices, except: rooms.compactMap(\.was), "rooms")
  }

  private func apply(
    exhibits before: [Exhibit],
    renamed: Bool,
    _ file: inout Editing
  ) throws(JSON5Faults) {
    for exhibit in exhibits {
      guard let was = exhibit.was, before.indices.contains(was) else {
        try file.append(
          [
            "room: \(exhibit.room)", "minor: \(exhibit.minor)",
            exhibit.number == exhibit.minor ? nil : "number: \(exhibit.number)",
            exhibit.position.map { "at: \(Self.text($0))" },
            "title: \(file.names(exhibit.title))",
          ],
          "exhibits"
        )
        continue
      }
      let old = before[was]
      let path: [JSON5Step] = [.key("exhibits"), .index(was)]
      if exhibit.title != old.title { try file.setName(exhibit.title, path + [.key("title")]) }
      // An exhibit can name its room, whose name is another one now.
      if exhibit.room != old.room || renamed {
        try file.set("\(exhibit.room)", path + [.key("room")])
      }
      if exhibit.minor != old.minor { try file.set("\(exhibit.minor)", path + [.key("minor")]) }
      // Without a number in the file the minor is it.
      let follows = exhibit.number == exhibit.minor && old.number == old.minor
      if exhibit.number != old.number, !follows {
        try file.set("\(exhibit.number)", path + [.key("number")])
      }
      if let position = exhibit.position, Self.text(position) != old.position.map(Self.text) {
        try file.set(Self.text(position), path + [.key("at")])
      }
    }
    try file.remove(before.indices, except: exhibits.compactMap(\.was), "exhibits")
  }

  private static func text(_ point: Plan.Point) -> String {
    "[\(number(point.x)), \(number(point.y))]"
  }

  private static func text(_ points: [Plan.Point]) -> String {
    "[\(points.map(text).joined(separator: ", "))]"
  }

  /// A number of meters to a centimeter; places that are alike so far are not changed.
  private static func number(_ value: Double) -> String {
    var text = DecimalText.hundredths(value)
    while text.hasSuffix("0") { text.removeLast() }
    if text.hasSuffix(".") { text.removeLast() }
    return text == "-0" ? "0" : text
  }
}

/// A file that is being changed, step by step.
private struct Editing {
  private(set) var bytes: [UInt8]
  private let languages: [String]

  init(_ bytes: [UInt8], _ plan: Plan) {
    self.bytes = bytes
    languages = plan.languages
  }

  /// A new name, the same in every language, for its author to translate.
  func names(_ name: String) -> String {
    let entries = languages.map { "\(JSON5Edit.literal($0)): \(JSON5Edit.literal(name))" }
    return "{ \(entries.joined(separator: ", ")) }"
  }

  mutating func set(_ literal: String, _ path: [JSON5Step]) throws(JSON5Faults) {
    bytes = try JSON5Edit.setValue(literal, at: path, in: bytes)
  }

  /// Sets a name in the first language.
  mutating func setName(_ name: String, _ path: [JSON5Step]) throws(JSON5Faults) {
    try set(JSON5Edit.literal(name), path + [.key(languages.first ?? "en")])
  }

  mutating func append(_ members: [String?], _ key: String) throws(JSON5Faults) {
    let literal = "{ \(members.compactMap { $0 }.joined(separator: ", ")) }"
    bytes = try JSON5Edit.append(literal, to: [.key(key)], in: bytes)
  }

  /// Removes entries of an array, the last one first, so that the indices of the others stay.
  mutating func remove(
    _ all: Range<Int>,
    except kept: [Int],
    _ key: String
  ) throws(JSON5Faults) {
    for index in all.reversed() where !kept.contains(index) {
      bytes = try JSON5Edit.remove(at: [.key(key), .index(index)], in: bytes)
    }
  }
}
