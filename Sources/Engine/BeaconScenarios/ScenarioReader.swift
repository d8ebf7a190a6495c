// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

internal import BeaconCore
internal import BeaconFormats

/// Reads a scenario file and reports all faults together.
struct ScenarioReader {
  /// The longest time in seconds, a week: longer than any visit, and far below the limit of a timestamp.
  static let longest = 604_800.0
  /// The most inputs of a file, counting each repetition: more than a day at ten a second.
  ///
  /// So a typing error takes no time without an end.
  static let mostSteps = 1_000_000
  /// The wall time at 0 if the file names none: 2026-01-01T00:00:00Z.
  static let defaultStart = Timestamp(microseconds: 1_767_225_600_000_000)

  /// The constants that `set` may name.
  let schema: ConfigurationSchema
  let faults = FaultCollector()
  var programs: [Scenario.Program] = []
  var receivers = ["hci0"]
  var addresses: [BeaconIdentity: DeviceAddress] = [:]
  var steps: [ScenarioStep] = []
  /// How many inputs the repetitions are besides.
  var repetitions = 0
  var expectations: [ScenarioExpectation] = []
  var gaps: [ClosedRange<TimeSpan>] = []
  /// The constraints of the regions that clients have requested to monitor so far, in the order of the file.
  var monitored: [(client: Int, region: String, constraint: IdentityConstraint)] = []

  /// Reads a file.
  static func read(
    _ bytes: [UInt8],
    _ schema: ConfigurationSchema
  ) throws(JSON5Faults) -> Scenario {
    var reader = ScenarioReader(schema: schema)
    let value = try JSON5.parse(bytes, faults: reader.faults)
    let scenario = reader.read(JSON5Reader(value, name: "a scenario", faults: reader.faults))
    try reader.faults.throwIfAny()
    // Without a fault there is a scenario, since a missing required value is a fault.
    guard let scenario else {
      throw JSON5Faults([JSON5Fault("no scenario", at: value.position)])
    }
    return scenario
  }

  private mutating func read(_ reader: JSON5Reader) -> Scenario? {
    guard var file = reader.object() else { return nil }
    let name = file.required("name")?.nonEmptyString()
    let profile = file.optional("profile")?.choice(of: Profile.self) ?? .standard
    var configuration = Configuration(profile)
    if let set = file.optional("set") {
      for setting in ConstantReader.read(set, schema) { configuration.apply(setting) }
    }
    let start = readStart(file.optional("localTime"), &configuration)
    if let clients = file.optional("clients") { readClients(clients) }
    if let state = file.optional("state") { readState(state) }
    for entry in file.required("timeline")?.array() ?? [] { readInput(entry) }
    for entry in file.optional("expect")?.array() ?? [] { readExpectation(entry) }
    let only = file.optional("only").map(readTypes) ?? []
    let never = file.optional("never").map(readTypes) ?? []
    let until = file.optional("until").flatMap(readTime)
    file.finish()
    let last = max(
      steps.map(\.last).max() ?? .zero,
      expectations.map { $0.time + $0.within }.max() ?? .zero
    )
    return Scenario(
      name: name ?? "",
      configuration: configuration,
      start: start,
      programs: programs,
      receivers: receivers,
      entries: steps,
      expectations: expectations,
      only: only,
      never: never,
      gaps: gaps,
      end: until ?? last
    )
  }

  /// Reads the time at 0.
  ///
  /// Its UTC offset is how far local time is ahead of UTC.
  private func readStart(
    _ reader: JSON5Reader?,
    _ configuration: inout Configuration
  ) -> Timestamp {
    guard let reader, let time = reader.timestamp(), case .string(let text) = reader.value.content
    else { return Self.defaultStart }
    guard time.microseconds % 1_000_000 == 0 else {
      reader.addFault("localTime must be a whole second")
      return Self.defaultStart
    }
    let offset = Array(text.utf8.suffix(6))
    if offset.count == 6, let hours = Int(String(decoding: offset[1..<3], as: UTF8.self)),
      let minutes = Int(String(decoding: offset[4..<6], as: UTF8.self)),
      offset[0] == UInt8(ascii: "+") || offset[0] == UInt8(ascii: "-")
    {
      let seconds = Int64(hours * 3600 + minutes * 60)
      let isEast = offset[0] == UInt8(ascii: "+")
      configuration.authorization.utcOffset = .seconds(isEast ? seconds : -seconds)
    }
    return time
  }

  private mutating func readClients(_ reader: JSON5Reader) {
    guard var clients = reader.object() else { return }
    for (name, _, value) in clients.entries() {
      var program = Scenario.Program(name: name)
      if var object = value.object() {
        if let manifest = object.optional("manifest") {
          program.manifest = Manifest.read(manifest) ?? Manifest()
        }
        object.finish()
      }
      programs.append(program)
    }
  }

