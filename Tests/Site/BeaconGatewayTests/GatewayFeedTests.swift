// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

import BeaconCore
import BeaconFormats
import BeaconTestSupport
import Testing

@testable import BeaconGateway

@Suite struct GatewayFeedTests {
  static let beacon = TestScan.beacon(1, 7)

  static func topics() throws -> SiteTopics {
    SiteTopics(
      site: try #require(TopicName("home")),
      gateway: try #require(TopicName("hall"))
    )
  }

  static func feed(_ change: (inout GatewayContents) -> Void = { _ in }) throws -> GatewayFeed {
    var contents = GatewayContents()
    contents.beacons = [beacon]
    contents.regions = [(id: "desk", constraint: .minor(beacon))]
    change(&contents)
    return GatewayFeed(try topics(), boot: "b1", version: "1.0", contents)
  }

  static func second(_ seconds: Double, _ levels: [Int8], receiver: String = "hci0")
    -> OperatorInput
  {
    var second = ReceivedSecond(
      second: TestScan.at(seconds),
      identity: beacon,
      receiver: receiver,
      ReceivedSum()
    )
    for level in levels { second.sum.add(rssi: level, power: -59, at: TestScan.at(seconds)) }
    return .reports(second)
  }

  static var sum: ReceivedSum {
    var sum = ReceivedSum()
    sum.add(rssi: -60, power: -59, at: TestScan.at(101))
    return sum
  }

  static func texts(_ messages: [GatewayMessage], of kind: GatewayMessage.Kind) -> [String] {
    messages.filter { $0.kind == kind }.map { String(decoding: $0.payload, as: UTF8.self) }
  }

