// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

import BeaconTestSupport
import Testing

@testable import BeaconCore

/// The states on a client's return to use (row D8), its visits (row C34), and the time of its second prompt (row A18).
@Suite struct ReturnToUseTests {
  private struct Outcome {
    var events: [(at: Double, event: Event)] = []
    var recorded: [TimedUserAction] = []
    var visits: [RegionVisit] = []

    /// The events of regions, with their times.
    var regions: [String] {
      events.compactMap { at, event in
        switch event {
        case .regionEntered: "\(Int(at)) enter"
        case .regionExited: "\(Int(at)) exit"
        case .regionState(_, let state, _, let reason): "\(Int(at)) \(state) \(reason)"
        default: nil
        }
      }
    }
  }

  /// Runs for 200 s: the region is monitored from the start, and its beacon is received in some seconds.
  private func run(
    _ grants: SavedAuthorization,
    _ profile: Profile = .coreLocation14,
    asksUser: Bool = false,
    receiving seconds: Range<Int>,
    _ actions: (Double, UserAction)...
  ) -> Outcome {
    let driver = TestEngine(Configuration(profile))
    if asksUser { driver.driver.asksWhenQuiet() }
    let client = driver.driver.connect(
      Manifest(whenInUse: "w", alwaysAndWhenInUse: "a"),
      restoring: SavedClient(authorization: grants)
    )
    let hall = Region("hall", .uuid(TestScan.museum))
    driver.driver.request(.monitor(hall), by: client)
    driver.driver.request(
      .notify(RegionNotification(Region("poster", hall.constraint), repeats: true)),
      by: client
    )
    for (second, action) in actions {
      driver.driver.schedule(
        TimedUserAction(time: TestScan.at(second), client: client, action: action)
      )
    }
    var scan = TestScan()
    for second in 0...200 {
      if seconds.contains(second) {
        scan.report(TestScan.beacon(1, 1), -60, at: Double(second))
      } else {
        scan.mark(at: Double(second))
      }
    }
    var outcome = Outcome()
    driver.driver.supply(scan.inOrder)
    while true {
      switch driver.driver.next() {
      case .deliver(let deliveries):
        outcome.events += deliveries.map { (($0.time - TestScan.start).seconds, $0.event) }
      case .recordAction(let action): outcome.recorded.append(action)
      case .record, .willPerform: continue
      case .pull, .sourceEnded, .ended:
        outcome.visits = driver.driver.visits(of: client)
        return outcome
      }
    }
  }

  private static let whenInUse = SavedAuthorization(grant: .whenInUse)

  @Test(arguments: [UserAction.foreground, .tapNotification(region: "poster")])
  func `on return a client learns that it is inside, and no enter`(_ action: UserAction) {
    let outcome = run(Self.whenInUse, receiving: 50..<200, (20, .background), (100, action))
    #expect(outcome.regions == ["10 outside nothingReceived", "100 inside resumed"])
  }

  @Test func `on return a client learns that it is outside, and no exit`() {
    let outcome = run(Self.whenInUse, receiving: 5..<30, (20, .background), (100, .foreground))
    #expect(outcome.regions == ["5 inside received", "100 outside resumed"])
  }

  @Test func `a known state is not delivered again, nor one that came with Always`() {
    let here = run(Self.whenInUse, receiving: 5..<200, (20, .background), (100, .foreground))
    #expect(here.regions == ["5 inside received"])
    let always = SavedAuthorization(grant: .always)
    let other = run(always, receiving: 50..<200, (20, .background), (100, .foreground))
    #expect(other.regions == ["10 outside nothingReceived", "50 enter", "50 inside received"])
  }

  @Test func `in iOS 12 When In Use has no regions to return to`() {
    let outcome = run(
      Self.whenInUse,
      .coreLocation12,
      receiving: 50..<200,
      (20, .background),
      (100, .foreground)
    )
    #expect(outcome.regions == [])
  }

  // MARK: Visits

  @Test func `a visit has the times that the client learned`() {
    let seen = run(Self.whenInUse, receiving: 50..<100)
    #expect(seen.visits.map(\.arrival) == [TestScan.at(50)])
    #expect(seen.visits.map(\.departure) == [TestScan.at(129)])
    #expect(seen.visits.map(\.beganBefore) == [false])
    #expect(seen.visits.map(\.duration) == [.seconds(79)])
    // Entered and left out of use: the times of neither are the client's.
    let missed = run(Self.whenInUse, receiving: 50..<60, (20, .background), (150, .foreground))
    #expect(missed.visits == [])
    let late = run(Self.whenInUse, receiving: 50..<200, (20, .background), (100, .foreground))
    #expect(late.visits.map(\.arrival) == [TestScan.at(100)])
    #expect(late.visits.map(\.beganBefore) == [true])
  }

  @Test func `a stay that is found at the start is a visit, but not for a limited client`() {
    let found = run(Self.whenInUse, receiving: 3..<20)
    #expect(found.visits.map(\.arrival) == [TestScan.at(3)])
    #expect(found.visits.map(\.beganBefore) == [true])
    let limited = run(Self.whenInUse, receiving: 3..<20, (100, .settings(precise: false)))
    #expect(limited.visits == [])
  }

  // MARK: The second prompt

  private static let provisional = SavedAuthorization(grant: .provisionalAlways)

  private func prompts(_ outcome: Outcome) -> [Double] {
    outcome.events.compactMap { at, event in
      if case .prompt = event { at.rounded(.down) } else { nil }
    }
  }

  @Test func `it comes ten seconds after its event, as an action that a recording has`() {
    let outcome = run(
      Self.provisional,
      asksUser: true,
      receiving: 50..<200,
      (20, .background),
      (70, .answer(.changeToAlways))
    )
    #expect(prompts(outcome) == [60])
    #expect(outcome.recorded.contains { $0.action == .quiet && $0.time == TestScan.at(60) })
    #expect(outcome.regions.suffix(2) == ["70 enter", "70 inside received"])
  }

  @Test func `it comes when the program opens again, and never without a user to ask`() {
    let opened = run(
      Self.provisional,
      asksUser: true,
      receiving: 50..<200,
      (20, .background),
      (55, .foreground)
    )
    #expect(prompts(opened) == [55])
    #expect(prompts(run(Self.provisional, receiving: 50..<200, (20, .background))) == [])
  }
}
