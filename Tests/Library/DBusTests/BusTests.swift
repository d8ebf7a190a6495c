// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

import SystemKit
import DBus
import DBusTestSupport
import BeaconTestSupport
import Foundation
import Synchronization
import Testing

@Suite(.enabled(if: PrivateBus.isAvailable, "\(PrivateBus.absence)"), .timeLimit(.minutes(1)))
struct BusTests {
  /// One value of every type, and the containers in each other.
  ///
  /// Created again each time, because the leak checker cannot follow stored values behind tagged pointers.
  static var values: [DBusValue] {
    [
      .byte(7), .boolean(true), .int16(-127), .uint16(0x004C), .int32(-5), .uint32(6), .int64(-7),
      .uint64(.max), .double(0.25), .string("Käfer"), .objectPath("/org/bluez/hci0"),
      .signature("a{sv}"), .bytes([]), .bytes([0x4C, 0x00, 0x02, 0x15]), .array(of: "s", []),
      .array(of: "(yyay)", [.structure([.byte(0), .byte(0xFF), .bytes([1])])]),
      .dictionary(
        of: "qv",
        [DBusEntry(key: .uint16(0x4C), value: .variant(.bytes([2, 21])))]
      ),
      .properties(["Transport": .string("le"), "RSSI": .int16(-127)]),
      .variant(.variant(.array(of: "i", [.int32(1), .int32(2)]))),
    ]
  }

  @Test func `the variable of a user with fewer rights does not choose the bus`() {
    let usual = BusAddress("unix:path=/var/run/dbus/system_bus_socket")
    let set = "unixexec:path=/bin/sh,argv1=x.sh"
    #expect(BusAddress.system(set: nil, hasMoreRights: false) == usual)
    #expect(BusAddress.system(set: "", hasMoreRights: false) == usual)
    #expect(BusAddress.system(set: set, hasMoreRights: false) == BusAddress(set))
    #expect(BusAddress.system(set: set, hasMoreRights: true) == usual)
  }

  @Test func `every value returns from another program unchanged`() async throws {
    let bus = try PrivateBus()
    let server = try BusProgram(bus, owning: "a.b") { .values($0.arguments) }
    let first = await server.next()
    #expect(first == .connected)
    let client = try await BusProgram.connected(to: bus)
    let call = MethodCall("a.b", "/x", "a.b.Echo", "Echo", Self.values)
    #expect(try await client.thread.call(call, timeout: .seconds(30)) == Self.values)
    await client.thread.stop()
    await server.thread.stop()
  }

