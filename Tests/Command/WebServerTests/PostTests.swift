// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

import BeaconTestSupport
import Testing

@testable import WebServer

/// What may be sent to a server, and by whom.
@Suite struct PostTests {
  private static func server(
    largestContent: Int = 100,
    reach: WebServer.Reach = .loopback,
    _ change: (inout WebLimits) -> Void = { _ in }
  ) throws -> WebServer {
    var limits = WebLimits()
    change(&limits)
    return try WebServer(
      port: 0,
      reach: reach,
      limits: limits,
      largestContent: largestContent
    ) { request in
      switch (request.path, request.method) {
      case ("/next", .post):
        .html("\(request.contentType) \(String(decoding: request.content, as: UTF8.self))")
      case ("/wrong", .post): .refused(.invalid, "this is not the code")
      case ("/", .get): .html("page")
      default: .notFound
      }
    }
  }

  /// Sends a POST and returns the answer.
  private static func post(
    _ path: String = "/next",
    _ content: String = "hello",
    to server: WebServer,
    fields: String? = nil
  ) -> String {
    let port = server.port
    let origin = fields ?? "Origin: http://localhost:\(port)\r\n"
    let text = "\(origin)Content-Type: text/plain; charset=utf-8\r\n"
    guard let client = WebClient(port: port) else { return "" }
    let host = origin.hasPrefix("Host:") ? "" : "Host: localhost:\(port)\r\n"
    client.send(
      "POST \(path) HTTP/1.1\r\n\(host)Connection: close\r\n\(text)"
        + "Content-Length: \(content.utf8.count)\r\n\r\n\(content)"
    )
    client.receiveAll()
    return client.text
  }

