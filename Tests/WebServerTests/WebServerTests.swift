// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

import BeaconTestSupport
import Glibc
import Testing

@testable import WebServer

@Suite struct WebServerTests {
  static func server(streams: Int = WebServer.mostStreams) throws -> WebServer {
    try WebServer(port: 0, mostStreams: streams) { request in
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
    #expect(answer.contains("X-Content-Type-Options: nosniff"))
    #expect(answer.contains("Cache-Control: no-store"))
    let head = WebClient.get("/", port: server.port, method: "HEAD")
    #expect(head.hasPrefix("HTTP/1.1 200") && !head.contains("<p>"))
    #expect(WebClient.get("/echo?a=1%202&b=x&a=3", port: server.port).hasSuffix("a=3b=x"))
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
    #expect(client.receive(until: "\r\n:\n\n"))
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
    let server = try Self.server(streams: 2)
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

  @Test(arguments: [
    ("de", ["de"]), ("", []), ("en;q=0.5, de-AT, fr;q=0.9", ["de-at", "fr", "en"]),
    ("*;q=1, en", ["en"]), ("a;q=2, b;q=0, c;q=nan, d", ["d"]),
  ])
  func `languages are ordered by preference`(_ field: String, _ languages: [String]) {
    #expect(WebRequest.languages(of: field) == languages)
  }
}
