// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

import Beacons
@testable import CoreLocation
import Foundation
import Testing

/// `CLMonitor` and `CLServiceSession` use the same client as the managers.
@Suite struct MonitorTests {
  private let condition = CLMonitor.BeaconIdentityCondition(uuid: UUID(App.uuid))

  /// Rows N2 and N5.
  @Test func `events show the change of a condition, with the beacon`() async throws {
    let app = try App(receiving: "-*" + String(repeating: "-", count: 40) + "*")
    let monitor = await CLMonitor("tour", of: app.service)
    await monitor.add(condition, identifier: "hall", assuming: .unsatisfied)
    var seen: [CLMonitor.Event.State] = []
    for try await event in await monitor.events {
      let record = try #require(await monitor.record(for: "hall"))
      // While an event is handled, the record still contains the previous one.
      #expect(record.lastEvent.state == seen.last ?? .unsatisfied)
      #expect(event.identifier == "hall")
      if event.state == .satisfied {
        let refinement = event.refinement as? CLMonitor.BeaconIdentityCondition
        #expect(refinement?.major == 1 && refinement?.minor == 1)
      }
      seen.append(event.state)
    }
    #expect(seen == [.satisfied, .unsatisfied, .satisfied])
    #expect(await monitor.identifiers == ["hall"])
  }

  /// Rows N2 and N8.
  @Test func `an event names what withholds its state`() {
    func event(
      _ reason: RegionStateReason,
      _ status: AuthorizationStatus = .authorizedWhenInUse,
      servicesOn: Bool = true
    ) -> CLMonitor.Event {
      var driver = EngineDriver(startingAt: Timestamp(microseconds: 0))
      let saved = SavedClient(authorization: SavedAuthorization(status: status))
      let client = driver.connect(Manifest(), restoring: saved)
      let snapshot = driver.snapshot(of: client)
      return CLMonitor.Event(
        MonitorEvent(
          identifier: "hall",
          time: driver.now,
          state: .unmonitored,
          origin: .observed,
          reason: reason
        ),
        "hall",
        snapshot: snapshot,
        servicesOn: servicesOn
      )
    }
    #expect(event(.accuracy).accuracyLimited)
    #expect(event(.accuracy).state == .unmonitored)
    #expect(event(.notInUse).insufficientlyInUse)
    #expect(event(.authorization, .restricted).authorizationRestricted)
    let denied = event(.authorization, .denied)
    #expect(denied.authorizationDenied && !denied.authorizationDeniedGlobally)
    let off = event(.authorization, .denied, servicesOn: false)
    #expect(off.authorizationDenied && off.authorizationDeniedGlobally)
    let radio = event(.radioOff, .denied)
    #expect(!radio.authorizationDenied && !radio.accuracyLimited && !radio.insufficientlyInUse)
  }

  /// Rows N7 and N8.
  @Test func `a condition too many, and one of a map, have an event and a record`() async throws {
    let app = try App(receiving: "-*--")
    let monitor = await CLMonitor("tour", of: app.service)
    let circle = CLMonitor.CircularGeographicCondition(
      center: CLLocationCoordinate2D(latitude: 52.5, longitude: 13.4),
      radius: 100
    )
    let names = (1...21).map { "room \($0 + 10)" }
    for (index, name) in names.enumerated() {
      let major = UInt16(index + 1)
      await monitor.add(
        CLMonitor.BeaconIdentityCondition(uuid: UUID(App.uuid), major: major),
        identifier: name
      )
    }
    await monitor.add(circle, identifier: "square")
    var found: [String: CLMonitor.Event] = [:]
    for try await event in await monitor.events { found[event.identifier] = event }
    #expect(found["room 11"]?.state == .satisfied)
    let last = try #require(found["room 31"])
    #expect(last.state == .unmonitored && last.conditionLimitExceeded && !last.conditionUnsupported)
    let square = try #require(found["square"])
    #expect(square.state == .unmonitored && square.conditionUnsupported)
    #expect(await monitor.identifiers == names + ["square"])
    #expect(await monitor.record(for: "room 31")?.lastEvent.conditionLimitExceeded == true)
    let kept = await monitor.record(for: "square")
    #expect(kept?.lastEvent.conditionUnsupported == true)
    #expect((kept?.condition as? CLMonitor.CircularGeographicCondition)?.radius == 100)
    await monitor.remove("square")
    #expect(await monitor.record(for: "square") == nil)
  }

  /// Row N2.
  @Test(arguments: [false, true])
  func `events show that a program may not know`(_ isDenied: Bool) async throws {
    let app = try App(
      receiving: "-***",
      granted: isDenied ? .denied : .authorizedWhenInUse,
      isDenied ? .full : .reduced
    )
    let monitor = await CLMonitor("tour", of: app.service)
    await monitor.add(condition, identifier: "hall")
    var seen: [CLMonitor.Event] = []
    for try await event in await monitor.events { seen.append(event) }
    #expect(seen.map(\.state) == [.unmonitored])
    #expect(seen.first?.authorizationDenied == isDenied && seen.first?.accuracyLimited == !isDenied)
  }

  /// Rows N8, N10 and N15.
  @Test func `a program whose manifest demands its own session gets nothing without one`()
    async throws
  {
    var manifest = App.manifest
    manifest.explicitServiceSession = true
    let app = try App(receiving: "-***--", manifest)
    let monitor = await CLMonitor("tour", of: app.service)
    await monitor.add(condition, identifier: "hall")
    var update = CLLocationUpdate.liveUpdates(of: app.service).makeAsyncIterator()
    #expect(try await update.next()?.serviceSessionRequired == true)
    let background = CLBackgroundActivitySession(app.service)
    var diagnostics = background.diagnostics.makeAsyncIterator()
    #expect(try await diagnostics.next()?.serviceSessionRequired == true)
    background.invalidate()
    var seen: [CLMonitor.Event] = []
    var own: CLServiceSession?
    for try await event in await monitor.events {
      seen.append(event)
      // Apple's sample: a session for as long as the feature is used.
      if event.serviceSessionRequired { own = CLServiceSession(.none, nil, of: app.service) }
    }
    #expect(seen.map(\.state) == [.unmonitored, .satisfied])
    own?.invalidate()
  }

