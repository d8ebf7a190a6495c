// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

import BeaconTestSupport
import Testing

@testable import BeaconFormats

/// Whole values of a file are changed, and everything around them stays.
@Suite struct JSON5EditValuesTests {
  private static func text(_ bytes: [UInt8]) -> String { String(decoding: bytes, as: UTF8.self) }

  private static let file = """
    // The rooms.
    {
      rooms: [
        // The first ] one.
        { major: 1, name: { en: "T\\"]ime" }, outline: [[0, 0], [10, 0]] }, // stays
        { major: 2, name: 'S}ky' /* } */ },
      ],
      doors: [[1, 2], /* , */ [3, 4]], none: [], level: -1.5, on: true,
      last: [
        1 // one
      ],
    }

    """

  @Test(
    arguments: [
      ([.key("rooms"), .index(0), .key("outline")], "[[1, 1]]", "[[0, 0], [10, 0]]", "[[1, 1]]"),
      ([.key("rooms"), .index(0), .key("name")], "'x'", "{ en: \"T\\\"]ime\" }", "'x'"),
      ([.key("rooms"), .index(1), .key("name")], "'x'", "'S}ky'", "'x'"),
      ([.key("doors")], "[]", "[[1, 2], /* , */ [3, 4]]", "[]"),
      ([.key("doors"), .index(1)], "[5, 6]", "[3, 4]", "[5, 6]"),
      ([.key("level")], "2", "-1.5", "2"),
      ([.key("on")], "false", "true", "false"),
      (
        [.key("rooms"), .index(1), .key("floor")], "3", "{ major: 2, name",
        "{ floor: 3, major: 2, name"
      ),
    ] as [([JSON5Step], String, String, String)]
  )
  func `a value is replaced, or added where its key is missing`(
    path: [JSON5Step],
    literal: String,
    old: String,
    new: String
  ) throws {
    let edited = try JSON5Edit.setValue(literal, at: path, in: Array(Self.file.utf8))
    #expect(Self.text(edited) == Self.file.replacing(old, with: new, maxReplacements: 1))
    _ = try JSON5.parse(edited)
  }

  @Test(
    arguments: [
      ("rooms", "{ major: 3 }", "/* } */ },\n", "/* } */ },\n    { major: 3 },\n"),
      ("doors", "[5, 6]", "[3, 4]]", "[3, 4], [5, 6]]"), ("none", "7", "none: []", "none: [7]"),
      ("last", "2", "    1 // one\n", "    1, // one\n    2,\n"),
    ]
  )
  func `an entry is added at the end of an array, like the others`(
    key: String,
    literal: String,
    old: String,
    new: String
  ) throws {
    let edited = try JSON5Edit.append(literal, to: [.key(key)], in: Array(Self.file.utf8))
    #expect(Self.text(edited) == Self.file.replacing(old, with: new, maxReplacements: 1))
    _ = try JSON5.parse(edited)
  }

  @Test(
    arguments: [
      ([.key("rooms"), .index(1)], "    { major: 2, name: 'S}ky' /* } */ },\n", ""),
      ([.key("doors"), .index(0)], "[1, 2], ", ""), ([.key("doors"), .index(1)], "[3, 4]", ""),
      ([.key("last"), .index(0)], "1 //", "//"),
    ] as [([JSON5Step], String, String)]
  )
  func `an entry is removed, with its line where it is alone`(
    path: [JSON5Step],
    old: String,
    new: String
  ) throws {
    let edited = try JSON5Edit.remove(at: path, in: Array(Self.file.utf8))
    #expect(Self.text(edited) == Self.file.replacing(old, with: new, maxReplacements: 1))
    _ = try JSON5.parse(edited)
  }

  @Test(
    arguments: [
      [.key("none"), .key("x")], [.key("rooms"), .index(2)], [.key("x"), .key("y")],
      [.key("level"), .index(0)], [.key("on"), .key("x")],
    ] as [[JSON5Step]]
  )
  func `a path that leads nowhere is a fault`(path: [JSON5Step]) {
    #expect(throws: JSON5Faults.self) {
      try JSON5Edit.setValue("1", at: path, in: Array(Self.file.utf8))
    }
    #expect(throws: JSON5Faults.self) {
      try JSON5Edit.remove(at: path, in: Array(Self.file.utf8))
    }
    #expect(throws: JSON5Faults.self) {
      try JSON5Edit.append("1", to: path, in: Array(Self.file.utf8))
    }
  }

  @Test func `random edits of random files leave valid files, with the wanted entries`() throws {
    var random = SplitMix64(seed: 4)
    let blanks = [" ", "", "\n", " // ]\n", "/* [ , */", "\u{A0}", "\t"]
    let values = ["1", "'a,]'", "\"b\\\"}\"", "[1, [2]]", "{ a: [1], 'b]': 2 }", "null", "+.5e3"]
    for _ in 0..<2000 {
      let blank = { blanks.randomElement(using: &random) ?? "" }
      let count = Int.random(in: 0...4, using: &random)
      var text = "\(blank()){\(blank())list\(blank()):\(blank())["
      for index in 0..<count {
        text += blank() + (values.randomElement(using: &random) ?? "1") + blank()
        if index < count - 1 || Bool.random(using: &random) { text += "," }
      }
      text += "\(blank())]\(blank())}\(blank())"
      let file = Array(text.utf8)
      let before = try Self.entries(file)
      let added = try Self.entries(JSON5Edit.append("'new'", to: [.key("list")], in: file))
      #expect(added == before + ["a text new"], "\(text)")
      guard count > 0 else { continue }
      let index = Int.random(in: 0..<count, using: &random)
      let removed = try Self.entries(JSON5Edit.remove(at: [.key("list"), .index(index)], in: file))
      var rest = before
      rest.remove(at: index)
      #expect(removed == rest, "\(text) without \(index)")
      let path: [JSON5Step] = [.key("list"), .index(index)]
      var changed = before
      changed[index] = "a text new"
      #expect(try Self.entries(JSON5Edit.setValue("'new'", at: path, in: file)) == changed)
    }
  }

  /// The entries of the array `list`, by kind and content.
  private static func entries(_ bytes: [UInt8]) throws -> [String] {
    guard case .array(let entries)? = try JSON5.parse(bytes)["list"]?.content else { return [] }
    return entries.map { entry in
      if case .string(let text) = entry.content { return "a text \(text)" }
      return "\(entry.kindName) \(entry.keys) \(Self.size(entry))"
    }
  }

  private static func size(_ value: JSON5Value) -> Int {
    switch value.content {
    case .array(let entries): entries.reduce(1) { $0 + size($1) }
    case .object(let members): members.reduce(1) { $0 + size($1.value) }
    default: 1
    }
  }
}
