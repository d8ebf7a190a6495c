// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

import BeaconCommandLine
import BeaconCommands
import BeaconCore
import BeaconFormats
import BeaconGateway
import BeaconTestSupport
import BrokerClient
import BrokerTestSupport
import CommandTestSupport
import Foundation
import SystemKit
import Testing

@testable import GatewayCommands

/// The command without a broker.
@Suite struct GatewayUsageTests {
  static let program = Program(
    adding: [(.receivers, GatewayCommand.command([.broker]))],
    sources: [.broker]
  )

  static func run(_ arguments: [String], environment: [String: String] = [:]) -> CommandRun {
    CommandRun(of: program, arguments, environment: environment)
  }

  static let gateway = [
    "gateway", "--from", CommandRun.capture("walk.btsnoop"), "--site", "home", "--gateway", "hall",
  ]

  @Test func `what is missing or wrong is said, with the code of a wrong command line`() {
    let cases: [([String], String)] = [
      (Self.gateway, "needs --broker mqtt[s]://HOST[:PORT]; see"),
      (Self.gateway + ["--broker", "pi.local"], "starts with mqtt:// or mqtts://"),
      (Self.gateway + ["--broker", "mqtt://me:secret@pi"], "has no account in it"),
      (["gateway"], "needs --broker mqtt[s]://HOST[:PORT]; see"),
      (
        ["gateway", "--broker", "mqtt://pi", "--site", "a/b", "--gateway", "a"], "cannot be a part"
      ),
      (Self.gateway + ["--broker", "mqtt://pi/cabin"], "--site is 'home', and the address of the"),
      (["range", "--from", "mqtt://pi"], "names no site"),
      (
        ["range", "--from", "mqtt://pi/home", "--from", "a.jsonl"],
        "'mqtt://pi/home' is live and cannot be merged with captures"
      ),
      (["range", "--from", "mqtt://pi/home", "--from", "mqtt://pi/home"], "is named twice"),
      (["range", "--from", "mqtt://pi/home", "--from", "mqtt://pi"], "names no site"),
    ]
    for (arguments, text) in cases {
      let run = Self.run(arguments)
      #expect(run.code == .usage && run.errors.contains(text), "\(arguments): \(run.errors)")
      #expect(!run.errors.contains("secret"))
    }
  }

  @Test func `without names the site is home, and the gateway has the machine's name`() throws {
    let folder = try ScratchFolder().path("state")
    _ = Self.run(
      ["gateway", "--from", CommandRun.capture("walk.btsnoop"), "--broker", "mqtt://127.0.0.1:1"],
      environment: ["STATE_DIRECTORY": folder]
    )
    let machine = HostName.current.prefix { $0 != "." }
    #expect(
      try FileManager.default.contentsOfDirectory(atPath: folder) == ["gateway-\(machine)@home"]
    )
  }

  @Test func `a file that is missing and looks like an address has a hint`() {
    let run = Self.run(["range", "--from", "mqtt:pi/home"])
    #expect(run.code == .noInput)
    #expect(run.errors.contains("a source in the network is esphome://HOST or mqtt://HOST/SITE"))
    for address in ["service:", "mqtt://pi/home", "esphome://hall.local"] {
      let captures = Self.run(["inspect", address])
      #expect(captures.errors.contains("'beaconctl range --from \(address) --record FILE' records"))
    }
  }

  @Test func `the address of the broker names the site, as that of a source does`() throws {
    let folder = try ScratchFolder().path("state")
    let run = Self.run(
      [
        "gateway", "--from", CommandRun.capture("walk.btsnoop"), "--gateway", "hall",
        "--broker", "mqtt://127.0.0.1:1/cabin",
      ],
      environment: ["STATE_DIRECTORY": folder]
    )
    #expect(run.errors.contains("no beacon is sent: name some"))
    #expect(try FileManager.default.contentsOfDirectory(atPath: folder) == ["gateway-hall@cabin"])
  }

  @Test func `files that are missing or hold no password`() throws {
    let folder = try ScratchFolder()
    let empty = try folder.write("\n", to: "empty")
    func login(_ file: String) throws -> [String] {
      let text = "{ brokers: { '127.0.0.1': { passwordFile: '\(file)' } } }"
      return Self.gateway + [
        "--broker", "mqtt://127.0.0.1", "--config", try folder.write(text, to: "c.json5"),
      ]
    }
    let missing = Self.run(try login(folder.path("none")))
    #expect(missing.code == .noInput && missing.errors.contains("none"))
    let wrong = Self.run(try login(empty))
    #expect(wrong.code == .badData && wrong.errors.contains("is not a password"))
    let text = "{ brokers: { pi: { user: 1, certificate: 'a', word: 2 } } }"
    let config = try folder.write(text, to: "wrong.json5")
    let faults = Self.run(Self.gateway + ["--broker", "mqtt://pi", "--config", config])
    #expect(faults.code == .badConfiguration)
    for fault in ["user must be a text", "'certificate' and 'key'", "'word'"] {
      #expect(faults.errors.contains(fault))
    }
    let model = try folder.write("{}", to: "model.json")
    let spool = Self.run(Self.gateway + ["--broker", "mqtt://127.0.0.1", "--spool", empty])
    #expect(spool.code == .usage && spool.errors.contains("is a file, and a folder is wanted"))
    let noModel = Self.run(Self.gateway + ["--broker", "mqtt://127.0.0.1", "--model", model])
    #expect(noModel.code == .badData && noModel.errors.contains("model.json:"))
  }

  @Test func `however often Home Assistant starts, its discovery is sent once in ten seconds`() {
    var turn = DiscoveryTurn()
    let start = Uptime.now
    var sent: [Int] = []
    for tenth in 0..<400 {
      let now = start + .milliseconds(100 * tenth)
      // It starts all the time for fifteen seconds.
      if turn.isDue(isAsked: tenth < 150, at: now) { sent.append(tenth) }
    }
    #expect(sent == [0, 100, 200])
    let later = turn.isDue(isAsked: true, at: start + .seconds(60))
    #expect(later)
  }

  @Test func `no broker`() throws {
    let folder = try ScratchFolder()
    // Nobody listens on port 1 of this machine, and nobody can without being root.
    for command in [
      Self.gateway + ["--broker", "mqtt://127.0.0.1:1", "--spool", folder.path("spool")],
      ["range", "--from", "mqtt://127.0.0.1:1/home"],
      ["range", "--from", "mqtt://127.0.0.1:1/home", "--from", "mqtt://127.0.0.1:1/cabin"],
    ] {
      let run = Self.run(command)
      #expect(run.code == .unavailable, "\(run.errors)")
      // The second reason is that of version 2.1 of libmosquitto, which loses the first.
      let reasons = ["Connection refused", "the connection was refused, or it ended at once"]
      #expect(
        reasons.contains { run.errors.contains("no broker answers at mqtt://127.0.0.1:1: \($0)\n") }
      )
    }
  }
}

