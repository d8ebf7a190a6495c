// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

internal import BeaconCore
internal import BeaconFormats

/// Reads a plan file and collects all of its faults.
struct PlanReader {
  /// The valid coordinates in meters: no museum is 10 km wide, so a mistake in the unit is noticed.
  static let coordinates: ClosedRange<Double> = -10_000...10_000
  /// The valid measured powers in dBm: the values of a signed byte that can be a calibration.
  static let powers: ClosedRange<Double> = -127...(-1)
  /// The valid path loss exponents.
  static let exponents = PathLoss.exponentRange
  /// How far outside its room's outline a beacon may be, in meters: on the wall, with the drawing's error.
  static let wallThickness = 0.5

  let faults = FaultCollector()
  var languages: [String] = []
  var uuid: UInt128?
  var floors: [Plan.Floor] = []
  var rooms: [Plan.Room] = []
  var exhibits: [Plan.Exhibit] = []
  /// The position of each identity's first use, to report a second use.
  var identities: Set<BeaconIdentity> = []
  /// Each exhibit's number, and whether the file gives it or the minor is it.
  var numbers: [Int: Bool] = [:]

  mutating func read(_ reader: JSON5Reader) -> Plan? {
    guard var file = reader.object() else { return nil }
    // Languages are read first, wherever they are in the file: every text is checked against them.
    if let entry = file.required("languages") { readLanguages(entry) }
    let museum = file.required("museum").flatMap(text)
    if let entry = file.required("uuid") { readUUID(entry) }
    for entry in entries(file.optional("floors"), most: 100) ?? [] { readFloor(entry) }
    for entry in entries(file.required("rooms"), most: 500) ?? [] { readRoom(entry) }
    for entry in entries(file.required("exhibits"), most: 1000) ?? [] { readExhibit(entry) }
    let calibration = file.optional("calibration").map(readCalibration)
    let manifest = file.required("manifest").map(readManifest)
    file.finish()
    guard let museum, let uuid, let manifest, !languages.isEmpty else { return nil }
    return Plan(
      museum: museum,
      uuid: uuid,
      languages: languages,
      floors: floors,
      rooms: rooms,
      exhibits: exhibits,
      calibration: calibration ?? Plan.Calibration(),
      manifest: manifest
    )
  }

  /// Returns the entries of a list; more than a plan may have are a fault, since a report and a simulation grow with them.
  func entries(_ reader: JSON5Reader?, most: Int) -> ArraySlice<JSON5Reader>? {
    guard let reader, let entries = reader.array() else { return nil }
    if entries.count > most {
      reader.addFault(
        PlanFault(\.many, .key(reader.name), .text("\(entries.count)"), .text("\(most)"))
      )
    }
    return entries.prefix(most)
  }

  // MARK: The museum

  private mutating func readLanguages(_ reader: JSON5Reader) {
    guard let entries = reader.array() else { return }
    if entries.isEmpty { reader.addFault("languages must name one at least, such as [\"en\"]") }
    for entry in entries {
      guard let language = entry.nonEmptyString() else { continue }
      guard Self.isLanguage(language) else {
        entry.addFault(
          "'\(language.shortened)' is no language tag; write one such as \"en\" or \"de-CH\""
        )
        continue
      }
      guard !languages.contains(language) else {
        entry.addFault("'\(language)' stands here twice; remove one")
        continue
      }
      guard languages.count < Self.mostLanguages else {
        entry.addFault("a plan may have \(Self.mostLanguages) languages")
        return
      }
      languages.append(language)
    }
  }

  /// The most languages of a plan: each message on a missing text names all.
  private static let mostLanguages = 40

  /// Returns whether a text has the form of a BCP 47 tag: letters, then further parts of letters and digits.
  private static func isLanguage(_ text: String) -> Bool {
    let parts = text.utf8.split(separator: UInt8(ascii: "-"), omittingEmptySubsequences: false)
    let areParts = parts.allSatisfy { part in
      (1...8).contains(part.count)
        && part.allSatisfy {
          (0x30...0x39).contains($0) || (0x41...0x5A).contains($0) || (0x61...0x7A).contains($0)
        }
    }
    return areParts && (2...8).contains(parts.first?.count ?? 0)
  }

