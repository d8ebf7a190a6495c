// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

import BeaconTestSupport
import Testing

@testable import BeaconCore

/// The table of endings, row by row: what a client gets after the last input of its run.
@Suite struct EndPolicyTests {
  /// What a row of the table is about.
  struct Row: Sendable, CustomTestStringConvertible {
    var name: String
    var policy: EndPolicy
    var reason: EndPolicy.Reason
    /// What follows the last input: `tick` is due at its time, `action` was scheduled for later, `exit` falls due later.
    var follows: [String]
    var isCutShort = false

    var testDescription: String { name }
  }

  static let draining: EndPolicy = {
    var policy = EndPolicy.replay
    policy.drains = true
    return policy
  }()

  static let rows = [
    Row(name: "a live source ended", policy: .live, reason: .sourceEnded, follows: ["tick"]),
    Row(name: "a replay ended", policy: .replay, reason: .sourceEnded, follows: ["tick"]),
    Row(
      name: "a recording with its user's actions ended",
      policy: .scripted,
      reason: .sourceEnded,
      follows: ["tick", "action"]
    ),
    Row(
      name: "a replay ended, and drains",
      policy: draining,
      reason: .sourceEnded,
      follows: ["tick", "exit"]
    ),
    Row(name: "a live run is done", policy: .live, reason: .done, follows: ["tick"]),
    Row(name: "a user stops a live run", policy: .live, reason: .interrupted, follows: ["tick"]),
    Row(
      name: "a user stops a replay",
      policy: .replay,
      reason: .interrupted,
      follows: [],
      isCutShort: true
    ),
    Row(
      name: "a user stops a replay that would drain",
      policy: draining,
      reason: .interrupted,
      follows: [],
      isCutShort: true
    ),
    Row(
      name: "a session is shut down",
      policy: .scripted,
      reason: .shutDown,
      follows: ["saved inside", "unknown"],
      isCutShort: true
    ),
  ]

  /// A client that ranges and monitors, and notes what it gets once its source ends.
  private final class Visitor: RunParticipant {
    var follows: [String] = []
    var savesAtEnd = false

    func handle(_ moment: RunMoment, _ run: inout RunContext) {
      switch moment {
      case .begins:
        let saved = SavedAuthorization(status: .authorizedAlways, accuracy: .full)
        let client = run.driver?.connect(
          Manifest(whenInUse: "w", alwaysAndWhenInUse: "a"),
          restoring: SavedClient(authorization: saved)
        )
        run.client = client
        run.engine.request(.monitor(Region("hall", .uuid(TestScan.museum))), by: client)
        run.engine.request(.range(.uuid(TestScan.museum)), by: client)
        run.schedule(.background, at: TestScan.at(1.5), concernsAll: false)
      case .delivered(let deliveries): for delivery in deliveries { note(delivery.event) }
      case .recordedAction: follows.append("action")
      case .sourceEnded:
        guard savesAtEnd, let client = run.client,
          let region = run.engine.saved(client).regions.first
        else { return }
        follows.append("saved \(region.state)")
      default: break
      }
    }

    private func note(_ event: Event) {
      switch event {
      case .ranged: follows.append("tick")
      case .regionExited: follows.append("exit")
      case .regionState(_, .unknown, _, _): follows.append("unknown")
      default: break
      }
    }
  }

  @Test(arguments: rows)
  func `a run ends as the table says`(_ row: Row) throws {
    let visitor = Visitor()
    var scan = TestScan()
    scan.report(TestScan.beacon(1, 1), -60, at: 0.5)
    scan.mark(at: 1)
    var core = RunCore(
      RunEngine(EngineDriver(startingAt: TestScan.start)),
      policy: row.policy,
      participants: [visitor]
    )
    try core.begin()
    guard case .batch = try core.advance() else {
      Issue.record("the run wants no inputs")
      return
    }
    try core.supply(scan.inOrder, receivers: ["hci0"])
    guard case .batch = try core.advance() else {
      Issue.record("the run wants no more inputs")
      return
    }
    visitor.follows = []
    visitor.savesAtEnd = row.reason == .shutDown
    try core.end(row.reason)
    while try core.advance() != .ended {}
    #expect(visitor.follows == row.follows)
    let wasCutShort = core.wasCutShort
    #expect(wasCutShort == row.isCutShort)
  }

  @Test func `a session that is shut down can save its clients before regions become unknown`()
    throws
  {
    let visitor = Visitor()
    var core = RunCore(
      RunEngine(EngineDriver(startingAt: TestScan.start)),
      policy: .scripted,
      participants: [visitor],
      waitsForPrograms: true
    )
    try core.begin()
    var scan = TestScan()
    scan.report(TestScan.beacon(1, 1), -60, at: 0.5)
    while try core.advance() == .programs {}
    try core.supply(scan.inOrder, receivers: ["hci0"])
    while try core.advance() == .programs {}
    visitor.savesAtEnd = true
    visitor.follows = []
    try core.end(.shutDown)
    var states: [RegionState] = []
    while try core.advance() == .programs {
      guard let client = core.context.client else { continue }
      states += core.context.engine.saved(client).regions.map(\.state)
    }
    #expect(visitor.follows == ["saved inside", "unknown"])
    #expect(states == [.inside, .unknown])
  }

  @Test func `a script that is shut down ends as a run does`() {
    var core = RunCore(RunEngine(EngineDriver(startingAt: TestScan.start)), policy: .scripted)
    let client = core.context.driver?.connect()
    core.context.engine.request(.monitor(Region("hall", .uuid(TestScan.museum))), by: client)
    var scan = TestScan()
    scan.report(TestScan.beacon(1, 1), -60, at: 0.5)
    _ = core.play(.batch(scan.inOrder))
    let states = core.play(.end(.shutDown)).compactMap { delivery -> RegionState? in
      if case .regionState(_, let state, _, _) = delivery.event { state } else { nil }
    }
    #expect(states == [.unknown])
  }
}
