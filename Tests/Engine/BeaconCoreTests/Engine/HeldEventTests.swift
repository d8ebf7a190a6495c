// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

import BeaconTestSupport
import Testing

@testable import BeaconCore

/// A held event is true when it is delivered, also after a restart (rows A15 to A19, law L3).
///
/// What happens within one run is in `Fixtures/scenarios/held-….json5`.
@Suite struct HeldEventTests {
  static let hall = Region("hall", .uuid(TestScan.museum))
  static let manifest = Manifest(whenInUse: "w", alwaysAndWhenInUse: "a")

  /// What a program leaves that held an enter at 40 s and ended at 60 s, inside the region.
  private func saved(
    region: Region = hall,
    state: RegionState = .inside,
    events: [Event]? = entering("hall")
  ) -> SavedClient {
    SavedClient(
      authorization: SavedAuthorization(
        grant: .provisionalAlways,
        held: HeldEvent(id: 7, time: TestScan.at(40)),
        confirmationDue: true
      ),
      regions: [SavedRegion(region, state: state, savedAt: TestScan.at(60))],
      heldEvents: events
    )
  }

  private static func entering(_ region: RegionIdentifier) -> [Event] {
    let why = Explanation(identity: nil, reports: 1, threshold: .reports(1), rule: .firstReport)
    return [
      .regionEntered(region, .received, why), .regionState(region, .inside, .observed, .received),
    ]
  }

  /// Restores a program at a time, lets the user change it to Always 5 s later, and returns the region's events.
  private func released(
    _ saved: SavedClient,
    at second: Double,
    isForeground: Bool = false
  ) -> [Event] {
    var driver = EngineDriver(
      Configuration(.coreLocation14),
      startingAt: TestScan.at(second)
    )
    let client = driver.connect(Self.manifest, restoring: saved, isForeground: isForeground)
    for (delay, action) in [(4.0, UserAction.quiet), (5, .answer(.changeToAlways))] {
      driver.perform(action, by: client, exactlyAt: TestScan.at(second + delay))
    }
    return driver.collectDeliveries().map(\.event).filter { event in
      switch event {
      case .regionEntered, .regionExited, .regionState: true
      default: false
      }
    }
  }

  @Test func `a held event is delivered after a restart`() {
    #expect(released(saved(), at: 70) == Self.entering("hall"))
  }

  @Test func `it is not delivered when its region is no longer monitored`() {
    #expect(released(saved(region: Region("tower", Self.hall.constraint)), at: 70) == [])
  }

  @Test(arguments: [RegionState.outside, .unknown])
  func `it is not delivered when the state is another`(_ state: RegionState) {
    #expect(released(saved(state: state), at: 70) == [])
  }

  @Test func `it is not delivered when the saved state was too old to restore`() {
    var saved = saved()
    saved.regions[0].savedAt = TestScan.at(60 - 3600)
    #expect(released(saved, at: 70) == [])
  }

  @Test func `it is not delivered when the client learned the restored state`() {
    let restored = Event.regionState("hall", .inside, .restored, .restored)
    #expect(released(saved(), at: 70, isForeground: true) == [restored])
  }

  @Test func `it is not delivered when it is too old`() {
    #expect(released(saved(), at: 400) == [])
  }

  @Test(arguments: [nil, [], entering("hall") + entering("tower"), [entering("hall")[0]]])
  func `damaged events are forgotten and their time is no deadline`(_ events: [Event]?) {
    var driver = EngineDriver(startingAt: TestScan.at(70))
    let client = driver.connect(
      Self.manifest,
      restoring: saved(state: .outside, events: events),
      isForeground: false
    )
    #expect(driver.saved(client).authorization.held == nil)
    #expect(driver.saved(client).heldEvents == nil)
    #expect(driver.saved(client).authorization.confirmationDue)
    #expect(driver.nextDeadline == nil)
    #expect(released(saved(events: events), at: 70) == [])
  }

  @Test(arguments: [SettingsValue.whileUsing, .never])
  func `it is not delivered when the grant is narrower by then`(_ value: SettingsValue) {
    var narrowed = saved()
    narrowed.authorization.grant = value == .never ? .denied : .whenInUse
    #expect(released(narrowed, at: 70) == [])
    var reduced = saved()
    reduced.authorization.accuracy = .reduced
    #expect(released(reduced, at: 70) == [])
  }
}