  @Test func `an error has its name, an unknown method the standard one`() async throws {
    let bus = try PrivateBus()
    let server = try BusProgram(bus, owning: "a.b") { called in
      called.member == "Fail" ? .failure(name: "a.b.Broken", text: "it is") : nil
    }
    let first = await server.next()
    #expect(first == .connected)
    let client = try await BusProgram.connected(to: bus)
    await #expect(throws: CallError.refused(name: "a.b.Broken", message: "it is")) {
      try await client.thread.call(MethodCall("a.b", "/x", "a.b.C", "Fail"), timeout: .seconds(30))
    }
    await #expect(throws: CallError.self) {
      try await client.thread.call(MethodCall("a.b", "/x", "a.b.C", "No"), timeout: .seconds(30))
    }
    #expect(await server.counters().unknownCalls == 1)
  }

  /// The first call to the bus that fails, and the error's name, as the owner of a connection learns it.
  private static func firstFailure(_ program: BusProgram) async -> (call: String, error: String?)? {
    let event = await program.next { if case .failed = $0 { true } else { false } }
    guard case .failed(.unusable(let call, let error))? = event else { return nil }
    return (call, error.name)
  }

  private static let accessDenied = "org.freedesktop.DBus.Error.AccessDenied"

  @Test(arguments: ["AddMatch", "GetNameOwner"])
  func `a bus that refuses a necessary call is a failure with its answer`(
    _ member: String
  ) async throws {
    let bus = try PrivateBus(.withoutCall(member))
    let failure = await Self.firstFailure(try BusProgram(bus, following: ["a.b"]))
    #expect(failure?.call == member)
    #expect(failure?.error == Self.accessDenied)
  }

  @Test func `a bus that refuses the greeting is a failure with its answer`() async throws {
    let bus = try PrivateBus(limits: ["max_completed_connections": 1])
    let first = try await BusProgram.connected(to: bus)
    let failure = await Self.firstFailure(try BusProgram(bus))
    #expect(failure?.call == "Hello")
    #expect(failure?.error == "org.freedesktop.DBus.Error.LimitsExceeded")
    await first.thread.stop()
  }

  @Test func `a bus that limits subscriptions is a failure`() async throws {
    let bus = try PrivateBus(limits: ["max_match_rules_per_connection": 1])
    let failure = await Self.firstFailure(try BusProgram(bus, following: ["a.b", "a.c"]))
    #expect(failure?.call == "AddMatch")
  }

  @Test func `a socket that this account may not use is named as such`() async throws {
    let folder = FileManager.default.temporaryDirectory
      .appending(path: "beacons-shut-\(UUID().uuidString.prefix(13))")
    try FileManager.default.createDirectory(
      at: folder,
      withIntermediateDirectories: true,
      attributes: [.posixPermissions: 0]
    )
    defer { try? FileManager.default.removeItem(at: folder) }
    let program = try BusProgram(
      "unix:path=\(folder.path)/bus",
      preparingThread: { ThreadAccount.change(to: ThreadAccount.nobody) }
    )
    guard case .failed(.forbidden(let text)) = await program.next() else {
      Issue.record("not forbidden")
      return
    }
    #expect(text.contains("Permission denied"))
  }

  /// Messages collect for 6 ms; here the thread is interrupted for 7 ms at one of 16 readings of the clock.
  @Test func `an interrupted thread still reads the collected messages`() async throws {
    let bus = try PrivateBus()
    let server = try BusProgram(bus, owning: "a.b") { .values($0.arguments) }
    let first = await server.next()
    #expect(first == .connected)
    let interruptions = Mutex((random: SplitMix64(seed: 1), passed: Duration.zero))
    let client = try BusProgram(
      bus.address,
      keeping: bus,
      clock: {
        interruptions.withLock { state in
          if Int.random(in: 0..<16, using: &state.random) == 0 { state.passed += .milliseconds(7) }
          return Uptime.now + state.passed
        }
      }
    )
    let connected = await client.next()
    #expect(connected == .connected)
    for _ in 0..<200 {
      let call = MethodCall("a.b", "/x", "a.b.Echo", "Echo", [.byte(1)])
      #expect(try await client.thread.call(call, timeout: .seconds(30)) == [.byte(1)])
    }
    await client.thread.stop()
    await server.thread.stop()
  }

  @Test func `a deadline fires if there is no answer`() async throws {
    let bus = try PrivateBus()
    // A program on the bus that does not answer until the test allows it.
    let mayAnswer = DispatchSemaphore(value: 0)
    let server = try BusProgram(bus, owning: "a.b") { _ in
      mayAnswer.wait()
      return .values([])
    }
    let first = await server.next()
    #expect(first == .connected)
    let client = try await BusProgram.connected(to: bus)
    let start = Uptime.now
    await #expect(throws: CallError.timedOut) {
      try await client.thread.call(
        MethodCall("a.b", "/x", "a.b.C", "M"),
        timeout: .milliseconds(50)
      )
    }
    #expect(Uptime.now - start >= .milliseconds(50))
    mayAnswer.signal()
    // The late answer is counted and ignored.
    #expect(await client.counters { $0.strayAnswers > 0 }.strayAnswers == 1)
  }

  @Test(arguments: [
    MethodCall("no name", "/x", "a.b", "M"),
    MethodCall("a.b", "x", "a.b", "M"),
    MethodCall("a.b", "/x", "ab", "M"),
    MethodCall("a.b", "/x", "a.b", "M-"),
    MethodCall("a.b", "/x", "a.b", "M", [.objectPath("x")]),
    MethodCall("a.b", "/x", "a.b", "M", [.string("a\u{0}b")]),
    MethodCall("a.b", "/x", "a.b", "M", [.array(of: "s", [.byte(1)])]),
    MethodCall("a.b", "/x", "a.b", "M", [.array(of: "{", [])]),
    MethodCall("a.b", "/x", "a.b", "M", [.dictionary(of: "vs", [])]),
    MethodCall("a.b", "/x", "a.b", "M", [.structure([])]),
  ])
  func `a call that D-Bus cannot represent fails and has no other effect`(call: MethodCall)
    async throws
  {
    let bus = try PrivateBus()
    let client = try await BusProgram.connected(to: bus)
    await #expect(throws: CallError.invalid) {
      try await client.thread.call(call, timeout: .seconds(30))
    }
    _ = try await client.thread.call(.bus("GetId"), timeout: .seconds(30))
  }

  @Test func `owners are followed as they come and go, and only their signals are received`()
    async throws
  {
    let bus = try PrivateBus()
    let rule = MatchRule(sender: "a.b", interface: "a.b.C")
    let client = try BusProgram(bus, following: ["a.b"], rules: [rule])
    #expect(await client.next() == .connected)
    #expect(await client.next() == .owner(of: "a.b", nil))

    let server = try BusProgram(bus, owning: "a.b")
    let first = await server.next()
    #expect(first == .connected)
    guard case .owner(of: "a.b", .some(let name)) = await client.next() else {
      Issue.record("the owner was not received")
      return
    }
    let forger = try await BusProgram.connected(to: bus)
    // A signal to one program needs no match rule of that program, so the bus passes it on.
    let victim = await client.uniqueName()
    forger.thread.post { $0.emit("/x", "a.b.C", "Forged", [], to: victim) }
    #expect(await client.counters { $0.foreignSignals > 0 }.foreignSignals == 1)
    server.thread.post { $0.emit("/x", "a.b.C", "Told", [.string(name)]) }
    #expect(await client.next() == .signal(path: "/x", member: "Told", [.string(name)]))

    await server.thread.stop()
    #expect(await client.next() == .owner(of: "a.b", nil))
  }

  @Test func `a program that is not followed may not call`() async throws {
    let bus = try PrivateBus()
    let server = try BusProgram(bus, owning: "a.b", answersAnyone: false) { _ in .values([])
    }
    let first = await server.next()
    #expect(first == .connected)
    let client = try await BusProgram.connected(to: bus)
    await #expect(throws: CallError.self) {
      try await client.thread.call(MethodCall("a.b", "/x", "a.b.C", "M"), timeout: .seconds(30))
    }
    #expect(await server.counters().foreignCalls == 1)
  }

  @Test func `if the bus ends, calls fail, and the next bus is connected`()
    async throws
  {
    let bus = try PrivateBus()
    let server = try BusProgram(bus, owning: "a.b") { _ in
      Thread.sleep(forTimeInterval: 0.3)
      return .values([])
    }
    let first = await server.next()
    #expect(first == .connected)
    let client = try BusProgram(bus, reconnectsAfter: .milliseconds(20))
    #expect(await client.next() == .connected)
    let lost = Task {
      try await client.thread.call(
        MethodCall("a.b", "/x", "a.b.C", "M"),
        timeout: .seconds(20)
      )
    }
    bus.stop()
    await #expect(throws: CallError.self) { try await lost.value }
    #expect(await client.next() == .failed(.lost))
    guard case .failed(.cannotConnect) = await client.next() else {
      Issue.record("there is no bus, and it was joined")
      return
    }
    #expect(await client.counters().lostConnections == 1)
    await client.thread.stop()
    await #expect(throws: CallError.disconnected) {
      try await client.thread.call(.bus("GetId"), timeout: .seconds(1))
    }
  }

  @Test func `many tasks call at once`() async throws {
    let bus = try PrivateBus()
    let server = try BusProgram(bus, owning: "a.b") { .values($0.arguments) }
    let first = await server.next()
    #expect(first == .connected)
    let client = try await BusProgram.connected(to: bus)
    try await withThrowingTaskGroup(of: Bool.self) { group in
      for number in 0..<100 {
        group.addTask {
          let sent = [DBusValue.uint32(UInt32(number))]
          let call = MethodCall("a.b", "/x", "a.b.C", "M", sent)
          return try await client.thread.call(call, timeout: .seconds(20)) == sent
        }
      }
      for try await isRight in group { #expect(isRight) }
    }
  }
}
