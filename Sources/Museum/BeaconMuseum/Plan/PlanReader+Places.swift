// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

internal import BeaconCore
internal import BeaconFormats

/// Floors, rooms and exhibits.
extension PlanReader {
  mutating func readFloor(_ reader: JSON5Reader) {
    guard var object = reader.object() else { return }
    let levelEntry = object.required("level")
    let level = levelEntry?.integer(in: -99...999)
    let name = object.required("name").flatMap(text)
    let entrance = object.optional("entrance").flatMap(point)
    let doors = entries(object.optional("doors"), most: 1000)?.compactMap(point) ?? []
    object.finish()
    guard let level else { return }
    if floors.contains(where: { $0.level == level }) {
      levelEntry?.addFault(
        "a floor of level \(level) is there already; give each a level of its own"
      )
    }
    floors.append(
      Plan.Floor(
        level: level,
        name: name ?? LocalizedText([]),
        entrance: entrance,
        doors: doors
      )
    )
  }

  mutating func readRoom(_ reader: JSON5Reader) {
    guard var object = reader.object() else { return }
    let majorEntry = object.optional("major")
    let major = majorEntry?.integer(in: 0...65535).flatMap { UInt16(exactly: $0) }
    let name = object.required("name").flatMap(text)
    let level = object.optional("floor").flatMap(level) ?? floors.first?.level ?? 0
    let outline = object.optional("outline").map(outline) ?? []
    let isDesk = object.optional("desk")?.bool() ?? false
    object.finish()
    if let major, let other = rooms.first(where: { $0.major == major }) {
      let name = other.name[languages.first ?? ""]
      majorEntry?.addFault(
        "room '\(name)' has major \(major) already; give each room one of its own"
      )
    }
    rooms.append(
      Plan.Room(
        major: major,
        name: name ?? LocalizedText([]),
        level: level,
        outline: outline,
        isDesk: isDesk
      )
    )
  }

  /// The numbers of exhibits, which visitors type.
  private static let validNumbers = 0...99_999

  mutating func readExhibit(_ reader: JSON5Reader) {
    guard var object = reader.object() else { return }
    let title = object.required("title").flatMap(text)
    let text = object.optional("text").flatMap(text)
    let roomEntry = object.required("room")
    let major = roomEntry.flatMap(majorOfRoom)
    let minorEntry = object.required("minor")
    let minor = minorEntry?.integer(in: 0...65535).flatMap { UInt16(exactly: $0) }
    let numberEntry = object.optional("number")
    let number = numberEntry?.integer(in: Self.validNumbers).flatMap { Int(exactly: $0) }
    let atEntry = object.optional("at")
    let position = atEntry.flatMap(point)
    let power = object.optional("power")?.number(in: Self.powers)
    let viewingTime = object.optional("viewing")?.number(in: 0.1...86_400)
    let image = object.optional("image").flatMap { file($0, PlanMedia.images) }
    let audio = object.optional("audio").flatMap(sounds)
    object.finish()
    let room = major.flatMap { major in rooms.first { $0.major == major } }
    if let major, room == nil { roomEntry?.addFault(noRoom(major)) }
    if let position, let room { check(position, in: room, atEntry) }
    guard let major, let minor else { return }
    let identity = BeaconIdentity(uuid: uuid ?? 0, major: major, minor: minor)
    if identities.contains(identity) {
      minorEntry?.addFault(sameBeacon(identity))
    } else {
      identities.insert(identity)
    }
    let own = number ?? Int(minor)
    if let isGiven = numbers[own], isGiven || number != nil,
      let other = exhibits.first(where: { $0.number == own })
    {
      let title = other.title[languages.first ?? ""]
      (numberEntry ?? minorEntry)?.addFault(
        PlanFault(\.sameNumber, .text(title.shortened), .text("\(own)"))
      )
    }
    numbers[own] = numbers[own] == true || number != nil
    exhibits.append(
      Plan.Exhibit(
        identity: identity,
        number: number,
        title: title ?? LocalizedText([]),
        text: text,
        position: position,
        power: power,
        viewingTime: viewingTime,
        image: image,
        audio: audio
      )
    )
  }

  // MARK: Files

  /// Reads the name of a file in the plan's folder.
  private func file(_ reader: JSON5Reader, _ types: [String: String]) -> String? {
    guard let name = reader.nonEmptyString() else { return nil }
    guard PlanMedia.isFileName(name), PlanMedia.type(of: name, among: types) != nil else {
      reader.addFault(Self.noFile(name, types))
      return nil
    }
    return name
  }

  private static func noFile(_ name: String, _ types: [String: String]) -> PlanFault {
    let ends = ".\(types.keys.sorted().joined(separator: ", ."))"
    return PlanFault(\.noFile, .text(name.shortened), .text(ends))
  }

