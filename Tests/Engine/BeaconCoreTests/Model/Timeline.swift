// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

import BeaconCore
import BeaconTestSupport

/// Clients, and what happens to them and around them, as scenario files have it; times are milliseconds.
struct Timeline {
  struct Client {
    var manifest = Manifest()
    var status = AuthorizationStatus.notDetermined
    var accuracy = AccuracyAuthorization.full
    var isForeground = true
  }

  enum Action {
    case mark
    case report(Int, receiver: Int)
    case radio(RadioState, receiver: Int)
    /// Nothing is known until a time.
    case gap(until: Int)
    case user(UserAction, client: Int?)
    case request(ClientRequest, client: Int)
    case terminate(Int)
    case relaunch(Int)
    /// The process ends that plays all clients, and a new one starts at once with what it saved.
    case restart

    /// Whether it shows that the source goes on.
    var isSource: Bool {
      switch self {
      case .user, .gap, .request, .terminate, .relaunch, .restart: false
      case .mark, .report, .radio: true
      }
    }
  }

  struct Step {
    var time: Int
    var action: Action
  }

  var profile = Profile.coreLocation14
  var clients: [Client] = []
  var steps: [Step] = []
  var end = 0

  // MARK: Names

  static let uuid = TestScan.museum
  static let beacons = [
    TestScan.beacon(1, 1), TestScan.beacon(1, 2), TestScan.beacon(2, 1),
    BeaconIdentity(uuid: 1, major: 1, minor: 1),
  ]
  static let constraints: [IdentityConstraint] = [
    .uuid(uuid), .major(uuid, 1), .minor(TestScan.beacon(1, 1)),
  ]
  static let regionNames = ["hall", "room", "tower"]

  static func regionName(_ number: Int) -> String { regionNames[number % regionNames.count] }

  static func number(of identifier: RegionIdentifier) -> Int {
    regionNames.firstIndex(of: identifier.rawValue) ?? 0
  }

  /// The start in UTC, two minutes before midnight, and a minute after it the morning in which grants of App Clips end.
  static let start = Timestamp(microseconds: 1_772_323_080_000_000)
  static let localTime = "2026-02-28T23:58:00Z"
  static let midnight = 120_000
  static let morning = 180_000

  static let markInterval = 10_000

  // MARK: Order

  var hasAccuracy: Bool { profile == .coreLocation14 || profile == .standard }

  private var gaps: [Range<Int>] {
    steps.compactMap { step in
      guard case .gap(let until) = step.action, until > step.time else { return nil }
      return step.time..<until
    }
  }

  /// The steps with the marks between them: a radio that listens reports every 10 s that it does, but not in a gap.
  ///
  /// Each has the time of the next thing that the source gives, from itself on: what users and programs do before that may
  /// lie in a gap.
  var inputs: [(time: Int, action: Action, nextInput: Int?)] {
    let gaps = gaps
    var inputs = steps.filter { $0.time <= end }.map { (time: $0.time, rank: 0, action: $0.action) }
    for mark in stride(from: Self.markInterval, through: end, by: Self.markInterval)
    where !gaps.contains(where: { $0.lowerBound < mark && mark < $0.upperBound }) {
      inputs.append((time: mark, rank: 1, action: .mark))
    }
    let ordered = inputs.enumerated()
      .sorted { first, second in
        (first.element.time, first.element.rank, first.offset)
          < (second.element.time, second.element.rank, second.offset)
      }
      .map { ($0.element.time, $0.element.action) }
    var next: Int?
    var all: [(time: Int, action: Action, nextInput: Int?)] = []
    for (time, action) in ordered.reversed() {
      if action.isSource { next = time }
      all.append((time, action, next))
    }
    return all.reversed()
  }
}

// MARK: - Playing

extension Timeline {
  /// Plays the timeline through the engine as a scenario is played.
  ///
  /// - Returns: What was events, in the model's form and order.
  func playThroughEngine() -> [Int] { played().events.sorted() }

  /// Plays the timeline through the engine, and returns everything that clients get.
  func deliveriesOfEngine() -> [Delivery] { played().deliveries }

  private func played() -> (events: [Int], deliveries: [Delivery]) {
    var configuration = Configuration(profile)
    configuration.regions.exitTiming = .fixed(.milliseconds(Int64(RowModel.exitTime)))
    configuration.authorization.timing.staleAge = .milliseconds(Int64(RowModel.staleAge))
    configuration.authorization.timing.morning =
      .milliseconds(Int64(Self.morning - Self.midnight))
    var player = EnginePlayer(configuration, startingAt: Self.start)
    for client in clients {
      let saved = SavedAuthorization(status: client.status, accuracy: client.accuracy)
      player.connect(client.manifest, SavedClient(authorization: saved), client.isForeground)
    }
    player.process(.radio(receiver: 0, .listening, Self.start))
    for (time, action, next) in inputs { player.perform(action, at: time, expecting: next) }
    player.finish(at: end)
    return (player.events, player.deliveries)
  }
}

/// Passes a timeline to a driver and keeps what it delivers.
private struct EnginePlayer: ~Copyable {
  private let configuration: Configuration
  private var driver: EngineDriver
  private var clients: [ClientID] = []
  private var manifests: [Manifest] = []
  /// What the source said of its receivers, which it says again to a new process.
  private var receivers: [RadioState?] = [.listening, nil]
  private static let receiverNames = ["hci0", "hci1"]
  var events: [Int] = []
  var deliveries: [Delivery] = []

  init(_ configuration: Configuration, startingAt start: Timestamp) {
    self.configuration = configuration
    driver = EngineDriver(configuration, startingAt: start)
    driver.name(receivers: Self.receiverNames)
  }

