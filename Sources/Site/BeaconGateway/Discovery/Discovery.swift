// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

internal import BeaconCore
internal import BeaconFormats

/// What Home Assistant needs to know of a gateway, its regions and its beacons: one retained message a device.
///
/// Nothing is named after a name that a user can change: an entity keeps its history when a beacon gets another name.
struct Discovery {
  private let topics: SiteTopics
  private let version: String
  private let contents: GatewayContents

  init(_ topics: SiteTopics, version: String, _ contents: GatewayContents) {
    self.topics = topics
    self.version = version
    self.contents = contents
  }

  /// Distances that are not repeated become unknown after so many seconds: six of them were not sent by then.
  static let distanceSeconds = 30

  func messages(under prefix: String) -> [GatewayMessage] {
    devices(under: prefix).map { message($0) }
  }

  /// The components of these messages and of those of earlier runs.
  func told(under prefix: String) -> AnnouncedComponents {
    var told = contents.told
    for device in devices(under: prefix) {
      for component in device.components {
        told.insert(
          .init(topic: device.topic, key: component.key, platform: component.platform)
        )
      }
    }
    return told
  }

  /// The message of a beacon's device.
  func message(of beacon: BeaconIdentity, under prefix: String) -> GatewayMessage {
    message(device(of: beacon, under: prefix))
  }

  /// The batteries that earlier runs announced: entities stay, whether or not a beacon has sent its battery again.
  func toldBatteries(under prefix: String) -> [BeaconIdentity: Set<BatteryReading>] {
    var told: [BeaconIdentity: Set<BatteryReading>] = [:]
    for beacon in contents.beacons {
      let topic = device(of: beacon, under: prefix).topic
      let known = BatteryReading.allCases.filter {
        contents.told.contains(key(of: $0), at: topic)
      }
      if !known.isEmpty { told[beacon] = Set(known) }
    }
    return told
  }

  /// The receivers that earlier runs announced.
  func toldReceivers(under prefix: String) -> [String] {
    let topic = device(gatewayID, under: prefix)
    return contents.told.others(at: topic, than: []).compactMap { component in
      guard component.key.hasPrefix(Self.receiverKey) else { return nil }
      return Self.part(component.key.dropFirst(Self.receiverKey.count))
    }
  }

  /// The contents of a message.
  private struct Device {
    var topic: String
    /// The device's identifier.
    var id: String
    var name: String
    var isGateway: Bool
    var components: [Component]
  }

  private func device(_ id: String, under prefix: String) -> String {
    "\(prefix)/device/\(id)/config"
  }

  private func devices(under prefix: String) -> [Device] {
    var devices = [
      Device(
        topic: device(gatewayID, under: prefix),
        id: gatewayID,
        name: "\(topics.gateway)",
        isGateway: true,
        components: gateway
      )
    ]
    // A region has the device of its only beacon, otherwise a separate one.
    for region in regions where device(of: region) == nil {
      let id = gatewayID + "_" + region.key
      devices.append(
        Device(
          topic: device(id, under: prefix),
          id: id,
          name: region.id.rawValue,
          isGateway: false,
          components: components(of: region, at: region.id.rawValue)
        )
      )
    }
    devices += contents.beacons.map { device(of: $0, under: prefix) }
    return devices
  }

  private func device(of beacon: BeaconIdentity, under prefix: String) -> Device {
    let id = id(of: beacon)
    // A gateway publishes the distances that it measures; the place is the site's.
    let ownID = id + "_" + Self.id([topics.gateway.text])
    let region = regions.first { device(of: $0) == beacon }
    let name = contents.names[beacon] ?? region?.id.rawValue ?? beacon.description
    return Device(
      topic: device(ownID, under: prefix),
      id: id,
      name: name,
      isGateway: false,
      components: (region.map { components(of: $0, at: name) } ?? []) + components(of: beacon)
    )
  }

