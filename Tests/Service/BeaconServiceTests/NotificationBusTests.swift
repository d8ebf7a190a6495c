// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

import BeaconCore
import BeaconService
import BeaconTesting
import Beacons
import DBus
import DBusTestSupport
import Foundation
import Testing

/// The talk's sample on a bus: the machine shows a client's notification, and a tap opens the client. Rows G23, C25, C26 and P16.
extension ServiceBusTests {
  /// An agent, and the notifications that it shows.
  private struct NotificationAgent {
    let program: ServiceProgram
    let shown: AsyncStream<[DBusValue]>

    init(_ bus: PrivateBus) async throws {
      let (shown, continuation) = AsyncStream<[DBusValue]>.makeStream()
      self.shown = shown
      program = try await ServiceProgram(bus) { called in
        if called.member == "Notify" { continuation.yield(called.arguments) }
        return .values([])
      }
      try await program.call(
        ServiceName.path,
        ServiceName.manager,
        "RegisterAgent",
        [.objectPath("/agent")]
      )
    }

    func next() async throws -> [DBusValue] {
      var all = shown.makeAsyncIterator()
      return try #require(await all.next())
    }

    func open(_ notification: [DBusValue]) async throws {
      try await program.call(
        ServiceName.path,
        ServiceName.manager,
        "Opened",
        [notification[0]]
      )
    }
  }

  private static let manifest = Manifest(whenInUse: "to guide you")

  private static func notify(_ region: String, _ text: String, repeats: Bool = true) -> [DBusValue]
  {
    [
      .string(region), ServiceProgram.constraint,
      .properties([
        "text": .string(text), "repeats": .boolean(repeats), "exit": .boolean(false),
      ]),
    ]
  }

  private static func silence(from first: Int, through last: Int) -> Timeline {
    var timeline = Timeline()
    timeline.listening(from: first, through: last)
    return timeline
  }

  @Test
  func
    `the machine shows a notification for a client in the background, and a tap brings it to the front`()
    async throws
  {
    let bus = try PrivateBus()
    let service = try await ServiceFixture(on: bus, in: try ServiceFixture.makeFolder())
    let agent = try await NotificationAgent(bus)
    try await agent.program.grant("user:anna/guide", "whenInUse")
    let session = try await BeaconSession(service: .address(bus.address))
    let museum = try IdentityConstraint(parsing: ServiceProgram.uuid)
    try await session.run {
      let client = try await session.connect(Self.manifest, named: "guide")
      var changes = client.notificationChanges.makeAsyncIterator()
      var deliveries = client.deliveries.makeAsyncIterator()
      await client.startMonitoring(Region("museum", museum))
      await client.notify(
        RegionNotification(
          Region("arrival", museum, notifyOnExit: false),
          repeats: true,
          text: "Welcome to the museum"
        )
      )
      await client.perform(.background)
      await client.requestState(for: "museum")
      while let delivery = await deliveries.next() {
        if case .regionState(_, _, _, .requested) = delivery.event { break }
        if case .regionState(_, .unknown, _, _) = delivery.event { break }
      }
      try await service.push(Self.silence(from: 1, through: 60))
      try await service.push(Self.stay(from: 61, through: 70))
      let shown = try await agent.next()
      #expect(shown[1] == .string("user:anna/guide"))
      #expect(shown[3] == .string("Welcome to the museum"))
      try await agent.open(shown)
      // The first that the program learns of it is the tap: then it is in use, and gets the state of its region.
      guard case .tapped("arrival", _)? = await changes.next() else {
        Issue.record("no tap")
        return
      }
      while let delivery = await deliveries.next() {
        if case .notification = delivery.event { Issue.record("\(delivery)") }
        if case .regionState("museum", .inside, _, _) = delivery.event { break }
      }
    }
    try await service.stop()
  }

  @Test
  func `a notification is shown for a client that does not run, also after a restart, and once`()
    async throws
  {
    let bus = try PrivateBus()
    let folder = try ServiceFixture.makeFolder()
    let first = try await ServiceFixture(on: bus, in: folder)
    let program = try await ServiceProgram(bus)
    try await program.grant("user:anna/guide", "whenInUse")
    let session = try await program.session("guide")
    try await program.own(session, "Notify", Self.notify("once", "once", repeats: false))
    try await program.own(session, "Notify", Self.notify("gone", "gone"))
    try await program.own(session, "StopNotifying", [.string("gone")])
    try await program.own(session, "Close")
    try await first.stop()

    let second = try await ServiceFixture(on: bus, in: folder, from: Timeline.start + .seconds(10))
    let agent = try await NotificationAgent(bus)
    try await second.push(Self.silence(from: 11, through: 60))
    try await second.push(Self.stay(from: 61, through: 70))
    let shown = try await agent.next()
    #expect(shown[3] == .string("once"))
    try await agent.open(shown)
    // The user starts the program, which learns which notification was opened.
    let back = try await BeaconSession(service: .address(bus.address))
    try await back.run {
      let client = try await back.connect(Self.manifest, named: "guide")
      var changes = client.notificationChanges.makeAsyncIterator()
      guard case .tapped("once", _)? = await changes.next() else {
        Issue.record("no tap")
        return
      }
    }
    try await second.stop()

    let third = try await ServiceFixture(on: bus, in: folder, from: Timeline.start + .seconds(100))
    let again = try await NotificationAgent(bus)
    let free = try await program.session("guide")
    try await program.own(free, "Notify", Self.notify("last", "last"))
    try await program.wait(free, "Authorization", .string("authorizedWhenInUse"))
    try await third.push(Self.silence(from: 101, through: 160))
    try await third.push(Self.stay(from: 161, through: 170))
    #expect(try await again.next()[3] == .string("last"))
    try await third.stop()
  }

  /// Row P6.
  @Test(arguments: [("denied", "full"), ("whenInUse", "reduced"), ("notDetermined", "full")])
  func `a notification that the grants do not allow is not shown`(
    grant: String,
    accuracy: String
  ) async throws {
    let bus = try PrivateBus()
    let service = try await ServiceFixture(on: bus, in: try ServiceFixture.makeFolder())
    let agent = try await NotificationAgent(bus)
    try await agent.program.grant("user:anna/spy", grant, accuracy: accuracy)
    try await agent.program.grant("user:anna/guide", "whenInUse")
    let program = try await ServiceProgram(bus)
    let (spy, guide) = (try await program.session("spy"), try await program.session("guide"))
    let stream = try await program.stream(spy)
    for path in [spy, guide] {
      try await program.own(path, "Notify", Self.notify("hall", path))
    }
    try await program.wait(guide, "Authorization", .string("authorizedWhenInUse"))
    try await service.push(Self.silence(from: 1, through: 60))
    try await service.push(Self.stay(from: 61, through: 70))
    #expect(try await agent.next()[1] == .string("user:anna/guide"))
    try await service.stop()
    for line in await stream.read(until: { _ in false }) {
      #expect(!line.contains("hall"), "\(line)")
    }
  }
}