  // Row M1.
  @Test func `each second of a receiver that listens is a message, also an empty one`() throws {
    var feed = try Self.feed()
    var messages: [GatewayMessage] = []
    for input: OperatorInput in [
      .receiver("hci0", .listening, TestScan.at(0)), .reached(TestScan.at(0)),
      Self.second(0, [-71, -72]), .reached(TestScan.at(0.9)), .reached(TestScan.at(3.2)),
    ] { messages += feed.add(input) }
    let start = "\"boot\":\"b1\",\"seq\""
    #expect(
      Self.texts(messages, of: .levels) == [
        "{\"v\":1,\"t\":\"2023-11-14T22:13:20.000000Z\",\(start):1,\"receiver\":\"hci0\",\"span\":1,"
          + "\"beacons\":[[\"\(Self.beacon)\",-71.50,2,-59]]}",
        "{\"v\":1,\"t\":\"2023-11-14T22:13:21.000000Z\",\(start):2,\"receiver\":\"hci0\",\"span\":1,"
          + "\"beacons\":[]}",
        "{\"v\":1,\"t\":\"2023-11-14T22:13:22.000000Z\",\(start):3,\"receiver\":\"hci0\",\"span\":1,"
          + "\"beacons\":[]}",
      ]
    )
    #expect(
      messages.filter { $0.kind == .levels }.allSatisfy {
        $0.lateTopic == "beacons/1/home/hall/late"
      }
    )
  }

  @Test
  func `a receiver that does not listen is silent, and a second it listened to in part says so`()
    throws
  {
    var feed = try Self.feed()
    var messages: [GatewayMessage] = []
    for input: OperatorInput in [
      .receiver("hci0", .listening, TestScan.at(0)), .receiver("hci1", .deaf, TestScan.at(0)),
      .reached(TestScan.at(1)), .receiver("hci0", .off, TestScan.at(1.25)),
      .reached(TestScan.at(5)),
    ] { messages += feed.add(input) }
    let levels = Self.texts(messages, of: .levels)
    #expect(levels.count == 2)
    #expect(levels[1].contains("\"span\":0.25,"))
    let radio = Self.texts(messages, of: .state)
    #expect(radio.count == 3)
    #expect(radio[1].contains("\"state\":\"listening\",\"receivers\":[{\"name\":\"hci0\""))
    #expect(radio[2].contains("\"state\":\"deaf\",\"receivers\""))
  }

  @Test func `nothing is said of a gap`() throws {
    var feed = try Self.feed()
    var messages: [GatewayMessage] = []
    for input: OperatorInput in [
      .receiver("hci0", .listening, TestScan.at(0)), .reached(TestScan.at(1.5)),
      .reached(TestScan.at(1000.5)), .reached(TestScan.at(1001)),
    ] { messages += feed.add(input) }
    messages += feed.end(at: TestScan.at(1001.25))
    let spans = Self.texts(messages, of: .levels).compactMap { text in
      text.split(separator: "\"span\":").last?.split(separator: ",").first
    }
    #expect(spans == ["1", "0.5", "0.5", "0.25"])
  }

  @Test func `a second with more beacons than a message holds has several messages`() throws {
    var feed = try Self.feed()
    _ = feed.add(.receiver("hci0", .listening, TestScan.at(0)))
    for _ in 0..<501 { _ = feed.add(Self.second(0, [-60])) }
    let messages = feed.add(.reached(TestScan.at(1))).filter { $0.kind == .levels }
    #expect(
      messages.count == 2 && messages.allSatisfy { $0.payload.count < IncomingMessage.longest }
    )
  }

  // Row M3.
  @Test func `crossings are numbered, and only an observed exit is one`() throws {
    var feed = try Self.feed()
    let engine = TestEngine()
    let client = engine.driver.connect()
    engine.driver.request(.monitor(Region("desk", .minor(Self.beacon))), by: client)
    var scan = TestScan()
    scan.add(.radio(receiver: 0, .listening, TestScan.at(0)))
    for second in 60..<70 { scan.report(Self.beacon, -60, at: Double(second)) }
    for second in 70..<160 { scan.mark(at: Double(second)) }
    let messages = engine.run(scan.batch).flatMap { feed.add($0) }
    let events = Self.texts(messages, of: .event)
    #expect(events.count == 2)
    #expect(events[0].contains("\"type\":\"region.enter\""))
    #expect(events[0].hasSuffix("\"boot\":\"b1\",\"seq\":1}"))
    #expect(events[1].contains("\"type\":\"region.exit\""))
    let states = messages.filter { $0.topic == "beacons/1/home/hall/region/desk" }
      .map { String(decoding: $0.payload, as: UTF8.self) }
    // Outside without having been left comes first: nobody was here since the start.
    #expect(states.first?.hasSuffix("\"state\":\"outside\",\"left\":null}") ?? false)
    #expect(states.last?.contains("\"state\":\"outside\",\"left\":\"2023") ?? false)
  }

  // Rows M3 and G17.
  @Test func `a crossing while the radio was off is none that anybody saw`() throws {
    var feed = try Self.feed()
    let engine = TestEngine()
    let client = engine.driver.connect()
    engine.driver.request(.monitor(Region("desk", .minor(Self.beacon))), by: client)
    var scan = TestScan()
    scan.add(.radio(receiver: 0, .listening, TestScan.at(0)))
    for second in 0..<20 { scan.report(Self.beacon, -60, at: Double(second) + 0.5) }
    scan.add(.radio(receiver: 0, .off, TestScan.at(20)))
    scan.add(.radio(receiver: 0, .listening, TestScan.at(40)))
    for second in 41..<130 { scan.mark(at: Double(second)) }
    let messages = engine.run(scan.batch).flatMap { feed.add($0) }
    #expect(Self.texts(messages, of: .event).last?.contains("\"reason\":\"whileUnknown\"") ?? false)
    let states = messages.filter { $0.topic == "beacons/1/home/hall/region/desk" }
      .map { String(decoding: $0.payload, as: UTF8.self) }
    #expect(states.last?.contains("\"state\":\"outside\",\"left\":null") ?? false)
    #expect(states.allSatisfy { $0.contains("\"left\":null") })
  }

  @Test func `at the start no place is known, whatever an earlier run retained`() throws {
    var feed = try Self.feed { $0.places = ["hall", "attic"] }
    let start = feed.begin(at: TestScan.at(0)).filter { $0.topic.contains("/place/") }
    #expect(start.map(\.topic) == [try Self.topics().place(Self.beacon)])
    #expect(Self.texts(start, of: .state).allSatisfy { $0.contains("\"place\":null,\"p\":0.00,") })
    var without = try Self.feed()
    #expect(!without.begin(at: TestScan.at(0)).contains { $0.topic.contains("/place/") })
  }

  @Test func `a place is said when it changes and every ten seconds`() throws {
    var feed = try Self.feed { $0.places = ["hall", "attic"] }
    var said: [String] = []
    for second in 0..<25 {
      said += Self.texts(
        feed.add(
          place: second < 12 ? "hall" : nil,
          of: Self.beacon,
          probability: 0.979,
          receivers: (heard: 3, deaf: 1),
          at: TestScan.at(Double(second))
        ),
        of: .state
      )
    }
    #expect(said.count == 4)
    #expect(
      said[0].contains("\"place\":\"hall\",\"p\":0.97,\"since\":\"2023-11-14T22:13:20.000000Z\"")
    )
    #expect(said[2].contains("\"place\":null"))
    let stranger = feed.add(
      place: "hall",
      of: TestScan.beacon(9, 9),
      probability: 1,
      receivers: (heard: 1, deaf: 0),
      at: TestScan.at(0)
    )
    #expect(stranger.isEmpty)
  }

  @Test func `a connection has a name that NATS takes, and no two gateways have the same`() throws {
    let gateways = [
      ("home.1", "hall"), ("home", "hall.2"), ("home_1", "hall"), ("a-b", "c"), ("a", "b-c"),
      ("a.b", "c"), ("a", "b.c"), ("a", "b_c"), ("a_b", "c"),
    ]
    let names = try gateways.map { site, gateway in
      SiteTopics(
        site: try #require(TopicName(site)),
        gateway: try #require(TopicName(gateway))
      ).clientID
    }
    #expect(names[0] == "beacons:home~1:hall")
    #expect(Set(names).count == names.count)
    for name in names { #expect(!name.contains { ".*> +#/".contains($0) }, "\(name)") }
  }

  @Test func `names of topics`() throws {
    for text in ["", "a/b", "+", "#", "büro", String(repeating: "a", count: 65), "a b", "$SYS"] {
      #expect(TopicName(text) == nil, "\(text)")
    }
    let topics = try Self.topics()
    #expect(topics.region("front door/±") == "beacons/1/home/hall/region/front~20door~2F~C2~B1")
    #expect(
      topics.place(Self.beacon).hasSuffix("home/place/\(UUIDText.string(TestScan.museum))-1-7")
    )
  }
}