  /// An identifier of parts: their lower-case letters and digits, joined by underscores.
  ///
  /// Each other byte is a hyphen and two digits, so no two lists of parts have one identifier.
  static func id(_ parts: [String]) -> String {
    parts.map { part in
      var id = ""
      for byte in part.utf8 {
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "0")...UInt8(ascii: "9"):
          id.unicodeScalars.append(Unicode.Scalar(byte))
        default: id += "-" + (byte < 16 ? "0" : "") + String(byte, radix: 16)
        }
      }
      return id
    }.joined(separator: "_")
  }

  /// The part of an identifier that has one; `nil` for any other text.
  private static func part(_ id: some StringProtocol) -> String? {
    var bytes: [UInt8] = []
    var rest = id.utf8[...]
    while let byte = rest.popFirst() {
      guard byte == UInt8(ascii: "-") else {
        bytes.append(byte)
        continue
      }
      guard let escaped = UInt8(String(decoding: rest.prefix(2), as: UTF8.self), radix: 16) else {
        return nil
      }
      bytes.append(escaped)
      rest = rest.dropFirst(2)
    }
    return String(validating: bytes, as: UTF8.self)
  }

  /// An identifier of a gateway has three parts, that of a beacon nine: UUIDs have five.
  private var gatewayID: String { Self.id(["beacons", topics.site.text, topics.gateway.text]) }

  private func id(of beacon: BeaconIdentity) -> String {
    let uuid = UUIDText.string(beacon.uuid).lowercased().split(separator: "-").map(String.init)
    return Self.id(
      ["beacons", topics.site.text] + uuid + ["\(beacon.major)", "\(beacon.minor)"]
    )
  }

  /// The key of a region: any text as lower-case letters, digits and underscores.
  static func key(of region: IdentityConstraint) -> String {
    "region_"
      + SiteTopics.level(region.description).lowercased()
      .map { $0.isLetter || $0.isNumber ? String($0) : "_" }.joined()
  }

  // MARK: Components

  /// A component: its key, and how its configuration is written.
  private struct Component {
    let key: String
    let platform: String
    /// The name of the entity; `nil` for that of its device.
    let name: String?
    /// The device that its identifier is made of; `nil` for the one that shows it.
    var owner: String? = nil
    let write: (inout JSONLineWriter) -> Void
  }

  /// Whether the gateway is connected, and which receivers listen.
  private var gateway: [Component] {
    let connection = Component(key: "connection", platform: "binary_sensor", name: "Connection") {
      writer in
      writer.text("stat_t", topics.status)
      writer.text("val_tpl", Self.template("value_json.state"))
      writer.text("pl_on", "online")
      writer.text("pl_off", "offline")
      writer.text("dev_cla", "connectivity")
      writer.text("ent_cat", "diagnostic")
    }
    return [connection] + contents.receivers.map(receiver)
  }

  private static let receiverKey = "receiver_"

  /// Whether a receiver listens; known while the gateway is connected.
  private func receiver(_ name: String) -> Component {
    Component(
      key: Self.receiverKey + Self.id([name]),
      platform: "binary_sensor",
      name: "Receiver \(name)"
    ) { writer in
      let states = "value_json.receivers | selectattr('name', 'eq', '\(Self.escaped(name))')"
      writer.text("stat_t", topics.radio)
      writer.text(
        "val_tpl",
        Self.template(
          "'ON' if \(states) | map(attribute='state') | list == ['listening'] else 'OFF'"
        )
      )
      writer.text("dev_cla", "connectivity")
      writer.text("ent_cat", "diagnostic")
      writeAvailability(&writer, [(topics.status, "online")])
    }
  }

  /// A text in a string of a template: all but letters, digits, hyphens, underscores and dots are escaped.
  private static func escaped(_ text: String) -> String {
    text.unicodeScalars.map { scalar in
      if TopicName("\(scalar)") != nil { return "\(scalar)" }
      let digits = String(scalar.value, radix: 16)
      return "\\U" + String(repeating: "0", count: 8 - digits.count) + digits
    }.joined()
  }

  /// A region, with the key of its components.
  private struct KeyedRegion {
    let id: RegionIdentifier
    let constraint: IdentityConstraint
    let key: String
    /// Whether no other region before has its constraint.
    let isFirst: Bool
  }

  private var regions: [KeyedRegion] {
    var keys: [String: Int] = [:]
    return contents.regions.map { region in
      let key = Self.key(of: region.constraint)
      let count = keys[key, default: 0] + 1
      keys[key] = count
      return KeyedRegion(
        id: region.id,
        constraint: region.constraint,
        key: count > 1 ? "\(key)_\(count)" : key,
        isFirst: count == 1
      )
    }
  }

  /// The beacon whose device shows a region: its only one.
  private func device(of region: KeyedRegion) -> BeaconIdentity? {
    guard region.isFirst, case .minor(let beacon) = region.constraint,
      contents.beacons.contains(beacon)
    else { return nil }
    return beacon
  }

  /// The entities of a region: they have the name of their device if it is the region's.
  private func components(of region: KeyedRegion, at device: String) -> [Component] {
    let name = region.id.rawValue == device ? nil : region.id.rawValue
    return [occupancy(region, name), tracker(region, name)]
  }

  private func occupancy(_ region: KeyedRegion, _ name: String?) -> Component {
    Component(key: region.key, platform: "binary_sensor", name: name, owner: gatewayID) { writer in
      writer.text("stat_t", topics.region(region.id))
      writer.text(
        "val_tpl",
        Self.template("{'inside': 'ON', 'outside': 'OFF'}.get(value_json.state, 'None')")
      )
      writer.text("dev_cla", "occupancy")
      writeAvailability(&writer)
    }
  }

  /// Away only where an exit was observed; outside without one, as after a start, is not known.
  ///
  /// Home Assistant of before July 2027 reads the state; since then only the zones of the attributes.
  private func tracker(_ region: KeyedRegion, _ name: String?) -> Component {
    Component(
      key: region.key + "_tracker",
      platform: "device_tracker",
      name: name,
      owner: gatewayID
    ) { writer in
      let isHome = "value_json.state == 'inside'"
      let isAway = "value_json.state == 'outside' and value_json.left"
      writer.text("stat_t", topics.region(region.id))
      writer.text(
        "val_tpl",
        Self.template("'home' if \(isHome) else 'not_home' if \(isAway) else 'None'")
      )
      writer.text("pl_rst", "None")
      writer.text("json_attr_t", topics.region(region.id))
      writer.text(
        "json_attr_tpl",
        Self.template(
          "({'in_zones': ['zone.home']} if \(isHome) else {'in_zones': []} if \(isAway) else {}) | tojson",
          otherwise: "{}"
        )
      )
      writer.text("src_type", "bluetooth_le")
      writeAvailability(&writer)
    }
  }

  private func components(of beacon: BeaconIdentity) -> [Component] {
    let gateway = topics.gateway.text
    var components = [
      Component(
        key: Self.id(["distance", gateway]),
        platform: "sensor",
        name: "Distance to \(gateway)"
      ) { writer in
        writer.text("stat_t", topics.distance(beacon))
        writer.text("val_tpl", Self.template("value_json.distance"))
        writer.text("dev_cla", "distance")
        writer.text("unit_of_meas", "m")
        writer.text("stat_cla", "measurement")
        writer.integer("exp_aft", Self.distanceSeconds)
        writeAvailability(&writer)
      }
    ]
    components.append(
      Component(
        key: Self.id(["seen", gateway]),
        platform: "sensor",
        name: "Last seen at \(gateway)"
      ) { writer in
        // The past is known without the gateway.
        writer.text("stat_t", topics.seen(beacon))
        writer.text("val_tpl", Self.template("value_json.seen or 'None'"))
        writer.text("dev_cla", "timestamp")
      }
    )
    let said = contents.batteries[beacon] ?? []
    components += BatteryReading.allCases.filter(said.contains).map { battery(of: beacon, $0) }
    if let places = contents.places {
      components.append(place("place", "Place", "place", of: beacon, among: places, isKept: false))
      components.append(
        place("last_place", "Last place", "last", of: beacon, among: places, isKept: true)
      )
    }
    return components
  }

  /// A place; one that is kept is known whether or not the gateway is there.
  private func place(
    _ key: String,
    _ name: String,
    _ value: String,
    of beacon: BeaconIdentity,
    among places: [String],
    isKept: Bool
  ) -> Component {
    Component(key: key, platform: "sensor", name: name) { writer in
      writer.text("stat_t", topics.place(beacon))
      writer.text("val_tpl", Self.template("value_json.\(value) or 'None'"))
      writer.text("dev_cla", "enum")
      writer.key("ops")
      writer.beginArray()
      for place in places { writer.string(place) }
      writer.endArray()
      if !isKept { writeAvailability(&writer) }
    }
  }

  private func key(of reading: BatteryReading) -> String {
    Self.id([reading == .charge ? "battery" : "voltage", topics.gateway.text])
  }

  /// Each gateway has its own, as for distances: only its reports itself is unavailable with it.
  private func battery(of beacon: BeaconIdentity, _ reading: BatteryReading) -> Component {
    let gateway = topics.gateway.text
    let (name, value, kind, unit) =
      reading == .charge
      ? ("Battery at \(gateway)", "value_json.percent", "battery", "%")
      : ("Battery voltage at \(gateway)", "value_json.volts", "voltage", "V")
    return Component(key: key(of: reading), platform: "sensor", name: name) { writer in
      writer.text("stat_t", topics.battery(beacon))
      writer.text("val_tpl", Self.template(value))
      writer.text("dev_cla", kind)
      writer.text("unit_of_meas", unit)
      writer.text("stat_cla", "measurement")
      writer.text("ent_cat", "diagnostic")
      writeAvailability(&writer)
    }
  }

  /// Available while the gateway is connected and one of its receivers listens: else nothing is known, also not "away".
  private func writeAvailability(
    _ writer: inout JSONLineWriter,
    _ conditions: [(topic: String, state: String)]? = nil
  ) {
    writer.key("avty")
    writer.beginArray()
    for (topic, available) in conditions
      ?? [(topics.status, "online"), (topics.radio, "listening")]
    {
      writer.beginObject()
      writer.text("t", topic)
      // Home Assistant ignores a text that is neither of its two: every other state must become one of them.
      writer.text(
        "val_tpl",
        "{{ 'online' if value_json is defined and value_json.state == '\(available)' else 'offline' }}"
      )
      writer.endObject()
    }
    writer.endArray()
    writer.text("avty_mode", "all")
  }

  /// A template of Home Assistant; a message without JSON, as when a topic is deleted, means that nothing is known.
  private static func template(_ value: String, otherwise: String = "None") -> String {
    "{{ (\(value)) if value_json is defined else '\(otherwise)' }}"
  }

  // MARK: Messages

  private func message(_ device: Device) -> GatewayMessage {
    var writer = JSONLineWriter()
    writer.beginObject()
    writer.key("dev")
    writer.beginObject()
    writer.key("ids")
    writer.beginArray()
    writer.string(device.id)
    writer.endArray()
    writer.text("name", device.name)
    writer.text("sw", version)
    if !device.isGateway { writer.text("via_device", gatewayID) }
    writer.endObject()
    writer.key("o")
    writer.beginObject()
    writer.text("name", "beaconctl")
    writer.text("sw", version)
    writer.endObject()
    writer.key("cmps")
    writer.beginObject()
    for component in device.components {
      writer.key(component.key)
      writer.beginObject()
      writer.text("p", component.platform)
      writer.text("uniq_id", (component.owner ?? device.id) + "_" + component.key)
      writer.key("name")
      writer.string(component.name)
      component.write(&writer)
      writer.endObject()
    }
    for former in contents.told.others(at: device.topic, than: device.components.map(\.key)) {
      writer.key(former.key)
      writer.beginObject()
      writer.text("p", former.platform)
      writer.endObject()
    }
    writer.endObject()
    writer.integer("qos", 1)
    writer.endObject()
    return GatewayMessage(.state, device.topic, writer.bytes)
  }
}

extension JSONLineWriter {
  fileprivate mutating func text(_ key: StaticString, _ value: String) {
    self.key(key)
    string(value)
  }
}
