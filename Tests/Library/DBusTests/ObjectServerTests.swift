// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

import SystemKit
import DBus
import DBusTestSupport
import Foundation
import Testing

@Suite(.enabled(if: PrivateBus.isAvailable, "\(PrivateBus.absence)"), .timeLimit(.minutes(1)))
struct ObjectServerTests {
  private static let interface = InterfaceDescription(
    "a.b.Door1",
    methods: [
      .init("Open", [.init("angle", "q")], returning: [.init("caller", "s")]),
      .init("Later", returning: [.init("uid", "u")]),
      .init("Pipe", returning: [.init("lines", "h")]),
    ],
    properties: [.init("Angle", "q")]
  )

  /// A program with one object, of the name `a.b`.
  private final class Server: BusHandler {
    let events: AsyncStream<BusEvent>.Continuation
    var objects = ObjectTable()

    init(_ events: AsyncStream<BusEvent>.Continuation) {
      self.events = events
      objects.add("/door", [ObjectServerTests.interface])
    }

    func connected(_ loop: BusLoop) {
      loop.own("a.b") { [events] result in
        events.yield((try? result.get()) == true ? .connected : .failed(.notGreeted))
      }
    }

    func called(_ message: borrowing Message, _ loop: BusLoop) -> Answer? {
      guard let call = ObjectCall(message), let address = ReplyAddress(message) else { return nil }
      loop.watch(peer: call.caller)
      switch objects.resolve(call) {
      case .answer(let answer): return answer
      case .property: return .values([.variant(.uint16(90))])
      case .method(_, _, "Open", _): return .values([.string(call.caller)])
      case .method(_, _, "Pipe", _): return Self.pipe()
      case .method(_, _, "Later", _):
        loop.credentials(of: call.caller, timeout: .seconds(30)) { result in
          guard case .success(let who) = result, who.pid == UInt32(getpid()) else {
            loop.reply(.failure(name: "a.b.Unknown", text: "who is it"), to: address)
            return
          }
          loop.reply(.values([.uint32(who.uid)]), to: address)
          loop.emit("/door", "a.b.Door1", "Opened", [.uint16(7)], to: call.caller)
        }
        return .later
      default: return .unknownMethod
      }
    }

    static func pipe() -> Answer {
      var ends: [Int32] = [-1, -1]
      guard unsafe Glibc.pipe(&ends) == 0 else { return .failure(name: "a.b.No", text: "") }
      _ = unsafe write(ends[1], "hello", 5)
      close(ends[1])
      return .values([.descriptor(DBusDescriptor(owning: ends[0]))])
    }

    func peerLeft(_ name: String, _ loop: BusLoop) { events.yield(.owner(of: name, nil)) }
    func nameLost(_ name: String, _ loop: BusLoop) { events.yield(.owner(of: name, nil)) }
    func ownerChanged(of name: String, to owner: String?, _ loop: BusLoop) {}
    func signal(_ message: borrowing Message, _ loop: BusLoop) -> Bool { true }
    func drained(_ loop: BusLoop) {}
    var nextDeadline: Uptime? { nil }
    func timePassed(_ loop: BusLoop) {}
    func connectionFailed(_ failure: BusFailure, _ loop: BusLoop) -> Duration? { nil }
  }

  private static func serve(
    _ bus: PrivateBus,
    takesDescriptors: Bool = true
  ) async throws -> (thread: BusThread, events: AsyncStream<BusEvent>) {
    let (events, continuation) = AsyncStream<BusEvent>.makeStream()
    let thread = try BusThread(
      BusAddress(bus.address),
      answersAnyone: true,
      takesDescriptors: takesDescriptors
    ) { Server(continuation) }
    for await event in events {
      #expect(event == .connected)
      break
    }
    return (thread, events)
  }

  private static func door(_ member: String, _ arguments: [DBusValue] = []) -> MethodCall {
    MethodCall("a.b", "/door", "a.b.Door1", member, arguments)
  }