  private enum GrantAtStart: String, CaseIterable {
    case notDetermined, restricted, denied, whenInUse, always

    var status: AuthorizationStatus {
      switch self {
      case .notDetermined: .notDetermined
      case .restricted: .restricted
      case .denied: .denied
      case .whenInUse: .authorizedWhenInUse
      case .always: .authorizedAlways
      }
    }
  }

  private enum AccuracyAtStart: String, CaseIterable {
    case full, reduced
  }

  private mutating func readState(_ reader: JSON5Reader) {
    guard var states = reader.object() else { return }
    for (name, position, value) in states.entries() {
      guard let client = programs.firstIndex(where: { $0.name == name }) else {
        reportUnknownClient(name, at: position)
        continue
      }
      guard var object = value.object() else { continue }
      let grant = object.optional("authorization")?.choice(of: GrantAtStart.self)
      let accuracy = object.optional("accuracy")?.choice(of: AccuracyAtStart.self) ?? .full
      programs[client].isForeground = object.optional("foreground")?.bool() ?? true
      programs[client].state = SavedAuthorization(
        status: grant?.status ?? .notDetermined,
        accuracy: accuracy == .full ? .full : .reduced
      )
      object.finish()
    }
  }

  private func readTypes(_ reader: JSON5Reader) -> [String] {
    (reader.array() ?? []).compactMap { $0.choice(ScenarioEventTypes.names) }
  }

  // MARK: Shared by entries

  /// Reads a time in seconds from the start.
  func readTime(_ reader: JSON5Reader) -> TimeSpan? {
    reader.number(in: 0...Self.longest).map { TimeSpan(seconds: $0) }
  }

  func reportUnknownClient(_ name: String, at position: TextPosition) {
    let hint = NearestName.find(name, in: programs.map(\.name)).map { "; did you mean '\($0)'?" }
    faults.add("no client is named '\(name.shortened)'" + (hint ?? ""), at: position)
  }

  /// Reads the client an entry names; an entry that names none means the only one there is.
  mutating func readClient(_ object: inout ObjectReader, isRequired: Bool = true) -> Int? {
    guard let reader = object.optional("client") else {
      if programs.count == 1 { return 0 }
      if isRequired { object.addFault("an entry needs 'client'") }
      return nil
    }
    guard let name = reader.string() else { return nil }
    if let client = programs.firstIndex(where: { $0.name == name }) { return client }
    reportUnknownClient(name, at: reader.value.position)
    return nil
  }

  private mutating func readExpectation(_ reader: JSON5Reader) {
    guard case .object(let members) = reader.value.content, var object = reader.object() else {
      _ = reader.object()
      return
    }
    let time = object.required("at").flatMap(readTime)
    let client = readClient(&object, isRequired: false)
    let within = object.optional("within").flatMap(readTime) ?? .zero
    let subject: ScenarioExpectation.Subject?
    if let settings = object.optional("settingsShows") {
      let precise = object.optional("precise")?.bool()
      subject = settings.choice(of: SettingsValue.self).map { .settings($0, precise: precise) }
      if client == nil { object.addFault("settingsShows needs 'client'") }
    } else {
      subject = readEvent(&object, members)
    }
    object.finish()
    guard let time, let subject else { return }
    expectations.append(
      ScenarioExpectation(
        time: time,
        within: within,
        client: client,
        subject: subject,
        position: reader.value.position
      )
    )
  }

  private func readEvent(
    _ object: inout ObjectReader,
    _ members: [JSON5Member]
  ) -> ScenarioExpectation.Subject? {
    guard let type = object.required("event")?.choice(ScenarioEventTypes.names),
      let known = ScenarioEventTypes.fields.first(where: { $0.type == type })
    else {
      // Without a type, its fields cannot be checked.
      _ = object.entries()
      return nil
    }
    for field in known.fields {
      guard let reader = object.optional(field) else { continue }
      if field == "beacons" {
        for beacon in reader.array() ?? [] {
          ScenarioEventTypes.check(beacon, in: ScenarioEventTypes.beaconFields)
        }
      } else if field == "why" {
        ScenarioEventTypes.check(reader, in: ScenarioEventTypes.explanationFields)
      }
    }
    let fields = members.filter { known.fields.contains($0.key) }
    return .event(type: type, fields: fields.map(canonical))
  }

  /// Returns a constraint as events write it, in capitals, whatever the case in the file.
  private func canonical(_ member: JSON5Member) -> JSON5Member {
    guard member.key == "constraint" else { return member }
    let reader = JSON5Reader(member.value, name: member.key, faults: faults)
    guard let constraint = reader.constraint() else { return member }
    var member = member
    member.value.content = .string(constraint.description)
    return member
  }
}
