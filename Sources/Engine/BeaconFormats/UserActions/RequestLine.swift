// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

package import BeaconCore

/// A `request` line of a recording: what a service does for a client, and which streams the client has.
///
/// A replay cannot run the programs of a service again, so their requests are recorded with the scan inputs.
package struct RequestLine: Sendable, Equatable {
  /// How a client connects to the engine: as a program that comes for the first time in this run of the service.
  package struct Beginning: Sendable, Equatable {
    /// What the client declares.
    package var manifest: Manifest
    /// Whether it starts in the foreground.
    package var isForeground: Bool
    /// What was granted, without an event that is held back.
    package var grants: SavedAuthorization
    /// Its regions and held events in the form of a state file; `nil` where there are none.
    package var state: JSON5Value?
    /// The number of its last crossing.
    package var sequence: UInt64

    package init(
      _ manifest: Manifest,
      isForeground: Bool,
      grants: SavedAuthorization,
      state: JSON5Value? = nil,
      sequence: UInt64 = 0
    ) {
      self.manifest = manifest
      self.isForeground = isForeground
      self.grants = grants
      self.state = state
      self.sequence = sequence
    }
  }

  /// A client's stream, and which of its ticks go there.
  package struct Stream: Sendable, Equatable {
    /// Its number in this run of the service.
    package var number: UInt32
    /// How many deliveries to the client came before: all of the others are after it.
    package var after: Int
    /// The constraints that its session ranges.
    package var constraints: [IdentityConstraint]
    /// The goals that its session declared: by the session's own numbers, the engine's.
    package var goals: [UInt32: UInt64]
    /// The number after which crossings were repeated when the stream was opened.
    package var since: UInt64?

    package init(
      number: UInt32,
      after: Int = 0,
      constraints: [IdentityConstraint],
      goals: [UInt32: UInt64],
      since: UInt64? = nil
    ) {
      self.number = number
      self.after = after
      self.constraints = constraints
      self.goals = goals
      self.since = since
    }
  }

  /// What is done.
  package enum Content: Sendable, Equatable {
    /// The engine runs with this configuration from here on; its time zone is not part of it.
    case configuration(Configuration)
    /// The operator watches every sighting from here on.
    case sightings
    /// The service was stopped, and every state became unknown.
    case shutdown
    /// A client connects.
    case begin(Beginning)
    /// A client's program starts again.
    case start(isForeground: Bool)
    /// A client's last program ended.
    case end
    /// A client's request.
    case request(ClientRequest)
    /// A stream of a client was opened or changed.
    case stream(Stream)
    /// A stream ended, after so many deliveries to the client.
    case streamEnd(number: UInt32, after: Int)
    /// A crossing from before the run of the service was repeated to a stream that was just opened.
    case repeated(String, stream: UInt32)
  }

  /// When, on the run's timeline.
  package var time: Timestamp
  /// The client's key; `nil` for what concerns all.
  package var client: String?
  /// What is done.
  package var content: Content

  package init(time: Timestamp, client: String?, _ content: Content) {
    self.time = time
    self.client = client
    self.content = content
  }

  /// Reads a line of a recording; `nil` for a line of another type, for a request that this version does not know, and
  /// for one with wrong keys.
  package init?(_ line: UserActionLine) {
    guard line.input == "request" else { return nil }
    self.init(line.value, at: line.time, client: line.client)
  }

  /// Reads what a line asks for; `nil` for a request that this version does not know, and for one with wrong keys.
  package init?(_ value: JSON5Value, at time: Timestamp, client: String?) {
    let faults = FaultCollector()
    guard var object = JSON5Reader(value, name: "a request", faults: faults).object(),
      let kind = object.required("request")?.string(),
      let content = Content(kind, &object),
      (try? faults.throwIfAny()) != nil
    else { return nil }
    self.init(time: time, client: client, content)
  }
}

// MARK: - Writing

