// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

import BeaconCore
import BeaconService
import BeaconTesting
import Beacons
import DBusTestSupport
import Foundation
import Testing

/// A session of the library whose engine is the service's.
@Suite(.enabled(if: PrivateBus.isAvailable, "\(PrivateBus.absence)"), .timeLimit(.minutes(2)))
struct ServiceEngineTests {
  static let manifest = Manifest(whenInUse: "to guide you", alwaysAndWhenInUse: "to guide you")

  static var constraint: IdentityConstraint {
    get throws { try IdentityConstraint(parsing: ServiceProgram.uuid) }
  }

  /// The next delivery from which a closure picks something.
  private static func next<Value>(
    _ deliveries: inout ClientSequence<Delivery>.Iterator,
    _ pick: (Event) -> Value?
  ) async -> Value? {
    while let delivery = await deliveries.next() {
      if let value = pick(delivery.event) { return value }
    }
    return nil
  }

  /// Waits until the service has done what was requested before.
  private static func settle(
    _ client: BeaconClient,
    _ deliveries: inout ClientSequence<Delivery>.Iterator
  ) async {
    await client.requestState(for: "hall")
    _ = await next(&deliveries) { event in
      if case .regionState("hall", _, _, .requested) = event { true } else { nil }
    }
  }

  private static func crossing(_ event: Event) -> Bool? {
    switch event {
    case .regionEntered: true
    case .regionExited: false
    default: nil
    }
  }

  private static func beacons(_ event: Event) -> [RangedBeacon]? {
    guard case .ranged(let entries) = event, let entry = entries.first, !entry.beacons.isEmpty
    else { return nil }
    return entry.beacons
  }

  @Test func `a session over the service ranges, monitors and reads its grants`() async throws {
    let bus = try PrivateBus()
    let service = try await ServiceFixture(on: bus, in: try ServiceFixture.makeFolder())
    let admin = try await ServiceProgram(bus)
    let session = try await BeaconSession(service: .address(bus.address))
    let constraint = try Self.constraint
    try await session.run {
      let client = try await session.connect(Self.manifest, named: "guide")
      #expect(await client.snapshot?.status == .notDetermined)
      var deliveries = client.deliveries.makeAsyncIterator()
      try await admin.grant("user:anna/guide", "always")
      let status = await Self.next(&deliveries) { event -> AuthorizationStatus? in
        if case .authorization(let status, _) = event { status } else { nil }
      }
      #expect(status == .authorizedAlways)
      #expect(await client.snapshot?.status == .authorizedAlways)
      await client.startMonitoring(Region("hall", constraint))
      await client.request(.range(constraint))
      #expect(await client.monitoredRegions.map(\.identifier) == ["hall"])
      await Self.settle(client, &deliveries)
      var timeline = Timeline()
      timeline.listening(from: 1, through: 60)
      try await service.push(timeline)
      try await service.push(ServiceBusTests.stay(from: 61, through: 90))
      #expect(await Self.next(&deliveries, Self.crossing) == true)
      let beacons = await Self.next(&deliveries, Self.beacons)
      #expect(beacons?.first?.identity == Timeline.beacon)
      #expect(beacons?.first?.distance != nil)
    }
    // The region stays with the service, and a later program of the same name finds it.
    let later = try await BeaconSession(service: .address(bus.address))
    let client = try await later.connect(Self.manifest, named: "guide")
    #expect(await client.monitoredRegions == [Region("hall", constraint)])
    #expect(await client.snapshot?.status == .authorizedAlways)
    try await later.run {}
    try await service.stop()
  }

  /// Rows C34 and N15.
  @Test func `a program whose manifest demands a goal gets nothing before it declares one`()
    async throws
  {
    let bus = try PrivateBus()
    let service = try await ServiceFixture(on: bus, in: try ServiceFixture.makeFolder())
    try await ServiceProgram(bus).grant("user:anna/guide", "always")
    let session = try await BeaconSession(service: .address(bus.address))
    let constraint = try Self.constraint
    var manifest = Self.manifest
    manifest.explicitServiceSession = true
    try await session.run {
      let client = try await session.connect(manifest, named: "guide")
      var deliveries = client.deliveries.makeAsyncIterator()
      await client.startMonitoring(Region("hall", constraint))
      let isMissing = await Self.next(&deliveries) { event -> Bool? in
        event == .diagnostic(.authorization(.serviceSessionRequired)) ? true : nil
      }
      #expect(isMissing == true)
      let goal = await client.serviceSession(.none)
      await Self.settle(client, &deliveries)
      var timeline = Timeline()
      timeline.listening(from: 1, through: 60)
      try await service.push(timeline)
      try await service.push(ServiceBusTests.stay(from: 61, through: 90))
      #expect(await Self.next(&deliveries, Self.crossing) == true)
      let visits = await client.visits
      #expect(visits.map(\.region) == ["hall"] && visits.first?.departure == nil)
      await goal.invalidate()
    }
    try await service.stop()
  }

