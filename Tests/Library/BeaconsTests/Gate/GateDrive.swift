// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

import BeaconCore
import BeaconFormats
import BeaconTestSupport

@testable import Beacons

/// A long random run of an engine with several clients, checked by an oracle of the gate.
///
/// The received identities are secret: their UUID, majors, minors and signal strengths appear nowhere in what the
/// clients registered, so any trace of them in what a limited client receives is a leak. The clients' regions and
/// constraints contain only the UUID's first beacons by wildcard, so reading a registration back says nothing about
/// received beacons either.
struct GateDrive {
  /// The cases that a drive covered, so that a test can check that it was thorough.
  struct Figures {
    var inputs = 0
    var deliveries = 0
    var searched = 0
    var files = 0
    var diagnostics = 0
    var intervals = 0
    var limited = 0
    var crossings = 0
    var ticks = 0
    var held = 0
  }

  static let profiles = Profile.allCases

  let profile: Profile
  private var random: SplitMix64
  private let engine: TestEngine
  private var clients: [ClientID] = []
  private var now = TestScan.start
  private var out: [Delivery] = []
  private var states: [[String: RegionState]] = []
  /// What a client knew of a region before its state became unknown; nothing once it might not know.
  private var lastKnown: [[String: RegionState]] = []
  private var regions: [[String: Region]] = []
  private(set) var figures = Figures()
  private(set) var leaks: [String] = []

  init(seed: UInt64, profile: Profile) {
    random = SplitMix64(seed: seed)
    self.profile = profile
    engine = TestEngine(Configuration(profile), startingAt: TestScan.start)
    let manifests = [
      Manifest(
        whenInUse: "when",
        alwaysAndWhenInUse: "always",
        purposes: [.init(key: "Guide", text: "guide")],
        backgroundLocation: true
      ),
      Manifest(whenInUse: "when", purposes: [.init(key: "Guide", text: "guide")], appClip: true),
      Manifest(
        whenInUse: "when",
        alwaysAndWhenInUse: "always",
        purposes: [.init(key: "Guide", text: "guide")],
        defaultAccuracyReduced: true
      ),
      Manifest(whenInUse: "when", alwaysAndWhenInUse: "always", explicitServiceSession: true),
    ]
    let grants: [SavedAuthorization.Grant] = [
      .notDetermined, .whenInUse, .provisionalAlways, .always,
    ]
    for manifest in manifests {
      let saved = SavedClient(
        authorization: SavedAuthorization(
          grant: manifest.appClip ? .notDetermined : grants.randomElement(using: &random) ?? .always
        )
      )
      clients.append(engine.driver.connect(manifest, restoring: saved))
      states.append([:])
      lastKnown.append([:])
      regions.append([:])
    }
    _ = engine.driver.drainDeliveries()
  }

  mutating func run(inputs: Int) {
    for _ in 0..<inputs {
      figures.inputs += 1
      step()
      if leaks.count > 3 { return }
    }
  }

  private mutating func step() {
    let spans: [Double] = [0, 0.000_001, 0.05, 0.3, 0.3, 1, 1, 4, 5, 12, 31, 70, 301]
    let quick = Int.random(in: 0..<4, using: &random) > 0
    let span = quick ? 0.1 : spans.randomElement(using: &random) ?? 0
    let time = now + TimeSpan(seconds: span)
    engine.driver.advance(before: time)
    judgeAll()
    now = max(time, engine.driver.now)
    let client = clients.randomElement(using: &random) ?? clients[0]
    switch Int.random(in: 0..<40, using: &random) {
    case 0..<20: receive()
    case 20..<23: receive(.mark(now))
    case 23: radio()
    case 24..<32: user(client)
    default: request(client)
    }
    judgeAll()
    lookAround()
  }

  // MARK: Inputs

