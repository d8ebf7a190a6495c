// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

import BeaconCommandLine
import BeaconCommands
import BeaconTestSupport
import CommandTestSupport
import Foundation
import Testing

/// Hostile text in every field of every capture format, and every output of every command that reads captures.
@Suite struct HostileCaptureTests {
  private let hostile: HostileText
  private var folder: ScratchFolder { hostile.folder }

  init() throws { hostile = try HostileText() }

  private static let recording = """
    {"v":1,"type":"capture","tool":"beaconctl","version":"0.1.0","receivers":["hci0"],"profile":"default","redacted":true,"begun":"2026-05-02T10:00:00Z","piece":1}
    {"v":1,"type":"zone","t":"2026-05-02T10:00:00Z","offset":7200}
    {"v":1,"type":"user","t":"2026-05-02T10:00:00Z","client":"guide","input":"state","authorization":"whenInUse","accuracy":"full","foreground":true}
    {"v":1,"type":"radio","t":"2026-05-02T10:00:00Z","receiver":"hci0","state":"listening"}
    {"v":1,"type":"report","t":"2026-05-02T10:00:01.5Z","receiver":"hci0","address":"02:00:00:00:00:01","address_type":"random","event":"ADV_IND","rssi":-60,"ad":"0201061AFF4C000215F7826DA64FA24E988024BC5B71E0893E00010003C5"}
    {"v":1,"type":"report","t":"2026-05-02T10:00:02.5Z","receiver":"hci0","address":"02:00:00:00:00:01","address_type":"random","event":"ADV_IND","rssi":-60,"manufacturer":{"004c":"0215f7826da64fa24e988024bc5b71e0893e00010003c5"}}
    {"v":1,"type":"user","t":"2026-05-02T10:00:03Z","client":"guide","input":"answer","choice":"once","precise":true}
    {"v":1,"type":"sighting","t":"2026-05-02T10:00:03.5Z","uuid":"F7826DA6-4FA2-4E98-8024-BC5B71E0893E","major":1,"minor":3,"power":-59,"rssi":-60,"receiver":"hci0","address":null}
    {"v":1,"type":"late","t":"2026-05-02T10:00:04Z","by":86400}
    {"v":1,"type":"dropped","t":"2026-05-02T10:00:04Z","reason":"malformedRecord","count":3}
    {"v":1,"type":"mark","t":"2026-05-02T10:00:05Z"}
    {"v":1,"type":"end","t":"2026-05-02T10:00:06Z"}

    """

  @Test(.slow) func `no text of a recording reaches an output as it is`() throws {
    try hostile.checkCapture(try folder.write(Self.recording, to: "plain.jsonl"), "plain")
    for (index, text) in HostileText.mutations(of: Self.recording).enumerated() {
      let path = try folder.write(text, to: "\(index).jsonl")
      try hostile.checkCapture(path, "the text \(index)", withMuseum: index % 8 == 7)
    }
  }

  @Test(arguments: ["\u{1B}[2J", "\u{9B}2J", "\u{202E}", "\u{7F}", "\u{8}", "\u{7}"])
  func `a conversion keeps a user's actions, and none of the control characters of its line`(
    _ control: String
  ) throws {
    let line =
      #"{"v":1,"type":"user","t":"2026-05-02T10:00:01Z","client":"guide","input":"new","#
      + "\"note\":\"a\(control)b\",/* \(control) */\"n\":[1,2.5,null,true,{\"x\":-3}]}"
    let path = try folder.write(
      Self.recording.replacing(
        #"{"v":1,"type":"mark""#,
        with: line + "\n" + #"{"v":1,"type":"mark""#
      ),
      to: "user.jsonl"
    )
    let out = folder.path("out.jsonl")
    let run = CommandRun(of: .withMuseum, ["convert", path, out])
    #expect(run.code == .done)
    let text = try String(contentsOf: URL(filePath: out), encoding: .utf8)
    #expect(HostileText.controls(in: text).isEmpty)
    let written = try #require(text.split(separator: "\n").first { $0.contains(#""input":"new""#) })
    let object = try JSONSerialization.jsonObject(with: Data(written.utf8)) as? [String: Any]
    #expect(object?["note"] as? String == "a\(control)b")
    #expect(written.hasSuffix(#""n":[1,2.5,null,true,{"x":-3}]}"#))
    // A line without any stays as it is.
    #expect(text.contains(#""client":"guide","input":"answer","choice":"once","precise":true}"#))
  }

