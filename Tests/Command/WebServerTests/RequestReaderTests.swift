// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

import BeaconTestSupport
import Testing

@testable import WebServer

/// Valid and invalid requests.
@Suite struct RequestReaderTests {
  private static func read(_ text: String) throws(Refusal) -> RequestHead? {
    var reader = RequestReader()
    reader.append(Array(text.utf8)[...])
    return try reader.next()
  }

  @Test func `a request is read, in whatever pieces it arrives`() throws {
    let text =
      "GET /a%20b/%C3%A4?x=1%262&y&x=3+4 HTTP/1.1\r\nHOST: LocalHost:80\r\nAccept-Language:\t de \r\n"
      + "Connection: Keep-Alive, close\r\n\r\n"
    let bytes = Array((text + text).utf8)
    for size in [1, 2, 3, 7, 1000] {
      var reader = RequestReader()
      var found: [RequestHead] = []
      for start in stride(from: 0, to: bytes.count, by: size) {
        reader.append(bytes[start..<min(start + size, bytes.count)])
        while let head = try reader.next() { found.append(head) }
      }
      let head = RequestHead(
        method: "GET",
        path: "/a b/ä",
        query: ["x": "3 4", "y": ""],
        host: "localhost:80",
        languages: "de",
        keepsAlive: false,
        hasContent: false
      )
      #expect(found == [head, head], "\(size)")
      #expect(reader.isEmpty)
    }
  }

  @Test func `one empty line in front of a request is nothing, two are not a request`() throws {
    let request = "GET / HTTP/1.0\r\n\r\n"
    var reader = RequestReader()
    for byte in Array("\r\n\(request)\r\n\(request)".utf8) {
      reader.append([byte])
      if let head = try reader.next() { #expect(head.path == "/") }
    }
    #expect(reader.isEmpty)
    #expect(throws: Refusal.malformed) { try Self.read("\r\n\r\n\(request)") }
    #expect(throws: Refusal.malformed) {
      var reader = RequestReader()
      for byte in Array("\r\n\r\n\(request)".utf8) {
        reader.append([byte])
        _ = try reader.next()
      }
    }
  }