  private mutating func receive() {
    let beacon = SecretBeacons.beacon(Int.random(in: 0..<3, using: &random))
    var batch = ScanBatch()
    batch.append(
      AdvertisingReport(time: now, rssi: SecretBeacons.rssi, payloadStart: 0, payloadCount: 0),
      payload: BeaconEncoder.advertisingData(beacon, measuredPower: -59)
    )
    receive(batch)
  }

  private mutating func radio() {
    let isOff = Int.random(in: 0..<3, using: &random) == 0
    if isOff { for client in states.indices { lose(client) } }
    receive(.radio(receiver: 0, isOff ? .off : .listening, now))
  }

  private mutating func receive(_ input: ScanInput) { receive(ScanBatch(inputs: [input])) }

  private mutating func receive(_ batch: ScanBatch) {
    engine.driver.supply(batch)
    judgeAll()
  }

  /// Checks all deliveries until the driver needs inputs.
  private mutating func judgeAll() {
    while case .deliver(let deliveries) = engine.driver.next() {
      out += deliveries
      judge()
    }
  }

  private mutating func user(_ client: ClientID) {
    let choices = engine.driver.snapshot(of: client)?.prompt?.choices ?? PromptChoice.allCases
    let input: UserAction
    switch Int.random(in: 0..<16, using: &random) {
    case 0..<4:
      input = .answer(
        choices.randomElement(using: &random) ?? .dontAllow,
        precise: Bool.random(using: &random)
      )
    case 4..<6:
      input = .settings(
        authorization: SettingsValue.allCases.randomElement(using: &random),
        precise: nil
      )
    case 6..<8: input = .settings(authorization: nil, precise: Bool.random(using: &random))
    case 8: input = .services(on: Int.random(in: 0..<3, using: &random) > 0)
    case 9: input = .restriction(on: Int.random(in: 0..<5, using: &random) == 0)
    case 10, 11: input = .foreground
    case 12, 13: input = .background
    case 14: input = Bool.random(using: &random) ? .quiet : .screenOn
    default: input = .tapNotification(region: "a")
    }
    // A held event that the user releases is delivered after later events.
    for client in states.indices {
      (states[client], lastKnown[client]) = ([:], [:])
    }
    let isForAll = Int.random(in: 0..<12, using: &random) == 0
    engine.driver.perform(input, by: isForAll ? nil : client, exactlyAt: now)
  }

  private mutating func request(_ client: ClientID) {
    let name = RegionIdentifier(["a", "b", "c"].randomElement(using: &random) ?? "a")
    let constraint = IdentityConstraint.uuid(TestScan.museum)
    let region = Region(
      name,
      constraint,
      notifyEntryStateOnDisplay: Bool.random(using: &random),
      zone: Int.random(in: 0..<6, using: &random) == 0
        ? try? Zone(enterWithin: 2, leaveBeyond: 40) : nil
    )
    let bound = Bool.random(using: &random) ? name : nil
    switch Int.random(in: 0..<21, using: &random) {
    case 20: put(.stopNotifying(name), client)
    case 16..<19:
      let isImplicit = Int.random(in: 0..<3, using: &random) == 0
      let session = ServiceSession(id: 1, goal: .whenInUse, isImplicit: isImplicit)
      put(.authorize(.beginService(session)), client)
    case 19: put(.authorize(.endService(id: 1)), client)
    case 0..<3: put(.range(constraint, whileInside: bound), client)
    case 3: put(.stopRanging(constraint), client)
    case 4..<7: monitor(region, client)
    case 7:
      regions[Int(client.number)][name.rawValue] = nil
      lastKnown[Int(client.number)][name.rawValue] = nil
      put(.stopMonitoring(name), client)
    case 8, 9: put(.requestState(name), client)
    case 10: put(.authorize(.whenInUse), client)
    case 11: put(.authorize(.always), client)
    case 12: put(.authorize(.temporaryFull(purpose: "Guide")), client)
    case 13: put(.authorize(Bool.random(using: &random) ? .startSession : .stopSession), client)
    case 14: put(.notify(RegionNotification(region, repeats: true)), client)
    default:
      let isForeground = Bool.random(using: &random)
      engine.driver.relaunch(client, isForeground: isForeground)
    }
  }

