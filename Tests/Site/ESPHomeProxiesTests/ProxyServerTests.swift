// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

import BeaconCore
import BeaconTestSupport
import Beacons
import ESPHomeAPI
import Glibc
import Synchronization
import SystemKit
import Testing

@testable import ESPHomeProxies

/// A proxy on loopback, and a source that reads it.
@Suite(.serialized) struct ProxyServerTests {
  static let text = "AAECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwdHh8="
  private let key = APIKey(Array(text.utf8))

  private static var info: DeviceInfo {
    var info = DeviceInfo()
    (info.name, info.address) = ("hall", "02:00:00:00:00:01")
    info.features = [.passiveScan, .rawAdvertisements, .stateAndMode]
    return info
  }

  private func serve(
    _ key: APIKey?,
    port: UInt16 = 0,
    timeline: SourceTimeline = SourceTimeline()
  ) throws -> ProxyServer {
    let state = ScannerState(.running)
    return try ProxyServer("127.0.0.1", port, Self.info, key, state, timeline: timeline)
  }

  private func address(_ server: ProxyServer) -> String { "esphome://127.0.0.1:\(server.port)" }

  /// Waits until a condition holds, but not for ever.
  private func wait(until condition: () async -> Bool) async -> Bool {
    let end = Uptime.now + .seconds(120)
    while Uptime.now < end {
      if await condition() { return true }
      try? await Task.sleep(for: .milliseconds(5))
    }
    return false
  }

  private static func items(_ count: Int, from start: Int = 0) -> [RawAdvertisement] {
    (start..<start + count).map { number in
      let identity = TestScan.beacon(1, UInt16(truncatingIfNeeded: number))
      let data = BeaconEncoder.advertisingData(identity, measuredPower: -59)
      return RawAdvertisement(
        address: UInt64(number),
        addressType: UInt8(number % 2),
        rssi: Int8(-30 - number % 60),
        data: data
      )
    }
  }

  @Test(arguments: [true, false])
  func `a source reads the advertisements of a proxy, byte for byte`(_ isEncrypted: Bool)
    async throws
  {
    let server = try serve(isEncrypted ? key : nil)
    defer { server.stop() }
    let source = try await ESPHomeSource([address(server)], key: isEncrypted ? Self.text : nil)
    defer { source.stop() }
    _ = source.now
    let sent = Self.items(5000)
    var (given, got): (Int, [RawAdvertisement]) = (0, [])
    let isComplete = await wait {
      if given < sent.count, server.waiting < 1000 {
        server.send(Array(sent[given..<given + 500]))
        given += 500
      }
      guard let batch = await source.next(until: nil) else { return true }
      for input in batch.inputs {
        guard case .report(let report) = input else { continue }
        got.append(
          RawAdvertisement(
            address: report.address?.bits ?? 0,
            addressType: report.address?.kind.rawValue ?? 9,
            rssi: report.rssi ?? 127,
            data: Array(batch.payload(of: report))
          )
        )
      }
      return got.count >= sent.count
    }
    #expect(isComplete && got == sent)
    #expect(source.receiverNames == ["127.0.0.1:\(server.port)"])
    #expect(source.drops.total == 0 && server.overflow == 0)
    #expect(server.drainNews() == [.subscribed(client: "beaconctl", from: "127.0.0.1")])
    let told = source.drainRemarks()
    #expect(told.count == 1 && told.first?.contains("and to no other program") ?? false)
  }