/// The command with a real broker.
@Suite(
  .enabled(if: Mosquitto.isThere, "mosquitto is not installed; tools/setup installs it"),
  .serialized
)
struct GatewayBrokerTests {
  static let patience: Int32 = 60_000

  /// A link that is connected and subscribed.
  static func listener(
    _ broker: Mosquitto,
    _ topics: [String] = ["beacons/#", "homeassistant/#", "espresense/#"]
  ) throws -> BrokerLink {
    // Who receives the retained message is subscribed to all that was subscribed before it.
    _ = try broker.run("mosquitto_pub", ["-r", "-t", "ready", "-m", "x"])
    var setup = BrokerLink.Setup(
      BrokerAccess(
        try BrokerAddress(parsing: "mqtt://127.0.0.1:\(broker.port)"),
        clientID: "listener-\(UInt64.random(in: .min ... .max))"
      )
    )
    setup.subscriptions = topics + ["ready"]
    let link = try BrokerLink(setup)
    var isReady = false
    #expect(
      link.wait(milliseconds: patience) { link in
        isReady = isReady || link.drainReceived().messages.contains { $0.topic == "ready" }
        return isReady
      }
    )
    return link
  }

  static func gateway(_ broker: Mosquitto, _ folder: ScratchFolder, _ more: [String]) -> CommandRun
  {
    GatewayUsageTests.run(
      GatewayUsageTests.gateway + [
        "--broker", "mqtt://127.0.0.1:\(broker.port)", "--spool", folder.path("spool"),
        "--speed", "1000x",
      ] + more
    )
  }

  /// A beacon comes after a minute and goes after half of one; the receiver listens for 200 s.
  static var visit: String {
    func time(_ seconds: Double) -> String { RFC3339.string(TestScan.at(seconds)) }
    var lines = [
      #"{"v":1,"type":"radio","t":"\#(time(0))","receiver":"hci0","state":"listening"}"#
    ]
    for second in 0..<200 {
      lines.append(#"{"v":1,"type":"mark","t":"\#(time(Double(second)))"}"#)
      guard (60..<90).contains(second) else { continue }
      lines.append(
        #"{"v":1,"type":"sighting","t":"\#(time(Double(second) + 0.5))","uuid":"\#(UUIDText.string(TestScan.museum))","#
          + #""major":1,"minor":7,"power":-59,"rssi":-60,"receiver":"hci0","address":"C0:11:22:33:44:55"}"#
      )
    }
    lines.append(#"{"v":1,"type":"end","t":"\#(time(200))"}"#)
    return lines.map { $0 + "\n" }.joined()
  }

  // Row M2.
  @Test func `a replay sends each second, crossings and states, and ends offline`() throws {
    let (broker, folder) = (try Mosquitto(), try ScratchFolder())
    let listener = try Self.listener(broker)
    defer { listener.stop() }
    let capture = try folder.write(Self.visit, to: "visit.jsonl")
    let run = GatewayUsageTests.run([
      "gateway", "--from", capture, "--site", "home", "--gateway", "hall", "--speed", "1000x",
      "--broker", "mqtt://127.0.0.1:\(broker.port)", "--spool", folder.path("spool"),
      "--region", "all=F7826DA6-4FA2-4E98-8024-BC5B71E0893E", "--home-assistant", "--espresense",
    ])
    #expect(run.code == .done, "\(run.errors)")
    var messages: [BrokerLink.Received] = []
    _ = listener.wait(milliseconds: Self.patience) { link in
      messages += link.drainReceived().messages
      return messages.contains { message in
        message.topic == "beacons/1/home/hall/status"
          && String(decoding: message.payload, as: UTF8.self).contains("offline")
      }
    }
    let kinds = Dictionary(grouping: messages) {
      $0.topic.split(separator: "/").last.map(String.init)
    }
    let levels = kinds["levels"] ?? []
    let sequences = try levels.map { try JSON5.parse($0.payload)["seq"]?.content }
    #expect(
      levels.count > 190 && Set(sequences.map { "\($0.debugDescription)" }).count == levels.count
    )
    #expect(kinds["crossing"]?.count == 2)
    // The gateway, again with its receiver, and a region.
    #expect(kinds["config"]?.count == 3)
    #expect(kinds["all"]?.count ?? 0 > 1)
    // No address of a device leaves the gateway.
    let addresses = /[0-9A-Fa-f]{2}(:[0-9A-Fa-f]{2}){5}/
    for message in messages {
      #expect(String(decoding: message.payload, as: UTF8.self).firstMatch(of: addresses) == nil)
    }
    // A tool of others reads the same: the last state is retained.
    let kept = try broker.run(
      "mosquitto_sub",
      ["-t", "beacons/1/home/hall/status", "-C", "1", "-W", "20"]
    )
    #expect(kept.contains("\"state\":\"offline\""))
  }

  @Test func `a broker that wants an account`() throws {
    let broker = try Mosquitto(
      ["allow_anonymous false", "password_file FOLDER/users"],
      files: ["users": ""]
    )
    let folder = try ScratchFolder()
    let none = Self.gateway(broker, folder, [])
    #expect(
      none.code == .notPermitted && none.errors.contains("wants an account"),
      "\(none.errors)"
    )
    let password = try folder.write("hunter2\n", to: "password")
    let login = "{ brokers: { '127.0.0.1': { user: 'hall', passwordFile: '\(password)' } } }"
    let wrong = Self.gateway(broker, folder, ["--config", try folder.write(login, to: "c.json5")])
    #expect(wrong.code == .notPermitted && wrong.errors.contains("refuses this user"))
    #expect(!wrong.errors.contains("hunter2"))
  }

  @Test(.slow) func `a broker is a source, and its recording replays to the same events`() throws {
    let (broker, folder) = (try Mosquitto(), try ScratchFolder())
    let link = try Self.listener(broker, [])
    defer { link.stop() }
    let address = "mqtt://127.0.0.1:\(broker.port)/home"
    let recording = folder.path("recorded.jsonl")
    let node = GatewayNode(link)
    let sink = GatewayUsageTests.program
    var rounds = 0
    let live = CommandRun(
      of: sink,
      ["range", "--from", address, "--format", "jsonl", "--record", recording],
      isInterrupted: {
        node.advance()
        // Junk beside it changes nothing.
        link.submit([GatewayMessage(.passing, "beacons/1/home/hall/levels", Array("{".utf8))])
        rounds += 1
        return node.sent >= 7 && rounds > 60
      }
    )
    #expect(live.code == .interrupted || live.code == .done, "\(live.errors)")
    #expect(live.output.contains("\"minor\":7"), "\(live.output.suffix(600)) \(live.errors)")
    #expect(live.errors.contains("not used: notJSON"))
    let replay = CommandRun(of: sink, ["range", "--from", recording, "--format", "jsonl"])
    #expect(replay.output == live.output)
  }
}