  private mutating func monitor(_ region: Region, _ client: ClientID) {
    let name = region.identifier.rawValue
    // Row G1: an equal region keeps what is known of it.
    if regions[Int(client.number)].updateValue(region, forKey: name) != region {
      lastKnown[Int(client.number)][name] = nil
      states[Int(client.number)][name] = .unknown
    }
    put(.monitor(region), client)
  }

  private mutating func put(_ request: ClientRequest, _ client: ClientID) {
    engine.driver.request(request, by: client)
  }

  // MARK: The oracle

  /// Returns whether a client may currently know nothing of what is received.
  private func isLimited(_ client: ClientID) -> Bool {
    guard let snapshot = engine.driver.snapshot(of: client) else { return false }
    return snapshot.accuracy == .reduced || !snapshot.status.isAuthorized || snapshot.lacksSession
  }

  /// Returns whether received beacons may not be delivered to a client now, although its grants allow it while in use.
  private func isOutOfUse(_ client: ClientID) -> Bool {
    guard let snapshot = engine.driver.snapshot(of: client), !snapshot.isInUse else { return false }
    return engine.driver.saved(client).authorization.grant != .always
  }

  /// A client might not know anything: nothing that was before follows from later crossings.
  private mutating func forget(_ client: Int) {
    for name in states[client].keys { states[client][name] = .unknown }
    lastKnown[client] = [:]
  }

  /// The states of a client become unknown, as without a radio.
  private mutating func lose(_ client: Int) {
    for name in states[client].keys { lose(client, name) }
  }

  private mutating func lose(_ client: Int, _ name: String) {
    guard let state = states[client][name], state != .unknown else { return }
    lastKnown[client][name] = state
    states[client][name] = .unknown
  }

  private mutating func judge() {
    for delivery in out { judge(delivery) }
    out.removeAll(keepingCapacity: true)
    for client in clients {
      if isLimited(client) {
        forget(Int(client.number))
      } else if isOutOfUse(client) {
        // Crossings are not delivered while the client is not in use, so the next one delivered may be any crossing.
        states[Int(client.number)] = [:]
        lastKnown[Int(client.number)] = [:]
      }
    }
  }

  private mutating func judge(_ delivery: Delivery) {
    guard case .client(let id) = delivery.recipient else { return }
    figures.deliveries += 1
    let number = Int(id.number)
    follow(delivery.event, number)
    if isOutOfUse(id), isDelivered(delivery.event) { report("out of use", delivery) }
    guard isLimited(id) else { return }
    figures.limited += 1
    if isDerived(delivery.event) { report("derived", delivery) }
    var writer = EventLineWriter(EventNames(clients: ["one", "two", "three", "four"]))
    writer.append(delivery)
    search(String(decoding: writer.bytes, as: UTF8.self), "a delivery")
    // The client's log contains every delivery, whatever an output does with it.
    search("\(delivery.event)", "a log")
    guard case .diagnostic(let diagnostic) = delivery.event else { return }
    figures.diagnostics += 1
    search("\(ClientDiagnostic.engine(diagnostic, at: delivery.time))", "a diagnostic")
  }

  /// Returns whether an event reveals something of what was received, whatever its text.
  private func isDerived(_ event: Event) -> Bool {
    switch event {
    case .ranged, .regionEntered, .regionExited, .notification, .sighting, .nearby: true
    case .regionState(_, let state, _, _): state != .unknown
    default: false
    }
  }

  /// Returns whether an event reveals something received to the client itself; a notification is shown to the user.
  private func isDelivered(_ event: Event) -> Bool {
    if case .notification = event { return false }
    return isDerived(event)
  }