  @Test(
    .slow,
    arguments: ["monitor.btsnoop", "two-interfaces.pcapng", "v2.pklg", "nordic-v2.pcap"]
  )
  func `no text of a binary capture reaches an output as it is`(_ name: String) throws {
    let bytes = Array(try Data(contentsOf: URL(filePath: CommandRun.capture(name))))
    // Every run of letters that a name could be, in the first bytes after the magic.
    var starts: [Range<Int>] = []
    var start: Int?
    for index in bytes.indices.dropFirst(8) {
      let isText = (0x20..<0x7F).contains(bytes[index])
      if isText { start = start ?? index }
      if !isText, let first = start {
        if index - first >= 4 { starts.append(first..<index) }
        start = nil
      }
    }
    let text = Array("\u{1B}[2J\u{9B}1m\u{7}\n".utf8)
    for (number, range) in starts.prefix(12).enumerated() {
      var mutated = bytes
      for (offset, index) in range.enumerated() { mutated[index] = text[offset % text.count] }
      let path = folder.path("\(number).bin")
      try Data(mutated).write(to: URL(filePath: path))
      try hostile.checkCapture(path, "\(name) at \(range)")
    }
  }

  @Test func `the names and comments of a pcapng are harmless`() throws {
    let name = Array(HostileText.hostile.utf8)
    let options = [UInt16(1), 2, 3, 12, 15].flatMap { Self.option($0, name) } + Self.option(0, [])
    let section = Self.block(
      0x0A0D_0D0A,
      Self.little(UInt32(0x1A2B_3C4D)) + [1, 0, 0, 0] + Self.little(Int64(-1)) + options
    )
    let interface = Self.block(1, Self.little(UInt16(187)) + [0, 0, 0, 0, 0, 0] + options)
    let frame = Array(
      try Self.hex("043e2a020103000100000000021e02011a1aff4c000215")
        + Self.hex("F7826DA64FA24E988024BC5B71E0893E00010003C5C4")
    )
    let packet = (0..<6).flatMap { second in
      let stamp = UInt64(1_777_716_000_000_000 + second * 700_000)
      return Self.block(
        6,
        Self.little(UInt32(0)) + Self.little(UInt32(stamp >> 32))
          + Self.little(UInt32(truncatingIfNeeded: stamp)) + Self.little(UInt32(frame.count))
          + Self.little(UInt32(frame.count)) + Self.padded(frame) + Self.option(1, name)
      )
    }
    let path = folder.path("names.pcapng")
    try Data(section + interface + packet).write(to: URL(filePath: path))
    let scan = hostile.check(["scan", "--from", path, "--format", "table"], "pcapng")
    #expect(scan.output.contains("EVIL"), "\(scan.output)")
    try hostile.checkCapture(path, "pcapng", withMuseum: true)
  }

  @Test(.slow, arguments: ["hcidump.txt", "hcidump-t.txt"])
  func `no text of an hcidump reaches an output as it is`(_ name: String) throws {
    let text = try String(contentsOf: URL(filePath: CommandRun.capture(name)), encoding: .utf8)
    let lines = text.split(separator: "\n", omittingEmptySubsequences: false).map(String.init)
    for index in 0..<min(8, lines.count) {
      for line in [
        HostileText.hostile, lines[index] + HostileText.hostile, HostileText.hostile + lines[index],
      ] {
        var mutated = lines
        mutated[index] = line
        let path = try folder.write(mutated.joined(separator: "\n"), to: "dump.txt")
        try hostile.checkCapture(path, "\(name), line \(index + 1)")
      }
    }
  }

  private static func little<Value: FixedWidthInteger>(_ value: Value) -> [UInt8] {
    stride(from: 0, to: Value.bitWidth, by: 8).map { UInt8(truncatingIfNeeded: value >> Value($0)) }
  }

  private static func padded(_ bytes: [UInt8]) -> [UInt8] {
    bytes + [UInt8](repeating: 0, count: (4 - bytes.count % 4) % 4)
  }

  private static func option(_ code: UInt16, _ value: [UInt8]) -> [UInt8] {
    little(code) + little(UInt16(value.count)) + padded(value)
  }

  private static func block(_ type: UInt32, _ body: [UInt8]) -> [UInt8] {
    let count = UInt32(12 + body.count)
    return little(type) + little(count) + body + little(count)
  }

  private static func hex(_ text: String) throws -> [UInt8] {
    let digits = Array(text)
    return try stride(from: 0, to: digits.count, by: 2).map { index in
      try #require(UInt8(String(digits[index...index + 1]), radix: 16))
    }
  }
}
