// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

package import BeaconCore
internal import BeaconFormats

/// Why a message of a broker is not used.
package enum IncomingFault: Int, CountedReason, Error {
  /// Its topic is not a receiver's.
  case otherTopic
  /// It has more than ``IncomingMessage/longest`` bytes.
  case tooLarge
  /// It is not JSON.
  case notJSON
  /// A value is missing or is not valid.
  case wrongForm
  /// It is of a later version.
  case otherVersion
  /// It is not of now: the broker kept it from an earlier time.
  case retained
  /// It was received before, or is also in the levels of its gateway.
  case duplicate
  /// It is about something else than an iBeacon.
  case notABeacon
  /// There are too many receivers.
  case tooManyReceivers
  /// There are too many messages at a time.
  case tooMany
}

/// A message that another gateway or node sent, as far as it is used here.
package enum IncomingMessage: Sendable, Equatable {
  /// The reports of a receiver of a gateway in a second.
  case levels(LevelsMessage)
  /// The states of a gateway's receivers.
  case radio(gateway: String, [String: RadioState], Timestamp)
  /// Whether a gateway is connected; with every state other than `online`, or without one, this is not known.
  case status(gateway: String, isOnline: Bool)
  /// Whether a node of another maker is connected.
  case node(SiteSender, isOnline: Bool)
  /// A node of another maker received a beacon just now.
  case sighting(SiteSender, BeaconIdentity, rssi: Int8?, power: Int8)
  /// A node of another maker received something else than an iBeacon just now.
  case other(SiteSender)

  /// The longest message: a thousand beacons take 70,000 bytes.
  package static let longest = 256 * 1024

  /// The topics of all receivers of a site, for a subscription.
  package static func subscriptions(_ site: TopicName) -> [String] {
    let prefix = SiteTopics.prefix(site)
    return ["\(prefix)+/levels", "\(prefix)+/radio", "\(prefix)+/status"] + others
  }

  /// The topics of receivers of other makers.
  private static let others = [
    "espresense/devices/+/+", "espresense/rooms/+/status", "home/+/BTtoMQTT/+", "home/+/LWT",
  ]

  /// Reads a message.
  ///
  /// - Parameters:
  ///   - topic: Its topic.
  ///   - payload: Its bytes.
  ///   - isRetained: Whether the broker kept it from an earlier time.
  ///   - site: The site whose gateways are read.
  /// - Throws: Why it is not used.
  package init(
    _ topic: String,
    _ payload: [UInt8],
    isRetained: Bool,
    site: TopicName
  ) throws(IncomingFault) {
    guard payload.count <= Self.longest else { throw .tooLarge }
    let levels = topic.split(separator: "/", omittingEmptySubsequences: false).map(String.init)
    if topic.hasPrefix(SiteTopics.prefix(site)), levels.count == 5, TopicName(levels[3]) != nil {
      self = try Self.own(levels[3], levels[4], payload, isRetained)
    } else if levels.count == 4, levels[0] == "espresense" {
      self = try Self.espresense(levels, payload, isRetained)
    } else if levels.first == "home" {
      self = try Self.theengs(levels, payload, isRetained)
    } else {
      throw .otherTopic
    }
  }

  /// The sender of a topic's messages; `nil` for other topics.
  package static func sender(of topic: String) -> SiteSender? {
    let levels = topic.split(separator: "/", omittingEmptySubsequences: false).map(\.exactName)
    return switch (levels.first, levels.count) {
    case ("beacons", 5): .gateway(levels[3])
    case ("espresense", 4): .node(.espresense, levels[1] == "rooms" ? levels[2] : levels[3])
    case ("home", 3...): .node(.theengs, levels[1])
    default: nil
    }
  }

  private static func own(
    _ gateway: String,
    _ kind: String,
    _ payload: [UInt8],
    _ isRetained: Bool
  ) throws(IncomingFault) -> IncomingMessage {
    guard ["levels", "radio", "status"].contains(kind) else { throw .otherTopic }
    guard kind != "levels" || !isRetained else { throw .retained }
    guard let value = try? json(payload), let version = value["v"]?.whole else {
      if kind == "status" { return .status(gateway: gateway, isOnline: false) }
      _ = try json(payload)
      throw .wrongForm
    }
    guard version == SiteTopics.version else { throw .otherVersion }
    switch kind {
    case "levels": return .levels(try LevelsMessage(value, gateway: gateway))
    case "radio":
      guard let time = value["t"]?.time, case .array(let entries) = value["receivers"]?.content,
        entries.count <= 64
      else { throw .wrongForm }
      var states: [String: RadioState] = [:]
      for entry in entries {
        guard let name = entry["name"]?.name, let text = entry["state"]?.text else {
          throw .wrongForm
        }
        // Of a state of a later version it is not known whether the receiver listens.
        states[name] = RadioState(rawValue: text) ?? .gone
      }
      return .radio(gateway: gateway, states, time)
    default: return .status(gateway: gateway, isOnline: value["state"]?.text == "online")
    }
  }

  // MARK: Other makers

  private static func espresense(
    _ levels: [String],
    _ payload: [UInt8],
    _ isRetained: Bool
  ) throws(IncomingFault) -> IncomingMessage {
    if levels[1] == "rooms", levels[3] == "status" {
      return try node(.espresense, levels[2], payload)
    }
    guard levels[1] == "devices", isName(levels[3]) else { throw .otherTopic }
    guard !isRetained else { throw .retained }
    let node = SiteSender.node(.espresense, levels[3].exactName)
    guard let identity = ESPresense.beacon(named: levels[2]) else { return .other(node) }
    let value = try json(payload)
    // A gateway that uses this form has no state that ends, and its reports would count twice.
    guard value["source"]?.text != ESPresense.source else { throw .duplicate }
    let rssi = try receivedLevel(value)
    let power = value["rssi@1m"]?.level ?? usualPower
    return .sighting(node, identity, rssi: rssi, power: power)
  }

  private static func theengs(
    _ levels: [String],
    _ payload: [UInt8],
    _ isRetained: Bool
  ) throws(IncomingFault) -> IncomingMessage {
    if levels.count == 3, levels[2] == "LWT" { return try node(.theengs, levels[1], payload) }
    guard levels.count == 4, levels[2] == "BTtoMQTT", isName(levels[1]) else { throw .otherTopic }
    guard !isRetained else { throw .retained }
    let node = SiteSender.node(.theengs, levels[1].exactName)
    let value = try json(payload)
    guard let text = value["uuid"]?.text, let major = value["major"]?.writtenWord,
      let minor = value["minor"]?.writtenWord
    else { return try undecoded(value, of: node) }
    guard let uuid = uuid(text) else { throw .wrongForm }
    return .sighting(
      node,
      BeaconIdentity(uuid: uuid, major: major, minor: minor),
      rssi: try receivedLevel(value),
      power: value["txpower"]?.level ?? usualPower
    )
  }

  /// Reads the manufacturer data of a device that the node did not decode.
  private static func undecoded(
    _ value: JSON5Value,
    of node: SiteSender
  ) throws(IncomingFault) -> IncomingMessage {
    guard let bytes = value["manufacturerdata"]?.text.flatMap({ Hex.bytes($0) }),
      case .beacon(let identity, let power) = BeaconDecoder.read(
        manufacturerData: bytes.span,
        in: 0..<bytes.count
      )
    else { return .other(node) }
    return .sighting(node, identity, rssi: try receivedLevel(value), power: power)
  }

  /// The most frequent value of iBeacons, if a node does not send it.
  private static let usualPower: Int8 = -59

  /// The level of a report; `nil` for 0, which a node writes that does not know it, and for more, which no radio receives.
  private static func receivedLevel(_ value: JSON5Value) throws(IncomingFault) -> Int8? {
    guard let rssi = value["rssi"]?.level else { throw .wrongForm }
    return rssi < 0 ? rssi : nil
  }

  /// A UUID with or without dashes.
  private static func uuid(_ text: String) -> UInt128? {
    guard text.utf8.count == 32, text.utf8.allSatisfy({ $0 < 0x80 }) else {
      return UUIDText.parse(text)
    }
    var dashed = ""
    for (index, character) in text.enumerated() {
      if [8, 12, 16, 20].contains(index) { dashed.append("-") }
      dashed.append(character)
    }
    return UUIDText.parse(dashed)
  }

  private static func node(
    _ kind: NodeKind,
    _ name: String,
    _ payload: [UInt8]
  ) throws(IncomingFault) -> IncomingMessage {
    guard isName(name) else { throw .otherTopic }
    return .node(.node(kind, name.exactName), isOnline: payload == Array("online".utf8))
  }

  /// Whether a text can be the name of a receiver.
  static func isName(_ text: String) -> Bool { (1...TopicName.longest).contains(text.utf8.count) }

  private static let limits = JSON5Limits(bytes: longest, depth: 8, values: 20_000, faults: 1)

  private static func json(_ payload: [UInt8]) throws(IncomingFault) -> JSON5Value {
    do throws(JSON5Faults) {
      return try JSON5.parse(payload, limits: limits)
    } catch {
      throw .notJSON
    }
  }
}

