// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

import BeaconCore
import BeaconService
import BeaconTestSupport
import Beacons
import DBus
import DBusTestSupport
import Glibc
import Synchronization
import Testing

/// A client whose calls the service refuses, with a service that only answers.
@Suite(.enabled(if: PrivateBus.isAvailable, "\(PrivateBus.absence)"), .timeLimit(.minutes(1)))
struct ServiceRefusalTests {
  /// Answers each method as the service does, after the failures that a test sets.
  final class Answers: Sendable {
    private let failures: Mutex<[String: [Answer]]>
    /// The methods that were called.
    let calls: AsyncStream<String>
    private let continuation: AsyncStream<String>.Continuation
    /// The other ends of the streams, which stay open.
    private let streams = Mutex<[DBusDescriptor]>([])

    init(_ failures: [String: [Answer]]) {
      self.failures = Mutex(failures)
      (calls, continuation) = AsyncStream.makeStream()
    }

    func fail(_ member: String, _ answer: Answer) {
      failures.withLock { $0[member, default: []].append(answer) }
    }

    func answer(_ called: BusProgram.Called) -> Answer? {
      continuation.yield(called.member)
      let failure = failures.withLock { failures -> Answer? in
        guard failures[called.member]?.isEmpty == false else { return nil }
        return failures[called.member]?.removeFirst()
      }
      if let failure { return failure }
      switch called.member {
      case "CreateSession": return .values([.objectPath("/session")])
      case "OpenStream": return stream()
      case "Get": return .values([.variant(.boolean(true))])
      case "ListRegions": return .values([.array(of: "(sa{sv}a{sv})", [])])
      case "GetAll": return .values([.properties(["Client": .string("user:anna/guide")])])
      default: return .values([])
      }
    }

    private func stream() -> Answer {
      var ends: [Int32] = [-1, -1]
      guard unsafe pipe(&ends) == 0 else { return .unknownMethod }
      streams.withLock { $0.append(DBusDescriptor(owning: ends[1])) }
      return .values([.descriptor(DBusDescriptor(owning: ends[0]))])
    }
  }

  private static func program(_ client: ClientID) -> RemoteConnection.Opening {
    RemoteConnection.Opening(
      client: client,
      name: "guide",
      manifest: ServiceEngineTests.manifest,
      isForeground: true,
      deliver: { _, _ in }
    )
  }

  private static func refused(_ name: String, _ text: String) -> Answer {
    .failure(name: "\(ServiceName.domain).Error.\(name)", text: text)
  }

  @Test(arguments: ["CreateSession", "OpenStream", "Get", "ListRegions", "GetAll"])
  func `each refusal while a client is opened is its failure`(_ member: String) async throws {
    let bus = try PrivateBus()
    let answers = Answers([member: [Self.refused("LimitExceeded", "no room")]])
    let service = try BusProgram(bus, owning: ServiceName.bus) { answers.answer($0) }
    _ = await service.next()
    let engine = try await ServiceEngine.connect(BusAddress(bus.address))
    await #expect(throws: ServiceEngine.Failure.refused("no room")) {
      try await engine.open(Self.program(ClientID(number: 0)))
    }
    // It can be opened again.
    _ = try await engine.open(Self.program(ClientID(number: 0)))
    await engine.stop()
  }

  @Test(.slow)
  func `a session that is lost while the service runs is opened again, with the reason`()
    async throws
  {
    let bus = try PrivateBus()
    let answers = Answers(["StartRanging": [.unknownObject]])
    let service = try BusProgram(bus, owning: ServiceName.bus) { answers.answer($0) }
    _ = await service.next()
    let (faults, told) = AsyncStream<ServiceEngine.Failure?>.makeStream()
    let engine = try await ServiceEngine.connect(BusAddress(bus.address)) { told.yield($1.fault) }
    _ = try await engine.open(Self.program(ClientID(number: 0)))
    answers.fail("CreateSession", Self.refused("LimitExceeded", "no room"))
    engine.send(.request(.range(try ServiceEngineTests.constraint), by: ClientID(number: 0)))
    var fault = faults.makeAsyncIterator()
    #expect(await fault.next() == .some(nil))
    #expect(await fault.next() == .some(.refused("no room")))
    #expect(await fault.next() == .some(nil))
    var ranged = 0
    for await call in answers.calls where call == "StartRanging" {
      ranged += 1
      if ranged == 2 { break }
    }
    #expect(ranged == 2)
    await engine.stop()
  }
}
