// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

import BeaconTestSupport
import Glibc
import Synchronization
import SystemKit
import Testing

@testable import WebServer

@Suite struct WebServerTests {
  static func server(
    reach: WebServer.Reach = .loopback,
    _ change: (inout WebLimits) -> Void = { _ in }
  ) throws -> WebServer {
    // Addresses of this machine in place of machines.
    var limits = WebLimits()
    limits.countsAccounts = false
    change(&limits)
    return try WebServer(port: 0, reach: reach, limits: limits) { request in
      switch request.path {
      case "/": .html("<p>\(request.languages.joined(separator: ","))</p>")
      case "/echo": .html(request.query.sorted { $0.key < $1.key }.map { "\($0)=\($1)" }.joined())
      case "/events": .events(topic: "guide")
      default: .notFound
      }
    }
  }

  @Test func `a page is answered with the fields that isolate it`() throws {
    let server = try Self.server()
    let answer = WebClient.get("/", port: server.port, fields: "Accept-Language: de, en;q=0.8\r\n")
    #expect(answer.hasPrefix("HTTP/1.1 200"))
    #expect(answer.hasSuffix("<p>de,en</p>"))
    #expect(answer.contains("Content-Security-Policy: default-src 'none'"))
    // Images and sounds of this server are shown and played.
    #expect(answer.contains("; img-src 'self' data:; media-src 'self';"))
    #expect(answer.contains("X-Content-Type-Options: nosniff"))
    #expect(answer.contains("Cache-Control: no-store"))
    let head = WebClient.get("/", port: server.port, method: "HEAD")
    #expect(head.hasPrefix("HTTP/1.1 200") && !head.contains("<p>"))
    #expect(WebClient.get("/echo?a=1%202&b=x&a=3", port: server.port).hasSuffix("a=3b=x"))
  }

  /// The memory of this process in bytes.
  private static var memory: Int {
    let text = (try? WholeFile.read("/proc/self/statm")).map { String(decoding: $0, as: UTF8.self) }
    return 4096 * (Int(text?.split(separator: " ").dropFirst().first ?? "") ?? 0)
  }

  @Test func `a file takes no memory while its readers receive nothing`() throws {
    let folder = try Folder.makeTemporary(named: "beacons-web", in: nil)
    let path = folder + "/image"
    let link = folder + "/link"
    defer { _ = (unlink(path), unlink(link), rmdir(folder)) }
    let content = (0..<(4 << 20)).map { UInt8(truncatingIfNeeded: $0 / 7) }
    try OutputFiles().write(content, to: path)
    #expect(symlink(path, link) == 0)
    var limits = WebLimits()
    limits.countsAccounts = false
    let server = try WebServer(port: 0, limits: limits) { request in
      .file(["/zero": "/dev/zero", "/link": link][request.path] ?? path, type: "image/png")
    }
    let before = Self.memory
    var clients: [WebClient] = []
    for host in 1..<5 as Range<UInt8> {
      for _ in 0..<30 {
        let client = try #require(WebClient(port: server.port, from: host))
        client.send("GET / HTTP/1.1\r\nHost: localhost\r\n\r\n")
        clients.append(client)
      }
    }
    // The server is not held up, and has answered all of them before this one.
    let head = WebClient.get("/", port: server.port, method: "HEAD")
    #expect(head.contains("Content-Length: \(content.count)\r\n"))
    #expect(Self.memory - before < 120 * (1 << 20))
    clients = []
    let whole = try #require(WebClient(port: server.port))
    whole.send("GET / HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n")
    whole.receiveAll()
    #expect(whole.received.suffix(content.count).elementsEqual(content))
    // A folder that somebody gave may have links to files of its reader.
    for path in ["/zero", "/link"] {
      #expect(WebClient.get(path, port: server.port).hasPrefix("HTTP/1.1 404"))
    }
  }