  @Test func `a page of this server may send something`() throws {
    let server = try Self.server()
    let answer = Self.post(to: server)
    #expect(answer.hasPrefix("HTTP/1.1 200") && answer.hasSuffix("text/plain hello"))
    #expect(
      Self.post(to: server, fields: "Origin: HTTP://LocalHost:\(server.port)\r\n")
        .hasPrefix("HTTP/1.1 200")
    )
    let wrong = Self.post("/wrong", to: server)
    #expect(wrong.hasPrefix("HTTP/1.1 422") && wrong.hasSuffix("this is not the code\n"))
    #expect(Self.post("/", to: server).hasPrefix("HTTP/1.1 404"))
    #expect(WebClient.get("/next", port: server.port).hasPrefix("HTTP/1.1 404"))
  }

  @Test(arguments: [
    "", "Origin: null\r\n", "Origin: http://evil.example\r\n", "Origin: http://localhost\r\n",
    "Origin: http://localhost:1\r\n", "Origin: http://localhost:PORT.evil.example\r\n",
    "Origin: http://evil.example/http://localhost:PORT\r\n", "Origin: http://127.0.0.1:PORT\r\n",
    "Origin: file://\r\n", "Referer: http://localhost:PORT/\r\n",
    "Host: evil.example\r\nOrigin: http://evil.example\r\n",
  ])
  func `others may not`(fields: String) throws {
    let server = try Self.server()
    let fields = fields.replacing("PORT", with: "\(server.port)")
    #expect(Self.post(to: server, fields: fields).hasPrefix("HTTP/1.1 403"), "\(fields)")
    #expect(server.statistics.refused == 1)
  }

  @Test func `a public server accepts only its own pages as well`() throws {
    let server = try Self.server(reach: .everybody)
    let own = "Host: gallery:80\r\nOrigin: http://gallery:80\r\n"
    #expect(Self.post(to: server, fields: own).hasPrefix("HTTP/1.1 200"))
    let other = "Host: gallery:80\r\nOrigin: http://evil.example\r\n"
    #expect(Self.post(to: server, fields: other).hasPrefix("HTTP/1.1 403"))
  }

  @Test func `content is limited, and one that only reads accepts none`() throws {
    let server = try Self.server()
    #expect(
      Self.post("/next", String(repeating: "x", count: 100), to: server).hasPrefix("HTTP/1.1 200")
    )
    #expect(
      Self.post("/next", String(repeating: "x", count: 101), to: server).hasPrefix("HTTP/1.1 413")
    )
    let own = "Origin: http://localhost:\(server.port)\r\n"
    for length in ["101", "18446744073709551616", "99999999999999999999999999"] {
      let answer = WebClient.get(
        "/next",
        port: server.port,
        method: "POST",
        fields: own + "Content-Length: \(length)\r\n"
      )
      #expect(answer.hasPrefix("HTTP/1.1 413"), "\(length)")
    }
    let pieces = own + "Transfer-Encoding: chunked\r\n"
    #expect(
      WebClient.get("/next", port: server.port, method: "POST", fields: pieces)
        .hasPrefix("HTTP/1.1 413")
    )
    #expect(
      WebClient.get("/", port: server.port, fields: "Content-Length: 3\r\n")
        .hasPrefix("HTTP/1.1 413")
    )
    #expect(
      WebClient.get("/", port: server.port, method: "PUT", fields: own).hasPrefix("HTTP/1.1 405")
    )
    let reading = try Self.server(largestContent: 0)
    #expect(Self.post(to: reading).hasPrefix("HTTP/1.1 405"))
  }

  @Test func `content that does not come is not waited for`() throws {
    let server = try Self.server { $0.requestTime = .milliseconds(50) }
    let client = try #require(WebClient(port: server.port))
    client.send(
      "POST /next HTTP/1.1\r\nHost: localhost:\(server.port)\r\nContent-Length: 50\r\n\r\nshort"
    )
    client.receiveAll()
    #expect(client.text.hasPrefix("HTTP/1.1 408"))
  }

  @Test func `content is read in whatever pieces it arrives, and the next request follows it`()
    throws
  {
    let text =
      "POST /next HTTP/1.1\r\nHost: a\r\nOrigin: HTTP://A\r\nContent-Length: 20\r\n"
      + "Content-Type: Text/Plain ; x=1\r\n\r\nGET /xy HTTP/1.1\r\n\r\n"
    let bytes = Array((text + text + "GET / HTTP/1.1\r\nHost: a\r\n\r\n").utf8)
    for size in [1, 2, 3, 7, 19, 20, 21, 1000] {
      var reader = RequestReader(largestContent: 20)
      var found: [RequestHead] = []
      for start in stride(from: 0, to: bytes.count, by: size) {
        reader.append(bytes[start..<min(start + size, bytes.count)])
        while let head = try reader.next() { found.append(head) }
      }
      #expect(found.map(\.method) == ["POST", "POST", "GET"], "\(size)")
      #expect(found.first?.content == Array("GET /xy HTTP/1.1\r\n\r\n".utf8))
      #expect(found.first?.contentType == "text/plain" && found.first?.origin == "http://a")
      #expect(reader.isEmpty)
    }
    var waiting = RequestReader(largestContent: 20)
    waiting.append(bytes[..<(text.utf8.count - 5)])
    #expect(try waiting.next() == nil)
    #expect(!waiting.isEmpty && waiting.room == 5)
  }

  @Test(arguments: [
    "Content-Length: 1\r\nContent-Length: 2\r\n", "Content-Length: 1\r\nContent-Length: 1\r\n",
    "Content-Length: +1\r\n", "Content-Length: 1, 1\r\n", "Content-Length: 0x1\r\n",
    "Origin: a\r\nOrigin: b\r\n", "Origin: a b\r\n",
  ])
  func `what can be understood in two ways is refused`(fields: String) {
    var reader = RequestReader(largestContent: 20)
    reader.append(Array("POST / HTTP/1.1\r\nHost: a\r\n\(fields)\r\n0123456789".utf8)[...])
    #expect(throws: Refusal.malformed) { try reader.next() }
  }
}
