// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

import Glibc
import Synchronization
import SystemKit
import Testing

@testable import WebServer

/// Answers that take time do not delay the server, and addresses take turns.
@Suite struct SlowAnswerTests {
  /// The requests, in order; the path `/held` is answered when the gate is opened.
  private final class Log: Sendable {
    let gate: WakePipe
    private let paths = Mutex<[String]>([])

    init() throws { gate = try #require(WakePipe()) }

    var asked: [String] { paths.withLock { $0 } }

    func answer(_ request: WebRequest) -> WebResponse {
      paths.withLock { $0.append(request.path) }
      if request.path == "/held" { gate.wait(milliseconds: -1) }
      return .html(request.path)
    }
  }

  private static func head(_ path: String) -> RequestHead {
    RequestHead(
      method: "GET",
      path: path,
      query: [:],
      languages: "",
      keepsAlive: false,
      hasContent: false
    )
  }

  @Test func `a slow answer delays no other, and is sent when it is made`() throws {
    let log = try Log()
    let server = try WebServer(port: 0, isSlow: { $0.path == "/held" }, answer: { log.answer($0) })
    let held = try #require(WebClient.follow("/held", port: server.port))
    for _ in 0..<20 {
      #expect(WebClient.get("/", port: server.port).hasSuffix("/"))
    }
    #expect(!held.text.contains("200"))
    log.gate.signal()
    #expect(held.receive(until: "/held"))
    server.stop()
  }

  @Test func `an address that asks for much waits for its turn`() throws {
    let log = try Log()
    let loop = try #require(WakePipe())
    let service = RequestService(answer: { log.answer($0) }, isSlow: { _ in true }, hosts: nil)
    let slow = try #require(SlowAnswers(service, waking: loop))
    _ = slow.add(Self.head("/held"), from: .account(1), on: 10)
    while log.asked.isEmpty { usleep(1000) }
    for number in 0..<100 as Range<Int32> {
      _ = slow.add(Self.head("/much"), from: .account(1), on: 20 + number)
    }
    let last = slow.add(Self.head("/once"), from: .account(2), on: 200)
    // Whose connection is closed asks for nothing any more.
    for number in 50..<100 as Range<Int32> { slow.remove(20 + number) }
    log.gate.signal()
    var made: [SlowAnswers.Made] = []
    while made.count < 52 {
      made += slow.drain()
      usleep(1000)
    }
    slow.stop()
    #expect(log.asked.firstIndex(of: "/once") ?? 100 <= 2)
    #expect(log.asked.count { $0 == "/much" } == 50)
    #expect(made.contains { $0.serial == last && $0.connection == 200 })
  }

  @Test
  func `the request of a closed connection is dropped, also when the server stops`()
    throws
  {
    let log = try Log()
    let server = try WebServer(port: 0, isSlow: { $0.path != "/" }, answer: { log.answer($0) })
    let held = try #require(WebClient.follow("/held", port: server.port))
    while log.asked.isEmpty { usleep(1000) }
    for _ in 0..<30 {
      // The connections end before their turn.
      _ = WebClient.follow("/slow", port: server.port)
    }
    #expect(WebClient.get("/", port: server.port).hasSuffix("/"))
    log.gate.signal()
    #expect(held.receive(until: "/held"))
    server.stop()
  }
}