@Suite struct DiscoveryTests {
  /// The keys of Home Assistant's schemas that our messages use, by platform, with those that a platform must have.
  static let schema: [String: (keys: Set<String>, needed: Set<String>)] = [
    "binary_sensor": (
      [
        "p", "uniq_id", "name", "stat_t", "val_tpl", "pl_on", "pl_off", "dev_cla", "ent_cat",
        "avty",
        "avty_mode",
      ], ["stat_t", "uniq_id"]
    ),
    "device_tracker": (
      [
        "p", "uniq_id", "name", "stat_t", "val_tpl", "pl_rst", "json_attr_t", "json_attr_tpl",
        "src_type", "avty", "avty_mode",
      ],
      ["stat_t", "uniq_id"]
    ),
    "sensor": (
      [
        "p", "uniq_id", "name", "stat_t", "val_tpl", "dev_cla", "unit_of_meas", "stat_cla",
        "ent_cat", "exp_aft", "ops", "avty", "avty_mode",
      ], ["stat_t", "uniq_id"]
    ),
  ]

  static func feed(
    names: NameBook = NameBook(),
    told: AnnouncedComponents = AnnouncedComponents()
  ) throws -> GatewayFeed {
    try GatewayFeedTests.feed {
      $0.discoveryPrefix = "homeassistant"
      $0.places = ["hall", "attic"]
      $0.names = names
      $0.told = told
    }
  }

  /// One whose beacon said both of its battery.
  static func feedWithBattery() throws -> GatewayFeed {
    var feed = try feed()
    _ = feed.add(
      .telemetry(Telemetry(volts: 2.9, percent: 80), of: GatewayFeedTests.beacon, TestScan.at(1))
    )
    return feed
  }

  static func text(_ value: JSON5Value?) -> String? {
    if case .string(let text) = value?.content { text } else { nil }
  }