/// What a real broker and its restarts do to a run (row M6).
@Suite(
  .enabled(if: Mosquitto.isThere, "mosquitto is not installed; tools/setup installs it"),
  .serialized
)
struct SiteRestartRunTests {
  private static func monitor(_ broker: Mosquitto, _ recording: String) -> [String] {
    [
      "monitor", "--from", "mqtt://127.0.0.1:\(broker.port)/home", "--format", "jsonl",
      "--region", "all=F7826DA6-4FA2-4E98-8024-BC5B71E0893E", "--record", recording,
    ] + settings
  }

  /// Short times, so that what would be concluded is concluded within the test.
  private static let settings = [
    "--set", "region.initialDetermination=1", "--set", "region.exit=3",
  ]

  /// Checks that nothing is concluded, and that the recording replays to the same events.
  private static func check(_ live: CommandRun, _ recording: String) {
    #expect(live.code == .interrupted || live.code == .done, "\(live.errors)")
    #expect(!live.output.contains(#""state":"outside""#), "\(live.output)")
    #expect(!live.output.contains("region.exit"), "\(live.output)")
    let replay = CommandRun(
      of: GatewayUsageTests.program,
      [
        "monitor", "--from", recording, "--format", "jsonl", "--region",
        "all=F7826DA6-4FA2-4E98-8024-BC5B71E0893E",
      ] + settings
    )
    #expect(replay.output == live.output)
  }

