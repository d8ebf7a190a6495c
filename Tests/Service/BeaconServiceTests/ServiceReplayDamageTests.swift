// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

import BeaconService
import BeaconTestSupport
import Foundation
import Testing

/// A recording of a service that was cut, changed or written by someone else.
struct ServiceReplayDamageTests {
  /// A time in a recording that starts at midnight.
  private static func time(_ seconds: Double) -> String {
    String(format: "2026-05-01T00:00:%09.6fZ", seconds)
  }

  private static let uuid = "F7826DA6-4FA2-4E98-8024-BC5B71E0893E"

  private static func request(_ second: Double, _ fields: String, of client: String?) -> String {
    let client = client.map { "\"\($0)\"" } ?? "null"
    return #"{"v":1,"type":"request","t":"\#(time(second))","client":\#(client),\#(fields)}"#
  }

  private static func request(_ second: Double, _ fields: String) -> String {
    request(second, fields, of: "user:anna/guide")
  }

  private static let stream =
    #""request":"stream","stream":1,"after":0,"ranges":["\#(uuid)"],"goals":[]"#
  private static let range = #""request":"range","constraint":"\#(uuid)","whileInside":null"#
  private static let begin =
    #""request":"begin","foreground":true,"sequence":0,"authorization":"whenInUse","until":null,"accuracy":"full""#
    + #","always_spent":false,"confirmation_due":false,"services":true,"restricted":false,"manifest":{}"#

  /// A client that ranges from the start, and a report in the middle of each of six seconds.
  private static let lines: [String] = {
    var lines = [
      #"{"v":1,"type":"capture","tool":"Beacons","version":"0.1.0","receivers":["hall"],"profile":"default""#
        + #","redacted":true,"begun":"\#(time(0))","piece":1}"#,
      #"{"v":1,"type":"mark","t":"\#(time(0))"}"#,
      request(0, #""request":"configuration","profile":"default","set":{}"#, of: nil),
      request(0, begin), request(0, stream), request(0, range),
    ]
    for second in 0..<6 {
      lines.append(
        #"{"v":1,"type":"report","t":"\#(time(Double(second) + 0.5))","receiver":"hall","address":null"#
          + #","address_type":"random","event":"ADV_NONCONN_IND","rssi":-60"#
          + #","ad":"0201061aff4c000215f7826da64fa24e988024bc5b71e0893e00010001c5"}"#
      )
    }
    return lines + [#"{"v":1,"type":"end","t":"\#(time(6))"}"#]
  }()

  /// Where reports begin in ``lines``.
  private static let reports = 6

  /// What a recording repeats, and what is said of it.
  private func replay(_ lines: [String]) throws -> (text: String, remarks: [String]) {
    let folder = try ServiceFixture.makeFolder()
    defer { try? FileManager.default.removeItem(at: folder) }
    let file = folder.appending(path: "service.jsonl")
    try Data((lines.joined(separator: "\n") + "\n").utf8).write(to: file)
    var bytes: [UInt8] = []
    let replay = ServiceReplay(of: "user:anna/guide") { bytes += $0 }
    try replay.run([file.path])
    return (String(decoding: bytes, as: UTF8.self), replay.remarks)
  }

  private func inserting(_ line: String, afterReports count: Int) -> [String] {
    var lines = Self.lines
    lines.insert(line, at: Self.reports + count)
    return lines
  }

  @Test func `an undamaged recording is repeated without a remark`() throws {
    let (text, remarks) = try replay(Self.lines)
    #expect(text.split(separator: "\n").count { $0.contains("\"ranged\"") } == 6)
    #expect(remarks.isEmpty)
  }

  @Test(arguments: [
    #""request":"dance""#, #""request":"range","constraint":7"#,
    #""request":"monitor","region":"r""#,
  ])
  func `a request that cannot be read is told of`(fields: String) throws {
    let (text, remarks) = try replay(inserting(Self.request(2.5, fields), afterReports: 3))
    #expect(try text == replay(Self.lines).text)
    #expect(remarks.count == 1)
    #expect(remarks.first?.contains("1 line of the recording cannot be read") == true)
    #expect(remarks.first?.contains(Self.time(2.5)) == true)
  }

  @Test(arguments: [
    request(0, range).replacing("2026-05-01T00:00:00", with: "9999-12-31T23:59:59"),
    request(0, range).replacing("2026-05-01T00", with: "2026-05-01T09"),
    #"{"v":1,"type":"user","t":"2026-05-03T00:00:00Z","client":null,"input":"screenOn"}"#,
  ])
  func `a line of a time that has not come does not swallow what follows`(line: String) throws {
    let (text, remarks) = try replay(inserting(line, afterReports: 3))
    #expect(try text == replay(Self.lines).text)
    #expect(remarks.count == 1)
  }

  @Test(arguments: ["9999-12-31T23:59:59", "2026-05-01T00:05:00", "1970-01-01T00:00:00"])
  func `an end of a time that cannot be is no end`(_ stamp: String) throws {
    let end = #"{"v":1,"type":"end","t":"\#(stamp)Z"}"#
    let (text, remarks) = try replay(inserting(end, afterReports: 3))
    #expect(try text == replay(Self.lines).text)
    #expect(remarks.count == 1)
  }

  @Test func `a part without the start of the service is refused before anything is written`() {
    #expect(throws: ServiceReplay.Failure.self) {
      try replay(Self.lines.filter { !$0.contains("\"configuration\"") })
    }
  }

  @Test(arguments: [
    #"\u001b]0;title\u0007"#, #"{\"v\":1}\n{\"v\":1}"#, #"{\"v\":1,\"x\":\"\u009b\"}"#, "x",
  ])
  func `what is no line of a stream is never written`(line: String) throws {
    let fields = #""request":"repeated","stream":1,"line":"\#(line)""#
    var lines = Self.lines
    lines.insert(Self.request(0, fields), at: Self.reports - 1)
    let (text, remarks) = try replay(lines)
    #expect(try text == replay(Self.lines).text)
    #expect(remarks.count == 1)
  }

  @Test func `a file that is no capture is named`() throws {
    let folder = try ServiceFixture.makeFolder()
    defer { try? FileManager.default.removeItem(at: folder) }
    let file = folder.appending(path: "notes.txt")
    try Data("nothing of the kind".utf8).write(to: file)
    let replay = ServiceReplay(of: "user:anna/guide") { _ in }
    let failure = #expect(throws: ServiceReplay.Failure.self) { try replay.run([file.path]) }
    #expect(failure?.description.hasPrefix(file.path) == true)
  }
}
