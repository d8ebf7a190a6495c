// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

import BeaconService
import Beacons
import DBus
import DBusTestSupport
import Foundation
import Testing

/// How the service comes to its bus, and how it loses it.
@Suite(.timeLimit(.minutes(2)))
struct ServiceConnectionTests {
  private static func setup(
    _ address: String,
    _ events: AsyncStream<ServiceEvent>.Continuation
  ) throws -> ServiceSetup {
    var setup = ServiceSetup(
      bus: BusAddress(address),
      store: ClientStore(directory: try ServiceFixture.makeFolder().path),
      show: { events.yield($0) }
    )
    setup.probe = CallerProbe(origin: { _ in .account("anna") }, isAdministrator: { _ in true })
    return setup
  }

  @Test func `without a bus the service ends at once and the reason is shown`() async throws {
    let (events, continuation) = AsyncStream<ServiceEvent>.makeStream()
    let setup = try Self.setup("unix:path=/nonexistent/bus", continuation)
    // The source never ends: it must not be what the service waits for.
    try await BeaconServiceHost(setup, source: PushedSource()).run()
    continuation.finish()
    var shown: [ServiceEvent] = []
    for await event in events { shown.append(event) }
    #expect(shown.count == 1, "\(shown)")
    guard case .failed(let text)? = shown.first else {
      Issue.record("no failure is shown: \(shown)")
      return
    }
    #expect(text.hasPrefix("the bus cannot be reached: "), "\(text)")
  }

  @Test(.enabled(if: PrivateBus.isAvailable, "\(PrivateBus.absence)"))
  func `a bus that ends under the service is reported once and is no failure`() async throws {
    let bus = try PrivateBus()
    let (events, continuation) = AsyncStream<ServiceEvent>.makeStream()
    let source = PushedSource()
    let host = BeaconServiceHost(try Self.setup(bus.address, continuation), source: source)
    let running = Task { try await host.run() }
    var iterator = events.makeAsyncIterator()
    #expect(await iterator.next() == .ready)
    bus.stop()
    #expect(await iterator.next() == .lost)
    running.cancel()
    source.end()
    try await running.value
    continuation.finish()
    #expect(await iterator.next() == nil)
  }
}
