// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

import BeaconCore
import BeaconMuseum
import BeaconTestSupport

/// A guide on an engine, for a visit that a test writes down: the visitor's places and actions.
struct GuideVisit {
  let plan: Plan
  private let engine: TestEngine
  private(set) var guide: Guide
  private var client: ClientID?
  private let granted: SavedAuthorization?
  /// The guide's events in words, each with its time in seconds.
  private(set) var story: [(seconds: Double, text: String)] = []
  /// The events delivered to the guide.
  private(set) var deliveries: [Delivery] = []
  /// The guide's requests to the engine.
  private(set) var requests: [ClientRequest] = []
  private(set) var now = 0.0
  private var random: SplitMix64

  /// Starts a visit.
  ///
  /// Without opening it, the machine knows no guide until ``open()``.
  init(
    _ plan: Plan,
    profile: Profile = .standard,
    granted: SavedAuthorization? = nil,
    seed: UInt64 = 1,
    opening: Bool = true,
    changing: (inout Configuration) -> Void = { _ in }
  ) throws {
    var configuration = Configuration(profile)
    try plan.calibrate(&configuration)
    changing(&configuration)
    self.plan = plan
    engine = TestEngine(configuration, startingAt: TestScan.at(0))
    guide = Guide(plan, configuration: configuration)
    random = SplitMix64(seed: seed)
    self.granted = granted
    if opening { open() }
  }

  /// The visitor opens the guide for the first time.
  mutating func open() {
    let client = engine.driver.connect(
      plan.manifest.manifest(in: "en"),
      restoring: granted.map { SavedClient(authorization: $0) } ?? SavedClient()
    )
    self.client = client
    let snapshot = engine.driver.snapshot(of: client)
    perform(
      guide.begin(
        status: snapshot?.status ?? .notDetermined,
        accuracy: snapshot?.accuracy ?? .full
      ),
      at: now
    )
    proceed()
  }

  /// The visitor stays at a place for some seconds; at `nil` no beacon of the museum is received.
  ///
  /// The beacons' positions come from a plan: the guide's own unless another is given.
  mutating func stay(
    at point: Plan.Point?,
    for seconds: Double,
    noise: Double = 0,
    as drawn: Plan? = nil
  ) {
    let plan = drawn ?? self.plan
    var scan = TestScan()
    let end = now + seconds
    var time = now
    while time < end {
      for (index, exhibit) in plan.exhibits.enumerated() {
        guard let point, let place = exhibit.position else { continue }
        let distance = max(0.3, place.distance(to: point))
        let wall = plan.room(at: point, level: 0)?.major == exhibit.identity.major ? 0 : 3.4
        var rssi = -59 - 24 * DeterministicMath.log10(distance) - wall
        rssi += noise * Double.random(in: -1...1, using: &random)
        guard rssi > -95 else { continue }
        scan.report(exhibit.identity, Int8(rssi.rounded()), at: time + 0.01 * Double(index))
      }
      time += 0.35
    }
    scan.mark(at: end)
    run(scan.inOrder)
    now = end
  }

  /// The visitor walks in a straight line.
  mutating func walk(from start: Plan.Point, to end: Plan.Point, speed: Double = 0.8) {
    let steps = max(1, Int(start.distance(to: end) / speed / 0.35))
    for step in 1...steps {
      let part = Double(step) / Double(steps)
      stay(
        at: Plan.Point(start.x + part * (end.x - start.x), start.y + part * (end.y - start.y)),
        for: 0.35
      )
    }
  }

  /// Some seconds pass without any report, with the marks that a live source gives.
  mutating func silence(for seconds: Double) {
    var scan = TestScan()
    for time in stride(from: now + 5, to: now + seconds, by: 5) { scan.mark(at: time) }
    scan.mark(at: now + seconds)
    run(scan.batch)
    now += seconds
  }

  /// The radio's state changes.
  mutating func radio(_ state: RadioState) {
    now += 0.001
    run(ScanBatch(inputs: [.radio(receiver: 0, state, TestScan.at(now))]))
  }

  /// The visitor performs an action.
  mutating func does(_ input: UserAction) {
    guard let client else { return }
    now += 0.001
    engine.driver.schedule(
      TimedUserAction(time: TestScan.at(now), client: client, action: input)
    )
    // The radio listens until this time.
    run(ScanBatch(upTo: TestScan.at(now)))
  }

  /// Processes a batch.
  mutating func receive(_ batch: ScanBatch) {
    run(batch)
    now = (engine.driver.now - TestScan.start).seconds
  }

  private mutating func run(_ batch: ScanBatch) {
    engine.driver.supply(batch)
    proceed()
  }

  private mutating func proceed() {
    while true {
      switch engine.driver.next() {
      case .deliver(let deliveries):
        self.deliveries += deliveries
        for delivery in deliveries {
          perform(
            guide.process(delivery.event, at: delivery.time),
            at: (delivery.time - TestScan.start).seconds
          )
        }
      case .recordAction(let action):
        switch action.action {
        case .background: guide.wentToBackground()
        case .foreground, .tapNotification: perform(guide.cameToForeground(), at: now)
        case .press(Guide.placeControl): perform(guide.wantsPrecision(), at: now)
        case let other where other == .nextVisitor: perform(guide.nextVisitor(), at: now)
        default: break
        }
      case .record, .willPerform: continue
      case .pull, .sourceEnded, .ended: return
      }
    }
  }

  private mutating func perform(_ actions: [GuideAction], at seconds: Double) {
    for action in actions {
      switch action {
      case .request(let request):
        requests.append(request)
        if let client { engine.driver.request(request, by: client) }
      case .emit(let event): story.append((seconds, Self.text(of: event)))
      }
    }
  }

  private static func text(of event: GuideEvent) -> String {
    switch event {
    case .status(let status): status.rawValue
    case .room(let room): "room \(room.name["en"])"
    case .exhibit(nil): "nothing"
    case .returned: "returned"
    case .exhibit(let showing?):
      (showing.isAnnounced ? "announce " : showing.isKnown ? "back at " : "show ")
        + showing.exhibit.title["en"]
    }
  }

  /// Whether the visitor's place may be shown.
  var isAllowed: Bool {
    guard let snapshot = client.flatMap({ engine.driver.snapshot(of: $0) }) else { return false }
    return [.authorizedWhenInUse, .authorizedAlways].contains(snapshot.status)
      && snapshot.accuracy == .full
  }

  /// How often the machine greeted on arrival.
  var greetings: Int { deliveries.count { $0.event == .notification(Guide.arrival) } }

  /// The guide's events without the times.
  var texts: [String] { story.map(\.text) }
}
