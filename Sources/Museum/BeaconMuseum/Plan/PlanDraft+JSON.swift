// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

internal import BeaconCore
package import BeaconFormats

extension PlanDraft {
  /// The most floors, rooms or exhibits that an editor may send.
  private static let mostEntries = 5000
  /// The most languages of a text.
  private static let mostLanguages = 50
  /// The most corners of a room and doors of a floor.
  private static let mostPoints = 1000

  /// Writes the draft as members of an object.
  package func write(to writer: inout JSONLineWriter) {
    writer.key("languages")
    writer.beginArray()
    for language in languages { writer.string(language) }
    writer.endArray()
    Self.write("museum", museum, to: &writer)
    writer.string("uuid", uuid)
    Self.write("whenInUse", whenInUse, to: &writer)
    Self.write("alwaysAndWhenInUse", alwaysAndWhenInUse, to: &writer)
    Self.write("purpose", purpose, to: &writer)
    writer.bool("appClip", appClip)
    writer.hundredths("power", power)
    writer.hundredths("exponent", exponent)
    writer.key("floors")
    writer.beginArray()
    for floor in floors {
      writer.beginObject()
      Self.write([("was", floor.was), ("level", floor.level)], to: &writer)
      Self.write("name", floor.name, to: &writer)
      Self.write("entrance", floor.entrance, to: &writer)
      Self.write("doors", floor.doors, to: &writer)
      writer.endObject()
    }
    writer.endArray()
    writer.key("rooms")
    writer.beginArray()
    for room in rooms {
      writer.beginObject()
      Self.write([("was", room.was), ("major", room.major), ("level", room.level)], to: &writer)
      Self.write("name", room.name, to: &writer)
      Self.write("outline", room.outline, to: &writer)
      writer.bool("desk", room.isDesk)
      writer.endObject()
    }
    writer.endArray()
    writer.key("exhibits")
    writer.beginArray()
    for exhibit in exhibits {
      writer.beginObject()
      Self.write(
        [
          ("was", exhibit.was), ("room", exhibit.room), ("minor", exhibit.minor),
          ("number", exhibit.number),
        ],
        to: &writer
      )
      Self.write("title", exhibit.title, to: &writer)
      Self.write("text", exhibit.text, to: &writer)
      writer.string("image", exhibit.image)
      Self.write("at", exhibit.position, to: &writer)
      writer.hundredths("power", exhibit.power)
      writer.hundredths("viewing", exhibit.viewingTime)
      Self.write("audio", exhibit.audio, to: &writer)
      writer.endObject()
    }
    writer.endArray()
  }

  private static func write(_ numbers: [(String, Int?)], to writer: inout JSONLineWriter) {
    for (key, number) in numbers {
      writer.key(key)
      writer.integer(number)
    }
  }

  private static func write(_ key: String, _ text: LocalizedText?, to writer: inout JSONLineWriter)
  {
    writer.key(key)
    guard let text else { return writer.null() }
    writer.beginObject()
    for entry in text.entries {
      writer.key(entry.language)
      writer.string(entry.text)
    }
    writer.endObject()
  }

  private static func write(_ key: String, _ point: Plan.Point?, to writer: inout JSONLineWriter) {
    writer.key(key)
    guard let point else { return writer.null() }
    write(point, to: &writer)
  }

  private static func write(_ key: String, _ points: [Plan.Point], to writer: inout JSONLineWriter)
  {
    writer.key(key)
    writer.beginArray()
    for point in points { write(point, to: &writer) }
    writer.endArray()
  }

  private static func write(_ point: Plan.Point, to writer: inout JSONLineWriter) {
    writer.beginArray()
    writer.hundredths(point.x)
    writer.hundredths(point.y)
    writer.endArray()
  }

  // MARK: Reading

  /// Reads what an editor sends for a plan.
  ///
  /// - Returns: `nil` for anything that is not a draft of the plan: of another shape, with an index twice or out of range,
  ///   or with too much of anything. Whether the plan would be valid is not looked at.
  package init?(_ value: JSON5Value, of plan: Plan) {
    self.init(of: plan)
    guard case .array(let tags)? = value["languages"]?.content, tags.count <= Self.mostLanguages,
      let museum = Self.localized(value["museum"]), let uuid = Self.text(value["uuid"]),
      let whenInUse = Self.optional(value["whenInUse"], Self.localized),
      let always = Self.optional(value["alwaysAndWhenInUse"], Self.localized),
      let purpose = Self.optional(value["purpose"], Self.localized),
      let power = Self.optional(value["power"], Self.number),
      let exponent = Self.optional(value["exponent"], Self.number)
    else { return nil }
    languages = tags.compactMap(Self.text)
    guard languages.count == tags.count else { return nil }
    (self.museum, self.uuid, self.whenInUse) = (museum, uuid, whenInUse)
    (alwaysAndWhenInUse, self.purpose) = (always, purpose)
    (self.power, self.exponent) = (power, exponent)
    appClip = Self.isTrue(value["appClip"])
    guard let floors = Self.entries(value["floors"], plan.floors.count, Self.floor, \.was),
      let rooms = Self.entries(value["rooms"], plan.rooms.count, Self.room, \.was),
      let exhibits = Self.entries(value["exhibits"], plan.exhibits.count, Self.exhibit, \.was)
    else { return nil }
    (self.floors, self.rooms, self.exhibits) = (floors, rooms, exhibits)
  }