  @Test func `each device is one message that the schema knows`() throws {
    let messages = try Self.feedWithBattery().discovery
    #expect(messages.count == 2)
    #expect(String(decoding: messages[1].payload, as: UTF8.self).contains("battery_hall"))
    #expect(messages[0].topic == "homeassistant/device/beacons_home_hall/config")
    var ids: Set<String> = []
    for message in messages {
      #expect(message.kind == .state)
      let value = try JSON5.parse(message.payload)
      #expect(value.keys == ["dev", "o", "cmps", "qos"])
      #expect(Self.text(value["o"]?["name"]) == "beaconctl")
      let components = try #require(value["cmps"])
      #expect(!components.keys.isEmpty)
      for key in components.keys {
        let component = try #require(components[key])
        let platform = try #require(Self.text(component["p"]))
        let schema = try #require(Self.schema[platform])
        #expect(schema.keys.isSuperset(of: component.keys), "\(key)")
        #expect(schema.needed.isSubset(of: component.keys), "\(key)")
        #expect(ids.insert(try #require(Self.text(component["uniq_id"]))).inserted)
      }
    }
  }

  @Test func `a component that is no more is named with its platform alone`() throws {
    let earlier = try Self.feed()
    let told = AnnouncedComponents(earlier.told.bytes)
    #expect(told == earlier.told && !told.bytes.isEmpty)
    var now = GatewayContents()
    (now.discoveryPrefix, now.beacons, now.told) = (
      "homeassistant", [GatewayFeedTests.beacon], told
    )
    let feed = GatewayFeed(try GatewayFeedTests.topics(), boot: "b2", version: "1.0", now)
    let messages = try feed.discovery.map { try #require(try JSON5.parse($0.payload)["cmps"]) }
    let region = Discovery.key(of: .minor(GatewayFeedTests.beacon))
    for (message, key, platform) in [
      (messages[1], region, "binary_sensor"), (messages[1], region + "_tracker", "device_tracker"),
      (messages[1], "place", "sensor"),
    ] {
      #expect(message[key]?.keys == ["p"] && Self.text(message[key]?["p"]) == platform, "\(key)")
    }
    #expect(messages[0]["connection"]?.keys.contains("uniq_id") ?? false)
    #expect(messages[1]["distance_hall"]?.keys.contains("uniq_id") ?? false)
    // What is there again is a component as before, and is remembered all the same.
    #expect(feed.told == told)
  }

  @Test func `a list of components that is damaged names no others`() {
    let lines =
      "a/config k sensor\na/config k lock\na/state k sensor\na/config k\n\u{1}/config k sensor\n"
    #expect(AnnouncedComponents(Array(lines.utf8)).bytes == Array("a/config k sensor\n".utf8))
  }

  // Row M9.
  @Test func `a battery is told of when it is first said, and stays through a restart`() throws {
    var feed = try Self.feed()
    let (beacon, topic) = (GatewayFeedTests.beacon, "beacons/1/home/hall/battery/")
    func text(_ messages: [GatewayMessage], _ part: String) -> [String] {
      messages.filter { $0.topic.contains(part) }
        .map { String(decoding: $0.payload, as: UTF8.self) }
    }
    #expect(!text(feed.discovery, "config").joined().contains("voltage"))
    let first = feed.add(.telemetry(Telemetry(volts: 2.954, sent: 7), of: beacon, TestScan.at(1)))
    #expect(first.map(\.kind) == [.state, .state] && first[1].topic.hasPrefix(topic))
    let components = try #require(try JSON5.parse(first[0].payload)["cmps"])
    let sensor = try #require(components["voltage_hall"])
    #expect(Self.text(sensor["dev_cla"]) == "voltage" && Self.text(sensor["unit_of_meas"]) == "V")
    #expect(Self.text(sensor["stat_t"]) == first[1].topic)
    #expect(components["battery_hall"] == nil)
    #expect(
      text(first, topic) == [
        "{\"v\":1,\"t\":\"2023-11-14T22:13:21.000000Z\",\"uuid\":\"\(UUIDText.string(beacon.uuid))\","
          + "\"major\":1,\"minor\":7,\"percent\":null,\"volts\":2.95,\"celsius\":null,\"sent\":7,\"uptime\":null}"
      ]
    )
    #expect(feed.add(.telemetry(Telemetry(volts: 2.9), of: beacon, TestScan.at(60))).isEmpty)
    // Another packet of the beacon says the charge.
    let second = feed.add(.telemetry(Telemetry(percent: 81), of: beacon, TestScan.at(61)))
    #expect(text(second, topic).first?.contains("\"percent\":81,\"volts\":2.90,") ?? false)
    #expect(text(second, "config").first?.contains("\"battery_hall\"") ?? false)
    let third = feed.add(.telemetry(Telemetry(volts: 2.8), of: beacon, TestScan.at(361)))
    #expect(third.map(\.topic) == [topic + SiteTopics.level(of: beacon)])
    // The next run has the same entities, of which nothing is known yet.
    var next = try Self.feed(told: feed.told)
    #expect(next.discovery == feed.discovery)
    #expect(!next.begin(at: TestScan.at(0)).contains { $0.topic.hasPrefix(topic) })
    #expect(!next.retainedTopics.contains { $0.hasPrefix(topic) }, "the earlier value is deleted")
    #expect(next.add(.telemetry(Telemetry(volts: 2.8), of: beacon, TestScan.at(1))).count == 1)
  }

