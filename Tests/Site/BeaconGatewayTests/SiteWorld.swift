// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

import BeaconCore
import BeaconFormats
import BeaconTestSupport
import Testing

@testable import BeaconGateway

/// A broker, gateways, and a program that monitors a region, each of which is killed and started again.
///
/// One beacon stays beside those that receive it for as long as ``isPresent``. Times are tenths of a second.
final class SiteWorld {
  /// What happens to a part of the world.
  enum Action: Hashable {
    case startBroker
    case killBroker(keepsStates: Bool)
    case start(String)
    case kill(String)
    /// A clean end: a gateway says that it is offline.
    case stop(String)
    case startMonitor
    case killMonitor
  }

  /// A gateway, or a node of another maker.
  struct Sender {
    let name: String
    var isNode = false
    /// Whether it receives the beacon.
    var receives = true
    /// How long its messages are on the way.
    var delay = 2
    /// How long the broker waits before it says that a killed one is offline.
    var willDelay = 0

    var isRunning = false
    var boots = 0
    var feed: GatewayFeed?
    /// What it retains, by topic.
    var states: [String: [UInt8]] = [:]
    /// When its connection is made; `nil` while it does not try.
    var connects: Int?
    var isConnected = false
    /// When the broker publishes its will.
    var will: Int?
  }

  private struct Message {
    var due: Int
    var topic: String
    var payload: [UInt8]
    var isKept: Bool
  }

  private static let site = "home"
  static let region = Region("dog", .minor(GatewayFeedTests.beacon))

  private(set) var now = 0
  private var senders: [Sender]
  private var isBrokerRunning = false
  private var kept: [String: [UInt8]] = [:]
  private var onTheWay: [Message] = []
  private var monitor: SiteMonitor?
  private var saved: [SavedRegion] = []
  /// Whether the beacon is there.
  var isPresent = true
  /// The configuration of the program that monitors.
  var configuration = Configuration()
  /// Everything that the program delivered, in all of its runs.
  private(set) var events: [Event] = []

  init(_ senders: [Sender] = [Sender(name: "hall")]) { self.senders = senders }

  private var time: Timestamp { TestScan.at(Double(now) / 10) }

  /// The crossings and states that say that the beacon is not there.
  var departures: [Event] {
    events.filter { event in
      switch event {
      case .regionExited, .regionState(_, .outside, _, _): true
      default: false
      }
    }
  }

  /// The state of the region in the running program.
  var state: RegionState? {
    events.reversed().lazy.compactMap { event -> RegionState? in
      if case .regionState(_, let state, _, _) = event { state } else { nil }
    }.first
  }

  // MARK: Time

  func perform(_ action: Action) throws {
    switch action {
    case .startBroker:
      guard !isBrokerRunning else { return }
      isBrokerRunning = true
      for index in senders.indices where senders[index].isRunning { connect(index) }
    case .killBroker(let keepsStates):
      isBrokerRunning = false
      onTheWay = []
      if !keepsStates { kept = [:] }
      for index in senders.indices {
        (senders[index].isConnected, senders[index].connects, senders[index].will) =
          (false, nil, nil)
      }
      monitor?.lose(at: time)
    case .start(let name): try start(number(of: name))
    case .kill(let name):
      let index = number(of: name)
      guard senders[index].isRunning else { return }
      end(index)
      senders[index].will = isBrokerRunning ? now + senders[index].willDelay : nil
    case .stop(let name):
      let index = number(of: name)
      guard senders[index].isRunning else { return }
      if senders[index].isConnected { say(isOnline: false, index) }
      end(index)
    case .startMonitor:
      if monitor == nil { monitor = try SiteMonitor(Self.site, configuration, saved, at: time) }
    case .killMonitor: endMonitor()
    }
  }

  /// Lets time pass.
  func run(seconds: Double) throws {
    for _ in 0..<Int(seconds * 10) { try step() }
  }

