// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

import BeaconCore
import BeaconFormats
import BeaconTestSupport
import Foundation
import Testing

@testable import BeaconGateway

@Suite struct SiteReceptionTests {
  static let beacon = GatewayFeedTests.beacon

  static func at(_ seconds: Double) -> Timestamp { TestScan.at(seconds) }

  static func site() throws -> TopicName { try #require(TopicName("home")) }

  /// A site at the start of its timeline, of which it is known that no receiver is known.
  static func reception() throws -> SiteReception {
    var reception = SiteReception(try site(), at: at(0))
    let start = reception.reached
    #expect(reception.drain(at: at(0)).inputs == [.radio(receiver: 0, .gone, start)])
    return reception
  }

  /// A message of levels as a gateway sends it.
  static func levels(
    _ second: Double,
    _ sequence: Int,
    _ level: Double = -70.5,
    reports: Int = 2,
    span: Double = 1,
    isEmpty: Bool = false
  ) -> [UInt8] {
    let beacons = isEmpty ? "" : "[\"\(beacon)\",\(level),\(reports),-59]"
    return Array(
      """
      {"v":1,"t":"\(RFC3339.string(at(second)))","boot":"b","seq":\(sequence),"receiver":"hci0",\
      "span":\(span),"beacons":[\(beacons)]}
      """.utf8
    )
  }

  static let topic = "beacons/1/home/hall/levels"

  static func levels(_ batch: ScanBatch) -> [AdvertisingReport] {
    batch.inputs.compactMap { if case .level(let level) = $0 { level } else { nil } }
  }

  static func radios(_ batch: ScanBatch) -> [RadioState] {
    batch.inputs.compactMap { if case .radio(_, let state, _) = $0 { state } else { nil } }
  }

  @Test func `seconds of two gateways become inputs in the order of time`() throws {
    var site = try Self.reception()
    site.receive("beacons/1/home/attic/levels", Self.levels(1, 1, -80), at: Self.at(2.1))
    site.receive(Self.topic, Self.levels(0, 1), at: Self.at(2.2))
    site.receive(Self.topic, Self.levels(1, 2), at: Self.at(2.3))
    #expect(site.drain(at: Self.at(2.9)).inputs.isEmpty)
    let batch = site.drain(at: Self.at(5))
    #expect(batch.upTo == Self.at(2))
    let times = batch.inputs.map(\.time)
    #expect(times == times.sorted { $0 < $1 })
    #expect(site.receiverNames == ["mqtt://home", "attic/hci0", "hall/hci0"])
    let levels = Self.levels(batch)
    #expect(levels.count == 6)
    // Whole levels with the mean of the message.
    let hall = levels.filter { $0.receiver == 2 }.compactMap { $0.rssi.map(Int.init) }
    #expect(hall.reduce(0, +) == -141 * 2)
    #expect(batch.reading(of: levels[0]) == .beacon(Self.beacon, measuredPower: -59))
    #expect(site.used == 3 && site.faults.total == 0)
  }

  // Row M6.
  @Test func `a gateway that says nothing is gone, and so is one that is offline`() throws {
    var site = try Self.reception()
    site.receive(Self.topic, Self.levels(0, 1), at: Self.at(1.1))
    #expect(Self.radios(site.drain(at: Self.at(4))) == [.listening])
    #expect(Self.radios(site.drain(at: Self.at(6.1))) == [.gone])
    site.receive(Self.topic, Self.levels(7, 2), at: Self.at(8.1))
    site.receive(
      "beacons/1/home/hall/status",
      Array(#"{"v":1,"state":"offline"}"#.utf8),
      at: Self.at(8.2)
    )
    #expect(Self.radios(site.drain(at: Self.at(12))) == [.listening, .gone])
  }

  // Row M6.
  @Test func `a gateway is gone with the last second that it described`() throws {
    var site = try Self.reception()
    for second in 0..<3 {
      site.receive(
        Self.topic,
        Self.levels(Double(second), second),
        at: Self.at(Double(second) + 1.1)
      )
    }
    _ = site.drain(at: Self.at(5.9))
    // Of the time after it nothing is given until it is known whether the gateway is gone.
    for time in [6.1, 7, 7.9] {
      let batch = site.drain(at: Self.at(time))
      #expect(batch.inputs == [] && batch.upTo == Self.at(3))
    }
    let batch = site.drain(at: Self.at(8.1))
    #expect(batch.inputs == [.radio(receiver: 1, .gone, Self.at(3))])
    #expect(batch.upTo == Self.at(5.1))
  }

  // Row M10.
  @Test(arguments: [(0.0, 0), (0.01, 1), (0.5, 15), (0.99, 30), (1, 30)])
  func `of seconds in part as much counts as was listened to`(_ span: Double, _ whole: Int) throws {
    for clock in [0.0, 30] {
      var site = try Self.reception()
      site.receive(Self.topic, Self.levels(clock, 0), at: Self.at(1.1))
      var inputs: [ScanInput] = []
      for second in 1...30 {
        let message = Self.levels(clock + Double(second), second, span: span, isEmpty: true)
        site.receive(Self.topic, message, at: Self.at(Double(second) + 1.1))
        inputs += site.drain(at: Self.at(Double(second) + 1.1)).inputs
      }
      inputs += site.drain(at: Self.at(35)).inputs
      var (listened, since) = (TimeSpan.zero, Timestamp?.none)
      for case .radio(1, let state, let time) in inputs {
        if let since { listened = listened + (time - since) }
        since = state == .listening ? time : nil
      }
      if let since { listened = listened + (Self.at(clock == 0 ? 31 : 31.1) - since) }
      #expect(abs(listened.seconds - 1 - Double(whole)) <= 1.2, "\(listened) at \(clock)")
    }
  }

  // Row M6.
  @Test func `what a broker keeps makes nobody listen`() throws {
    var site = try Self.reception()
    let states: [(String, String)] = [
      ("beacons/1/home/hall/status", #"{"v":1,"state":"online"}"#),
      (
        "beacons/1/home/hall/radio",
        #"{"v":1,"t":"\#(RFC3339.string(Self.at(0)))","receivers":[{"name":"hci0","state":"listening"}]}"#
      ),
      ("espresense/rooms/kitchen/status", "online"), ("home/porch/LWT", "online"),
    ]
    for (topic, payload) in states {
      site.receive(topic, Array(payload.utf8), isRetained: true, at: Self.at(1))
    }
    #expect(site.drain(at: Self.at(9)).inputs == [])
    #expect(site.receiverNames == ["mqtt://home"] && site.faults.total == 0)
    // What a node receives shows that it listens, whatever it is.
    site.receive("espresense/rooms/kitchen/status", Array("online".utf8), at: Self.at(10))
    site.receive("espresense/devices/apple:1005:9-24/cellar", Array("{}".utf8), at: Self.at(11))
    site.receive("home/porch/BTtoMQTT/AABBCCDDEEFF", Array(#"{"id":"x"}"#.utf8), at: Self.at(12))
    #expect(site.receiverNames == ["mqtt://home", "cellar", "porch"])
    #expect(Self.radios(site.drain(at: Self.at(20))) == [.listening, .listening])
    #expect(site.faults[.notABeacon] == 2)
  }

  // Row M6.
  @Test func `with the connection every receiver is gone, and comes back by what it says`() throws {
    var site = try Self.reception()
    let node = "espresense/devices/\(ESPresense.name(of: Self.beacon))/kitchen"
    let report = Array(#"{"rssi":-71}"#.utf8)
    site.receive(Self.topic, Self.levels(0, 1), at: Self.at(1.1))
    site.receive(node, report, at: Self.at(1.5))
    site.receive(Self.topic, Self.levels(1, 2), at: Self.at(2.1))
    _ = site.drain(at: Self.at(4.5))
    site.lost(at: Self.at(4.5))
    site.receive(
      "espresense/rooms/kitchen/status",
      Array("online".utf8),
      isRetained: true,
      at: Self.at(6)
    )
    let states = site.drain(at: Self.at(9)).inputs.filter {
      if case .radio = $0 { true } else { false }
    }
    #expect(
      states == [
        .radio(receiver: 1, .gone, Self.at(2)), .radio(receiver: 2, .gone, Self.at(4.5)),
      ]
    )
    site.receive(node, report, at: Self.at(10))
    // Of a gateway whose clock is behind by less than what counts as wrong: it is never back before it was gone.
    site.receive(Self.topic, Self.levels(9, 3), at: Self.at(11.5))
    #expect(Self.radios(site.drain(at: Self.at(14))) == [.listening, .listening])
  }

  @Test func `a gateway that is back within a second is not gone for ever`() throws {
    var site = try Self.reception()
    site.receive(Self.topic, Self.levels(0, 1), at: Self.at(1.1))
    let offline = Array(#"{"v":1,"state":"offline"}"#.utf8)
    site.receive(
      "beacons/1/home/hall/radio",
      Array(
        #"{"v":1,"t":"\#(RFC3339.string(Self.at(1.9)))","receivers":[{"name":"hci0","state":"off"}]}"#
          .utf8
      ),
      at: Self.at(2)
    )
    site.receive("beacons/1/home/hall/status", offline, at: Self.at(2))
    // Its clock is behind: the second began before the receiver was off.
    site.receive(Self.topic, Self.levels(1.5, 2, span: 0.9), at: Self.at(2.6))
    let batch = site.drain(at: Self.at(5.4))
    #expect(Self.radios(batch) == [.listening, .off, .gone, .listening])
    #expect(batch.inputs.map(\.time) == batch.inputs.map(\.time).sorted { $0 < $1 })
  }

  @Test func `a state of the radio goes in at its time`() throws {
    var site = try Self.reception()
    site.receive(Self.topic, Self.levels(0, 1), at: Self.at(1.1))
    let radio = """
      {"v":1,"t":"\(RFC3339.string(Self.at(1.5)))","state":"deaf",\
      "receivers":[{"name":"hci0","state":"deaf"}]}
      """
    site.receive("beacons/1/home/hall/radio", Array(radio.utf8), at: Self.at(1.6))
    let batch = site.drain(at: Self.at(5))
    #expect(batch.inputs.last == .radio(receiver: 1, .deaf, Self.at(1.5)))
  }

  // Row M7.
  @Test func `a clock that is off is named, and its evidence counts when it arrives`() throws {
    var site = try Self.reception()
    site.receive(Self.topic, Self.levels(-3600, 1), at: Self.at(1.2))
    site.receive(Self.topic, Self.levels(-3599, 2), at: Self.at(2.2))
    guard case .clockIsOff("hall", let span) = site.drainRemarks().first else {
      Issue.record("not named")
      return
    }
    #expect(abs(span.seconds + 3600) < 2)
    #expect(site.drainRemarks().isEmpty)
    let levels = Self.levels(site.drain(at: Self.at(6)))
    #expect(levels.count == 4)
    #expect(levels.allSatisfy { $0.time >= Self.at(0) && $0.time <= Self.at(3) })
    site.receive(Self.topic, Self.levels(6, 3), at: Self.at(7.1))
    #expect(site.drainRemarks() == [.clockIsRight(gateway: "hall")])
  }

  @Test func `a clock that is right and wrong in turn fills no log`() throws {
    var site = try Self.reception()
    var remarks = 0
    for second in 1..<1000 {
      let claimed = second.isMultiple(of: 2) ? Double(second) - 1 : -3600
      site.receive(Self.topic, Self.levels(claimed, second), at: Self.at(Double(second)))
      remarks += site.drainRemarks().count
    }
    #expect(remarks == SiteReception.remarkLimit)
    // An hour later it is named again.
    site.receive(Self.topic, Self.levels(4999, 2000), at: Self.at(5000))
    site.receive(Self.topic, Self.levels(0, 2001), at: Self.at(5001))
    #expect(!site.drainRemarks().isEmpty)
  }

  @Test func `nodes of ESPresense and Theengs are receivers`() throws {
    var site = try Self.reception()
    let device = "espresense/devices/\(ESPresense.name(of: Self.beacon))/kitchen"
    site.receive(
      device,
      Array(#"{"id":"x","rssi@1m":-65,"rssi":-71.4,"distance":2.5}"#.utf8),
      at: Self.at(1)
    )
    site.receive("espresense/rooms/kitchen/status", Array("offline".utf8), at: Self.at(2))
    site.receive(
      "home/TheengsGateway/BTtoMQTT/AABBCCDDEEFF",
      Array(
        #"{"id":"AA:BB","rssi":-66,"uuid":"f7826da64fa24e988024bc5b71e0893e","major":1,"minor":7,"txpower":-58}"#
          .utf8
      ),
      at: Self.at(2.5)
    )
    let batch = site.drain(at: Self.at(6))
    #expect(site.receiverNames == ["mqtt://home", "kitchen", "TheengsGateway"])
    #expect(Self.levels(batch).map(\.rssi) == [-71, -66])
    #expect(Self.radios(batch) == [.listening, .gone, .listening])
    site.receive("espresense/devices/apple:1005:9-24/kitchen", Array("{}".utf8), at: Self.at(3))
    #expect(site.faults[.notABeacon] == 1)
  }

  /// A cleared topic has no text, and a later version may have another one.
  @Test(arguments: ["", "offline", "restarting", "Online", "{\"v\":1,\"state\":\"updating\"}"])
  func `a receiver whose state is not online is not known to listen`(_ state: String) throws {
    var site = try Self.reception()
    let name = ESPresense.name(of: Self.beacon)
    let report = Array(#"{"rssi@1m":-65,"rssi":-71}"#.utf8)
    let theengs = Array(
      #"{"rssi":-66,"uuid":"f7826da64fa24e988024bc5b71e0893e","major":1,"minor":7}"#.utf8
    )
    site.receive("espresense/devices/\(name)/kitchen", report, at: Self.at(1))
    site.receive("home/porch/BTtoMQTT/AABBCCDDEEFF", theengs, at: Self.at(1.1))
    site.receive(Self.topic, Self.levels(0, 1), at: Self.at(1.2))
    for topic in [
      "espresense/rooms/kitchen/status", "home/porch/LWT", "beacons/1/home/hall/status",
    ] {
      site.receive(topic, Array(state.utf8), at: Self.at(2))
    }
    let gone = site.drain(at: Self.at(5.5)).inputs.compactMap { input in
      if case .radio(let receiver, .gone, _) = input { receiver } else { nil }
    }
    #expect(Set(gone).isSuperset(of: [1, 2, 3]), "\(gone)")
    site.receive("espresense/devices/\(name)/kitchen", report, at: Self.at(6))
    #expect(Self.radios(site.drain(at: Self.at(9))) == [.listening])
  }

  @Test func `a receiver of a gateway with an unknown state is not known to listen`() throws {
    var site = try Self.reception()
    site.receive(Self.topic, Self.levels(0, 1), at: Self.at(1))
    let start = #"{"v":1,"t":"\#(RFC3339.string(Self.at(2)))","receivers":"#
    let radio = start + #"[{"name":"hci0","state":"resting"}]}"#
    site.receive("beacons/1/home/hall/radio", Array(radio.utf8), at: Self.at(2))
    #expect(Self.radios(site.drain(at: Self.at(5))) == [.listening, .gone])
  }

  @Test func `nodes whose names differ only in their form are two receivers`() throws {
    var site = try Self.reception()
    let names = ["p\u{E9}", "pe\u{301}"]
    for name in names {
      site.receive(
        "espresense/devices/\(ESPresense.name(of: Self.beacon))/\(name)",
        Array(#"{"rssi":-71}"#.utf8),
        at: Self.at(1)
      )
    }
    site.receive("espresense/rooms/\(names[1])/status", Array("offline".utf8), at: Self.at(2))
    #expect(site.receiverNames == ["mqtt://home", "p\u{E9}", "pe\\u{301}"])
    let gone = site.drain(at: Self.at(6)).inputs.compactMap { input in
      if case .radio(let receiver, .gone, _) = input { receiver } else { nil }
    }
    #expect(gone == [2])
    let senders = names.map { IncomingMessage.sender(of: "espresense/devices/x/\($0)") }
    #expect(senders[0] != senders[1])
  }

  @Test func `receivers of a gateway whose names differ only in their form are two`() throws {
    var site = try Self.reception()
    for (number, name) in ["\u{212A}", "K"].enumerated() {
      let text = String(decoding: Self.levels(0, number + 1), as: UTF8.self)
      let named = text.replacingOccurrences(of: "hci0", with: name)
      site.receive(Self.topic, Array(named.utf8), at: Self.at(1.1))
    }
    #expect(site.receiverNames == ["mqtt://home", "hall/\\u{212A}", "hall/K"])
  }

  @Test(arguments: [
    #"{"rssi":-66,"manufacturerdata":"4c000215f7826da64fa24e988024bc5b71e0893e00010007c5"}"#,
    #"{"rssi":-66,"uuid":"f7826da64fa24e988024bc5b71e0893e","major":"1","minor":"7"}"#,
  ])
  func `a beacon that a node did not decode, or wrote as text, is read`(_ payload: String) throws {
    let message = try IncomingMessage(
      "home/OMG/BTtoMQTT/AABBCCDDEEFF",
      Array(payload.utf8),
      isRetained: false,
      site: try #require(TopicName("home"))
    )
    let uuid = try #require(UUIDText.parse("F7826DA6-4FA2-4E98-8024-BC5B71E0893E"))
    let beacon = BeaconIdentity(uuid: uuid, major: 1, minor: 7)
    #expect(message == .sighting(.node(.theengs, "OMG"), beacon, rssi: -66, power: -59))
  }

  /// A node that does not know the level writes 0, and no radio receives more: the beacon is there, without a distance.
  @Test(arguments: [0, 1, 20])
  func `a level that no radio receives is left out`(_ level: Int) throws {
    var site = try Self.reception()
    let topic = "espresense/devices/\(ESPresense.name(of: Self.beacon))/kitchen"
    let payload = Array(#"{"rssi@1m":-65,"rssi":\#(level)}"#.utf8)
    site.receive(topic, payload, isRetained: false, at: Self.at(1))
    #expect(site.used == 1 && site.faults.total == 0)
    let levels = site.drain(at: Self.at(9)).inputs.compactMap { input -> Int8?? in
      switch input {
      case .report(let report), .level(let report): .some(report.rssi)
      default: nil
      }
    }
    #expect(levels == [nil])
  }

  @Test(arguments: [
    #"{"rssi":-66,"manufacturerdata":"4c000215"}"#, #"{"rssi":-66,"manufacturerdata":"4c0"}"#,
    #"{"rssi":-66,"uuid":"f7826da64fa24e988024bc5b71e0893e","major":"0001","minor":"000c"}"#,
  ])
  func `other data, or ambiguous numbers, are something else`(_ payload: String) throws {
    let message = try IncomingMessage(
      "home/OMG/BTtoMQTT/AABBCCDDEEFF",
      Array(payload.utf8),
      isRetained: false,
      site: try #require(TopicName("home"))
    )
    #expect(message == .other(.node(.theengs, "OMG")))
  }

  // Row M8.
  @Test func `what is not ours, broken, old or huge is counted and changes nothing`() throws {
    var site = try Self.reception()
    let good = Self.levels(0, 1)
    let cases: [(String, [UInt8], Bool, IncomingFault)] = [
      ("beacons/1/other/hall/levels", good, false, .otherTopic),
      ("beacons/1/home/hall/nonsense", good, false, .otherTopic),
      ("zigbee2mqtt/lamp", good, false, .otherTopic),
      ("home/a/b/c/d", good, false, .otherTopic),
      (Self.topic, good, true, .retained),
      (Self.topic, Array("{\"v\":1,".utf8), false, .notJSON),
      (Self.topic, [0xFF, 0x00, 0x80], false, .notJSON),
      (Self.topic, Array(repeating: UInt8(ascii: "["), count: 100_000), false, .notJSON),
      (Self.topic, Array("[]".utf8), false, .wrongForm),
      (Self.topic, Array("{\"v\":2}".utf8), false, .otherVersion),
      (Self.topic, Self.levels(0, 1, -200), false, .wrongForm),
      (Self.topic, Self.levels(0, 1, .nan), false, .notJSON),
      (Self.topic, Array("{\"v\":1,\"t\":5,\"span\":Infinity}".utf8), false, .wrongForm),
      (Self.topic, Self.levels(0, 1, reports: 0), false, .wrongForm),
      (Self.topic, Self.levels(0, -1), false, .wrongForm),
      // A receiver that did not listen received nothing: it would be there for ever without a state.
      (Self.topic, Self.levels(0, 1, span: 0), false, .wrongForm),
      (Self.topic, Self.levels(0, 1, span: 1e-7), false, .wrongForm),
      (Self.topic, [UInt8](repeating: 0x20, count: 100 << 20), false, .tooLarge),
      ("espresense/devices/iBeacon:1-2/kitchen", good, false, .notABeacon),
      (
        "espresense/devices/\(ESPresense.name(of: Self.beacon))/kitchen",
        Array(#"{"rssi@1m":-65}"#.utf8),
        false,
        .wrongForm
      ),
    ]
    for (topic, payload, isRetained, fault) in cases {
      let before = site.faults[fault]
      site.receive(topic, payload, isRetained: isRetained, at: Self.at(1))
      #expect(site.faults[fault] == before + 1, "\(topic) \(payload.count) \(fault)")
    }
    #expect(site.used == 0 && site.receiverNames == ["mqtt://home", "kitchen"])
    // What a node sends of another device shows that it listens.
    #expect(
      site.drain(at: Self.at(9)).inputs == [.radio(receiver: 1, .listening, Self.at(1))]
    )
    site.receive(Self.topic, good, at: Self.at(9))
    site.receive(Self.topic, good, at: Self.at(9.1))
    #expect(site.faults[.duplicate] == 1 && site.used == 1)
  }

  @Test func `who only says that it is there takes no number from who receives`() throws {
    var site = try Self.reception()
    func radio(_ gateway: Int) -> (topic: String, payload: String) {
      let states = (0..<64).map { #"{"name":"r\#($0)","state":"off"}"# }.joined(separator: ",")
      let payload = #"{"v":1,"t":"\#(RFC3339.string(Self.at(0)))","receivers":[\#(states)]}"#
      return ("beacons/1/home/g\(gateway)/radio", payload)
    }
    // Kept by the broker, of a stranger who was there once.
    for number in 0..<300 {
      let node = "espresense/rooms/room\(number)/status"
      site.receive(node, Array("online".utf8), isRetained: true, at: Self.at(1))
      let (topic, payload) = radio(number)
      site.receive(topic, Array(payload.utf8), isRetained: true, at: Self.at(1))
    }
    #expect(site.receiverNames.count == 100 && site.faults[.tooManyReceivers] == 300)
    site.receive(Self.topic, Self.levels(0, 1), at: Self.at(1))
    #expect(site.receiverNames.last == "hall/hci0")
    #expect(Self.levels(site.drain(at: Self.at(5))).count == 2)
  }

  @Test func `nobody can fill the tables`() throws {
    var site = try Self.reception()
    for number in 0..<300 {
      let topic = "beacons/1/home/g\(number)/levels"
      site.receive(topic, Self.levels(0, 1), at: Self.at(1))
    }
    #expect(site.receiverNames.count == 200 && site.faults[.tooManyReceivers] == 101)
    let many = Self.levels(0, 1, reports: 10_000)
    site.receive("beacons/1/home/room1/levels", many, at: Self.at(1))
    #expect(site.faults[.tooManyReceivers] == 102)
  }

  /// A message of many beacons with many reports each.
  static func flood(_ second: Double, _ sequence: Int, _ beacons: Int = 300) -> [UInt8] {
    let entries = (0..<beacons).map {
      #"["11111111-4FA2-4E98-8024-BC5B71E0893E/9/\#($0)",-60,50,-59]"#
    }
    let head =
      #"{"v":1,"t":"\#(RFC3339.string(at(second)))","boot":"e","seq":\#(sequence),"receiver":"hci0","span":1,"#
    return Array((head + #""beacons":[\#(entries.joined(separator: ","))]}"#).utf8)
  }

  // Row M10.
  @Test func `a gateway that floods the site takes nothing from another one`() throws {
    var site = try Self.reception()
    var dog = 0
    var states: [RadioState] = []
    var remarks: [SiteReception.Remark] = []
    var sequence = 0
    for second in 0..<12 {
      for part in 0..<8 {
        sequence += 1
        let time = Self.at(Double(second) + 1 + Double(part) / 10)
        site.receive(
          "beacons/1/home/evil/levels",
          Self.flood(Double(second), sequence),
          at: time
        )
      }
      site.receive(
        Self.topic,
        Self.levels(Double(second), second),
        at: Self.at(Double(second) + 1.9)
      )
      let batch = site.drain(at: Self.at(Double(second) + 1.95))
      dog += batch.inputs.count { input in
        if case .level(let report) = input {
          site.receiverNames[Int(report.receiver)] == "hall/hci0"
        } else {
          false
        }
      }
      states += batch.inputs.compactMap { input in
        guard case .radio(let receiver, let state, _) = input,
          site.receiverNames[Int(receiver)] == "hall/hci0"
        else { return nil }
        return state
      }
      remarks += site.drainRemarks()
    }
    let rest = site.drain(at: Self.at(15.5))
    dog += rest.inputs.count { input in
      if case .level(let report) = input {
        site.receiverNames[Int(report.receiver)] == "hall/hci0"
      } else {
        false
      }
    }
    #expect(site.faults[.tooMany] > 0)
    #expect(dog == 24 && states == [.listening])
    #expect(remarks == [.sendsTooMuch(.gateway("evil"))])
  }

  @Test func `invented names of gateways are a few lines, and the others a number`() throws {
    var site = try Self.reception()
    var remarks: [SiteReception.Remark] = []
    for second in 0..<40 {
      let now = Self.at(Double(second) + 100)
      for gateway in 0..<100 {
        let topic = "beacons/1/home/g\(gateway)/levels"
        site.receive(topic, Self.levels(0, second), at: now)
        site.missed(at: now, []) { $0 == .gateway("g\(gateway)") }
      }
      _ = site.drain(at: now)
      remarks += site.drainRemarks()
    }
    #expect(remarks.count == 2 * SiteReception.mostNamed + 1)
    #expect(remarks.last == .notNamed(100 - SiteReception.mostNamed))
    // An hour later others may be named.
    site.missed(at: Self.at(3800), []) { $0 == .gateway("g90") }
    #expect(site.drainRemarks() == [.sendsTooMuch(.gateway("g90"))])
  }

  @Test func `a sender without a receiver is also named`() throws {
    var site = try Self.reception()
    site.missed(at: Self.at(1), [.gateway("evil"), .unknown]) { _ in false }
    #expect(site.drainRemarks() == [.sendsTooMuch(.gateway("evil"))])
  }

  // Row M10.
  @Test func `a second that was left out or is missing was not listened to`() throws {
    var site = try Self.reception()
    site.receive(Self.topic, Self.levels(0, 1), at: Self.at(1.1))
    site.receive(Self.topic, Self.levels(2, 2), at: Self.at(3.1))
    // The queue before the site left out a message of the third second.
    site.missed(at: Self.at(4.1), []) { $0 == .gateway("hall") }
    site.receive(Self.topic, Self.levels(4, 4), at: Self.at(5.1))
    let states = site.drain(at: Self.at(8)).inputs.filter {
      if case .radio = $0 { true } else { false }
    }
    #expect(
      states == [
        .radio(receiver: 1, .listening, Self.at(0)), .radio(receiver: 1, .gone, Self.at(1)),
        .radio(receiver: 1, .listening, Self.at(2)), .radio(receiver: 1, .gone, Self.at(3)),
        .radio(receiver: 1, .listening, Self.at(4)),
      ]
    )
  }

  // Row M10.
  @Test func `of a message beyond the share no part is used, and its receiver is gone`() throws {
    var site = try Self.reception()
    var sequence = 0
    for part in 0..<20 {
      sequence += 1
      let time = Self.at(1.1 + Double(part) / 100)
      site.receive("beacons/1/home/evil/levels", Self.flood(0, sequence), at: time)
    }
    #expect(site.faults[.tooMany] == 14)
    #expect(Self.radios(site.drain(at: Self.at(4.5))).last == .gone)
    // There is room again.
    site.receive("beacons/1/home/evil/levels", Self.flood(4, 50, 1), at: Self.at(5.1))
    #expect(Self.radios(site.drain(at: Self.at(8))) == [.listening])
  }

  // Row M10.
  @Test func `neither a gateway nor all nodes have every number`() throws {
    var site = try Self.reception()
    for number in 0..<300 {
      let node = "espresense/devices/apple:1005:9-24/room\(number)"
      site.receive(node, Array("{}".utf8), at: Self.at(1))
    }
    #expect(site.receiverNames.count == SiteReception.announcedLimit)
    let beacon = "espresense/devices/\(ESPresense.name(of: Self.beacon))/room"
    for number in 0..<300 {
      site.receive(beacon + "\(number)", Array(#"{"rssi":-70}"#.utf8), at: Self.at(1))
    }
    #expect(site.receiverNames.count == SiteReception.nodeLimit)
    for number in 0..<64 {
      let line = String(decoding: Self.levels(0, number), as: UTF8.self)
      let other = line.replacing("hci0", with: "r\(number)")
      site.receive("beacons/1/home/evil/levels", Array(other.utf8), at: Self.at(1))
    }
    #expect(site.receiverNames.count == SiteReception.nodeLimit + SiteReception.receiversOfGateway)
    site.receive(Self.topic, Self.levels(0, 1), at: Self.at(1))
    #expect(site.receiverNames.last == "hall/hci0")
  }

  // Row M10.
  @Test func `gateways that invent receivers leave numbers to later gateways`() throws {
    var site = try Self.reception()
    let beacon = "espresense/devices/\(ESPresense.name(of: Self.beacon))/room"
    for number in 0..<300 {
      site.receive(beacon + "\(number)", Array(#"{"rssi":-70}"#.utf8), at: Self.at(1))
    }
    for gateway in 0..<8 {
      for number in 0..<64 {
        let line = String(decoding: Self.levels(0, number), as: UTF8.self)
        let other = line.replacing("hci0", with: "r\(number)")
        site.receive("beacons/1/home/evil\(gateway)/levels", Array(other.utf8), at: Self.at(1))
      }
    }
    site.receive(Self.topic, Self.levels(0, 1), at: Self.at(1))
    #expect(site.receiverNames.last == "hall/hci0")
  }

  @Test func `each sender has its share of a full table, and nodes take nothing from gateways`() {
    var shares = SenderShares(limit: 20)
    let (a, b, c) = (SiteSender.gateway("a"), SiteSender.gateway("b"), SiteSender.gateway("c"))
    #expect(shares.mayAdd(10, of: a))
    shares.add(10, of: a)
    #expect(!shares.mayAdd(1, of: a) && shares.mayAdd(5, of: b) && !shares.mayAdd(6, of: b))
    for number in 0..<1000 where shares.mayAdd(1, of: .node(.theengs, "\(number)")) {
      shares.add(1, of: .node(.theengs, "\(number)"))
    }
    #expect(!shares.mayAdd(1, of: .node(.espresense, "a")) && shares.mayAdd(5, of: b))
    shares.add(5, of: b)
    #expect(!shares.mayAdd(1, of: b) && shares.mayAdd(2, of: c) && !shares.mayAdd(3, of: c))
    shares.add(-8, of: a)
    #expect(shares.mayAdd(3, of: a))
  }

  @Test func `however many names are invented, a half has at most twice its limit`() {
    let limit = 1_000_000
    var shares = SenderShares(limit: 2 * limit)
    var total = 0
    for number in 0..<5000 {
      let sender = SiteSender.node(.espresense, "\(number)")
      // As much as it may, by steps of any size.
      for step in [100_000, 1000, 10, 1] {
        while shares.mayAdd(step, of: sender) {
          shares.add(step, of: sender)
          total += step
        }
      }
    }
    #expect((limit...2 * limit).contains(total))
    // Ten that are greedy leave something to an eleventh.
    var few = SenderShares(limit: 2 * limit)
    for number in 0..<10 {
      let sender = SiteSender.gateway("\(number)")
      while few.mayAdd(10, of: sender) { few.add(10, of: sender) }
    }
    let newcomer = few.mayAdd(400, of: .gateway("hall"))
    #expect(newcomer)
  }

  @Test func `a topic shows the kind of its sender and its name`() {
    let topics = [
      "beacons/1/home/hall/levels", "espresense/devices/x/hall", "espresense/rooms/hall/status",
      "home/hall/LWT", "home/hall/BTtoMQTT/AA", "other/x",
    ]
    let senders = topics.map { IncomingMessage.sender(of: $0) }
    let (room, bridge) = (SiteSender.node(.espresense, "hall"), SiteSender.node(.theengs, "hall"))
    #expect(senders == [.gateway("hall"), room, room, bridge, bridge, nil])
    #expect("\(room), \(bridge)" == "ESPresense node 'hall', Theengs node 'hall'")
  }

  static let kitchen = (
    room: "espresense/devices/\(ESPresense.name(of: beacon))/kitchen",
    roomState: "espresense/rooms/kitchen/status", bridge: "home/kitchen/BTtoMQTT/AABBCCDDEEFF",
    bridgeState: "home/kitchen/LWT"
  )

  // Row M16.
  @Test(arguments: [true, false])
  func `nodes of two kinds with one name are two, and no state of one is the other's`(
    _ isRoomFirst: Bool
  ) throws {
    var site = try Self.reception()
    let (topics, report) = (Self.kitchen, Array(#"{"rssi":-60}"#.utf8))
    let order = isRoomFirst ? [topics.room, topics.bridge] : [topics.bridge, topics.room]
    for topic in order { site.receive(topic, report, at: Self.at(1)) }
    let names = ["mqtt://home", "kitchen", isRoomFirst ? "theengs:kitchen" : "espresense:kitchen"]
    #expect(site.receiverNames == names)
    let (room, bridge): (UInt8, UInt8) = isRoomFirst ? (1, 2) : (2, 1)
    #expect(Self.radios(site.drain(at: Self.at(5))) == [.listening, .listening])
    site.receive(topics.roomState, Array("offline".utf8), at: Self.at(6))
    // The other one reports something else.
    site.receive(topics.bridge, report, at: Self.at(6))
    #expect(site.drain(at: Self.at(9)).inputs == [.radio(receiver: room, .gone, Self.at(6))])
    site.receive(topics.room, report, at: Self.at(10))
    site.receive(topics.bridgeState, Array("offline".utf8), at: Self.at(10))
    // Nor is a message of one left out for the other.
    site.missed(at: Self.at(11), []) { $0 == .node(.espresense, "kitchen") }
    #expect(
      site.drain(at: Self.at(14)).inputs.filter { $0.report == nil && Self.isState($0) } == [
        .radio(receiver: room, .listening, Self.at(10)),
        .radio(receiver: bridge, .gone, Self.at(10)), .radio(receiver: room, .gone, Self.at(11)),
      ]
    )
    #expect(site.receiverNames == names)
  }

  static func isState(_ input: ScanInput) -> Bool { if case .radio = input { true } else { false } }

  // Row M16.
  @Test func `each receiver has another name, however nodes are called`() throws {
    var site = try Self.reception()
    let report = Array(#"{"rssi":-60}"#.utf8)
    // A node may be called as another one is shown.
    site.receive(
      Self.kitchen.room.replacing("kitchen", with: "theengs:kitchen"),
      report,
      at: Self.at(1)
    )
    site.receive(Self.kitchen.room, report, at: Self.at(1))
    site.receive(Self.kitchen.bridge, report, at: Self.at(1))
    // And as a gateway: that has receivers, each with its own states.
    for (number, receiver) in ["hci0", "hci1"].enumerated() {
      let line = String(decoding: Self.levels(0, number), as: UTF8.self)
      let payload = Array(line.replacing("hci0", with: receiver).utf8)
      site.receive("beacons/1/home/kitchen/levels", payload, at: Self.at(1.1))
    }
    #expect(
      site.receiverNames == [
        "mqtt://home", "theengs:kitchen", "kitchen", "theengs:theengs:kitchen", "kitchen/hci0",
        "kitchen/hci1",
      ]
    )
    _ = site.drain(at: Self.at(4))
    let radio = """
      {"v":1,"t":"\(RFC3339.string(Self.at(4)))","receivers":[{"name":"hci0","state":"off"}]}
      """
    site.receive("beacons/1/home/kitchen/radio", Array(radio.utf8), at: Self.at(4))
    let offline = Array(#"{"v":1,"state":"offline"}"#.utf8)
    site.receive("beacons/1/home/kitchen/status", offline, at: Self.at(4.5))
    site.receive(Self.kitchen.bridgeState, Array("offline".utf8), at: Self.at(5))
    let states = site.drain(at: Self.at(9)).inputs.filter(Self.isState)
    #expect(states.compactMap(\.receiver).sorted() == [3, 4, 4, 5])
  }

  /// Such a node has no state that ends, so its silence would be an exit when the gateway ends.
  @Test func `a site leaves out messages in the form of nodes that a gateway sends`() throws {
    var site = try Self.reception()
    let beacon = RangedBeacon(
      ranged: Self.beacon,
      .near,
      nil,
      rssi: -60,
      reports: 1,
      lastReceived: Self.at(0)
    )
    let room = try #require(TopicName("hall"))
    let message = ESPresense.message(beacon, room: room, NameBook())
    site.receive(message.topic, message.payload, at: Self.at(1))
    #expect(site.receiverNames == ["mqtt://home"] && site.faults[.duplicate] == 1)
  }

  // Row M10.
  @Test(arguments: [(0.0003, 1), (0.0099, 1), (0.02, 5)])
  func `seconds that a corrected clock stretches follow each other`(
    _ apart: Double,
    _ expected: Int
  ) throws {
    var site = try Self.reception()
    for number in 0..<5 {
      let second = Double(number) * (1 + apart)
      site.receive(Self.topic, Self.levels(second, number), at: Self.at(second + 1.1))
    }
    let states = site.drain(at: Self.at(8)).inputs.filter(Self.isState)
    #expect(
      states.count { if case .radio(_, .listening, _) = $0 { true } else { false } } == expected
    )
  }

  @Test func `what a gateway sends is what a site receives`() throws {
    var feed = try GatewayFeedTests.feed()
    var site = try Self.reception()
    _ = feed.add(.receiver("hci0", .listening, Self.at(0)))
    for second in 0..<5 {
      _ = feed.add(GatewayFeedTests.second(Double(second), [-60, -63]))
      for message in feed.add(.reached(Self.at(Double(second + 1)))) where message.kind == .levels {
        site.receive(message.topic, message.payload, at: Self.at(Double(second) + 1.1))
      }
    }
    let batch = site.drain(at: Self.at(20))
    #expect(site.faults.total == 0 && Self.levels(batch).count == 10)
    #expect(Self.levels(batch).compactMap(\.rssi).map(Int.init).reduce(0, +) == -123 * 5)
  }
}