  // Row M9.
  @Test func `a battery of which nothing was received for hours is unknown`() throws {
    var feed = try Self.feedWithBattery()
    _ = feed.add(.reached(TestScan.at(2)))
    #expect(feed.add(.reached(TestScan.at(6 * 3600))).allSatisfy { $0.kind != .state })
    let messages = feed.add(.reached(TestScan.at(6 * 3600 + 61)))
    let states = GatewayFeedTests.texts(messages, of: .state)
    #expect(states.count == 1 && states[0].contains("\"percent\":null,\"volts\":null,"))
    #expect(feed.add(.reached(TestScan.at(7 * 3600))).allSatisfy { $0.kind != .state })
  }

  // Row M2.
  @Test func `nothing is said of the battery of a beacon that nobody named`() throws {
    var feed = try Self.feed()
    let other = TestScan.beacon(1, 8)
    #expect(feed.add(.telemetry(Telemetry(volts: 3), of: other, TestScan.at(1))).isEmpty)
    let none = Telemetry(celsius: 20, sent: 1)
    #expect(feed.add(.telemetry(none, of: GatewayFeedTests.beacon, TestScan.at(1))).isEmpty)
  }

  @Test func `every template stands a message without JSON`() throws {
    for message in try Self.feedWithBattery().discovery {
      let text = String(decoding: message.payload, as: UTF8.self)
      let templates = text.split(separator: "{{").dropFirst()
      #expect(!templates.isEmpty && templates.allSatisfy { $0.contains("value_json is defined") })
    }
  }