extension RequestLine.Content {
  /// Writes the keys from `request` on.
  package func writeFields(to writer: inout JSONLineWriter) {
    writer.key("request")
    switch self {
    case .configuration(let configuration):
      writer.string("configuration")
      Self.write(configuration, to: &writer)
    case .sightings: writer.string("sightings")
    case .shutdown: writer.string("shutdown")
    case .begin(let beginning):
      writer.string("begin")
      beginning.writeFields(to: &writer)
    case .start(let isForeground):
      writer.string("start")
      writer.key("foreground")
      writer.bool(isForeground)
    case .end: writer.string("end")
    case .request(let request): request.writeFields(to: &writer)
    case .stream(let stream):
      writer.string("stream")
      stream.writeFields(to: &writer)
    case .streamEnd(let number, let after):
      writer.string("streamEnd")
      writer.key("stream")
      writer.integer(number)
      writer.key("after")
      writer.integer(after)
    case .repeated(let line, let stream):
      writer.string("repeated")
      writer.key("stream")
      writer.integer(stream)
      writer.key("line")
      writer.string(line)
    }
  }

  /// Writes the profile, and the constants that differ from it.
  private static func write(_ configuration: Configuration, to writer: inout JSONLineWriter) {
    writer.key("profile")
    writer.string(configuration.profile.rawValue)
    writer.key("set")
    writer.beginObject()
    let usual = ConfigurationSettings(configuration.profile)
    for constant in ConfigurationSchema.core.constants {
      let value = constant.value(in: usual, given: configuration)
      guard value != constant.value(in: usual) else { continue }
      writer.key(constant.key)
      switch value {
      case .number(let number): writer.number(number)
      case .count(let count): writer.integer(count)
      case .flag(let isOn): writer.bool(isOn)
      case .choice(let name): writer.string(name)
      }
    }
    writer.endObject()
  }
}

extension RequestLine.Beginning {
  fileprivate func writeFields(to writer: inout JSONLineWriter) {
    writer.key("foreground")
    writer.bool(isForeground)
    writer.key("sequence")
    writer.integer(sequence)
    GrantsCodec.writeFields(of: grants, to: &writer)
    writer.key("manifest")
    writer.beginObject()
    writer.key("whenInUse")
    writer.string(manifest.whenInUse)
    writer.key("alwaysAndWhenInUse")
    writer.string(manifest.alwaysAndWhenInUse)
    writer.key("purposes")
    writer.beginArray()
    for purpose in manifest.purposes {
      writer.beginObject()
      writer.key("key")
      writer.string(purpose.key)
      writer.key("text")
      writer.string(purpose.text)
      writer.endObject()
    }
    writer.endArray()
    writer.key("defaultAccuracyReduced")
    writer.bool(manifest.defaultAccuracyReduced)
    writer.key("backgroundLocation")
    writer.bool(manifest.backgroundLocation)
    writer.key("appClip")
    writer.bool(manifest.appClip)
    writer.endObject()
    guard let state else { return }
    writer.key("state")
    writer.value(state)
  }
}

extension RequestLine.Stream {
  fileprivate func writeFields(to writer: inout JSONLineWriter) {
    writer.key("stream")
    writer.integer(number)
    writer.key("after")
    writer.integer(after)
    writer.key("ranges")
    writer.beginArray()
    for constraint in constraints { writer.string(constraint.description) }
    writer.endArray()
    writer.key("goals")
    writer.beginArray()
    for (own, number) in goals.sorted(by: { $0.key < $1.key }) {
      writer.beginArray()
      writer.integer(own)
      writer.integer(number)
      writer.endArray()
    }
    writer.endArray()
    guard let since else { return }
    writer.key("since")
    writer.integer(since)
  }
}

