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
    let edited = try JSON5Edit.append([literal], to: [.key(key)], in: Array(Self.file.utf8))
    #expect(Self.text(edited) == Self.file.replacing(old, with: new, maxReplacements: 1))
    _ = try JSON5.parse(edited)
  }

  @Test(
    arguments: [
      ([.key("rooms"), .index(1)], "    { major: 2, name: 'S}ky' /* } */ },\n", ""),
      ([.key("doors"), .index(0)], "[1, 2], ", ""),
      ([.key("doors"), .index(1)], ", /* , */ [3, 4]", " /* , */ "),
      ([.key("doors"), .index(1), .index(1)], ", 4", ""),
      ([.key("rooms"), .index(0), .key("major")], "{ major: 1, ", "{ "),
      ([.key("rooms"), .index(1), .key("name")], ", name: 'S}ky'", ""),
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
      ("[1, 2, 3]", [0, 1], "[3]"), ("[1, 2, 3]", [1, 2], "[1, ]"), ("[1, 2, 3]", [0, 1, 2], "[]"),
      ("[\n  1, // a\n  2,\n  /* b */ 3\n]", [1, 2], "[\n  1, // a\n  /* b */ \n]"),
      ("[\n  1,\n  2,\n  3,\n]", [0, 2], "[\n  2,\n]"), ("[1, 2, 3, 4,]", [1, 3], "[1, 3, ]"),
    ] as [(String, Set<Int>, String)]
  )
  func `several entries are removed together, and comments stay`(
    old: String,
    removed: Set<Int>,
    new: String
  ) throws {
    let edited = try JSON5Edit.remove({ removed.contains($0) }, of: [], in: Array(old.utf8))
    #expect(Self.text(edited) == new)
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
      try JSON5Edit.append(["1"], to: path, in: Array(Self.file.utf8))
    }
  }

  @Test(
    arguments: [
      // A comment before the comma.
      ("{ b: {\n  k: 'A' /* hall */,\n  l: 1,\n} }", "{ b: {\n  /* hall */\n  l: 1,\n} }"),
      ("{ b: {\n  k: 'A' // door\n  , l: 1\n} }", "{ b: {\n  // door\n  l: 1\n} }"),
      // Commas in front of the next line.
      ("{ b: {\n    k: 'A'\n  , l: 1\n} }", "{ b: {\n  l: 1\n} }"),
      ("{ b: {\n    j: 1\n  , k: 'A'\n  , l: 1\n} }", "{ b: {\n    j: 1\n  , l: 1\n} }"),
      ("{ b: {\n    j: 1\n  , k: 'A'\n} }", "{ b: {\n    j: 1\n} }"),
      // The last of a file without trailing commas, and the only one.
      ("{ \"b\": {\n  \"j\": 1,\n  \"k\": \"A\"\n} }", "{ \"b\": {\n  \"j\": 1\n} }"),
      ("{ b: { j: 1, k: 'A' } }", "{ b: { j: 1 } }"), ("{ b: { k: 'A' } }", "{ b: { } }"),
      ("{ b: {\r\n  k: 'A', // x\r\n} }", "{ b: {\r\n  // x\r\n} }"),
    ]
  )
  func `a key is removed with its comma, wherever that is, and comments stay`(
    file: String,
    rest: String
  ) throws {
    #expect(Self.text(try JSON5Edit.removeText(at: ["b", "k"], in: Array(file.utf8))) == rest)
  }

  @Test(arguments: ["{ a: 2 }", "{ a: 1, b: 1 }", "{ a: [1] }", "{ b: 1 }", "{ a: 1", "{ a: '1' }"])
  func `a change that is not the intended one is refused`(_ edited: String) throws {
    let wanted = try JSON5.parse("{ a: 1 }")
    #expect(throws: JSON5Faults.self) {
      try JSON5Edit.checked(Array(edited.utf8), wanted, at: wanted)
    }
    let same = Array("/**/ {'a':\n+1,}".utf8)
    #expect(try JSON5Edit.checked(same, wanted, at: wanted) == same)
  }

  @Test(arguments: ["", "1 2", "[1, 2", "'a\n'", "}"])
  func `a value that is not JSON5 is not written`(_ literal: String) {
    let file = Array(Self.file.utf8)
    for path in [[.key("on")], [.key("new")]] as [[JSON5Step]] {
      #expect(throws: JSON5Faults.self) { try JSON5Edit.setValue(literal, at: path, in: file) }
    }
    #expect(throws: JSON5Faults.self) {
      try JSON5Edit.append([literal], to: [.key("none")], in: file)
    }
  }
}