  private static func entries<Entry>(
    _ value: JSON5Value?,
    _ count: Int,
    _ read: (JSON5Value) -> Entry?,
    _ was: (Entry) -> Int?
  ) -> [Entry]? {
    guard case .array(let values)? = value?.content, values.count <= mostEntries else { return nil }
    let entries = values.compactMap(read)
    let old = entries.compactMap(was)
    guard entries.count == values.count, old.allSatisfy((0..<count).contains),
      Set(old).count == old.count
    else { return nil }
    return entries
  }

  private static func floor(_ value: JSON5Value) -> Floor? {
    guard let was = optional(value["was"], integer), let level = integer(value["level"]),
      let name = localized(value["name"]), let entrance = optional(value["entrance"], point),
      let doors = points(value["doors"])
    else { return nil }
    return Floor(was: was, level: level, name: name, entrance: entrance, doors: doors)
  }

  private static func room(_ value: JSON5Value) -> Room? {
    guard let was = optional(value["was"], integer), let major = optional(value["major"], integer),
      let name = localized(value["name"]), let level = integer(value["level"]),
      let outline = points(value["outline"])
    else { return nil }
    return Room(
      was: was,
      major: major,
      name: name,
      level: level,
      outline: outline,
      isDesk: isTrue(value["desk"])
    )
  }

  private static func exhibit(_ value: JSON5Value) -> Exhibit? {
    guard let was = optional(value["was"], integer), let room = integer(value["room"]),
      let minor = integer(value["minor"]), let number = integer(value["number"]),
      let title = localized(value["title"]), let text = optional(value["text"], localized),
      let image = optional(value["image"], Self.text), let position = optional(value["at"], point),
      let power = optional(value["power"], Self.number),
      let viewing = optional(value["viewing"], Self.number),
      let audio = optional(value["audio"], localized)
    else { return nil }
    return Exhibit(
      was: was,
      room: room,
      minor: minor,
      number: number,
      title: title,
      text: text,
      image: image,
      position: position,
      power: power,
      viewingTime: viewing,
      audio: audio
    )
  }

  /// A value that may be `null`: `.some(nil)` for that, `nil` if it is something else than wanted.
  private static func optional<Value>(
    _ value: JSON5Value?,
    _ read: (JSON5Value?) -> Value?
  ) -> Value?? {
    guard let value, value.content != .null else { return .some(nil) }
    return read(value).map { .some($0) }
  }

  private static func integer(_ value: JSON5Value?) -> Int? {
    guard case .number(let number)? = value?.content else { return nil }
    return Int(exactly: number.value)
  }

  private static func number(_ value: JSON5Value?) -> Double? {
    guard case .number(let number)? = value?.content, number.value.isFinite else { return nil }
    return number.value
  }

  private static func isTrue(_ value: JSON5Value?) -> Bool { value?.content == .bool(true) }

  private static func text(_ value: JSON5Value?) -> String? {
    guard case .string(let text)? = value?.content, !text.isEmpty, text.utf8.count <= 1000 else {
      return nil
    }
    return text
  }

  /// Reads a text of at least one language.
  private static func localized(_ value: JSON5Value?) -> LocalizedText? {
    guard case .object(let members)? = value?.content, (1...mostLanguages).contains(members.count)
    else { return nil }
    let entries = members.compactMap { member -> LocalizedText.Entry? in
      guard case .string(let text) = member.value.content, !text.isEmpty else { return nil }
      return LocalizedText.Entry(language: member.key, text: text)
    }
    let isWhole = entries.count == members.count
    return isWhole && Set(entries.map(\.language)).count == entries.count
      ? LocalizedText(entries) : nil
  }

  private static func point(_ value: JSON5Value?) -> Plan.Point? {
    guard case .array(let values)? = value?.content, values.count == 2,
      case .number(let x) = values[0].content, case .number(let y) = values[1].content,
      PlanReader.coordinates.contains(x.value), PlanReader.coordinates.contains(y.value)
    else { return nil }
    return Plan.Point(x.value, y.value)
  }

  private static func points(_ value: JSON5Value?) -> [Plan.Point]? {
    guard case .array(let values)? = value?.content, values.count <= mostPoints else { return nil }
    let points = values.compactMap { point($0) }
    return points.count == values.count ? points : nil
  }
}