  private func step() throws {
    now += 1
    for index in senders.indices {
      if let will = senders[index].will, will <= now {
        senders[index].will = nil
        say(isOnline: false, index)
      }
      if senders[index].connects == now { online(index) }
      if senders[index].isRunning, now.isMultiple(of: 10) { describe(index) }
    }
    deliver()
    guard let monitor else { return }
    if isBrokerRunning, monitor.connects(at: now) {
      for (topic, payload) in kept.sorted(by: { $0.key < $1.key }) {
        monitor.receive(topic, payload, isRetained: true, at: time)
      }
    }
    events += monitor.advance(to: time)
  }

  private func deliver() {
    let due = onTheWay.filter { $0.due <= now }
    onTheWay.removeAll { $0.due <= now }
    for message in due {
      if message.isKept { kept[message.topic] = message.payload }
      monitor?.receive(message.topic, message.payload, isRetained: false, at: time)
    }
  }

  private func send(_ index: Int, _ topic: String, _ payload: [UInt8], isKept: Bool) {
    let message = Message(
      due: now + senders[index].delay,
      topic: topic,
      payload: payload,
      isKept: isKept
    )
    if isBrokerRunning { onTheWay.append(message) }
  }

  // MARK: The program

  private func endMonitor() {
    guard let monitor else { return }
    monitor.play()
    // What is not known is not kept; what an earlier run knew stays.
    let known = monitor.saved.filter { $0.state != .unknown || $0.lastKnown != nil }
    if !known.isEmpty { saved = known }
    self.monitor = nil
    let replayed = monitor.replayed()
    #expect(replayed == monitor.delivered, "the recording of a run delivers something else")
  }

  /// Ends what runs, and compares the last run with its recording.
  func end() { endMonitor() }

  // MARK: Gateways

  private func number(of name: String) -> Int {
    senders.firstIndex { $0.name == name } ?? 0
  }

  private func start(_ index: Int) throws {
    guard !senders[index].isRunning else { return }
    senders[index].isRunning = true
    senders[index].boots += 1
    if isBrokerRunning { connect(index) }
    guard !senders[index].isNode else { return }
    let topics = SiteTopics(
      site: try #require(TopicName(Self.site)),
      gateway: try #require(TopicName(senders[index].name))
    )
    var feed = GatewayFeed(
      topics,
      boot: "b\(senders[index].boots)",
      version: "1",
      GatewayContents()
    )
    var messages = [feed.status(isOnline: true, at: time)] + feed.begin(at: time)
    messages += feed.add(.receiver("hci0", .listening, time)) + feed.add(.reached(time))
    senders[index].feed = feed
    publish(messages, index)
  }

  private func end(_ index: Int) {
    senders[index].isRunning = false
    (senders[index].isConnected, senders[index].connects) = (false, nil)
    (senders[index].feed, senders[index].states) = (nil, [:])
  }

  private func connect(_ index: Int) { senders[index].connects = now + 5 + index }

  private func online(_ index: Int) {
    (senders[index].isConnected, senders[index].connects, senders[index].will) = (true, nil, nil)
    if senders[index].isNode { say(isOnline: true, index) }
    for (topic, payload) in senders[index].states.sorted(by: { $0.key < $1.key }) {
      send(index, topic, payload, isKept: true)
    }
  }

  private func say(isOnline: Bool, _ index: Int) {
    let (name, word) = (senders[index].name, isOnline ? "online" : "offline")
    if senders[index].isNode {
      send(index, "espresense/rooms/\(name)/status", Array(word.utf8), isKept: true)
    } else {
      let text = #"{"v":1,"state":"\#(word)"}"#
      send(index, "beacons/1/\(Self.site)/\(name)/status", Array(text.utf8), isKept: true)
    }
  }

