// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

internal import BeaconCore
internal import BeaconFormats

/// What an editor changes of a plan: all its values, but for further purposes of the guide's question.
///
/// Everything else of the file, such as its comments, stays as its author wrote it.
package struct PlanDraft: Sendable, Equatable {
  /// A floor as the editor has it.
  package struct Floor: Sendable, Equatable {
    /// The floor's index in the file; `nil` for a new one.
    package var was: Int?
    package var level: Int
    package var name: LocalizedText
    package var entrance: Plan.Point?
    package var doors: [Plan.Point]
  }

  /// A room as the editor has it.
  package struct Room: Sendable, Equatable {
    /// The room's index in the file; `nil` for a new one.
    package var was: Int?
    package var major: Int?
    package var name: LocalizedText
    package var level: Int
    package var outline: [Plan.Point]
    package var isDesk = false
  }

  /// An exhibit as the editor has it.
  package struct Exhibit: Sendable, Equatable {
    /// The exhibit's index in the file; `nil` for a new one.
    package var was: Int?
    package var room: Int
    package var minor: Int
    package var number: Int
    package var title: LocalizedText
    package var text: LocalizedText?
    package var image: String?
    package var position: Plan.Point?
    package var power: Double?
    package var viewingTime: Double?
    /// A sound file for all languages, by the first one, or one for each.
    package var audio: LocalizedText?
  }

  /// The languages of the texts, first those of the file.
  package var languages: [String]
  package var museum: LocalizedText
  /// The UUID of all beacons, as text.
  package var uuid: String
  /// The reason of the guide's question.
  package var whenInUse: LocalizedText?
  /// The reason to know the place also while the guide is closed.
  package var alwaysAndWhenInUse: LocalizedText?
  /// The reason to know the precise location: that of the first purpose.
  package var purpose: LocalizedText?
  /// Whether visitors open the guide by a printed code.
  package var appClip: Bool
  /// The power of all beacons at 1 m, in dBm.
  package var power: Double?
  /// The path loss exponent of the rooms.
  package var exponent: Double?
  package var floors: [Floor]
  package var rooms: [Room]
  package var exhibits: [Exhibit]

  /// Creates the draft of a plan as it is.
  package init(of plan: Plan) {
    languages = plan.languages
    museum = plan.museum
    uuid = UUIDText.string(plan.uuid)
    whenInUse = plan.manifest.whenInUse
    alwaysAndWhenInUse = plan.manifest.alwaysAndWhenInUse
    purpose = plan.manifest.purposes.first?.text
    appClip = plan.manifest.appClip
    (power, exponent) = (plan.calibration.power, plan.calibration.exponent)
    floors = plan.floors.enumerated().map { index, floor in
      Floor(
        was: index,
        level: floor.level,
        name: floor.name,
        entrance: floor.entrance,
        doors: floor.doors
      )
    }
    rooms = plan.rooms.enumerated().map { index, room in
      Room(
        was: index,
        major: room.major.map(Int.init),
        name: room.name,
        level: room.level,
        outline: room.outline,
        isDesk: room.isDesk
      )
    }
    exhibits = plan.exhibits.enumerated().map { index, exhibit in
      Exhibit(
        was: index,
        room: Int(exhibit.identity.major),
        minor: Int(exhibit.identity.minor),
        number: exhibit.number,
        title: exhibit.title,
        text: exhibit.text,
        image: exhibit.image,
        position: exhibit.position,
        power: exhibit.power,
        viewingTime: exhibit.viewingTime,
        audio: exhibit.audio
      )
    }
  }

  // MARK: Applying

  /// Returns a plan's file with the draft's changes.
  ///
  /// - Parameter bytes: The file, which is a valid plan.
  /// - Returns: The changed file, which is a valid plan as well; the same bytes if nothing is changed.
  /// - Throws: ``DraftFaults`` with the faults of the changed plan, or `JSON5Faults` with those of the file.
  package func applied(to bytes: [UInt8]) throws -> [UInt8] {
    let plan = try Plan(reading: bytes)
    let before = PlanDraft(of: plan)
    var file = PlanEditing(bytes, languages)
    try file.write(museum, before.museum, [.key("museum")])
    if uuid != before.uuid { try file.set(JSON5Edit.literal(uuid), [.key("uuid")]) }
    try writeReasons(of: plan, before, &file)
    try writeCalibration(before, &file)
    try apply(floors: before.floors, &file)
    try apply(rooms: before.rooms, ground: before.ground, &file)
    let renamed = rooms.contains { room in
      room.was.map { before.rooms.indices.contains($0) && before.rooms[$0].name != room.name }
        ?? false
    }
    try apply(exhibits: before.exhibits, renamed: renamed, &file)
    if languages != before.languages { try write(languagesOf: plan, &file) }
    try file.reorder(Self.order(rooms.map(\.was)), "rooms")
    try file.reorder(Self.order(exhibits.map(\.was)), "exhibits")
    do throws(JSON5Faults) {
      _ = try Plan(reading: file.bytes)
    } catch {
      throw DraftFaults(error, self, file.bytes)
    }
    return file.bytes
  }

  /// The key of the first purpose of a plan from nothing.
  static let purposeKey = "ExhibitGuide"

  private func writeReasons(
    of plan: Plan,
    _ before: PlanDraft,
    _ file: inout PlanEditing
  ) throws(JSON5Faults) {
    let manifest: [JSON5Step] = [.key("manifest")]
    let always = manifest + [.key("alwaysAndWhenInUse")]
    try file.write(whenInUse, before.whenInUse, manifest + [.key("whenInUse")])
    try file.write(alwaysAndWhenInUse, before.alwaysAndWhenInUse, always)
    if appClip != before.appClip {
      try file.set(appClip ? "true" : nil, manifest + [.key("appClip")])
    }
    guard purpose != before.purpose else { return }
    let purposes = manifest + [.key("purposes")]
    if try !file.isObject(purposes) { try file.set("{}", purposes) }
    let key = plan.manifest.purposes.first?.key ?? Self.purposeKey
    try file.write(purpose, before.purpose, purposes + [.key(key)])
  }

  private func writeCalibration(
    _ before: PlanDraft,
    _ file: inout PlanEditing
  ) throws(JSON5Faults) {
    let path: [JSON5Step] = [.key("calibration")]
    for (key, value, old) in [
      ("power", power, before.power), ("exponent", exponent, before.exponent),
    ] where value.map(Self.number) != old.map(Self.number) {
      if try !file.isObject(path) { try file.set("{}", path) }
      try file.set(value.map(Self.number), path + [.key(key)])
    }
  }

  /// Adds and removes languages, also in the texts that the editor does not show.
  private func write(
    languagesOf plan: Plan,
    _ file: inout PlanEditing
  ) throws(JSON5Faults) {
    let all = languages.map(JSON5Edit.literal).joined(separator: ", ")
    try file.set("[\(all)]", [.key("languages")])
    for purpose in plan.manifest.purposes.dropFirst() {
      let path: [JSON5Step] = [.key("manifest"), .key("purposes"), .key(purpose.key)]
      try file.write(file.within(purpose.text), purpose.text, path)
    }
    let order = Self.order(exhibits.map(\.was))
    try file.edit("exhibits") { index, entry throws(JSON5Faults) in
      guard let draft = order[safe: index], let audio = exhibits[draft].audio,
        try entry.isObject([.key("audio")])
      else { return }
      try entry.write(entry.within(audio), audio, [.key("audio")])
    }
  }

  /// The indices of entries in the order of the file until they are moved: entries that stay, then new ones.
  static func order(_ was: [Int?]) -> [Int] {
    was.indices.sorted { (was[$0] ?? .max, $0) < (was[$1] ?? .max, $1) }
  }

  /// The entries of a draft that are of the file, by their place in it.
  private static func kept<Entry>(
    _ entries: [Entry],
    _ was: (Entry) -> Int?,
    of before: Int
  ) -> [Int: Entry] {
    let known = entries.compactMap { entry in was(entry).map { ($0, entry) } }
    return Dictionary(known.filter { (0..<before).contains($0.0) }) { $1 }
  }

  private func apply(floors before: [Floor], _ file: inout PlanEditing) throws(JSON5Faults) {
    if before.isEmpty, !floors.isEmpty { try file.set("[]", [.key("floors")]) }
    let kept = Self.kept(floors, \.was, of: before.count)
    try file.edit("floors") { index, entry throws(JSON5Faults) in
      guard let floor = kept[index] else { return }
      let old = before[index]
      try entry.write(floor.name, old.name, [.key("name")])
      if floor.entrance.map(Self.text) != old.entrance.map(Self.text) {
        try entry.set(floor.entrance.map(Self.text), [.key("entrance")])
      }
      if Self.text(floor.doors) != Self.text(old.doors) {
        try entry.set(Self.text(floor.doors), [.key("doors")])
      }
    }
    let new = floors.filter { $0.was.map { kept[$0] == nil } ?? true }
    let objects = new.map { floor in
      [
        "level: \(floor.level)", "name: \(file.text(floor.name))",
        floor.entrance.map { "entrance: \(Self.text($0))" },
        floor.doors.isEmpty ? nil : "doors: \(Self.text(floor.doors))",
      ]
    }
    try file.append(objects, "floors")
    try file.remove(before.indices, except: kept.keys, "floors")
  }

  /// The level of a room whose author gave none: that of the file's first floor.
  private var ground: Int {
    let first = floors.indices.min { (floors[$0].was ?? .max, $0) < (floors[$1].was ?? .max, $1) }
    return first.map { floors[$0].level } ?? 0
  }

  private func apply(
    rooms before: [Room],
    ground old: Int,
    _ file: inout PlanEditing
  ) throws(JSON5Faults) {
    let hasOtherGround = ground != old
    let kept = Self.kept(rooms, \.was, of: before.count)
    try file.edit("rooms") { index, entry throws(JSON5Faults) in
      guard let room = kept[index] else { return }
      let old = before[index]
      try entry.write(room.name, old.name, [.key("name")])
      if room.major != old.major { try entry.set(room.major.map { "\($0)" }, [.key("major")]) }
      if room.level != old.level || hasOtherGround {
        try entry.set(room.level == ground ? nil : "\(room.level)", [.key("floor")])
      }
      if Self.text(room.outline) != Self.text(old.outline) {
        try entry.set(room.outline.isEmpty ? nil : Self.text(room.outline), [.key("outline")])
      }
      if room.isDesk != old.isDesk { try entry.set(room.isDesk ? "true" : nil, [.key("desk")]) }
    }
    let new = rooms.filter { $0.was.map { kept[$0] == nil } ?? true }
    let objects = new.map { room in
      [
        room.major.map { "major: \($0)" }, "name: \(file.text(room.name))",
        room.level == ground ? nil : "floor: \(room.level)",
        room.outline.isEmpty ? nil : "outline: \(Self.text(room.outline))",
        room.isDesk ? "desk: true" : nil,
      ]
    }
    try file.append(objects, "rooms")
    try file.remove(before.indices, except: kept.keys, "rooms")
  }

  private func apply(
    exhibits before: [Exhibit],
    renamed: Bool,
    _ file: inout PlanEditing
  ) throws(JSON5Faults) {
    let kept = Self.kept(exhibits, \.was, of: before.count)
    let numbers = Dictionary(exhibits.map { ($0.number, 1) }, uniquingKeysWith: +)
    // As the file gives it: not at all if the minor is it. A number that two exhibits have is written, so that it is a fault.
    func number(of exhibit: Exhibit) -> String? {
      let isShared = numbers[exhibit.number, default: 0] > 1
      return exhibit.number == exhibit.minor && !isShared ? nil : "\(exhibit.number)"
    }
    try file.edit("exhibits") { index, entry throws(JSON5Faults) in
      guard let exhibit = kept[index] else { return }
      let old = before[index]
      try write(exhibit, old, &entry)
      // An exhibit can name its room, whose name is another one now.
      if exhibit.room != old.room || renamed { try entry.set("\(exhibit.room)", [.key("room")]) }
      if exhibit.minor != old.minor { try entry.set("\(exhibit.minor)", [.key("minor")]) }
      if (exhibit.number, exhibit.minor) != (old.number, old.minor) {
        try entry.set(number(of: exhibit), [.key("number")])
      }
    }
    let new = exhibits.filter { $0.was.map { kept[$0] == nil } ?? true }
    let objects = new.map { exhibit in
      [
        "room: \(exhibit.room)", "minor: \(exhibit.minor)",
        number(of: exhibit).map { "number: \($0)" },
        exhibit.position.map { "at: \(Self.text($0))" }, "title: \(file.text(exhibit.title))",
        exhibit.text.map { "text: \(file.text($0))" },
        exhibit.power.map { "power: \(Self.number($0))" },
        exhibit.viewingTime.map { "viewing: \(Self.number($0))" },
        exhibit.image.map { "image: \(JSON5Edit.literal($0))" },
        exhibit.audio.map { "audio: \(sound($0, file))" },
      ]
    }
    try file.append(objects, "exhibits")
    try file.remove(before.indices, except: kept.keys, "exhibits")
  }

  /// Writes an exhibit's values but for its identity and number.
  private func write(
    _ exhibit: Exhibit,
    _ old: Exhibit,
    _ entry: inout PlanEditing
  ) throws(JSON5Faults) {
    try entry.write(exhibit.title, old.title, [.key("title")])
    try entry.write(exhibit.text, old.text, [.key("text")])
    if exhibit.image != old.image {
      try entry.set(exhibit.image.map(JSON5Edit.literal), [.key("image")])
    }
    if exhibit.audio != old.audio {
      let editing = entry
      try entry.set(exhibit.audio.map { sound($0, editing) }, [.key("audio")])
    }
    let numbers = [
      ("power", exhibit.power, old.power), ("viewing", exhibit.viewingTime, old.viewingTime),
    ]
    for (key, value, old) in numbers where value.map(Self.number) != old.map(Self.number) {
      try entry.set(value.map(Self.number), [.key(key)])
    }
    if exhibit.position.map(Self.text) != old.position.map(Self.text) {
      try entry.set(exhibit.position.map(Self.text), [.key("at")])
    }
  }

  /// The names of sound files: one for all languages, or one for each.
  private func sound(_ audio: LocalizedText, _ file: PlanEditing) -> String {
    if audio.entries.count == 1, audio.entries[0].language == languages.first {
      return JSON5Edit.literal(audio.entries[0].text)
    }
    return file.text(file.within(audio))
  }

  private static func text(_ point: Plan.Point) -> String {
    "[\(number(point.x)), \(number(point.y))]"
  }

  private static func text(_ points: [Plan.Point]) -> String {
    "[\(points.map(text).joined(separator: ", "))]"
  }

  /// A number to a hundredth; values that are alike so far are not changed.
  private static func number(_ value: Double) -> String {
    var text = DecimalText.hundredths(value)
    while text.hasSuffix("0") { text.removeLast() }
    if text.hasSuffix(".") { text.removeLast() }
    return text == "-0" ? "0" : text
  }
}