  @Test func `a background session in the background reports that it does not start`() async throws
  {
    let app = try App(receiving: "------------*")
    await app.service.opening.value?.client.enterBackground()
    let goal = CLServiceSession(.none, nil, of: app.service)
    var found: [Bool?] = []
    for try await diagnostic in goal.diagnostics {
      found.append(diagnostic.insufficientlyInUse)
      guard diagnostic.insufficientlyInUse else { continue }
      let session = CLBackgroundActivitySession(app.service)
      var diagnostics = session.diagnostics.makeAsyncIterator()
      found.append(try await diagnostics.next()?.insufficientlyInUse)
    }
    // In the grace period, after it, and that of the background session.
    #expect(found == [false, true, true])
  }

  @Test func `conditions are kept as a program likes`() throws {
    let conditions: [any CLCondition] = [
      CLMonitor.BeaconIdentityCondition(uuid: UUID(App.uuid), major: 7),
      CLMonitor.CircularGeographicCondition(
        center: CLLocationCoordinate2D(latitude: 1, longitude: 2),
        radius: 3
      ),
    ]
    func copy<Value: CLCondition>(_ value: Value) throws -> Value {
      try JSONDecoder().decode(Value.self, from: JSONEncoder().encode(value))
    }
    let first = try #require(try copy(conditions[0]) as? CLMonitor.BeaconIdentityCondition)
    #expect(first == CLMonitor.BeaconIdentityCondition(uuid: UUID(App.uuid), major: 7))
    let second = try #require(try copy(conditions[1]) as? CLMonitor.CircularGeographicCondition)
    #expect(second.center.longitude == 2 && second.radius == 3)
  }

  @Test func `monitors of two names keep apart, and from regions`() async throws {
    let app = try App(receiving: "****")
    let (first, second) = (
      await CLMonitor("a", of: app.service), await CLMonitor("b", of: app.service)
    )
    await first.add(condition, identifier: "hall")
    await second.add(condition, identifier: "hall")
    await second.remove("hall")
    #expect(await first.identifiers == ["hall"])
    #expect(await second.identifiers == [])
    #expect(await second.record(for: "hall") == nil)
    let states = try await first.events.reduce(into: []) { $0.append($1.state) }
    #expect(states == [.satisfied])
    #expect(app.service.regions.isEmpty)
  }

  /// Row N1.
  @Test func `a name can be open only once at a time`() async throws {
    let app = try App(receiving: "-*-*")
    var first: CLMonitor? = await CLMonitor("tour", of: app.service)
    await first?.add(condition, identifier: "hall")
    let second = await CLMonitor("tour", of: app.service)
    #expect(
      app.notes == [
        "CoreLocation: a monitor named 'tour' is open; another of that name watches nothing"
      ]
    )
    await second.add(condition, identifier: "attic")
    await second.remove("hall")
    #expect(await second.identifiers == [])
    #expect(await second.record(for: "hall") == nil)
    for try await event in await second.events { Issue.record("\(event)") }
    #expect(await first?.identifiers == ["hall"], "the first is left alone")
    do {
      // A task that iterates over events keeps the name in use, as the monitor does.
      let events = await first?.events
      first = nil
      #expect(await CLMonitor("tour", of: app.service).identifiers == [])
      withExtendedLifetime(events) {}
    }
    let third = await CLMonitor("tour", of: app.service)
    #expect(await third.identifiers == ["hall"])
    let states = try await third.events.reduce(into: []) { $0.append($1.state) }
    #expect(states == [.satisfied])
  }

  /// Row N6.
  @Test @MainActor func `conditions and regions outlast the program`() async throws {
    let folder = FileManager.default.temporaryDirectory.appending(path: UUID().uuidString)
    defer { try? FileManager.default.removeItem(at: folder) }
    let store = ClientStore(directory: folder.path)
    do {
      let app = try App(receiving: "***", state: store)
      let monitor = await CLMonitor("tour", of: app.service)
      await monitor.add(condition, identifier: "hall")
      let manager = CLLocationManager(app.service)
      manager.startMonitoring(
        for: CLBeaconRegion(uuid: UUID(App.uuid), identifier: "museum")
      )
      manager.startRangingBeacons(satisfying: CLBeaconIdentityConstraint(uuid: UUID(App.uuid)))
      await app.toEnd()
      await app.service.opening.value?.close()
    }
    let again = try App(receiving: "---", granted: .notDetermined, state: store)
    let manager = CLLocationManager(again.service)
    #expect(manager.authorizationStatus == .authorizedWhenInUse)
    #expect(manager.monitoredRegions.map(\.identifier) == ["museum"])
    #expect(manager.rangedBeaconConstraints.isEmpty)
    let monitor = await CLMonitor("tour", of: again.service)
    #expect(await monitor.identifiers == ["hall"])
    await again.toEnd()
  }

  @Test func `a service session requests authorization and reports its obstacles`() async throws {
    let app = try App(receiving: "****", granted: .notDetermined, answers: [.dontAllow])
    let session = CLServiceSession(.whenInUse, nil, of: app.service)
    var denied = false
    for try await diagnostic in session.diagnostics where diagnostic.authorizationDenied {
      denied = true
    }
    #expect(denied)
    #expect(app.prompts.map(\.kind) == [.whenInUse])
    session.invalidate()
  }
}