  /// Checks the order of crossings: each follows from the state before it.
  private mutating func follow(_ event: Event, _ client: Int) {
    switch event {
    case .ranged: figures.ticks += 1
    case .regionEntered(let region, let reason, _):
      cross(from: .outside, to: .inside, region.rawValue, reason, event, client)
    case .regionExited(let region, let reason, _):
      cross(from: .inside, to: .outside, region.rawValue, reason, event, client)
    case .regionState(let region, let state, let origin, let reason):
      guard origin == .observed, reason != .requested else { break }
      if state == .unknown {
        lose(client, region.rawValue)
      } else {
        states[client][region.rawValue] = state
        lastKnown[client][region.rawValue] = nil
      }
    case .indicator(.solid):
      if isLimited(clients[client]) { report("solid", event) }
    default: break
    }
  }

  /// Checks a crossing: it follows from the state, or from the state before that became unknown (row G17).
  private mutating func cross(
    from old: RegionState,
    to new: RegionState,
    _ name: String,
    _ reason: RegionStateReason,
    _ event: Event,
    _ client: Int
  ) {
    figures.crossings += 1
    if let state = states[client][name], state != old {
      let isMissed =
        profile == .standard && reason == .whileUnknown && state == .unknown
        && lastKnown[client][name] == old
      if !isMissed { report("a crossing to \(new) while \(state)", event) }
    }
    states[client][name] = new
    lastKnown[client][name] = nil
  }

  /// Checks everything else that a client can read while it may know nothing.
  private mutating func lookAround() {
    guard figures.inputs % 3 == 0 else { return }
    for client in clients where isLimited(client) {
      figures.searched += 1
      let saved = engine.driver.saved(client)
      if saved.heldEvents != nil { report("held", client) }
      if saved.regions.contains(where: { $0.state != .unknown || $0.holder != nil }) {
        report("saved", client)
      }
      if saved.regions.contains(where: {
        $0.reports != 0 || $0.remaining != nil || $0.lastKnown != nil
      }) {
        report("saved counts", client)
      }
      if saved.regions.contains(where: { !$0.intervals.isEmpty }) { report("saved habits", client) }
      // Row C34.
      if !engine.driver.visits(of: client).isEmpty { report("visits", client) }
      if engine.driver.snapshot(of: client)?.indicator == .solid { report("indicator", client) }
      // Writing everything is slow, and saved state seldom changes.
      guard figures.inputs % 30 == 0 else { continue }
      search(
        "\(saved) \(engine.driver.visits(of: client)) \(String(describing: engine.driver.snapshot(of: client)))",
        "state"
      )
      searchFile(of: saved)
    }
    for client in clients {
      let saved = engine.driver.saved(client)
      if saved.authorization.held != nil { figures.held += 1 }
      if saved.regions.contains(where: { !$0.intervals.isEmpty }) { figures.intervals += 1 }
    }
  }

  /// Searches a client's state file as it would be written now; reading it back must give what was saved.
  private mutating func searchFile(of saved: SavedClient) {
    figures.files += 1
    var state = ClientState()
    state.regions = saved.regions
    state.held = saved.authorization.held
    state.heldEvents = saved.heldEvents
    let bytes = StoreFile.bytes(of: state)
    search(String(decoding: bytes, as: UTF8.self), "the state file")
    do {
      let restored = try ClientState(file: bytes)
      if restored != state { report("the state file reads back otherwise", restored) }
    } catch {
      report("no state file: \(error)", saved)
    }
  }

  private mutating func search(_ text: String, _ place: String) {
    figures.searched += 1
    for trace in SecretBeacons.traces(in: text) { report("\(trace) in \(place)", text) }
  }

  private mutating func report(_ what: String, _ subject: Any) {
    let time = (engine.driver.now - TestScan.start).seconds
    leaks.append("\(what) at \(time) after \(figures.inputs) inputs: \(subject)")
  }
}