/// The reports of one receiver of a gateway in one second.
package struct LevelsMessage: Sendable, Equatable {
  /// One beacon of it.
  package struct Beacon: Sendable, Equatable {
    package var identity: BeaconIdentity
    /// The mean RSSI in dBm; `nil` if no report had one.
    package var rssi: Double?
    package var reports: Int
    /// The measured power in dBm at 1 m.
    package var power: Int8
  }

  package var gateway: String
  package var receiver: String
  package var boot: String
  package var sequence: Int64
  /// The start of the second.
  package var second: Timestamp
  /// For how long of it the receiver listened.
  package var span: TimeSpan
  package var beacons: [Beacon]

  fileprivate init(_ value: JSON5Value, gateway: String) throws(IncomingFault) {
    guard let second = value["t"]?.time, let receiver = value["receiver"]?.name,
      let boot = value["boot"]?.name, let sequence = value["seq"]?.integer, sequence >= 0,
      let span = value["span"]?.number, (0...1).contains(span), TimeSpan(seconds: span) > .zero,
      case .array(let entries) = value["beacons"]?.content, entries.count <= 2000
    else { throw .wrongForm }
    self.gateway = gateway
    self.receiver = receiver
    self.boot = boot
    self.sequence = sequence
    self.second = second
    self.span = TimeSpan(seconds: span)
    beacons = []
    for entry in entries { beacons.append(try Self.beacon(entry)) }
  }

  private static func beacon(_ entry: JSON5Value) throws(IncomingFault) -> Beacon {
    guard case .array(let parts) = entry.content, parts.count >= 4, let name = parts[0].text,
      case .minor(let identity) = try? IdentityConstraint(parsing: name),
      let reports = parts[2].integer, (1...10_000).contains(reports), let power = parts[3].level
    else { throw .wrongForm }
    var rssi: Double?
    if parts[1].content != .null {
      guard let number = parts[1].number, (-127.0...20.0).contains(number) else { throw .wrongForm }
      rssi = number
    }
    return Beacon(identity: identity, rssi: rssi, reports: Int(reports), power: power)
  }
}

extension JSON5Value {
  var text: String? { if case .string(let text) = content { text } else { nil } }
  fileprivate var name: String? { text.flatMap { IncomingMessage.isName($0) ? $0.exactName : nil } }
  fileprivate var time: Timestamp? { text.flatMap { RFC3339.parse($0) } }
  fileprivate var integer: Int64? {
    if case .number(let number) = content { number.integer } else { nil }
  }
  fileprivate var whole: Int? { integer.map { Int(clamping: $0) } }
  fileprivate var word: UInt16? { integer.flatMap { UInt16(exactly: $0) } }
  /// A number, also one that is written as text, in decimal and without zeros before it.
  fileprivate var writtenWord: UInt16? {
    if let word { return word }
    guard let text, let number = UInt16(text), "\(number)" == text else { return nil }
    return number
  }
  fileprivate var number: Double? {
    guard case .number(let number) = content, number.value.isFinite else { return nil }
    return number.value
  }
  /// A level in whole dBm.
  fileprivate var level: Int8? {
    guard let number, (-127.0...20.0).contains(number) else { return nil }
    return Int8(number.rounded())
  }
}
