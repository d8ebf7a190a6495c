// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

import BeaconTestSupport
import Foundation
import Testing

/// The guide of `Sources/iPhone/MuseumWalk`, which is written for an iPhone, walks through the bundled capture.
@Suite struct MuseumWalkTests {
  private func walk(_ variables: String) throws -> BuiltCommand {
    let program = BuiltCommand.program.deletingLastPathComponent().appending(path: "MuseumWalk")
    return try BuiltCommand("\(variables) timeout 60 '\(program.path)'")
  }

  @Test func `it finds the paintings in their order`() throws {
    let run = try walk(
      "BEACONS_SOURCE=capture:Fixtures/captures/walk.btsnoop BEACONS_ANSWERS=whileUsing "
        + "BEACONS_MANIFEST=Sources/iPhone/MuseumWalk/MuseumWalk-Info.plist"
    )
    #expect(
      run.output == """
        welcome to the museum
        room 1, painting 1: 5.6 m
        room 1, painting 2: 4.4 m

        """
    )
    #expect(run.errors.isEmpty, "\(run.errors)")
    #expect(run.code == 0)
  }

  /// A visitor opens the guide outside, puts the phone away, and arrives after a minute.
  private func arrive(
    _ variables: String,
    _ actions: String,
    at paintings: [(seconds: Range<Int>, number: Int)] = Self.usual,
    until end: Int = 60
  ) throws -> BuiltCommand {
    let folder = FileManager.default.temporaryDirectory.appending(path: UUID().uuidString)
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: folder) }
    let capture = try Self.arrival(in: folder, at: paintings, until: end)
    let script = folder.appending(path: "a.json5")
    try Data(actions.utf8).write(to: script)
    return try walk(
      "BEACONS_SOURCE=capture:\(capture.path) BEACONS_ACTIONS=\(script.path) \(variables) "
        + "BEACONS_MANIFEST=Sources/iPhone/MuseumWalk/MuseumWalk-Info.plist"
    )
  }

  /// A visitor who arrives after a minute, and goes to the second painting.
  private static let usual: [(seconds: Range<Int>, number: Int)] = [(60..<110, 1), (110..<150, 2)]

  /// A capture of a visitor who is at paintings in some seconds, and outside in the others.
  ///
  /// Another museum's beacon shows that the radio listens; it is received until a second.
  static func arrival(
    in folder: URL,
    at paintings: [(seconds: Range<Int>, number: Int)] = Self.usual,
    until end: Int = 60
  ) throws -> URL {
    var lines = [
      #"{"v":1,"type":"capture","tool":"test","version":"0","receivers":["hci0"],"profile":null,"redacted":false}"#
    ]
    func report(_ second: Int, _ minor: String, _ rssi: Int) -> String {
      let time =
        "2026-06-01T10:0\(second / 60):\(second % 60 < 10 ? "0" : "")\(second % 60).500000Z"
      return
        #"{"v":1,"type":"report","t":"\#(time)","receiver":"hci0","address":"02:00:00:00:00:\#(minor)","#
        + #""address_type":"random","event":"ADV_NONCONN_IND","rssi":\#(rssi),"#
        + #""ad":"0201061aff4c000215f7826da64fa24e988024bc5b71e0893e000100\#(minor)c5"}"#
    }
    for second in 0..<max(end, paintings.last?.seconds.upperBound ?? 0) {
      if second < end {
        lines.append(report(second, "09", -90).replacing("f7826da64fa2", with: "a7826da64fa2"))
      }
      guard let here = paintings.first(where: { $0.seconds.contains(second) }) else { continue }
      // The nearest is received last, when the guide ranges.
      lines += [3 - here.number, here.number].map {
        report(second, "0\($0)", $0 == here.number ? -50 : -80)
      }
    }
    let capture = folder.appending(path: "a.jsonl")
    try Data((lines.joined(separator: "\n") + "\n").utf8).write(to: capture)
    return capture
  }

  /// Rows D8, G23 and C26: the talk's flow of a visit.
  @Test func `it greets on arrival, is opened by a tap, and finds the nearest painting`() throws {
    let run = try arrive(
      "BEACONS_ANSWERS=whileUsing",
      "[{ at: 15, input: 'background' }, { at: 80, input: 'tapNotification', region: 'arrival' }]"
    )
    let lines = Self.lines(run)
    try #require(lines.count == 5, "\(lines)")
    #expect(lines[0] == "the museum is out of sight")
    // The tap and the region come from two objects, and which of them reports first is not promised.
    #expect(
      lines[1...2].sorted() == ["opened by 'Welcome to the museum'", "welcome to the museum"]
    )
    #expect(lines[3...] == ["room 1, painting 1", "room 1, painting 2"])
    #expect(run.errors == "notification: Welcome to the museum: Tap to open your guide.\n")
    #expect(run.code == 0)
  }

  @Test func `within 3 s of the tap it names the painting`() throws {
    let run = try arrive(
      "BEACONS_ANSWERS=whileUsing",
      "[{ at: 15, input: 'background' }, { at: 80, input: 'tapNotification', region: 'arrival' }]",
      at: [(60..<83, 1)]
    )
    #expect(Self.lines(run).last == "room 1, painting 1", "\(run.output)")
    #expect(run.code == 0)
  }

  private static func lines(_ run: BuiltCommand) -> [Substring] {
    run.output.split(separator: "\n").map { $0.prefix { $0 != ":" } }
  }

  @Test func `a visitor who comes back to the same painting is shown it again`() throws {
    let run = try arrive(
      "BEACONS_ANSWERS=whileUsing",
      "[]",
      at: [(60..<80, 1), (200..<220, 1)],
      until: 200
    )
    #expect(
      Self.lines(run) == [
        "the museum is out of sight", "welcome to the museum", "room 1, painting 1",
        "the museum is out of sight", "welcome to the museum", "room 1, painting 1",
      ]
    )
    #expect(run.code == 0)
  }

  @Test func `who leaves while it is closed finds the room ended`() throws {
    let run = try arrive(
      "BEACONS_ANSWERS=whileUsing",
      "[{ at: 75, input: 'background' }, { at: 200, input: 'foreground' }]",
      at: [(60..<80, 1)],
      until: 210
    )
    #expect(
      Self.lines(run) == [
        "the museum is out of sight", "welcome to the museum", "room 1, painting 1",
        "the museum is out of sight",
      ]
    )
    #expect(run.code == 0)
  }

  @Test(arguments: ["whileUsing", "once"])
  func `it runs with every authorization`(_ answer: String) throws {
    let run = try arrive("BEACONS_ANSWERS=\(answer)", "[]")
    #expect(run.output.contains("welcome to the museum"))
    #expect(run.output.contains("room 1, painting 2"))
    #expect(run.errors.contains("notification:"))
    #expect(run.code == 0)
  }

  @Test func `with Always it works in the background`() throws {
    let run = try arrive(
      "BEACONS_ANSWERS=whileUsing",
      "[{ at: 5, input: 'settings', authorization: 'always' }, { at: 15, input: 'background' }]"
    )
    #expect(run.output.contains("welcome to the museum"))
    #expect(run.output.contains("room 1, painting 2"))
    #expect(run.code == 0)
  }

  @Test(.slow) func `without its texts it does nothing and reports why once`() throws {
    let run = try walk("BEACONS_SOURCE=capture:Fixtures/captures/walk.btsnoop")
    #expect(run.output.isEmpty)
    let lines = run.errors.split(separator: "\n")
    #expect(lines.count == 3, "\(run.errors)")
    #expect(lines.first?.contains("NSLocationWhenInUseUsageDescription") == true)
    #expect(lines.dropFirst().first?.contains("nothing was ranged or monitored for 10 s") == true)
    #expect(lines.last?.contains("ended before the program ranged or monitored") == true)
    #expect(run.code == 0)
  }

  @Test func `a capture that is not there ends it`() throws {
    let run = try walk("BEACONS_SOURCE=capture:/nowhere")
    #expect(run.errors.contains("/nowhere"))
    #expect(run.code == 1)
  }
}