  /// Reads the name of a sound file, or one for each language.
  private func sounds(_ reader: JSON5Reader) -> LocalizedText? {
    let names: LocalizedText?
    if case .string = reader.value.content {
      names = file(reader, PlanMedia.sounds).map { LocalizedText($0, in: languages.first ?? "en") }
    } else {
      names = text(reader)
    }
    for entry in names?.entries ?? []
    where !PlanMedia.isFileName(entry.text)
      || PlanMedia.type(of: entry.text, among: PlanMedia.sounds) == nil
    {
      reader.addFault(Self.noFile(entry.text, PlanMedia.sounds))
      return nil
    }
    return names
  }

  // MARK: Checks of exhibits

  /// The major of an exhibit's room, which is written as that number, or as the room's name in one of its languages.
  private func majorOfRoom(_ reader: JSON5Reader) -> UInt16? {
    guard case .string(let name) = reader.value.content else {
      return reader.integer(in: 0...65535).flatMap { UInt16(exactly: $0) }
    }
    let named = rooms.filter { room in room.name.entries.contains { $0.text == name } }
    let majors = named.compactMap(\.major)
    if majors.count == 1 { return majors[0] }
    let known = rooms.filter { $0.major != nil }.map {
      "'\($0.name[languages.first ?? ""].shortened)'"
    }
    let message =
      majors.count > 1
      ? "\(majors.count) rooms are named '\(name.shortened)'; write the major of one"
      : !named.isEmpty
        ? "room '\(name.shortened)' has no major; give it one"
        : "no room is named '\(name.shortened)'; known are \(known.joined(separator: ", "))"
    reader.addFault(message)
    return nil
  }

  private func noRoom(_ major: UInt16) -> String {
    let majors = rooms.compactMap(\.major)
    guard !majors.isEmpty else {
      return "no room has major \(major); add one such as { major: \(major), name: … } to 'rooms'"
    }
    let known = majors.map { "\($0)" }.joined(separator: ", ")
    return "no room has major \(major); known are \(known)"
  }

  private func check(_ position: Plan.Point, in room: Plan.Room, _ entry: JSON5Reader?) {
    guard !room.outline.isEmpty, !Polygon.contains(position, in: room.outline),
      let meters = Polygon.distance(from: position, toWallsOf: room.outline),
      meters > Self.wallThickness
    else { return }
    let name = room.name[languages.first ?? ""]
    let tenths = Int((meters * 10).rounded())
    let distance = "\(tenths / 10).\(tenths % 10)"
    entry?.addFault(PlanFault(\.outside, .decimal(distance), .text(name)))
  }

  private func sameBeacon(_ identity: BeaconIdentity) -> PlanFault {
    let (major, minor) = (identity.major, identity.minor)
    let first = exhibits.first { $0.identity == identity }?.title[languages.first ?? ""] ?? ""
    return PlanFault(
      \.sameBeacon,
      .text(first.shortened),
      .text("\(major)"),
      .text("\(minor)"),
      .text("\(freeMinor(major, near: minor))")
    )
  }

  /// Returns the next minor above a given one that no exhibit of the room uses.
  private func freeMinor(_ major: UInt16, near minor: UInt16) -> UInt16 {
    let used = Set(identities.lazy.filter { $0.major == major }.map(\.minor))
    return (minor...UInt16.max).first { !used.contains($0) }
      ?? (0...minor).first { !used.contains($0) } ?? minor
  }

  // MARK: Places

  private func level(_ reader: JSON5Reader) -> Int? {
    guard let level = reader.integer(in: -99...999) else { return nil }
    if !floors.contains(where: { $0.level == level }) {
      let known = floors.map { "\($0.level)" }.joined(separator: ", ")
      let message =
        floors.isEmpty
        ? "the plan has no 'floors'; add { level: \(level), name: … } there"
        : "no floor has level \(level); known are \(known)"
      reader.addFault(message)
    }
    return level
  }

  private func outline(_ reader: JSON5Reader) -> [Plan.Point] {
    guard let entries = entries(reader, most: 1000) else { return [] }
    let points = entries.compactMap(point)
    guard points.count == entries.count else { return [] }
    if points.count < 3 {
      reader.addFault(
        "an outline needs 3 corners or more, in order, such as [[0, 0], [8, 0], [8, 6]]"
      )
    } else if Polygon.area(points) < 0.01 {
      reader.addFault(PlanFault(\.noArea))
    }
    return points
  }

  private func point(_ reader: JSON5Reader) -> Plan.Point? {
    guard case .array(let values) = reader.value.content, values.count == 2,
      let entries = reader.array()
    else {
      reader.addFault("\(reader.name) must be a place in meters such as [3.5, 1]: right, down")
      return nil
    }
    guard let x = entries[0].number(in: Self.coordinates),
      let y = entries[1].number(in: Self.coordinates)
    else { return nil }
    return Plan.Point(x, y)
  }
}