  @Test func `a program reads the operator's stream as a source`() async throws {
    let bus = try PrivateBus()
    let service = try await ServiceFixture(on: bus, in: try ServiceFixture.makeFolder())
    // A radio that still receives the beacon when the program connects.
    let radio = PacedSource(
      TimelineSource(ServiceBusTests.stay(from: 1, through: 3000), batchSize: 10),
      speed: 100
    )
    let receiving = Task {
      while let batch = try await radio.next(until: nil) { try await service.push(batch) }
    }
    let source = try await ServiceSource(service: .address(bus.address))
    let session = BeaconSession(source, followingSwitchOf: nil)
    let client = try await session.connect()
    let constraint = try Self.constraint
    let tick = try await session.run {
      await client.ranging(satisfying: constraint).first { !$0.beacons.isEmpty }
    }
    #expect(tick?.beacons.first?.identity == Timeline.beacon)
    #expect(source.receiverNames == ["service:", "test"])
    receiving.cancel()
    source.stop()
    try await service.stop()
    await #expect(throws: (any Error).self) {
      try await ServiceSource(service: .address("unix:path=/nonexistent/bus"))
    }
  }

  @Test func `a service that is started again is found, and no crossing is missed or doubled`()
    async throws
  {
    let bus = try PrivateBus()
    let folder = try ServiceFixture.makeFolder()
    let first = try await ServiceFixture(on: bus, in: folder)
    try await ServiceProgram(bus).grant("user:anna/guide", "always")
    let session = try await BeaconSession(service: .address(bus.address))
    let constraint = try Self.constraint
    try await session.run {
      let client = try await session.connect(Self.manifest, named: "guide")
      var deliveries = client.deliveries.makeAsyncIterator()
      await client.startMonitoring(Region("hall", constraint))
      await client.request(.range(constraint))
      await Self.settle(client, &deliveries)
      var timeline = Timeline()
      timeline.listening(from: 1, through: 60)
      try await first.push(timeline)
      try await first.push(ServiceBusTests.stay(from: 61, through: 70))
      #expect(await Self.next(&deliveries, Self.crossing) == true)
      try await first.stop()
      let start = Timeline.start + .seconds(80)
      let second = try await ServiceFixture(on: bus, in: folder, from: start)
      // Waits until the session is there again.
      await Self.settle(client, &deliveries)
      try await second.push(ServiceBusTests.stay(from: 81, through: 90))
      // Ranging goes on without being asked for again.
      #expect(await Self.next(&deliveries, Self.beacons) != nil)
      var silence = Timeline()
      silence.listening(from: 91, through: 500)
      try await second.push(silence)
      // The next crossing is the exit: the entry is not delivered again.
      #expect(await Self.next(&deliveries, Self.crossing) == false)
      try await second.stop()
    }
  }

  @Test func `what the service refuses is a failure of the request`() async throws {
    let bus = try PrivateBus()
    var quotas = ServiceQuotas()
    quotas.regions = 1
    let service = try await ServiceFixture(
      on: bus,
      in: try ServiceFixture.makeFolder(),
      quotas: quotas
    )
    let session = try await BeaconSession(service: .address(bus.address))
    let constraint = try Self.constraint
    try await session.run {
      let client = try await session.connect(Self.manifest, named: "guide")
      var found = client.diagnostics.makeAsyncIterator()
      await client.startMonitoring(Region("hall", constraint))
      await client.startMonitoring(Region("stairs", constraint))
      var codes: [LocationErrorCode] = []
      while codes.isEmpty, let diagnostic = await found.next() {
        if case .failure(let code, .region("stairs"), at: _) = diagnostic { codes.append(code) }
      }
      #expect(codes == [.regionMonitoringFailure])
    }
    try await service.stop()
  }

  /// Row P14.
  @Test func `a region is monitored whole, or refused with the reason`()
    async throws
  {
    let bus = try PrivateBus()
    let service = try await ServiceFixture(on: bus, in: try ServiceFixture.makeFolder())
    try await ServiceProgram(bus).grant("user:anna/guide", "always")
    let session = try await BeaconSession(service: .address(bus.address))
    let refused = Region("statue", try Self.constraint, place: "hall")
    let whole = Region(
      "hall",
      refused.constraint,
      zone: try Zone(enterWithin: 3, leaveBeyond: 4.5),
      enterPolicy: EnterPolicy(sightings: 2, rssiFloor: -80, window: .milliseconds(1500)),
      exitTiming: .fixed(.seconds(9))
    )
    try await session.run {
      let client = try await session.connect(Self.manifest, named: "guide")
      var found = client.diagnostics.makeAsyncIterator()
      await client.startMonitoring(refused)
      await client.notify(RegionNotification(Region("door", refused.constraint), repeats: true))
      await client.startMonitoring(whole)
      var reasons: [String] = []
      var failed: [FailedSubject] = []
      while reasons.count < 2 || failed.isEmpty, let diagnostic = await found.next() {
        if case .requestRefused(let reason) = diagnostic { reasons.append(reason) }
        if case .failure(_, let subject, at: _) = diagnostic { failed.append(subject) }
      }
      #expect(reasons.first?.contains("'statue' with its own place") == true)
      #expect(reasons.last?.contains("'door'") == true)
      #expect(failed == [.region("statue")])
      #expect(await client.monitoredRegions == [whole])
    }
    // A later program of the client gets it whole from the service.
    let later = try await BeaconSession(service: .address(bus.address))
    try await later.run {
      let client = try await later.connect(Self.manifest, named: "guide")
      #expect(await client.monitoredRegions == [whole])
    }
    try await service.stop()
  }

  @Test func `without a service the session is not made, and the reason is said`() async throws {
    let bus = try PrivateBus()
    await #expect(throws: ServiceEngine.Failure.notRunning) {
      _ = try await BeaconSession(service: .address(bus.address))
    }
    await #expect(throws: ServiceEngine.Failure.self) {
      _ = try await BeaconSession(service: .address("unix:path=/nonexistent/bus"))
    }
  }
}