  @Test(.slow) func `of a site that only the broker remembers nothing is concluded`() throws {
    let (broker, folder) = (try Mosquitto(), try ScratchFolder())
    for (topic, text) in [
      ("beacons/1/home/hall/status", #"{"v":1,"state":"offline"}"#),
      ("beacons/1/home/attic/status", #"{"v":1,"state":"online"}"#),
      ("espresense/rooms/kitchen/status", "online"), ("home/porch/LWT", "online"),
    ] { _ = try broker.run("mosquitto_pub", ["-r", "-t", topic, "-m", text]) }
    let recording = folder.path("recorded.jsonl")
    var rounds = 0
    let live = CommandRun(
      of: GatewayUsageTests.program,
      Self.monitor(broker, recording),
      environment: ["XDG_STATE_HOME": folder.path("state")],
      isInterrupted: {
        rounds += 1
        return rounds > 60
      }
    )
    #expect(live.output.contains(#""code":"radioGone""#), "\(live.output)")
    Self.check(live, recording)
  }

  @Test(.slow) func `a broker that is killed and started again makes no beacon leave`() throws {
    let (broker, folder) = (try Mosquitto(), try ScratchFolder())
    let link = try GatewayBrokerTests.listener(broker, [])
    defer { link.stop() }
    let recording = folder.path("recorded.jsonl")
    let node = GatewayNode(link)
    var (rounds, killed, started) = (0, 0, 0)
    let live = CommandRun(
      of: GatewayUsageTests.program,
      Self.monitor(broker, recording),
      environment: ["XDG_STATE_HOME": folder.path("state")],
      isInterrupted: {
        node.advance()
        rounds += 1
        if killed == 0, node.sent >= 8 {
          broker.kill()
          killed = rounds
        } else if killed > 0, started == 0, rounds > killed + 60 {
          try? broker.start()
          started = rounds
        }
        return started > 0 && rounds > started + 60
      }
    )
    let states = live.lines.filter { $0.contains("region.state") }
    #expect(states.first?.contains(#""state":"inside""#) == true, "\(live.output) \(live.errors)")
    #expect(states.contains { $0.contains(#""reason":"radioGone""#) }, "\(live.output)")
    Self.check(live, recording)
  }
}

/// A gateway that sends the seconds that have passed, with one beacon in each.
final class GatewayNode {
  private let link: BrokerLink
  private var feed: GatewayFeed?
  private var last = Timestamp.earliest
  private(set) var sent = 0
  private static let beacon = BeaconIdentity(uuid: TestScan.museum, major: 1, minor: 7)

  init(_ link: BrokerLink) {
    self.link = link
    guard let site = TopicName("home"), let name = TopicName("hall") else { return }
    feed = GatewayFeed(
      SiteTopics(site: site, gateway: name),
      boot: "test",
      version: "1",
      GatewayContents()
    )
  }

  func advance() {
    let now = Timestamp(microseconds: Int64(Date().timeIntervalSince1970 * 1_000_000)).wholeSecond
    guard now > last else { return }
    if last == .earliest { _ = feed?.add(.receiver("hci0", .listening, now - .seconds(1))) }
    var second = ReceivedSecond(
      second: now - .seconds(1),
      identity: Self.beacon,
      receiver: "hci0",
      ReceivedSum()
    )
    for level in [Int8(-60), -62, -61] { second.sum.add(rssi: level, power: -59, at: now) }
    _ = feed?.add(.reports(second))
    let messages = feed?.add(.reached(now)) ?? []
    link.submit(messages)
    sent += messages.count
    last = now
  }
}