  private func describe(_ index: Int) {
    let receives = senders[index].receives && isPresent
    if senders[index].isNode {
      guard senders[index].isConnected else { return }
      // It always receives something.
      let device =
        receives ? ESPresense.name(of: GatewayFeedTests.beacon) : "apple:1005:9-\(now % 7)"
      let payload = Array(#"{"rssi@1m":-59,"rssi":-60}"#.utf8)
      send(index, "espresense/devices/\(device)/\(senders[index].name)", payload, isKept: false)
      return
    }
    let second = Double(now) / 10 - 1
    var messages: [GatewayMessage] = []
    if receives {
      messages += senders[index].feed?.add(GatewayFeedTests.second(second, [-60, -61, -62])) ?? []
    }
    messages += senders[index].feed?.add(.reached(time)) ?? []
    publish(messages, index)
  }

  private func publish(_ messages: [GatewayMessage], _ index: Int) {
    for message in messages {
      if message.kind == .state { senders[index].states[message.topic] = message.payload }
      guard senders[index].isConnected, message.kind != .event else { continue }
      send(index, message.topic, message.payload, isKept: message.kind == .state)
    }
  }
}

/// A run of a program that monitors the region of a site, with its recording.
final class SiteMonitor {
  private var site: SiteReception
  private var driver: EngineDriver
  private let client: ClientID
  private let configuration: Configuration
  private let restored: [SavedRegion]
  private let start: Timestamp
  private var connection: Int?
  private var isConnected = false
  private var recorded = ScanBatch()
  private(set) var delivered: [Delivery] = []

  init(
    _ name: String,
    _ configuration: Configuration,
    _ restored: [SavedRegion],
    at time: Timestamp
  ) throws {
    site = SiteReception(try #require(TopicName(name)), at: time)
    (self.configuration, self.restored, start) = (configuration, restored, site.reached)
    driver = EngineDriver(configuration, startingAt: start, keepsSlices: true)
    client = Self.begin(&driver, restored)
  }

  private static func begin(
    _ driver: inout EngineDriver,
    _ restored: [SavedRegion]
  ) -> ClientID {
    let client = driver.connect(restoring: restored)
    if restored.isEmpty { driver.request(.monitor(SiteWorld.region), by: client) }
    return client
  }

  /// Whether the connection to the broker is made at a time; it takes a moment.
  func connects(at now: Int) -> Bool {
    guard !isConnected else { return false }
    guard let time = connection else {
      connection = now + 3
      return false
    }
    isConnected = now >= time
    return isConnected
  }

  func lose(at time: Timestamp) {
    (connection, isConnected) = (nil, false)
    site.lost(at: time)
  }

  func receive(_ topic: String, _ payload: [UInt8], isRetained: Bool, at time: Timestamp) {
    if isConnected { site.receive(topic, payload, isRetained: isRetained, at: time) }
  }

  func advance(to time: Timestamp) -> [Event] {
    let before = delivered.count
    play()
    let batch = site.drain(at: time)
    driver.name(receivers: site.receiverNames)
    driver.supply(batch)
    play()
    return delivered[before...].map(\.event)
  }

  /// Does what is due without further inputs.
  func play() {
    while true {
      switch driver.next() {
      case .deliver(let deliveries): delivered += deliveries
      case .record(let slice):
        for (input, time) in zip(slice.batch.inputs[slice.range], slice.admitted) {
          recorded.append(input.at(time), pointingTo: slice.batch.payload(of: input))
        }
        if let time = slice.upTo { recorded.inputs.append(.mark(time)) }
      case .pull, .ended: return
      case .willPerform, .recordAction, .sourceEnded: continue
      }
    }
  }

  var saved: [SavedRegion] { driver.saved(client).regions }

  /// What the recording of the run delivers.
  func replayed() -> [Delivery] {
    var replay = EngineDriver(configuration, startingAt: start)
    _ = Self.begin(&replay, restored)
    replay.name(receivers: site.receiverNames)
    var all: [Delivery] = []
    var isSupplied = false
    while true {
      switch replay.next() {
      case .deliver(let deliveries): all += deliveries
      case .pull where !isSupplied:
        isSupplied = true
        replay.supply(recorded)
      case .pull, .ended: return all
      case .record, .willPerform, .recordAction, .sourceEnded: continue
      }
    }
  }
}