  @Test func `a connection is kept as the version and the field say`() throws {
    #expect(try Self.read("GET / HTTP/1.1\r\nHost: a\r\n\r\n")?.keepsAlive == true)
    #expect(try Self.read("GET / HTTP/1.0\r\n\r\n")?.keepsAlive == false)
    #expect(
      try Self.read("GET / HTTP/1.0\r\nConnection: keep-alive\r\n\r\n")?.keepsAlive == true
    )
    #expect(try Self.read("GET / HTTP/1.0\r\nContent-Length: 0\r\n\r\n")?.hasContent == false)
    #expect(
      try Self.read("GET http://B:1?q HTTP/1.1\r\nHost: a\r\n\r\n")?.host == "b:1"
    )
  }

  @Test(arguments: [
    "GET / HTTP/1.1\nHost: a\n\n", "GET /\r\n\r\n", "GET  / HTTP/1.1\r\n", "\u{0}", "GET /\u{1}",
    "GET / HTTP/1.1\r\nHost: a\r\nHost: b\r\n\r\n", "GET / HTTP/1.1\r\n\r\n",
    "GET / HTTP/1.1\r\nHost: a\r\n b\r\n\r\n", "GET / HTTP/1.1\r\nHost : a\r\n\r\n",
    "GET / HTTP/1.1\r\nHost: a b\r\n\r\n", "GET / HTTP/1.1\r\nnone\r\n\r\n",
    "GET / HTTP/1.1\r\nHost: a\rX: b\r\n\r\n", "GET / http/1.1\r\nHost: a\r\n\r\n",
    "GET / HTTP/11\r\nHost: a\r\n\r\n", "GET a HTTP/1.1\r\nHost: a\r\n\r\n",
    "GET * HTTP/1.1\r\nHost: a\r\n\r\n", "GET /%zz HTTP/1.1\r\nHost: a\r\n\r\n",
    "GET /%00 HTTP/1.1\r\nHost: a\r\n\r\n", "GET /%ff HTTP/1.1\r\nHost: a\r\n\r\n",
    "GET /%0d%0aSet-Cookie:a HTTP/1.1\r\nHost: a\r\n\r\n", "GET /ä HTTP/1.1\r\nHost: a\r\n\r\n",
    "GET /?a=%1 HTTP/1.1\r\nHost: a\r\n\r\n", "G(T / HTTP/1.1\r\nHost: a\r\n\r\n",
    "GET http:// HTTP/1.1\r\nHost: a\r\n\r\n", "GET / HTTP/1.1\r\nHost: a\r\nX: \u{1B}[31m\r\n\r\n",
    "GET / HTTP/1.1\r\nHost: a\r\nX: \u{7F}\r\n\r\n",
    "POST / HTTP/1.1\r\nHost: a\r\nContent-Length: -1\r\n\r\n",
    "POST / HTTP/1.1\r\nHost: a\r\nContent-Length:\r\n\r\n",
  ])
  func `anything but a request is refused`(text: String) {
    // A request line that is wrong is noticed at its end at the latest.
    #expect(throws: Refusal.malformed) { try Self.read(text + "\r\n\r\n") }
  }

  @Test func `a request has at most so many bytes, fields and arguments`() throws {
    let field = "X: \(String(repeating: "a", count: WebLimits.headBytes))"
    let long = Array("GET / HTTP/1.1\r\n\(field)".utf8).prefix(WebLimits.headBytes)
    var reader = RequestReader()
    reader.append(long.dropLast())
    #expect(try reader.next() == nil)
    #expect(reader.room == 1)
    reader.append(long.suffix(1))
    #expect(throws: Refusal.longFields) { try reader.next() }
    let fields = String(repeating: "X: 1\r\n", count: WebLimits.fields - 1)
    #expect(try Self.read("GET / HTTP/1.1\r\nHost: a\r\n\(fields)\r\n") != nil)
    #expect(throws: Refusal.longFields) {
      try Self.read("GET / HTTP/1.1\r\nHost: a\r\nY: 1\r\n\(fields)\r\n")
    }
    let query = String(repeating: "a&", count: WebLimits.arguments)
    #expect(try Self.read("GET /?\(query) HTTP/1.1\r\nHost: a\r\n\r\n") != nil)
    #expect(throws: Refusal.longTarget) {
      try Self.read("GET /?\(query)b HTTP/1.1\r\nHost: a\r\n\r\n")
    }
  }

  @Test func `random bytes never trap, and leave no more than they are`() {
    let pieces = [
      "GET ", "/", " HTTP/1.1\r\n", "Host: a\r\n", "\r\n", "\r", "\n", "%", "%4", "?", "&", "=",
      "+",
      "http://", ":", " ", "Content-Length: 1", "\u{0}", "ä", "HTTP/", "1", ".",
      "Connection: close",
    ]
    for seed in 0..<2000 as Range<UInt64> {
      var random = SplitMix64(seed: seed)
      var reader = RequestReader()
      for _ in 0..<Int.random(in: 1...40, using: &random) {
        let piece = Array((pieces.randomElement(using: &random) ?? "").utf8)
        reader.append(piece.prefix(reader.room))
        do {
          while try reader.next() != nil {}
        } catch {
          break
        }
      }
      #expect(reader.room <= WebLimits.headBytes)
    }
  }

  @Test(arguments: [
    (0, "Thu, 01 Jan 1970 00:00:00 GMT"), (784_111_777, "Sun, 06 Nov 1994 08:49:37 GMT"),
    (951_782_400, "Tue, 29 Feb 2000 00:00:00 GMT"),
    (1_795_391_999, "Sun, 22 Nov 2026 23:59:59 GMT"),
    (-5, "Thu, 01 Jan 1970 00:00:00 GMT"),
  ])
  func `a date has the form of HTTP`(seconds: Int, date: String) {
    #expect(AnswerHead.date(seconds) == date)
  }
}