  @Test func `everything but the connection is unavailable while nobody listens`() throws {
    for message in try Self.feedWithBattery().discovery {
      let components = try #require(try JSON5.parse(message.payload)["cmps"])
      for key in components.keys where !["connection", "seen_hall", "last_place"].contains(key) {
        guard case .array(let topics) = components[key]?["avty"]?.content else {
          Issue.record("\(key) is always available")
          continue
        }
        #expect(
          topics.map { Self.text($0["t"]) } == [
            "beacons/1/home/hall/status", "beacons/1/home/hall/radio",
          ]
        )
        #expect(Self.text(components[key]?["avty_mode"]) == "all")
      }
    }
  }

  private static func ids(_ site: String, _ gateway: String) throws -> [String] {
    var contents = GatewayContents()
    contents.beacons = [GatewayFeedTests.beacon]
    contents.discoveryPrefix = "homeassistant"
    let topics = SiteTopics(
      site: try #require(TopicName(site)),
      gateway: try #require(TopicName(gateway))
    )
    return try GatewayFeed(topics, boot: "b", version: "1", contents).discovery.flatMap { message in
      let components = try #require(try JSON5.parse(message.payload)["cmps"])
      return [message.topic] + components.keys.compactMap { text(components[$0]?["uniq_id"]) }
    }
  }

  @Test func `no two gateways have an identifier in common, and simple names have theirs`() throws {
    var all: [String: String] = [:]
    for (site, gateway) in [
      ("a-b", "c"), ("a", "b-c"), ("a_b", "c"), ("a", "b_c"), ("a.b", "c"), ("A-b", "c"),
      ("a-b", "C"), ("a", "b--c"), ("a-", "b-c"), ("a-2db", "c"), ("a", "f7826da6"),
      ("a", "\(UUIDText.string(TestScan.museum))-1-7"),
    ] {
      for id in try Self.ids(site, gateway) {
        #expect(all.updateValue("\(site) \(gateway)", forKey: id) == nil, "\(id)")
        if id.hasPrefix("homeassistant/device/") {
          // What Home Assistant takes for the name of a device in a topic.
          let allowed = Set("abcdefghijklmnopqrstuvwxyz0123456789_-")
          #expect(allowed.isSuperset(of: id.dropFirst(21).dropLast(7)))
        }
      }
    }
    let beacon = "beacons_home_f7826da6_4fa2_4e98_8024_bc5b71e0893e_1_7"
    #expect(
      try Self.ids("home", "hall2") == [
        "homeassistant/device/beacons_home_hall2/config", "beacons_home_hall2_connection",
        "homeassistant/device/\(beacon)_hall2/config", "\(beacon)_distance_hall2",
        "\(beacon)_seen_hall2",
      ]
    )
  }

  private static func seen(_ messages: [GatewayMessage]) -> [String] {
    messages.filter { $0.topic.contains("/seen/") }.map { message in
      let value = try? JSON5.parse(message.payload)
      return text(value?["seen"]).map { String($0.dropFirst(17).dropLast(8)) } ?? "none"
    }
  }

  // Row M15.
  @Test func `the last reception is sent each minute, and again after the last one`() throws {
    var feed = try Self.feed()
    var sent: [String] = []
    for second in 0..<100 {
      if second < 70 { _ = feed.add(GatewayFeedTests.second(Double(second), [-60])) }
      sent += Self.seen(feed.add(.reached(TestScan.at(Double(second + 1)))))
    }
    #expect(sent == ["20", "20", "29"])
    let stranger = ReceivedSecond(
      second: TestScan.at(101),
      identity: TestScan.beacon(9, 9),
      receiver: "hci0",
      GatewayFeedTests.sum
    )
    #expect(feed.add(.reports(stranger)).isEmpty)
    #expect(Self.seen(feed.add(.reached(TestScan.at(102)))).isEmpty)
  }

  // Row M15.
  @Test func `the last reception and the last place outlive a restart, but not a replay of before`()
    throws
  {
    let beacon = GatewayFeedTests.beacon
    var feed = try Self.feed()
    _ = feed.add(GatewayFeedTests.second(100, [-60]))
    let place = feed.add(
      place: "attic",
      of: beacon,
      probability: 0.9,
      receivers: (1, 0),
      at: TestScan.at(100)
    )
    #expect(GatewayFeedTests.texts(place, of: .state)[0].hasSuffix("\"last\":\"attic\"}"))
    let kept = LastSeen(feed.contents.last.bytes)
    #expect(kept == feed.contents.last && kept.entries.count == 1)
    for (start, seen) in [(200.0, ["00"]), (10, [])] {
      var next = try GatewayFeedTests.feed { ($0.places, $0.last) = (["hall", "attic"], kept) }
      let messages = next.begin(at: TestScan.at(start))
      #expect(Self.seen(messages) == seen)
      let text = GatewayFeedTests.texts(messages, of: .state).last
      #expect(text?.contains("\"place\":null") ?? false)
      #expect(text?.hasSuffix("\"last\":\"attic\"}") ?? false)
    }
    // A place that the model has no more is not shown, nor is a beacon without a name.
    var other = try GatewayFeedTests.feed { ($0.places, $0.last) = (["hall"], kept) }
    #expect(
      !GatewayFeedTests.texts(other.begin(at: TestScan.at(200)), of: .state).joined().contains(
        "attic"
      )
    )
    let damaged = "{\"beacon\":1}\nx\n" + String(decoding: kept.bytes, as: UTF8.self)
    #expect(LastSeen(Array(damaged.utf8)) == kept)
  }

  // Row M15.
  @Test func `each receiver is announced, and goes a minute after a start without it`() throws {
    let hostile = "x' }}{{ 7*7 }}"
    var feed = try Self.feed()
    for name in ["hci0", hostile, "hci0", ""] {
      _ = feed.add(.receiver(name, .listening, TestScan.at(0)))
    }
    #expect(feed.contents.receivers == ["hci0", hostile] && feed.announcements == 2)
    let own = try #require(try JSON5.parse(feed.discovery[0].payload)["cmps"])
    for key in own.keys where key != "connection" {
      let template = Self.text(own[key]?["val_tpl"]) ?? ""
      let isSafe = template.split(separator: "{{").count == 1 && !template.contains("'x'")
      #expect(isSafe && template.contains("'name', 'eq', '\(key.contains("hci0") ? "hci0" : "x")"))
    }
    var next = try Self.feed(told: feed.told)
    #expect(next.contents.receivers == ["hci0", hostile])
    _ = next.begin(at: TestScan.at(0))
    _ = next.add(.receiver("hci0", .off, TestScan.at(1)))
    #expect(next.add(.reached(TestScan.at(59))).allSatisfy { !$0.topic.hasSuffix("config") })
    let change = next.add(.reached(TestScan.at(60)))
    #expect(change.filter { $0.topic.hasSuffix("config") }.count == 1)
    #expect(next.contents.receivers == ["hci0"])
    let components = try #require(try JSON5.parse(change[change.count - 1].payload)["cmps"])
    let gone = components.keys.filter { components[$0]?.keys == ["p"] }
    #expect(gone.count == 1 && gone[0].hasPrefix("receiver_x-27"))
    // The gateway of a whole site leaves receivers to the gateways that have them.
    var center = try GatewayFeedTests.feed {
      ($0.discoveryPrefix, $0.sendsLevels) = ("homeassistant", false)
    }
    _ = center.add(.receiver("hall/hci0", .listening, TestScan.at(0)))
    #expect(center.contents.receivers.isEmpty)
  }

  @Test func `a region is a device with its name, or is at the device of its only beacon`() throws {
    let feed = try GatewayFeedTests.feed {
      $0.discoveryPrefix = "homeassistant"
      $0.regions += [
        (id: "again", constraint: .minor(GatewayFeedTests.beacon)),
        (id: "all", constraint: .uuid(TestScan.museum)),
      ]
    }
    let devices = try feed.discovery.map { try JSON5.parse($0.payload) }
    #expect(devices.map { Self.text($0["dev"]?["name"]) } == ["hall", "again", "all", "desk"])
    for device in devices.dropFirst() {
      let components = try #require(device["cmps"])
      for key in components.keys where key.hasPrefix("region_") {
        #expect(components[key]?["name"]?.content == .null)
        #expect(
          Self.text(components[key]?["uniq_id"])?.hasPrefix("beacons_home_hall_region_") ?? false
        )
      }
    }
    let tracker = try #require(
      devices[3]["cmps"]?[Discovery.key(of: .minor(GatewayFeedTests.beacon)) + "_tracker"]
    )
    #expect(Self.text(tracker["json_attr_tpl"])?.contains("{'in_zones': ['zone.home']}") ?? false)
  }

  @Test func `another name changes no identifier`() throws {
    var names = NameBook()
    names[GatewayFeedTests.beacon] = "Rex"
    let (plain, named) = (try Self.feed().discovery, try Self.feed(names: names).discovery)
    #expect(plain.map(\.topic) == named.map(\.topic))
    let text = String(decoding: named[1].payload, as: UTF8.self)
    #expect(text.contains("\"name\":\"Rex\"") && !text.contains("Rex_"))
  }

  @Test func `every retained topic is declared, so that it can be deleted later`() throws {
    var feed = try Self.feed()
    let declared = Set(feed.retainedTopics)
    let messages =
      feed.begin(at: TestScan.at(0)) + [
        feed.will(), feed.status(isOnline: true, at: TestScan.at(0)),
      ]
    #expect(messages.allSatisfy { $0.kind == .state && declared.contains($0.topic) })
  }

  @Test func `ESPresense's names of beacons`() {
    let name = ESPresense.name(of: GatewayFeedTests.beacon)
    #expect(name == "iBeacon:f7826da6-4fa2-4e98-8024-bc5b71e0893e-1-7")
    #expect(ESPresense.beacon(named: name) == GatewayFeedTests.beacon)
    for other in ["apple:1005:9-24", "iBeacon:1-2", name + "-1", name + "x", "iBeacon:"] {
      #expect(ESPresense.beacon(named: other) == nil)
    }
  }
}