  @Test func `methods, properties and introspection are answered`() async throws {
    let bus = try PrivateBus()
    let (server, _) = try await Self.serve(bus)
    let client = try await BusProgram.connected(to: bus)
    let name = try #require(await client.uniqueName())
    let opened = try await client.thread.call(
      Self.door("Open", [.uint16(3)]),
      timeout: .seconds(10)
    )
    #expect(opened == [.string(name)])
    let get = MethodCall(
      "a.b",
      "/door",
      BusName.properties,
      "Get",
      [.string("a.b.Door1"), .string("Angle")]
    )
    #expect(
      try await client.thread.call(get, timeout: .seconds(30)) == [.variant(.uint16(90))]
    )
    let look = MethodCall("a.b", "/", BusName.introspectable, "Introspect")
    let xml = try await client.thread.call(look, timeout: .seconds(30)).first?.text ?? ""
    #expect(xml.contains("<node name=\"door\"/>"))
    await #expect(throws: CallError.self) {
      try await client.thread.call(Self.door("Open"), timeout: .seconds(30))
    }
    await server.stop()
  }

  @Test func `a call is answered later with the caller's account, and a signal goes to it alone`()
    async throws
  {
    let bus = try PrivateBus()
    let (server, _) = try await Self.serve(bus)
    let rule = MatchRule(sender: "a.b", interface: "a.b.Door1")
    let other = try BusProgram(bus, following: ["a.b"], rules: [rule])
    let client = try BusProgram(bus, following: ["a.b"])
    _ = await client.next { if case .owner = $0 { true } else { false } }
    _ = await other.next { if case .owner(_, .some) = $0 { true } else { false } }
    let answer = try await client.thread.call(Self.door("Later"), timeout: .seconds(30))
    #expect(answer == [.uint32(getuid())])
    #expect(
      await client.next() == .signal(path: "/door", member: "Opened", [.uint16(7)])
    )
    // The other asked for all signals of the server; the bus gave it none, and the server's end comes next.
    await server.stop()
    #expect(await other.next() == .owner(of: "a.b", nil))
  }

  @Test func `an open file is passed to a program that takes them`() async throws {
    let bus = try PrivateBus()
    let (server, _) = try await Self.serve(bus)
    let (client, _) = try await Self.serveUnnamed(bus)
    let answer = try await client.call(Self.door("Pipe"), timeout: .seconds(30))
    guard case .descriptor(let descriptor)? = answer.first, let number = descriptor.take() else {
      Issue.record("no descriptor came: \(answer)")
      return
    }
    let end = FileHandle(fileDescriptor: number, closeOnDealloc: true)
    #expect(try end.readToEnd() == Data("hello".utf8))
    #expect(descriptor.take() == nil)
    await server.stop()
    await client.stop()
  }

  /// A program that takes descriptors and calls.
  private static func serveUnnamed(
    _ bus: PrivateBus
  ) async throws -> (thread: BusThread, events: AsyncStream<BusEvent>) {
    let (events, continuation) = AsyncStream<BusEvent>.makeStream()
    let thread = try BusThread(BusAddress(bus.address), takesDescriptors: true) {
      Server(continuation)
    }
    for await _ in events { break }
    return (thread, events)
  }

  @Test func `a descriptor that a caller sends does not end the connection`() async throws {
    let bus = try PrivateBus()
    let (server, _) = try await Self.serve(bus)
    let client = try await BusProgram.connected(to: bus)
    for _ in 0..<100 {
      let file = DBusDescriptor(owning: dup(0))
      await #expect(throws: CallError.self) {
        try await client.thread.call(
          Self.door("Open", [.descriptor(file), .descriptor(file)]),
          timeout: .seconds(10)
        )
      }
    }
    let opened = try await client.thread.call(
      Self.door("Open", [.uint16(3)]),
      timeout: .seconds(10)
    )
    #expect(opened.count == 1)
    await server.stop()
  }

  @Test func `the end of a watched program is told, however it ends`() async throws {
    let bus = try PrivateBus()
    let (server, events) = try await Self.serve(bus)
    let client = try await BusProgram.connected(to: bus)
    let name = try #require(await client.uniqueName())
    _ = try await client.thread.call(Self.door("Open", [.uint16(3)]), timeout: .seconds(30))
    await client.thread.stop()
    for await event in events {
      #expect(event == .owner(of: name, nil))
      break
    }
    await server.stop()
  }

  @Test func `a name that another program owns is not taken from it`() async throws {
    let bus = try PrivateBus()
    let (server, _) = try await Self.serve(bus)
    let (second, events) = try await Self.serveUnnamed(bus)
    _ = events
    let owner = try await second.call(
      .bus("GetNameOwner", [.string("a.b")]),
      timeout: .seconds(10)
    )
    #expect(owner.first?.text != nil)
    let names = try await second.call(
      .bus("ListQueuedOwners", [.string("a.b")]),
      timeout: .seconds(10)
    )
    guard case .array(_, let owners)? = names.first else {
      Issue.record("no owners")
      return
    }
    #expect(owners.count == 1)
    await server.stop()
    await second.stop()
  }
}
