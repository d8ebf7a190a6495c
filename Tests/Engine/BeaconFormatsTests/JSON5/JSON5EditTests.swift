// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

import Testing

@testable import BeaconFormats

@Suite struct JSON5EditTests {
  static func set(_ number: String, _ path: [String], _ text: String) throws -> String {
    let bytes = try JSON5Edit.set(number, at: path, in: Array(text.utf8))
    // The written file reads back as the intended value.
    var value = try JSON5.parse(bytes)
    for key in path { value = try #require(value[key]) }
    guard case .number(let read) = value.content else {
      Issue.record("no number at \(path)")
      return ""
    }
    #expect(read.value == Double(number))
    return String(decoding: bytes, as: UTF8.self)
  }

  @Test func `an empty file gets the first entry`() throws {
    #expect(try Self.set("-59.5", ["a", "b/1"], "") == "{\n  a: { \"b/1\": -59.5 },\n}\n")
    #expect(try Self.set("1", ["a"], "{}") == "{\n  a: 1,\n}")
  }

  @Test func `a number is replaced in place`() throws {
    let text = "{ a: { b: -0x3F, // old\n c: 2 }, d: +.5e3}"
    #expect(try Self.set("-61", ["a", "b"], text) == "{ a: { b: -61, // old\n c: 2 }, d: +.5e3}")
    #expect(try Self.set("7", ["d"], text) == "{ a: { b: -0x3F, // old\n c: 2 }, d: 7}")
  }

  @Test func `an entry is added beside existing ones, comments stay`() throws {
    let text =
      "// site\n{\n    set: {},\n    calibration: {\n        site: { p: 1 }, // tape\n    },\n}\n"
    #expect(
      try Self.set("-58", ["calibration", "beacons", "x"], text)
        == "// site\n{\n    set: {},\n    calibration: {\n        beacons: { x: -58 },\n        site: { p: 1 }, // tape\n    },\n}\n"
    )
    #expect(try Self.set("2", ["b"], "{ a: 1 }") == "{ b: 2, a: 1 }")
  }

  @Test(arguments: ["{ a: [1] }", "[1]", "{ a: 'x' }", "{ a: ", "{ a: { b: 'x' } }"])
  func `a path that does not fit the file is refused`(_ text: String) {
    #expect(throws: JSON5Faults.self) {
      try JSON5Edit.set("1", at: ["a", "b"], in: Array(text.utf8))
    }
  }
}