  @Test func `unread answers have a limit, and each address a share of it`() throws {
    let large = [UInt8](repeating: 0x20, count: 12 << 20)
    var limits = WebLimits()
    limits.countsAccounts = false
    let server = try WebServer(port: 0, limits: limits) { _ in .content(large, type: "text/plain") }
    var clients: [WebClient] = []
    for _ in 0..<4 {
      let client = try #require(WebClient(port: server.port, from: 1))
      client.send("GET / HTTP/1.1\r\nHost: localhost\r\n\r\n")
      #expect(client.receive(until: "\r\n\r\n"))
      clients.append(client)
    }
    let answers = clients.map { String($0.text.prefix(12)) }
    #expect(answers.prefix(2).allSatisfy { $0 == "HTTP/1.1 200" } && answers[3] == "HTTP/1.1 503")
    let other = try #require(WebClient(port: server.port, from: 2))
    other.send("GET / HTTP/1.1\r\nHost: localhost\r\n\r\n")
    #expect(other.receive(until: "HTTP/1.1 200"))
  }

  @Test func `an unknown path, another method or another host is refused`() throws {
    let server = try Self.server()
    #expect(WebClient.get("/none", port: server.port).hasPrefix("HTTP/1.1 404"))
    #expect(WebClient.get("/../../etc/passwd", port: server.port).hasPrefix("HTTP/1.1 404"))
    #expect(WebClient.get("/", port: server.port, method: "POST").hasPrefix("HTTP/1.1 405"))
    let rebound = WebClient.get("/", port: server.port, fields: "Host: evil.example\r\n")
    #expect(rebound.hasPrefix("HTTP/1.1 403"))
    #expect(server.statistics.refused == 4)
  }

  @Test func `every event carries the edition, so that a page notices another server`() throws {
    let server = try WebServer(port: 0, edition: "7f") { _ in .events(topic: "guide") }
    server.publish("one", to: "guide")
    let client = try #require(WebClient.follow("/events", port: server.port))
    #expect(client.receive(until: "id: 7f\ndata: one\n\n"))
    server.publish("two", to: "guide")
    #expect(client.receive(until: "id: 7f\ndata: two\n\n"))
    server.stop()
  }

  @Test func `a reader gets the last event first and then each as it comes`() throws {
    let server = try Self.server()
    server.publish("one", to: "guide")
    server.publish("two\nlines", to: "guide")
    server.publish("other", to: "elsewhere")
    let client = try #require(WebClient.follow("/events", port: server.port))
    #expect(client.receive(until: "data: two\ndata: lines\n\n"))
    #expect(client.text.contains("text/event-stream"))
    #expect(server.statistics.streams == 1)
    for number in 0..<200 { server.publish("event \(number)", to: "guide") }
    #expect(client.receive(until: "data: event 199\n\n"))
    for number in 0..<200 { #expect(client.text.contains("data: event \(number)\n\n")) }
    #expect(!client.text.contains("data: one") && !client.text.contains("other"))
    server.keepAlive()
    #expect(client.receive(until: "\n:\n\n"))
    server.stop()
    client.receiveAll()
    #expect(server.statistics.dropped == 0)
  }

  @Test func `a reader that does not keep up is dropped and counted, and delays no other`() throws {
    let server = try Self.server()
    let slow = try #require(WebClient.follow("/events", port: server.port))
    #expect(slow.receive(until: "retry: 1000"))
    let quick = try #require(WebClient.follow("/events", port: server.port))
    #expect(quick.receive(until: "retry: 1000"))
    let block = String(repeating: "x", count: 16_000)
    // The kernel's buffers take some megabytes before the server notices.
    for number in 0..<2000 where server.statistics.dropped == 0 {
      server.publish("\(block) \(number)", to: "guide")
      #expect(quick.receive(until: " \(number)\n\n"))
      quick.forget()
    }
    #expect(server.statistics.dropped == 1)
    server.publish("still here", to: "guide")
    #expect(quick.receive(until: "still here"))
  }

  @Test func `the number of streams is limited, and one that ends makes room`() throws {
    let server = try Self.server { $0.streams = 2 }
    var first = WebClient.follow("/events", port: server.port)
    #expect(first?.receive(until: "retry") == true)
    let second = try #require(WebClient.follow("/events", port: server.port))
    #expect(second.receive(until: "retry"))
    #expect(WebClient.get("/events", port: server.port).hasPrefix("HTTP/1.1 503"))
    first = nil
    // The server notices when it writes to the connection; the other reader shows that it has written.
    for _ in 0..<100 where server.statistics.streams == 2 {
      second.forget()
      server.keepAlive()
      #expect(second.receive(until: ":\n\n"))
    }
    let third = try #require(WebClient.follow("/events", port: server.port))
    #expect(third.receive(until: "retry"))
  }

  @Test func `a port in use is an error`() throws {
    let server = try Self.server()
    #expect(throws: WebServerError.portInUse(server.port)) {
      try WebServer(port: server.port) { _ in .notFound }
    }
  }