  @Test func `each mismatch of keys is an error with a sentence`() async throws {
    let (closed, open) = (try serve(key), try serve(nil))
    defer { for server in [closed, open] { server.stop() } }
    let other = "BBECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwdHh8="
    for (server, key, words) in [
      (closed, nil, "is encrypted, and its key is not known"), (closed, other, "has another key"),
      (open, other, "is not encrypted although a key is given"),
    ] {
      let error = await #expect(throws: ESPHomeError.self) {
        try await ESPHomeSource([address(server)], key: key)
      }
      #expect(error?.description.contains(words) ?? false, "\(error?.description ?? "")")
    }
    #expect(
      closed.drainNews() == [
        .refused(from: "127.0.0.1", .plaintext), .refused(from: "127.0.0.1", .wrongKey),
      ]
    )
  }

  @Test func `refusals are named once an hour, a few of them, and the others counted`() {
    var refusals = NamedRefusals()
    func names(_ addresses: Range<Int>, at seconds: Double) -> (named: Int, others: Int) {
      var sum = (named: 0, others: 0)
      for address in addresses {
        let (isNamed, others) = refusals.note("a\(address)", "", at: TestScan.at(seconds))
        sum = (sum.named + (isNamed ? 1 : 0), sum.others + others)
      }
      return sum
    }
    #expect(names(0..<100, at: 0) == (NamedRefusals.limit, 0))
    #expect(names(0..<32, at: 3599) == (0, 0), "they are known")
    #expect(names(200..<201, at: 3600) == (1, 68))
    #expect(names(0..<100, at: 3601) == (NamedRefusals.limit - 1, 0))
  }

  @Test func `a machine's number for a name is its own, stays, and does not follow from the name`()
  {
    let (first, second) = (Array("0123456789abcdef0123456789abcdef\n".utf8), Array("f".utf8))
    let number = SodiumLibrary.number(of: "hall", onMachine: first)
    #expect(number == SodiumLibrary.number(of: "hall", onMachine: first))
    #expect(number != SodiumLibrary.number(of: "attic", onMachine: first))
    // HMAC-SHA-256 of the purpose and the name, with the identifier as its key.
    #expect(number == 0xA49A_7469_8B99_E54E)
    // A machine without an identifier.
    let other = SodiumLibrary.number(of: "hall", onMachine: second)
    #expect(other == SodiumLibrary.number(of: "hall", onMachine: []) && other != number)
  }

  // Row M11.
  @Test
  func `while this program stands still it receives nothing, and bytes that waited are of no time`()
    async throws
  {
    let server = try serve(nil)
    defer { server.stop() }
    let ahead = Mutex(Duration.zero)
    let timeline = SourceTimeline(uptime: { .now + ahead.withLock { $0 } })
    let place = try ProxyAddress(parsing: address(server))
    let source = try await ESPHomeSource([ProxyAccess(place, nil)], timeline: timeline)
    defer { source.stop() }
    let start = source.now
    var (states, reports): ([(RadioState, Double)], Int) = ([], 0)
    func next() async {
      for input in await source.next(until: nil)?.inputs ?? [] {
        if case .radio(_, let state, let time) = input {
          states.append((state, (time - start).seconds))
        }
        if case .report = input { reports += 1 }
      }
    }
    #expect(
      await wait {
        server.send(Self.items(1))
        await next()
        return reports > 0
      }
    )
    ahead.withLock { $0 = .seconds(40) }
    #expect(
      await wait {
        await next(); return states.last.map { $0 == .listening && $1 > 30 } ?? false
      }
    )
    #expect(
      states.suffix(2).map(\.0) == [.deaf, .listening] && states.suffix(2)[states.count - 2].1 < 40
    )
    #expect(source.drainRemarks().contains { $0.hasPrefix("this program was stalled for 4") })
  }

  @Test func `a proxy that ends is deaf, and found again`() async throws {
    let server = try serve(key)
    let source = try await ESPHomeSource([address(server)], key: Self.text)
    defer { source.stop() }
    _ = source.now
    var states: [RadioState] = []
    func next() async {
      for input in await source.next(until: nil)?.inputs ?? [] {
        if case .radio(_, let state, _) = input { states.append(state) }
      }
    }
    #expect(
      await wait {
        await next(); return states.last == .listening
      }
    )
    server.stop()
    #expect(
      await wait {
        await next(); return states.last == .deaf
      }
    )
    let again = try serve(key, port: server.port)
    defer { again.stop() }
    #expect(
      await wait {
        await next(); return states.last == .listening
      }
    )
    #expect(source.drainRemarks().last == "connected to the proxy 127.0.0.1:\(server.port) again")
  }

  @Test func `a proxy that comes and goes fills no log`() async throws {
    var server = try serve(key)
    let source = try await ESPHomeSource([address(server)], key: Self.text)
    defer { source.stop() }
    _ = source.now
    let start = Uptime.now
    var states: [RadioState] = []
    for _ in 0..<3 {
      for state in [RadioState.listening, .deaf] {
        let isReached = await wait {
          for input in await source.next(until: nil)?.inputs ?? [] {
            if case .radio(_, let new, _) = input { states.append(new) }
          }
          return states.last == state
        }
        #expect(isReached)
        if state == .listening { server.stop() } else { server = try serve(key, port: server.port) }
      }
    }
    server.stop()
    let remarks = source.drainRemarks()
    // On a busy machine the test may take longer than the ten seconds.
    let most = 1 + Int((Uptime.now - start) / .seconds(10))
    let losses = remarks.count { $0.hasSuffix("; trying again") }
    let returns = remarks.count { $0.hasPrefix("connected to") }
    #expect((1...most).contains(losses) && (1...most).contains(returns), "\(remarks)")
  }

  @Test func `several subscribers get everything, and one that floods gets no place of others`()
    async throws
  {
    let server = try serve(key)
    defer { server.stop() }
    let sources = [
      try await ESPHomeSource([address(server)], key: Self.text),
      try await ESPHomeSource([address(server)], key: Self.text),
    ]
    defer { for source in sources { source.stop() } }
    #expect(await wait { server.subscribers == 2 })
    // Connections that never greet: the oldest makes room for the next.
    var idle: [ProxySocket] = []
    for _ in 0..<200 {
      if case .success(let descriptor) = ProxySocket.connect(to: "127.0.0.1", server.port) {
        idle.append(ProxySocket(descriptor))
      }
    }
    #expect(idle.count == 200)
    let late = try await ESPHomeSource([address(server)], key: Self.text)
    defer { late.stop() }
    #expect(await wait { server.subscribers == 3 })
    for source in sources + [late] { _ = source.now }
    server.send(Self.items(20))
    for source in sources + [late] {
      var count = 0
      #expect(
        await wait {
          count += await source.next(until: nil)?.inputs.count { $0.report != nil } ?? 0
          return count >= 20
        }
      )
    }
  }

  @Test func `a client that greets and does nothing makes room for a subscriber`() async throws {
    let server = try serve(nil)
    defer { server.stop() }
    var idle: [ProxySocket] = []
    for _ in 0..<ProxyServer.Limits.connectionsPerAddress {
      guard case .success(let descriptor) = ProxySocket.connect(to: "127.0.0.1", server.port)
      else { continue }
      let socket = ProxySocket(descriptor)
      var transport = APITransport(.client, nil)
      transport.send(.hello(client: "idle"))
      #expect(socket.send(transport.drainOutput()))
      idle.append(socket)
      // Its greeting is answered.
      #expect(
        await wait {
          if case .bytes = socket.read() { true } else { false }
        }
      )
    }
    let source = try await ESPHomeSource([address(server)])
    defer { source.stop() }
    _ = source.now
    #expect(await wait { server.subscribers == 1 })
    withExtendedLifetime(idle) {}
  }

  private static func seats(
    _ count: Int,
    _ peer: String,
    _ use: ProxySeat.Use,
    from first: Int = 0
  ) -> [ProxySeat] {
    (first..<first + count).map { number in
      ProxySeat(
        connection: Int32(number),
        peer: .address(peer),
        use: use,
        start: TestScan.at(Double(number))
      )
    }
  }

  @Test func `no group of addresses takes all places of a proxy`() {
    let full = ProxyServer.Limits.connections
    let own = ProxyServer.Limits.connectionsPerAddress
    func room(_ seats: [ProxySeat], at time: Double = 1000) -> ProxySeat.Room {
      ProxySeat.room(for: .address("own"), among: seats, at: TestScan.at(time))
    }
    func others(_ use: ProxySeat.Use) -> [ProxySeat] {
      (0..<full / own).flatMap { Self.seats(own, "a\($0)", use, from: $0 * own) }
    }
    #expect(room(Self.seats(full - 1, "a", .subscribed)) == .free)
    #expect(room(others(.idle)) == .closing(0))
    // A subscriber of those with the most.
    #expect(room(others(.subscribed)) == .closing(Int32(full - 1)))
    // Each address has one: only a client that has done nothing for long makes room.
    let single = (0..<full).flatMap { Self.seats(1, "a\($0)", .idle, from: $0) }
    #expect(room(single) == .closing(0))
    #expect(room(single, at: 29) == .none)
    let reading = (0..<full).flatMap { Self.seats(1, "a\($0)", .subscribed, from: $0) }
    #expect(room(reading) == .none)
    #expect(room(Self.seats(1, "b", .silent, from: full) + reading) == .closing(Int32(full)))
    // Many addresses that connect and stay silent close their own, not the client that is about to greet.
    let flood = others(.silent).dropLast()
    #expect(room(flood + Self.seats(1, "client", .silent, from: -1)) == .closing(0))
    // An address has its share: its own waiting connections make room, and no others.
    let mine = Self.seats(own - 1, "own", .subscribed)
    #expect(room(mine + Self.seats(1, "own", .idle, from: 50)) == .closing(50))
    #expect(room(mine + Self.seats(1, "own", .subscribed, from: 50)) == .none)
  }

  @Test func `only a subscriber that does not read loses advertisements`() async throws {
    let server = try serve(nil)
    defer { server.stop() }
    guard case .success(let descriptor) = ProxySocket.connect(to: "127.0.0.1", server.port) else {
      Issue.record("no connection")
      return
    }
    var few: Int32 = 16_384
    setsockopt(descriptor, SOL_SOCKET, SO_RCVBUF, &few, 4)
    let lazy = ProxySocket(descriptor)
    var subscription = ProxySubscription(nil, at: TestScan.at(0))
    #expect(lazy.send(subscription.drainOutput()))
    #expect(
      await wait {
        if case .bytes(let bytes) = lazy.read() {
          _ = subscription.received(bytes, at: TestScan.at(0))
        }
        _ = lazy.send(subscription.drainOutput())
        return server.subscribers == 1
      }
    )
    let source = try await ESPHomeSource([address(server)])
    defer { source.stop() }
    _ = source.now
    var (given, got) = (0, 0)
    #expect(
      await wait {
        if server.waiting < 5000, server.overflow == 0 {
          server.send(Self.items(2000, from: given))
          given += 2000
        }
        got += await source.next(until: nil)?.inputs.count { $0.report != nil } ?? 0
        return server.overflow > 0 && got == given
      }
    )
    #expect(server.drainNews().contains(.slow(client: "beaconctl", from: "127.0.0.1")))
  }

  /// A client on loopback with small buffers, which has sent messages.
  private func client(_ server: ProxyServer, _ messages: APIMessage...) throws -> ProxySocket {
    guard case .success(let descriptor) = ProxySocket.connect(to: "127.0.0.1", server.port) else {
      throw SystemError(111, .open, "a connection")
    }
    var few: Int32 = 16_384
    setsockopt(descriptor, SOL_SOCKET, SO_RCVBUF, &few, 4)
    let socket = ProxySocket(descriptor, sendBuffer: 16_384)
    var transport = APITransport(.client, nil)
    for message in messages { transport.send(message) }
    #expect(socket.send(transport.drainOutput()))
    return socket
  }

  @Test func `a client that asks and never reads holds up no other one, is named, and is removed`()
    async throws
  {
    let ahead = Mutex(Duration.zero)
    let timeline = SourceTimeline(uptime: { .now + ahead.withLock { $0 } })
    let server = try serve(nil, timeline: timeline)
    defer { server.stop() }
    let lazy = try client(server, .hello(client: "lazy"), .subscribeAdvertisements(flags: 1))
    #expect(await wait { server.subscribers == 1 })
    let source = try await ESPHomeSource([address(server)])
    defer { source.stop() }
    _ = source.now
    var transport = APITransport(.client, nil)
    for _ in 0..<20_000 { transport.send(.deviceInfo) }
    #expect(lazy.send(transport.drainOutput()))
    // Its questions fill its share, and no more of them are read.
    let share = ProxyServer.Limits.waitingBytes
    #expect(
      await wait {
        _ = lazy.send([])
        return server.withShared { $0.waitingBytes.upperBound } >= share
      }
    )
    var got = 0
    for round in 0..<20 {
      server.send(Self.items(10, from: round))
      #expect(
        await wait {
          got += await source.next(until: nil)?.inputs.count { $0.report != nil } ?? 0
          return got == 10 * (round + 1)
        }
      )
      // The other one has room: only the first second is waited, which passes here.
      if round == 0 {
        _ = server.withShared { $0.needsRoom(at: timeline.now) }
        ahead.withLock { $0 = .milliseconds(1100) }
      }
      let start = Uptime.now
      server.waitForRoom { false }
      #expect(Uptime.now - start < .seconds(3))
    }
    #expect(server.withShared { $0.waitingBytes.upperBound } <= ProxyServer.Limits.mostWaitingBytes)
    #expect(server.drainNews().contains(.slow(client: "lazy", from: "127.0.0.1")))
    ahead.withLock { $0 = .seconds(121) }
    #expect(
      await wait {
        server.send(Self.items(1))
        return server.drainNews().contains(.left(client: "lazy", from: "127.0.0.1"))
      }
    )
  }

  @Test func `a subscriber that takes nothing is named although nothing is left out for it`()
    async throws
  {
    let ahead = Mutex(Duration.zero)
    let timeline = SourceTimeline(uptime: { .now + ahead.withLock { $0 } })
    let server = try serve(nil, timeline: timeline)
    defer { server.stop() }
    let lazy = try client(server, .hello(client: "lazy"), .subscribeAdvertisements(flags: 1))
    #expect(await wait { server.subscribers == 1 })
    let room = ProxyServer.Limits.room
    #expect(
      await wait {
        if server.waiting == 0 { server.send(Self.items(100)) }
        return server.withShared { $0.waitingBytes.upperBound } >= room
      }
    )
    #expect(server.overflow == 0)
    ahead.withLock { $0 = .seconds(6) }
    server.set(ScannerState(.stopped))
    var news: [ProxyServer.News] = []
    #expect(
      await wait {
        news += server.drainNews()
        return news.contains(.slow(client: "lazy", from: "127.0.0.1"))
      }
    )
    // It is not waited for.
    #expect(await wait { server.withShared { $0.waitingBytes } == 0...0 })
    #expect(server.overflow == 0)
    withExtendedLifetime(lazy) {}
  }

  @Test func `the fastest subscriber sets the speed, and a slower one stretches it by a tenth`() {
    let full = ProxyServer.Limits.room
    var shared = ProxyServer.Shared(scanner: ScannerState(.running))
    func held(_ waiting: ClosedRange<Int>, from start: Int, to end: Int) -> Int {
      shared.waitingBytes = waiting
      return (start..<end).count { shared.needsRoom(at: TestScan.at(Double($0) / 1000)) }
    }
    #expect(held(0...full - 1, from: 0, to: 100) == 0)
    // A single one is waited for as long as it takes anything.
    #expect(held(full...full, from: 100, to: 20_100) == 20_000)
    #expect((998...1001).contains(held(0...full, from: 20_100, to: 25_100)))
    #expect(held(0...0, from: 25_100, to: 30_100) == 0)
    #expect((498...502).contains(held(0...full, from: 30_100, to: 40_100)))
  }

  /// By IPv6 only if the system has it.
  @Test(arguments: ["127.0.0.1", "::1"])
  func `a listener knows the account of a connection, by either protocol`(_ host: String) throws {
    let listener = try ListeningSocket(nil, 0)
    guard case .success(let descriptor) = ProxySocket.connect(to: host, listener.port) else {
      #expect(host == "::1")
      return
    }
    let client = ProxySocket(descriptor)
    guard case .connection(let socket, let peer, let address) = listener.accept(sendBuffer: 4096)
    else {
      Issue.record("no connection")
      return
    }
    #expect(peer == .account(geteuid()) && address == host)
    close(socket)
    withExtendedLifetime(client) {}
  }

  @Test func `a proxy that answers nothing is named, and others only if there are any`()
    async throws
  {
    let (mute, mute2) = (try ListeningSocket(nil, 0), try ListeningSocket(nil, 0))
    let server = try serve(nil)
    defer { server.stop() }
    let silent = [mute, mute2].map { "127.0.0.1:\($0.port)" }
    func remarks(_ addresses: [String]) async throws -> [String] {
      let source = try await ESPHomeSource(addresses)
      defer { source.stop() }
      return source.drainRemarks().filter { !$0.contains("no other program") }
    }
    async let alone = remarks(["esphome://" + silent[0]])
    async let both = remarks(silent.map { "esphome://" + $0 })
    async let among = remarks(["esphome://" + silent[0], address(server)])
    let words = silent.map { "the proxy \($0) has not answered yet" }
    #expect(try await alone == [words[0] + "; it is asked again"])
    #expect(try await both == words.map { $0 + "; it is asked again" })
    #expect(try await among == [words[0] + "; the others are used without it"])
    withExtendedLifetime((mute, mute2)) {}
  }
}