  private mutating func readUUID(_ reader: JSON5Reader) {
    guard let text = reader.string() else { return }
    do throws(IdentitySyntaxError) {
      if case .uuid(let found) = try IdentityConstraint(parsing: text) {
        uuid = found
      } else {
        reader.addFault(PlanFault(\.moreThanUuid, .text(text.shortened)))
      }
    } catch .notAUUID(let found) {
      reader.addFault(PlanFault(\.notUuid, .text(found)))
    } catch {
      reader.addFault(PlanFault(\.moreThanUuid, .text(text.shortened), command: "\(error)"))
    }
  }

  private func readCalibration(_ reader: JSON5Reader) -> Plan.Calibration {
    var calibration = Plan.Calibration()
    guard var object = reader.object() else { return calibration }
    calibration.power = object.optional("power")?.number(in: Self.powers)
    calibration.exponent = object.optional("exponent")?.number(in: Self.exponents)
    object.finish()
    return calibration
  }

  private func readManifest(_ reader: JSON5Reader) -> Plan.ManifestTexts {
    var manifest = Plan.ManifestTexts()
    guard var object = reader.object() else { return manifest }
    manifest.whenInUse = object.required("whenInUse").flatMap(text)
    manifest.alwaysAndWhenInUse = object.optional("alwaysAndWhenInUse").flatMap(text)
    if var purposes = object.optional("purposes")?.object() {
      for (key, _, value) in purposes.entries() {
        guard let text = text(value) else { continue }
        manifest.purposes.append(Plan.ManifestTexts.Purpose(key: key, text: text))
      }
    }
    manifest.appClip = object.optional("appClip")?.bool() ?? false
    object.finish()
    return manifest
  }

  // MARK: Texts

  /// The most bytes of a text in one language, some 1,300 words: visitors do not read more in front of an exhibit, and every reader
  /// of a page has the current texts waiting in the server's memory.
  static let longestText = 8000

  /// Reads a text in one language.
  private func singleText(_ reader: JSON5Reader) -> String? {
    guard let text = reader.nonEmptyString() else { return nil }
    guard text.utf8.count <= Self.longestText else {
      let (count, most) = ("\(text.utf8.count)", "\(Self.longestText)")
      reader.addFault(PlanFault(\.long, .key(reader.name), .text(count), .text(most)))
      return nil
    }
    return text
  }

  /// Reads a text in the languages of the plan; a plain string is one in the first language.
  ///
  /// Only the first language is needed: a visitor of another one sees that, and work can be saved before it is translated.
  func text(_ reader: JSON5Reader) -> LocalizedText? {
    guard !languages.isEmpty else { return nil }
    if case .string = reader.value.content {
      return singleText(reader).map { LocalizedText($0, in: languages[0]) }
    }
    guard case .object = reader.value.content else {
      reader.addFault("\(reader.name) must be in \(languages.joined(separator: ", ")); \(example)")
      return nil
    }
    guard var object = reader.object() else { return nil }
    var entries: [LocalizedText.Entry] = []
    for (index, language) in languages.enumerated() {
      guard let entry = object.optional(language) else {
        guard index == 0 else { continue }
        let command = "\(reader.name) is missing in \(language); \(example)"
        reader.addFault(
          PlanFault(\.missing, .key(reader.name), .languages([language]), command: command)
        )
        continue
      }
      guard let text = singleText(entry) else { continue }
      entries.append(LocalizedText.Entry(language: language, text: text))
    }
    object.finish()
    return LocalizedText(entries)
  }

  private var example: String {
    "write { \(languages.map { "\($0): \"…\"" }.joined(separator: ", ")) }"
  }
}