  @Test func `malformed requests do no harm`() throws {
    let server = try Self.server()
    var random = SplitMix64(seed: 5)
    for _ in 0..<60 {
      let client = try #require(WebClient(port: server.port))
      let count = Int.random(in: 1..<3000, using: &random)
      client.send((0..<count).map { _ in UInt8.random(in: 0...255, using: &random) })
      client.send(
        "GET /%00%ff%zz?%=%&&==;\u{FF} HTTP/9.9\r\nHost: localhost\r\nAccept-Language: ,;q=,;q=-1,q\r\n\r\n"
      )
    }
    #expect(WebClient.get("/", port: server.port).hasPrefix("HTTP/1.1 200"))
  }

  static let isolation = [
    "Content-Security-Policy: default-src 'none'", "X-Frame-Options: DENY",
    "X-Content-Type-Options: nosniff", "Referrer-Policy: no-referrer",
    "Cross-Origin-Opener-Policy: same-origin", "Cross-Origin-Resource-Policy: same-origin",
    "Permissions-Policy: accelerometer=()", "Cache-Control: no-store",
  ]

  @Test(arguments: [
    ("GET / HTTP/1.1\r\nHost: HOST\r\n\r\n", 200),
    ("GET /events HTTP/1.1\r\nHost: HOST\r\n\r\n", 200),
    ("HEAD /events HTTP/1.1\r\nHost: HOST\r\nConnection: close\r\n\r\n", 200),
    ("GET /none HTTP/1.0\r\nHost: HOST\r\n\r\n", 404),
    ("GET /\r\n\r\n", 400),
    ("GET / HTTP/1.1\r\nHost: evil.example\r\n\r\n", 403),
    ("POST / HTTP/1.1\r\nHost: HOST\r\nContent-Length: 3\r\n\r\nabc", 405),
    ("GET / HTTP/1.1\r\nHost: HOST\r\nContent-Length: 3\r\n\r\nabc", 413),
    ("GET /" + String(repeating: "a", count: 20_000), 414),
    ("GET /?" + String(repeating: "a=1&", count: 1500) + " HTTP/1.1\r\nHost: HOST\r\n\r\n", 414),
    ("GET / HTTP/1.1\r\nHost: HOST\r\nX: " + String(repeating: "a", count: 20_000), 431),
    ("GET / HTTP/1.1\r\n" + String(repeating: "X: 1\r\n", count: 101) + "\r\n", 431),
    ("GET / HTTP/9.9\r\nHost: HOST\r\n\r\n", 505),
  ])
  func `every answer isolates its content, also one to a request that cannot be read`(
    request: String,
    status: Int
  ) throws {
    let server = try Self.server()
    let client = try #require(WebClient(port: server.port))
    client.send(request.replacing("HOST", with: "localhost:\(server.port)"))
    #expect(client.receive(until: "\r\n\r\n"))
    #expect(client.text.hasPrefix("HTTP/1.1 \(status) "), "\(client.text)")
    for field in Self.isolation { #expect(client.text.contains(field), "\(field)") }
  }

  @Test func `five hundred arguments are answered and do not block the connection`() throws {
    let server = try Self.server()
    let arguments = (0..<500).map { "k\($0)=v" }.joined(separator: "&")
    #expect(WebClient.get("/echo?\(arguments)", port: server.port).hasPrefix("HTTP/1.1 414"))
    #expect(WebClient.get("/", port: server.port).hasPrefix("HTTP/1.1 200"))
  }

  @Test func `a request that arrives a byte at a time has a total time`() throws {
    let server = try Self.server { $0.requestTime = .milliseconds(300) }
    let client = try #require(WebClient(port: server.port))
    client.send("GET / HTTP/1.1\r\n")
    // Bytes continue arriving until the server answers.
    while !client.hasReceived(within: 20) { client.send("a") }
    client.receiveAll()
    #expect(client.text.hasPrefix("HTTP/1.1 408"))
    #expect(server.statistics.refused == 1)
  }

  @Test func `a connection without a request ends, and one that is idle after its answer`() throws {
    let server = try Self.server {
      $0.requestTime = .milliseconds(100)
      $0.idleTime = .milliseconds(100)
    }
    let silent = try #require(WebClient(port: server.port))
    silent.receiveAll()
    #expect(silent.received.isEmpty)
    let idle = try #require(WebClient(port: server.port))
    idle.send("HEAD / HTTP/1.1\r\nHost: localhost\r\n\r\n")
    idle.receiveAll()
    #expect(idle.text.hasPrefix("HTTP/1.1 200"))
    #expect(server.statistics.cut == 2)
  }

  @Test func `a thousand connections that wait do not keep a page from another reader`() throws {
    let server = try Self.server()
    var slow: [WebClient] = []
    for number in 0..<1000 {
      let client = try #require(WebClient(port: server.port, from: UInt8(2 + number % 200)))
      if number % 2 == 0 { client.send("GET / HTTP/1.1\r\nX: ") }
      slow.append(client)
    }
    for _ in 0..<10 {
      #expect(WebClient.get("/", port: server.port).hasPrefix("HTTP/1.1 200"))
      for client in slow.suffix(300) { client.send("a") }
    }
    #expect(server.statistics.cut >= 1000 - WebLimits().connections)
    withExtendedLifetime(slow) {}
  }

  @Test func `a thousand connections of one address do not keep a page even from it`() throws {
    let server = try Self.server()
    var slow: [WebClient] = []
    for _ in 0..<1000 {
      let client = try #require(WebClient(port: server.port))
      client.send("GET / HTTP/1.1\r\nX: ")
      slow.append(client)
    }
    #expect(WebClient.get("/", port: server.port).hasPrefix("HTTP/1.1 200"))
    #expect(server.statistics.cut >= 1000 - WebLimits().connectionsPerAddress)
    withExtendedLifetime(slow) {}
  }

  @Test func `the streams of one address leave some for others`() throws {
    let server = try Self.server()
    let limits = WebLimits()
    var streams: [WebClient] = []
    for _ in 0..<limits.streamsPerAddress {
      let stream = try #require(WebClient.follow("/events", port: server.port, from: 2))
      #expect(stream.receive(until: "retry"))
      streams.append(stream)
    }
    #expect(WebClient.get("/events", port: server.port, from: 2).hasPrefix("HTTP/1.1 503"))
    #expect(WebClient.get("/", port: server.port, from: 2).hasPrefix("HTTP/1.1 200"))
    let other = try #require(WebClient.follow("/events", port: server.port, from: 3))
    #expect(other.receive(until: "retry"))
    #expect(server.statistics.streams == limits.streamsPerAddress + 1)
  }

  @Test func `a reader gets a stream although others have taken all`() throws {
    let server = try Self.server {
      $0.streams = 8
      $0.streamsPerAddress = 4
    }
    var streams: [WebClient] = []
    for number in 0..<8 {
      let address = UInt8(2 + number / 4)
      let stream = try #require(WebClient.follow("/events", port: server.port, from: address))
      #expect(stream.receive(until: "retry"))
      streams.append(stream)
    }
    let other = try #require(WebClient.follow("/events", port: server.port, from: 9))
    #expect(other.receive(until: "retry"))
    #expect(server.statistics.streams == 8 && server.statistics.cut == 1)
    // It gave way, so it is refused when it comes again.
    #expect(WebClient.get("/events", port: server.port, from: 3).hasPrefix("HTTP/1.1 503"))
    streams[7].receiveAll()
    server.publish("one", to: "guide")
    #expect(streams[0].receive(until: "one") && other.receive(until: "one"))
  }

  @Test func `what nobody acknowledges ends a connection after the time of an answer`() throws {
    let socket = try ListeningSocket("127.0.0.1", 0)
    let client = try #require(WebClient(port: socket.port))
    var waiting = pollfd(fd: socket.descriptor, events: Int16(POLLIN), revents: 0)
    #expect(unsafe poll(&waiting, 1, 10_000) == 1)
    guard
      case .connection(let connection, let peer, let address) = socket.accept(
        sendBuffer: 32_768,
        patience: .milliseconds(2500)
      )
    else {
      Issue.record("no connection")
      return
    }
    defer { close(connection) }
    var value: Int32 = 0
    var size = socklen_t(MemoryLayout<Int32>.size)
    let level = Int32(IPPROTO_TCP)
    #expect(unsafe getsockopt(connection, level, TCP_USER_TIMEOUT, &value, &size) == 0)
    #expect(value == 2500)
    #expect(peer == .account(geteuid()) && address == "127.0.0.1")
    withExtendedLifetime(client) {}
  }

  @Test func `a state of more than 64 KiB reaches its reader each time`() throws {
    let server = try Self.server()
    let state = String(repeating: "x", count: 100_000)
    let client = try #require(WebClient.follow("/events", port: server.port))
    #expect(client.receive(until: "retry"))
    for number in 0..<20 {
      server.publish("\(state) \(number)", to: "guide")
      #expect(client.receive(until: " \(number)\n\n"))
      client.forget()
    }
    #expect(server.statistics.dropped == 0)
  }

  @Test func `many requests of one address leave others their turn`() throws {
    let asked = Mutex<[String]>([])
    var (ends, others) = ([Int32](repeating: 0, count: 2), [Int32](repeating: 0, count: 2))
    #expect(pipe(&ends) == 0 && pipe(&others) == 0)
    let (waiting, open, begun, begins) = (ends[0], ends[1], others[0], others[1])
    defer { for descriptor in [waiting, begun, begins] { close(descriptor) } }
    var limits = WebLimits()
    limits.countsAccounts = false
    let server = try WebServer(port: 0, limits: limits) { request in
      // Until all requests are there, the first one is being answered.
      if request.path == "/first" {
        var byte: UInt8 = 0
        _ = write(begins, &byte, 1)
        _ = read(waiting, &byte, 1)
      }
      asked.withLock { $0.append(request.path) }
      return .html("<p>ok</p>")
    }
    let request = { (path: String) in "GET \(path) HTTP/1.1\r\nHost: localhost\r\n\r\n" }
    let first = try #require(WebClient(port: server.port))
    first.send(request("/first"))
    var byte: UInt8 = 0
    _ = read(begun, &byte, 1)
    var greedy: [WebClient] = []
    for _ in 0..<30 {
      let client = try #require(WebClient(port: server.port, from: 2))
      client.send(String(repeating: request("/greedy"), count: 60))
      greedy.append(client)
    }
    let other = try #require(WebClient(port: server.port, from: 3))
    other.send(request("/other"))
    close(open)
    #expect(other.receive(until: "ok</p>"))
    let before = asked.withLock { $0.firstIndex(of: "/other") }
    #expect(before ?? .max < 12)
    withExtendedLifetime(greedy) {}
  }

  @Test func `requests that are sent together are answered in order`() throws {
    let server = try Self.server()
    let client = try #require(WebClient(port: server.port))
    let request = { (path: String) in "GET \(path) HTTP/1.1\r\nHost: localhost\r\n\r\n" }
    client.send((0..<200).map { request("/echo?n=\($0)") }.joined() + request("/none"))
    #expect(client.receive(until: "nothing is here\n"))
    let numbers = client.text.matches(of: /n=([0-9]+)/).compactMap { Int($0.1) }
    #expect(numbers == Array(0..<200))
  }

  @Test func `a refused request with a long content gets its answer all the same`() throws {
    let server = try Self.server()
    let client = try #require(WebClient(port: server.port))
    client.send("GET / HTTP/1.1\r\nHost: localhost\r\nContent-Length: 3000000\r\n\r\n")
    client.send([UInt8](repeating: 0x61, count: 3_000_000))
    client.receiveAll()
    #expect(client.text.hasPrefix("HTTP/1.1 413"))
  }

  @Test(arguments: [
    ("de", ["de"]), ("", []), ("en;q=0.5, de-AT, fr;q=0.9", ["de-at", "fr", "en"]),
    ("*;q=1, en", ["en"]), ("a;q=2, b;q=0, c;q=nan, d", ["d"]),
  ])
  func `languages are ordered by preference`(_ field: String, _ languages: [String]) {
    #expect(WebRequest.languages(of: field) == languages)
  }

  // MARK: Accounts

  @Test func `all addresses of this machine from which an account comes have one share`() throws {
    let server = try Self.server {
      $0.countsAccounts = true
      $0.streamsPerAddress = 4
    }
    let streams = try (2..<6).map { (host: UInt8) in
      let stream = try #require(WebClient.follow("/events", port: server.port, from: host))
      #expect(stream.receive(until: "retry"))
      return stream
    }
    #expect(WebClient.get("/events", port: server.port, from: 6).hasPrefix("HTTP/1.1 503"))
    withExtendedLifetime(streams) {}
  }

  @Test func `a socket that is closed, or bound to an interface, is not another peer`() throws {
    let socket = try ListeningSocket("127.0.0.1", 0)
    func accepted() -> SocketPeer? {
      guard case .connection(let connection, let peer, _) = socket.accept(sendBuffer: 32_768)
      else { return nil }
      close(connection)
      return peer
    }
    #expect(WebClient(port: socket.port, from: 9) != nil)
    #expect(accepted() == .anyAccount)
    let bound = try #require(WebClient(port: socket.port, on: "lo"))
    #expect(accepted() == .account(geteuid()))
    withExtendedLifetime(bound) {}
  }

  /// A program of another account that opens connections, sends a request on each, and keeps them.
  private static func reader(_ account: String, _ count: Int, _ port: UInt16) throws -> ChildProcess
  {
    let request = "GET /events HTTP/1.1\\r\\nHost: localhost\\r\\n\\r\\n"
    let script = """
      for ((i = 0; i < \(count); i++)); do
        exec {socket}<>/dev/tcp/127.0.0.1/\(port)
        printf '\(request)' >&$socket
      done
      exec sleep 60
      """
    let shell = "exec runuser -u \(account) -- bash -c \"$SCRIPT\""
    return try ChildProcess(shell: shell, adding: [("SCRIPT", script)])
  }

  @Test(.enabled(if: geteuid() == 0, "only root can use two accounts"))
  func `an account that takes all it can leaves the rest to another one`() throws {
    let server = try Self.server {
      $0.countsAccounts = true
      $0.streams = 8
      $0.streamsPerAddress = 4
    }
    func wait(until holds: (WebServerStatistics) -> Bool) {
      for _ in 0..<6000 where !holds(server.statistics) { usleep(10_000) }
    }
    let greedy = try Self.reader("daemon", 12, server.port)
    defer { greedy.signalGroup(SIGKILL) }
    wait { $0.refused == 8 }
    #expect(server.statistics.streams == 4)
    let other = try Self.reader("nobody", 3, server.port)
    defer { other.signalGroup(SIGKILL) }
    wait { $0.streams == 7 }
    #expect(server.statistics.streams == 7 && server.statistics.refused == 8)
    let own = try #require(WebClient.follow("/events", port: server.port))
    #expect(own.receive(until: "retry"))
  }
}