  /// Ends the process and starts another.
  private mutating func restart(at stamp: Timestamp) {
    var saved: [SavedClient] = []
    for client in clients { saved.append(driver.saved(client)) }
    let known = manifests
    (clients, manifests) = ([], [])
    driver = EngineDriver(configuration, startingAt: stamp)
    driver.name(receivers: Self.receiverNames)
    for (manifest, saved) in zip(known, saved) { connect(manifest, saved, true) }
    for (receiver, state) in receivers.enumerated() {
      if let state { process(.radio(receiver: UInt8(receiver), state, stamp)) }
    }
  }

  mutating func connect(_ manifest: Manifest, _ saved: SavedClient, _ isForeground: Bool) {
    manifests.append(manifest)
    clients.append(driver.connect(manifest, restoring: saved, isForeground: isForeground))
    // The initial state is not events.
    _ = driver.drainDeliveries()
  }

  mutating func process(_ input: ScanInput, _ payload: [UInt8] = []) {
    driver.supply(ScanBatch(bytes: payload, inputs: [input]))
    keep()
  }

  mutating func perform(_ action: Timeline.Action, at time: Int, expecting next: Int?) {
    let stamp = Self.stamp(time)
    driver.expectedInput = next.map(Self.stamp)
    switch action {
    case .gap: return
    case .mark: process(.mark(stamp))
    case .report(let beacon, let receiver):
      receivers[receiver] = receivers[receiver] ?? .listening
      let payload = Self.payloads[beacon]
      let report = AdvertisingReport(
        time: stamp,
        rssi: -60,
        receiver: UInt8(receiver),
        address: DeviceAddress(UInt64(beacon) + 1, kind: .random),
        payloadStart: 0,
        payloadCount: UInt16(payload.count)
      )
      process(.report(report), payload)
    case .radio(let state, let receiver):
      receivers[receiver] = state
      process(.radio(receiver: UInt8(receiver), state, stamp))
    case .user(let action, let client):
      driver.perform(action, by: client.map { clients[$0] }, exactlyAt: stamp)
    case .request(let request, let client):
      arrive(at: stamp)
      driver.request(request, by: clients[client])
    case .terminate(let client):
      arrive(at: stamp)
      driver.terminate(clients[client])
    case .relaunch(let client):
      arrive(at: stamp)
      driver.relaunch(clients[client])
    case .restart:
      arrive(at: stamp)
      restart(at: stamp)
    }
    keep()
  }

  private mutating func arrive(at stamp: Timestamp) {
    driver.arrive(at: stamp)
    keep()
  }

  mutating func finish(at time: Int) {
    driver.expectedInput = nil
    driver.advance(before: Self.stamp(time) + TimeSpan(microseconds: 1))
    keep()
  }

  private static let payloads = Timeline.beacons.map {
    BeaconEncoder.advertisingData($0, measuredPower: -59)
  }

  private static func stamp(_ time: Int) -> Timestamp {
    Timeline.start + .milliseconds(Int64(time))
  }

  private mutating func keep() {
    for delivery in driver.collectDeliveries() {
      guard case .client(let id) = delivery.recipient else { continue }
      deliveries.append(delivery)
      let time = Int((delivery.time - Timeline.start).microseconds / 1000)
      for line in Self.lines(of: delivery.event) {
        events.append(line.code(at: time, for: Int(id.number)))
      }
    }
  }

  private static func lines(of event: Event) -> [ModelLine] {
    switch event {
    case .regionState(let region, let state, _, let reason):
      return [.state(Timeline.number(of: region), state, reason)]
    case .regionEntered(let region, let reason, _):
      return [.crossing(.enter, Timeline.number(of: region), reason)]
    case .regionExited(let region, let reason, _):
      return [.crossing(.exit, Timeline.number(of: region), reason)]
    case .authorization(let status, let accuracy):
      return [
        ModelLine(
          kind: .authorization,
          value: status.rawValue,
          reason: accuracy == .full ? 0 : 1
        )
      ]
    case .prompt(let prompt):
      let kind = Prompt.Kind.allCases.firstIndex(of: prompt.kind) ?? 0
      return [ModelLine(kind: .prompt, value: kind)]
    case .promptWithdrawn: return [ModelLine(kind: .withdrawn)]
    case .completion(.monitor(let region), _):
      return [ModelLine(kind: .monitoring, subject: Timeline.number(of: region))]
    case .completion(.temporaryFull, let error):
      return [ModelLine(kind: .temporaryFull, value: error?.rawValue ?? 0)]
    case .failure(let code, .region(let region)):
      let number = Timeline.number(of: region)
      return [ModelLine(kind: .regionFailure, subject: number, value: code.rawValue)]
    case .failure(let code, .constraint(let constraint)):
      let number = Timeline.constraints.firstIndex(of: constraint) ?? 0
      return [ModelLine(kind: .rangingFailure, subject: number, value: code.rawValue)]
    case .indicator(let style):
      let number = UsageIndicator.Style.allCases.firstIndex(of: style) ?? 0
      return [ModelLine(kind: .indicator, value: number)]
    case .notification(let region):
      return [ModelLine(kind: .notification, subject: Timeline.number(of: region))]
    case .diagnostic(.timeGap): return [ModelLine(kind: .gap)]
    case .ranged(let entries):
      return entries.map { entry in
        var (listed, fresh) = (0, 0)
        for beacon in entry.beacons {
          let bit = 1 << (Timeline.beacons.firstIndex(of: beacon.identity) ?? 4)
          listed |= bit
          if beacon.rssi != nil { fresh |= bit }
        }
        return ModelLine(
          kind: .tick,
          subject: Timeline.constraints.firstIndex(of: entry.constraint) ?? 0,
          value: listed,
          reason: fresh
        )
      }
    case .sighting, .nearby, .serviceDiagnostics, .diagnostic: return []
    }
  }
}
