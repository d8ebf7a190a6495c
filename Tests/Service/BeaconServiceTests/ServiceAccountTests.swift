// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

import BeaconService
import BeaconTestSupport
import DBus
import DBusTestSupport
import Glibc
import Synchronization
import Testing

/// Programs of several accounts.
@Suite(.enabled(if: PrivateBus.isAvailable, "\(PrivateBus.absence)"), .timeLimit(.minutes(2)))
struct ServiceAccountTests {
  /// Row P1.
  @Test(arguments: [nil, geteuid(), geteuid() + 1] as [UInt32?])
  func `a program in a unit is the unit only as the unit's account`(_ account: UInt32?) async throws
  {
    let bus = try PrivateBus()
    let path = CallerOrigin.path(ofUnit: "cron.service")
    let systemd = try BusProgram(
      bus,
      owning: account.map { _ in "org.freedesktop.systemd1" },
      answering: { called in
        guard called.path == path, called.member == "Get", let account else { return nil }
        return .values([.variant(.uint32(account == 0 ? .max : account))])
      }
    )
    _ = await systemd.next()
    let service = try await ServiceFixture(
      on: bus,
      in: try ServiceFixture.makeFolder(),
      origin: { _ in .unit("cron.service") }
    )
    let program = try await ServiceProgram(bus)
    let session = try await program.session("job")
    let isUnit = account == geteuid()
    let own = "user:\(CallerProbe.accountName(of: geteuid()))/job"
    let client = try await program.property(session, "Client")
    #expect(client == .string(isUnit ? "unit:cron.service" : own))
    #expect(try await program.property(session, "Verified") == .boolean(isUnit))
    try await service.stop()
  }

  @Test func `a program that cannot be identified gets an error, and may try again`() async throws {
    let bus = try PrivateBus()
    let isKnown = Atomic(false)
    let service = try await ServiceFixture(
      on: bus,
      in: try ServiceFixture.makeFolder(),
      origin: { _ in isKnown.load(ordering: .acquiring) ? .account("anna") : nil }
    )
    let program = try await ServiceProgram(bus)
    await #expect(throws: CallError.self) { _ = try await program.session("a") }
    isKnown.store(true, ordering: .releasing)
    let session = try await program.session("a")
    #expect(try await program.property(session, "Client") == .string("user:anna/a"))
    try await service.stop()
  }

  /// The account database is not asked without descriptors, or its answer is not believed.
  @Test func `without a descriptor an account has no made-up name`() async {
    await #expect(processExitsWith: .success) {
      // Read before, so that the system's libraries are loaded.
      #expect(CallerProbe.knownName(of: 0) == "root")
      #expect(CallerProbe.knownName(of: 4_000_000_000) == "#4000000000")
      withoutDescriptors {
        // systemd's module knows root without a file.
        #expect([nil, "root"].contains(CallerProbe.knownName(of: 0)))
        #expect(CallerProbe.knownName(of: 4_000_000_000) == nil)
      }
    }
  }

  @Test func `calls that wait until a program is identified are few and small`() async throws {
    let bus = try PrivateBus()
    let systemd = try BusProgram(
      bus,
      owning: "org.freedesktop.systemd1",
      answering: { _ in .later }
    )
    _ = await systemd.next()
    let service = try await ServiceFixture(
      on: bus,
      in: try ServiceFixture.makeFolder(),
      origin: { _ in .unit("slow.service") }
    )
    let program = try await BusProgram.stranger(on: bus)
    let large = DBusValue.properties(["label": .string(String(repeating: "a", count: 100_000))])
    let call = MethodCall(
      ServiceName.bus,
      ServiceName.path,
      ServiceName.manager,
      "CreateSession",
      [large]
    )
    let error = await #expect(throws: CallError.self) {
      try await program.thread.call(call, timeout: .seconds(30))
    }
    #expect(error?.name == ServiceName.domain + ".Error.LimitExceeded")
    try await service.stop()
  }

  @Test func `an account has half of the operator's streams at most`() async throws {
    let bus = try PrivateBus()
    let service = try await ServiceFixture(on: bus, in: try ServiceFixture.makeFolder())
    let program = try await ServiceProgram(bus)
    var held: [[DBusValue]] = []
    for _ in 0..<4 { held.append(try await program.admin("OpenSightings")) }
    let error = await #expect(throws: CallError.self) {
      try await program.admin("OpenSightings")
    }
    #expect(error?.name == ServiceName.domain + ".Error.LimitExceeded")
    withExtendedLifetime(held) {}
    try await service.stop()
  }

  /// Row P15.
  @Test func `an account whose calls wait for polkit keeps no other one out`() async throws {
    let bus = try PrivateBus()
    let polkit = try BusProgram(
      bus,
      owning: "org.freedesktop.PolicyKit1",
      answering: { _ in .later }
    )
    _ = await polkit.next()
    let service = try await ServiceFixture(
      on: bus,
      in: try ServiceFixture.makeFolder(),
      administrates: false
    )
    let (refusals, refused) = AsyncStream<String?>.makeStream()
    var floods: [Task<Void, Never>] = []
    for _ in 0..<4 {
      let program = try await BusProgram.stranger(on: bus)
      let call = MethodCall(ServiceName.bus, ServiceName.path, ServiceName.admin, "ListClients", [])
      for _ in 0..<50 {
        floods.append(
          Task {
            do throws(CallError) {
              _ = try await program.thread.call(call, timeout: .seconds(30))
            } catch {
              refused.yield(error.name)
            }
          }
        )
      }
    }
    var full = 0
    for await name in refusals where name == ServiceName.domain + ".Error.LimitExceeded" {
      full += 1
      if full == 164 { break }
    }
    let newcomer = try await ServiceProgram(bus)
    let session = try await newcomer.session("guide")
    #expect(try await newcomer.property(session, "Client") == .string("user:anna/guide"))
    for flood in floods { flood.cancel() }
    try await service.stop()
  }

  /// Row P6.
  @Test(arguments: [true, false])
  func `only administrators read whether any client was given something`(
    _ administrates: Bool
  ) async throws {
    let bus = try PrivateBus()
    let service = try await ServiceFixture(
      on: bus,
      in: try ServiceFixture.makeFolder(),
      administrates: administrates
    )
    let program = try await ServiceProgram(bus)
    let name = DBusValue.string(ServiceName.manager)
    let all = try await program.call(ServiceName.path, BusName.properties, "GetAll", [name])
    guard case .dictionary(_, let entries)? = all.first else { return }
    #expect(entries.contains { $0.key.text == "InUse" } == administrates)
    #expect(entries.contains { $0.key.text == "Listening" })
    do throws(any Error) {
      let arguments = [name, .string("InUse")]
      _ = try await program.call(ServiceName.path, BusName.properties, "Get", arguments)
      #expect(administrates)
    } catch {
      #expect(!administrates)
      #expect((error as? CallError)?.name == ServiceName.domain + ".Error.NotAuthorized")
    }
    try await service.stop()
  }
}
