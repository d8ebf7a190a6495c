// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

package import BeaconCore

/// A `request` line of a recording: a service's action for a client, and which streams the client has.
///
/// A replay cannot run the programs of a service again, so their requests are recorded with the scan inputs.
package struct RequestLine: Sendable, Equatable {
  /// How a client connects to the engine: as a program that comes for the first time in this run of the service.
  package struct Beginning: Sendable, Equatable {
    /// The client's declaration.
    package var manifest: Manifest
    /// Whether it starts in the foreground.
    package var isForeground: Bool
    /// Its grants, regions and held events.
    package var saved: SavedClient
    /// The number of its last crossing.
    package var sequence: UInt64

    package init(
      _ manifest: Manifest,
      isForeground: Bool,
      saved: SavedClient,
      sequence: UInt64 = 0
    ) {
      self.manifest = manifest
      self.isForeground = isForeground
      self.saved = saved
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

  /// The action.
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
  /// The action.
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

  /// Reads a line's request; `nil` for a request that this version does not know, and for one with wrong keys.
  package init?(_ value: JSON5Value, at time: Timestamp, client: String?) {
    guard let content = try? Content.read(value, named: "a request") else { return nil }
    self.init(time: time, client: client, content)
  }
}

// MARK: - The form

extension RequestLine.Content: FormedCases {
  package static var caseKey: String { ClientRequest.caseKey }

  package static let cases: [FormCase<RequestLine.Content>] =
    [
      FormCase("configuration", RequestLine.Content.configuration, "") {
        if case .configuration(let configuration) = $0 { configuration } else { nil }
      },
      FormCase("sightings", .sightings), FormCase("shutdown", .shutdown),
      FormCase("begin", RequestLine.Content.begin, "") {
        if case .begin(let beginning) = $0 { beginning } else { nil }
      },
      FormCase("start", RequestLine.Content.start, "foreground") {
        if case .start(let isForeground) = $0 { isForeground } else { nil }
      },
      FormCase("end", .end),
      FormCase("stream", RequestLine.Content.stream, "") {
        if case .stream(let stream) = $0 { stream } else { nil }
      },
      FormCase("streamEnd", RequestLine.Content.streamEnd, "stream", "after") {
        if case .streamEnd(let number, let after) = $0 { (number, after) } else { nil }
      },
      FormCase(
        "repeated",
        { (stream: UInt32, line: StreamLine) in .repeated(line.text, stream: stream) },
        "stream",
        "line"
      ) {
        if case .repeated(let line, let stream) = $0 {
          (stream, StreamLine(text: line))
        } else {
          nil
        }
      },
    ]
    + ClientRequest.cases.map { form in
      form.within(RequestLine.Content.request) {
        if case .request(let request) = $0 { request } else { nil }
      }
    }
}

/// One line of a stream: a replay writes it as it is, also to a terminal.
private struct StreamLine: Formed {
  let text: String

  static func read(_ reader: JSON5Reader) -> StreamLine? {
    guard let text = reader.string() else { return nil }
    if text.isPrintable, case .object? = (try? JSON5.parse(text))?.content {
      return StreamLine(text: text)
    }
    reader.addFault("\(reader.name) must be a line of a stream")
    return nil
  }
  func written(_ context: FormContext) -> FormValue { .text(text) }
}

/// A configuration in a recording: its profile, and the constants that differ from it.
extension Configuration: Formed {
  package static func read(from form: inout Form) -> Configuration? {
    guard let profile = form.object?.required("profile")?.choice(of: Profile.self) else {
      return nil
    }
    var settings = ConfigurationSettings(profile)
    if let set = form.object?.required("set") {
      for setting in ConstantReader.read(set, .core) { settings.append(setting) }
    }
    return Configuration(settings)
  }

  package func write(into form: inout Form) {
    form.constant("profile", .text(profile.rawValue))
    let usual = ConfigurationSettings(profile)
    let set = ConfigurationSchema.core.constants.compactMap { constant -> FormField? in
      let value = constant.value(in: usual, given: self)
      guard value != constant.value(in: usual) else { return nil }
      switch value {
      case .number(let number): return FormField(constant.key, .number(number))
      case .count(let count): return FormField(constant.key, .integer(count))
      case .flag(let isOn): return FormField(constant.key, .boolean(isOn))
      case .choice(let name): return FormField(constant.key, .text(name))
      }
    }
    form.constant("set", .object(set))
  }
}

extension RequestLine.Beginning: FormedObject {
  package static var blank: Self { Self(Manifest(), isForeground: true, saved: SavedClient()) }

  package mutating func form(_ form: inout Form) {
    form("foreground", &isForeground)
    form("sequence", &sequence)
    saved.form(&form)
    form("manifest", &manifest)
  }
}

extension RequestLine.Stream: FormedObject {
  package static var blank: Self { Self(number: 0, constraints: [], goals: [:]) }

  package mutating func form(_ form: inout Form) {
    form("stream", &number)
    form("after", &after)
    form("ranges", &constraints)
    var pairs = goals.sorted { $0.key < $1.key }.map { [UInt64($0.key), $0.value] }
    form("goals", &pairs)
    if form.isReading {
      for pair in pairs {
        guard pair.count == 2, let own = UInt32(exactly: pair[0]) else {
          return form.addFault("a goal must be two numbers", at: "goals")
        }
        goals[own] = pair[1]
      }
    }
    form("since", &since)
  }
}