extension ClientRequest {
  fileprivate func writeFields(to writer: inout JSONLineWriter) {
    switch self {
    case .range(let constraint, let region):
      writer.string("range")
      writer.key("constraint")
      writer.string(constraint.description)
      writer.key("while_inside")
      writer.string(region?.rawValue)
    case .stopRanging(let constraint):
      writer.string("stopRanging")
      writer.key("constraint")
      writer.string(constraint.description)
    case .monitor(let region, let assumed):
      writer.string("monitor")
      writer.key("region")
      writer.string(region.identifier.rawValue)
      writer.key("constraint")
      writer.string(region.constraint.description)
      writer.key("entry")
      writer.bool(region.notifyOnEntry)
      writer.key("exit")
      writer.bool(region.notifyOnExit)
      writer.key("display")
      writer.bool(region.notifyEntryStateOnDisplay)
      writer.key("assuming")
      writer.string(assumed?.description)
    case .stopMonitoring(let region), .requestState(let region):
      if case .stopMonitoring = self {
        writer.string("stopMonitoring")
      } else {
        writer.string("requestState")
      }
      writer.key("region")
      writer.string(region.rawValue)
    case .authorize(let request): request.writeFields(to: &writer)
    // A service has no notifications of its own.
    case .notify: writer.string("notify")
    }
  }
}

extension AuthorizationRequest {
  fileprivate func writeFields(to writer: inout JSONLineWriter) {
    switch self {
    case .whenInUse: writer.string("whenInUse")
    case .always: writer.string("always")
    case .temporaryFull(let purpose):
      writer.string("temporaryFull")
      writer.key("purpose")
      writer.string(purpose)
    case .startSession: writer.string("startSession")
    case .stopSession: writer.string("stopSession")
    case .beginService(let service):
      writer.string("beginService")
      writer.key("number")
      writer.integer(service.id)
      writer.key("goal")
      writer.string(service.goal.rawValue)
      writer.key("purpose")
      writer.string(service.fullAccuracyPurposeKey)
    case .endService(let number):
      writer.string("endService")
      writer.key("number")
      writer.integer(number)
    }
  }
}

// MARK: - Reading

extension RequestLine.Content {
  fileprivate init?(_ kind: String, _ object: inout ObjectReader) {
    switch kind {
    case "configuration":
      guard let configuration = Self.configuration(&object) else { return nil }
      self = .configuration(configuration)
    case "sightings": self = .sightings
    case "shutdown": self = .shutdown
    case "begin":
      guard let beginning = RequestLine.Beginning(&object) else { return nil }
      self = .begin(beginning)
    case "start": self = .start(isForeground: object.required("foreground")?.bool() ?? true)
    case "end": self = .end
    case "stream":
      guard let stream = RequestLine.Stream(&object) else { return nil }
      self = .stream(stream)
    case "streamEnd":
      guard let number = object.required("stream")?.integer(in: 0...Int(UInt32.max)),
        let after = object.required("after")?.integer(in: 0...Int.max)
      else { return nil }
      self = .streamEnd(number: UInt32(number), after: after)
    case "repeated":
      guard let number = object.required("stream")?.integer(in: 0...Int(UInt32.max)),
        let line = object.required("line")?.string(), Self.isLine(line)
      else { return nil }
      self = .repeated(line, stream: UInt32(number))
    default:
      guard let request = ClientRequest(kind, &object) else { return nil }
      self = .request(request)
    }
  }

  /// Whether a text is one line of a stream: a replay writes it as it is, also to a terminal.
  private static func isLine(_ text: String) -> Bool {
    guard text.isPrintable, let value = try? JSON5.parse(text) else { return false }
    guard case .object = value.content else { return false }
    return true
  }

  private static func configuration(_ object: inout ObjectReader) -> Configuration? {
    guard let profile = object.required("profile")?.choice(of: Profile.self) else { return nil }
    var settings = ConfigurationSettings(profile)
    if let set = object.required("set") {
      for setting in ConstantReader.read(set, .core) { settings.append(setting) }
    }
    return Configuration(settings)
  }
}

extension RequestLine.Beginning {
  fileprivate init?(_ object: inout ObjectReader) {
    guard let isForeground = object.required("foreground")?.bool(),
      let sequence = object.required("sequence")?.integer(in: 0...Int.max),
      var declared = object.required("manifest")?.object()
    else { return nil }
    let grants = GrantsCodec.read(&object)
    var manifest = Manifest(
      whenInUse: declared.optional("whenInUse")?.textOrNull(),
      alwaysAndWhenInUse: declared.optional("alwaysAndWhenInUse")?.textOrNull()
    )
    for purpose in declared.optional("purposes")?.array() ?? [] {
      guard var purpose = purpose.object(), let key = purpose.required("key")?.string(),
        let text = purpose.required("text")?.string()
      else { return nil }
      manifest.purposes.append(.init(key: key, text: text))
    }
    manifest.defaultAccuracyReduced = declared.optional("defaultAccuracyReduced")?.bool() ?? false
    manifest.backgroundLocation = declared.optional("backgroundLocation")?.bool() ?? false
    manifest.appClip = declared.optional("appClip")?.bool() ?? false
    self.init(
      manifest,
      isForeground: isForeground,
      grants: grants,
      state: object.optional("state")?.value,
      sequence: UInt64(sequence)
    )
  }
}

