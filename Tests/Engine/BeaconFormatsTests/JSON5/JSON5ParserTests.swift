// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

import BeaconTestSupport
import FuzzSurfaces
import Testing

@testable import BeaconFormats

@Suite struct JSON5ParserTests {
  struct Row: Sendable, CustomTestStringConvertible {
    let text: String
    let content: JSON5Value.Content
    var testDescription: String { text }
    init(_ text: String, _ content: JSON5Value.Content) {
      self.text = text
      self.content = content
    }
  }

  static func number(_ value: Double, _ integer: Int64? = nil) -> JSON5Value.Content {
    .number(JSON5Number(value: value, integer: integer))
  }

  @Test(arguments: [
    Row("null", .null),
    Row(" true // yes", .bool(true)),
    Row("/* no */false\n", .bool(false)),
    Row("\u{FEFF}\u{A0}1\u{2003}", number(1, 1)),
    Row("0", number(0, 0)),
    Row("-0", number(-0.0, 0)),
    Row("+12", number(12, 12)),
    Row(".5", number(0.5)),
    Row("5.", number(5)),
    Row("-1.25e-2", number(-0.0125)),
    Row("1E3", number(1000)),
    Row("5.e+1", number(50)),
    Row("0xFf", number(255, 255)),
    Row("-0x10", number(-16, -16)),
    Row("9223372036854775807", number(0x1p63, .max)),
    Row("-9223372036854775808", number(-0x1p63, .min)),
    Row("18446744073709551616", number(0x1p64)),
    Row("Infinity", number(.infinity)),
    Row("-Infinity", number(-.infinity)),
    Row("NaN", number(.nan)),
    Row("+NaN", number(.nan)),
    Row("1e999", number(.infinity)),
    Row("\"a'b\"", .string("a'b")),
    Row("'a\"b'", .string("a\"b")),
    Row(#"'\b\f\n\r\t\v\0\\\'\"\/\q'"#, .string("\u{8}\u{c}\n\r\t\u{b}\0\\'\"/q")),
    Row(#"'\x41\u00e9\uD83D\uDE00'"#, .string("Aé😀")),
    Row("'a\\\nb\\\r\nc\\\u{2028}d'", .string("abcd")),
    Row("'a\u{2028}b'", .string("a\u{2028}b")),
    Row("''", .string("")),
  ])
  func `a value is read`(_ row: Row) throws {
    #expect(try JSON5.parse(row.text).content == row.content)
  }

  @Test func `objects and arrays keep the order of the file and the positions`() throws {
    let value = try JSON5.parse("{ b: [1, 'é', 2,],\n  'a\\u0062': {}, $_ü1: null, }")
    guard case .object(let members) = value.content else {
      Issue.record("no object")
      return
    }
    #expect(members.map(\.key) == ["b", "ab", "$_ü1"])
    #expect(
      members.map(\.keyPosition) == [
        TextPosition(line: 1, column: 3, offset: 2), TextPosition(line: 2, column: 3, offset: 22),
        TextPosition(line: 2, column: 18, offset: 37),
      ]
    )
    guard case .array(let elements) = members[0].value.content else {
      Issue.record("no array")
      return
    }
    // Columns count characters, offsets count bytes.
    #expect(elements[2].position == TextPosition(line: 1, column: 15, offset: 15))
  }

  struct FaultRow: Sendable, CustomTestStringConvertible {
    let text: String
    let faults: [String]
    var testDescription: String { text }
    init(_ text: String, _ faults: String...) {
      self.text = text
      self.faults = faults
    }
  }

  @Test(arguments: [
    FaultRow("", "1:1: there is nothing here; write a value, such as {}"),
    FaultRow("// just this\n", "2:1: there is nothing here; write a value, such as {}"),
    FaultRow(
      "{} {}",
      "1:4: nothing may follow the value that the file holds; remove this or move it inside"
    ),
    FaultRow(
      "{ a: tru, b: nil, c: abc, d: 1 }",
      "1:6: 'tru' is no value; did you mean true?",
      "1:14: write null instead of nil",
      "1:22: a text stands in quotes: write \"abc\""
    ),
    FaultRow(
      "{ a: 1, b: 2, a: 3 }",
      "1:15: 'a' was already given in line 1; remove one"
    ),
    FaultRow("{ a = 1 }", "1:5: write ':' instead of '=' between key and value"),
    FaultRow("{ a: 1 b: 2 }", "1:8: write ',' between this and the entry before"),
    FaultRow("[1 2]", "1:4: write ',' between this and the value before"),
    FaultRow("[1,,2]", "1:4: nothing stands before this ','; remove it"),
    FaultRow(
      "{ a: , b }",
      "1:6: write a value after 'a:'",
      "1:10: write ':' and a value after the key 'b'"
    ),
    FaultRow("{ a: [1, 2 }", "1:12: '}' does not close the '[' of line 1"),
    FaultRow(
      "{ a: [1, 2",
      "1:1: this '{' is never closed; write the missing bracket",
      "1:6: this '[' is never closed; write the missing bracket"
    ),
    FaultRow(
      "{ a: 'abc\n, b: tru }",
      "1:6: this text is not closed on its line; write ' at its end, or '\\' before the line break to go on",
      "2:6: 'tru' is no value; did you mean true?"
    ),
    FaultRow("{ # hi\n a: 1 }", "1:3: a comment begins with '//' here, not with '#'"),
    FaultRow(
      "[ /* a ]",
      "1:3: this comment is never closed; write '*/'",
      "1:1: this '[' is never closed; write the missing bracket"
    ),
    FaultRow("[007]", "1:2: write the number without zeros before it"),
    FaultRow(
      "[1.2.3, 4px, 0x, .]",
      "1:5: a number goes on with '.'; write a number alone, or a text in quotes",
      "1:10: a number goes on with 'p'; write a number alone, or a text in quotes",
      "1:14: write hexadecimal digits after 0x",
      "1:18: write digits before or after the point"
    ),
    FaultRow(
      "['\\xZZ\\u12\\7\\uD800']",
      "1:3: write two hexadecimal digits after \\x",
      "1:7: write four hexadecimal digits after \\u",
      "1:11: there is no escape \\7; write \\x and two hexadecimal digits",
      "1:13: half of a surrogate pair stands for no character; write both halves"
    ),
    FaultRow(
      "{ 1: 2, “a”: 1 }",
      "1:3: a key that begins so stands in quotes",
      "1:9: write '\"' instead of '“'"
    ),
  ])
  func `every fault is reported with its position and what to write`(_ row: FaultRow) {
    let error = #expect(throws: JSON5Faults.self) { try JSON5.parse(row.text) }
    let sorted = JSON5Faults(error?.faults ?? [])
    #expect(sorted.faults.map(\.description).sorted() == row.faults.sorted())
    let offsets = error?.faults.map(\.position.offset) ?? []
    #expect(offsets == offsets.sorted())
  }

  @Test func `bytes that are not UTF-8 are a fault`() {
    #expect(throws: JSON5Faults.self) { try JSON5.parse([0x22, 0xFF, 0x22]) }
    #expect(throws: JSON5Faults.self) { try JSON5.parse([0xC0, 0x80]) }
  }

  @Test func `depth, size and number of faults are bounded`() {
    let deep = String(repeating: "[", count: 100_000)
    let error = #expect(throws: JSON5Faults.self) { try JSON5.parse(deep) }
    #expect(error?.faults.contains { $0.message.hasPrefix("nested more than 64 deep") } == true)
    let many = #expect(throws: JSON5Faults.self) {
      try JSON5.parse("[" + String(repeating: "x,", count: 1000) + "]")
    }
    #expect(many?.faults.count == 101)
    #expect(throws: JSON5Faults.self) {
      try JSON5.parse("[1,2,3,4]", limits: JSON5Limits(values: 4))
    }
    #expect(throws: JSON5Faults.self) { try JSON5.parse("[1]", limits: JSON5Limits(bytes: 2)) }
    #expect(throws: Never.self) {
      try JSON5.parse(String(repeating: "[", count: 64) + String(repeating: "]", count: 64))
    }
  }

  /// Characters that reach every branch of the grammar more often than random bytes do.
  static let alphabet =
    Array("{}[]:,'\"\\/*#\n\r \t0x9.eE+-_$aunltrfseINity\u{2028}é“\u{FF}".utf8) + [0xFF, 0]

  @Test(arguments: 0..<20)
  func `no bytes make it trap`(_ seed: UInt64) {
    var random = SplitMix64(seed: seed)
    for _ in 0..<400 {
      let count = Int.random(in: 0..<60, using: &random)
      let bytes = (0..<count).map { _ in
        Bool.random(using: &random)
          ? Self.alphabet.randomElement(using: &random) ?? 0
          : UInt8.random(in: 0...255, using: &random)
      }
      JSON5Fuzzing.consume(bytes)
    }
  }

  @Test func `damage to a valid file never traps and is reported unless harmless`() {
    let good = Array(
      "{ a: [1, -0x2F, .5e3], 'b': { \"c\": \"x\\u0041\\n\" }, /* d */ e: null }".utf8
    )
    var random = SplitMix64(seed: 7)
    for index in good.indices {
      JSON5Fuzzing.consume(Array(good[..<index]))
      var damaged = good
      damaged[index] = UInt8.random(in: 0...255, using: &random)
      JSON5Fuzzing.consume(damaged)
      if index > 0 { #expect(throws: JSON5Faults.self) { try JSON5.parse(Array(good[..<index])) } }
    }
  }
}
