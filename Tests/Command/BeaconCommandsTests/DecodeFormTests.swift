// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

import BeaconCommandLine
import CommandTestSupport
import Testing

/// Bytes as other programs write them.
@Suite struct DecodeFormTests {
  private static let frame = "0215f7826da64fa24e988024bc5b71e0893e00010002c5"

  private static var pairs: [String] {
    let digits = Array(frame)
    return stride(from: 0, to: digits.count, by: 2).map { String(digits[$0...($0 + 1)]) }
  }

  /// As Python prints it: some bytes are characters.
  private static let python =
    #"b'\x02\x15\xf7\x82m\xa6O\xa2N\x98\x80$\xbc[q\xe0\x89>\x00\x01\x00\x02\xc5'"#

  @Test(arguments: [
    ["1a:ff:4c:00:" + pairs.joined(separator: ":")],
    ["1A-FF-4C-00-" + pairs.joined(separator: "-").uppercased()],
    ["0x1a, 0xff, 0x4c, 0x00, " + pairs.map { "0x" + $0 }.joined(separator: ", ")],
    [#"\x1a\xff\x4c\x00"# + pairs.map { #"\x"# + $0 }.joined()],
    ["{76: \(python)}"],
    ["0x1aff4c00" + frame],
    ["4c00" + frame, "--as", "manufacturer"],
  ])
  func `bytes are read in the forms of other programs`(_ arguments: [String]) {
    let run = CommandRun(["decode"] + arguments)
    #expect(run.code == .done)
    #expect(run.errors.isEmpty)
    #expect(run.output.contains(#""major":1,"minor":2"#), "\(run.output)")
  }

  @Test(arguments: [
    ([frame, "--as", "manufacturer"], "write 4c00 before it"),
    (["004c" + frame, "--as", "manufacturer"], "are swapped; write 4c00"),
    (["4c00" + frame], "--as manufacturer"), ([frame], "write 4c00 before it, and"),
    ([python], "write 4c00 before it, and"), (["043e0c02"], "--as hci"),
  ])
  func `bytes of another kind have a hint`(_ arguments: [String], _ hint: String) {
    let run = CommandRun(["decode"] + arguments)
    #expect(run.code == .done)
    #expect(run.errors.contains(hint), "\(run.errors)")
    #expect(run.output.contains(#""beacon":null"#))
  }

  @Test func `a terminal shows in words why bytes are rejected`() {
    let run = CommandRun(["decode", "0201061aff4c000215"], terminal: true)
    #expect(run.output.contains("its length is beyond the end of the bytes (frameOverruns)"))
  }

  @Test(arguments: [
    ("{76: b'\\x0'}", "column 1: '{'"), ("b'\\x02", "column 2: '''"), ("1:a", "column 2: ':'"),
    ("{76: b'', 89: b''}", "column 1: '{'"),
  ])
  func `a text without bytes names the place`(_ text: String, _ place: String) {
    let run = CommandRun(["decode", text])
    #expect(run.code == .badData)
    #expect(run.errors.contains(place), "\(run.errors)")
  }
}