extension RequestLine.Stream {
  fileprivate init?(_ object: inout ObjectReader) {
    guard let number = object.required("stream")?.integer(in: 0...Int(UInt32.max)),
      let after = object.required("after")?.integer(in: 0...Int.max),
      let ranges = object.required("ranges")?.array(),
      let pairs = object.required("goals")?.array()
    else { return nil }
    var goals: [UInt32: UInt64] = [:]
    for pair in pairs {
      guard let pair = pair.array(), pair.count == 2,
        let own = pair[0].integer(in: 0...Int(UInt32.max)),
        let number = pair[1].integer(in: 0...Int.max)
      else { return nil }
      goals[UInt32(own)] = UInt64(number)
    }
    self.init(
      number: UInt32(number),
      after: after,
      constraints: ranges.compactMap { $0.constraint() },
      goals: goals,
      since: object.optional("since")?.integer(in: 0...Int.max).map { UInt64($0) }
    )
  }
}

extension ClientRequest {
  fileprivate init?(_ kind: String, _ object: inout ObjectReader) {
    switch kind {
    case "range", "stopRanging":
      guard let constraint = object.required("constraint")?.constraint() else { return nil }
      let region = object.optional("while_inside")?.textOrNull().map { RegionIdentifier($0) }
      self =
        kind == "range" ? .range(constraint, whileInside: region) : .stopRanging(constraint)
    case "monitor":
      guard let name = object.required("region")?.string(),
        let constraint = object.required("constraint")?.constraint()
      else { return nil }
      let region = Region(
        RegionIdentifier(name),
        constraint,
        notifyOnEntry: object.required("entry")?.bool() ?? true,
        notifyOnExit: object.required("exit")?.bool() ?? true,
        notifyEntryStateOnDisplay: object.required("display")?.bool() ?? false
      )
      let assumed = object.optional("assuming")?.textOrNull()
      let state = RegionState.allCases.first { $0.description == assumed }
      guard assumed == nil || state != nil else { return nil }
      self = .monitor(region, assuming: state)
    case "stopMonitoring", "requestState":
      guard let name = object.required("region")?.string() else { return nil }
      let region = RegionIdentifier(name)
      self = kind == "stopMonitoring" ? .stopMonitoring(region) : .requestState(region)
    default:
      guard let request = AuthorizationRequest(kind, &object) else { return nil }
      self = .authorize(request)
    }
  }
}

extension AuthorizationRequest {
  fileprivate init?(_ kind: String, _ object: inout ObjectReader) {
    switch kind {
    case "whenInUse": self = .whenInUse
    case "always": self = .always
    case "temporaryFull":
      guard let purpose = object.required("purpose")?.string() else { return nil }
      self = .temporaryFull(purpose: purpose)
    case "startSession": self = .startSession
    case "stopSession": self = .stopSession
    case "beginService":
      guard let number = object.required("number")?.integer(in: 0...Int.max),
        let goal = object.required("goal")?.choice(of: ServiceSession.Goal.self)
      else { return nil }
      let purpose = object.optional("purpose")?.textOrNull()
      self = .beginService(
        ServiceSession(id: UInt64(number), goal: goal, fullAccuracyPurposeKey: purpose)
      )
    case "endService":
      guard let number = object.required("number")?.integer(in: 0...Int.max) else { return nil }
      self = .endService(id: UInt64(number))
    default: return nil
    }
  }
}

extension JSON5Reader {
  /// Reads a text; `nil` for `null`.
  fileprivate func textOrNull() -> String? { isNull ? nil : string() }
}
