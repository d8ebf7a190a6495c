// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

import BeaconTestSupport
import Foundation
import Testing

@testable import BeaconFormats

/// Random edits of random files: the result is valid, contains exactly what was intended, and has every comment that is
/// not within what was removed.
@Suite struct JSON5EditPropertyTests {
  /// A value, and how it was written.
  private indirect enum Node: Equatable {
    /// A value, by a text that differs for different values.
    case scalar(String)
    case array([Node])
    case object([Member])

    struct Member: Equatable {
      let key: String
      var value: Node
    }

    /// What the parser read.
    init(_ value: JSON5Value) {
      switch value.content {
      case .array(let entries): self = .array(entries.map(Node.init))
      case .object(let members):
        self = .object(members.map { Member(key: $0.key, value: Node($0.value)) })
      case .string(let text): self = .scalar("text \(text)")
      case .number(let number): self = .scalar("number \(number.value)")
      case .bool(let bool): self = .scalar("\(bool)")
      case .null: self = .scalar("null")
      }
    }

    /// Changes what a path leads to.
    mutating func change(_ path: ArraySlice<JSON5Step>, _ body: (inout Node) -> Void) {
      guard let step = path.first else { return body(&self) }
      switch (self, step) {
      case (.array(var entries), .index(let index)):
        entries[index].change(path.dropFirst(), body)
        self = .array(entries)
      case (.object(var members), .key(let key)):
        for index in members.indices where members[index].key == key {
          members[index].value.change(path.dropFirst(), body)
        }
        self = .object(members)
      default: Issue.record("no such path")
      }
    }
  }

  /// Writes random files.
  private struct Writer {
    var random: SplitMix64
    var text = ""
    var comments = 0
    /// The paths of all values, each with the places of its entry and of the value alone.
    var places: [(path: [JSON5Step], entry: Range<Int>, value: Range<Int>, node: Node)] = []
    let newline: String

    init(_ random: SplitMix64) {
      self.random = random
      newline = ["\n", "\n", "\r\n", "\r", "\u{2028}"].randomElement(using: &self.random) ?? "\n"
      if chance(10) { text = "\u{FEFF}" }
    }

    mutating func chance(_ percent: Int) -> Bool {
      Int.random(in: 0..<100, using: &random) < percent
    }

    mutating func pick<Value>(_ values: [Value]) -> Value {
      values[Int.random(in: 0..<values.count, using: &random)]
    }

    /// Blanks, line ends and comments, or nothing.
    mutating func space() {
      for _ in 0..<pick([0, 0, 0, 1, 1, 2, 3]) {
        let tricks = pick([
          "", " ,", " ]", " }", " '", " \"", " { k: 1,", " \\", " // x", " /*", " é",
        ])
        switch pick([0, 0, 1, 1, 2, 3, 4]) {
        case 0: text += pick([" ", "  ", "\t", "\u{A0}", "\u{C}"])
        case 1: text += newline + pick(["", "  ", "\t"])
        case 2:
          comments += 1
          text += "//\(tricks) <\(comments)>\(tricks)\(newline)" + pick(["", "    "])
        case 3:
          comments += 1
          text += "/*\(tricks) <\(comments)>\(tricks)\(pick(["", newline, "*", "**"]))*/"
        default: text += newline + pick(["  ", "      "])
        }
      }
    }

    mutating func number() -> (written: String, value: String) {
      let (written, value) = pick(
        [
          ("0x3F", 63), ("+.5e3", 500), ("-12", -12), ("7.", 7), ("1e-3", 0.001), ("0", 0),
          ("Infinity", .infinity), ("-Infinity", -.infinity), ("NaN", .nan), ("-59.5", -59.5),
        ] as [(String, Double)]
      )
      return (written, "number \(value)")
    }

    mutating func string() -> (written: String, value: String) {
      pick([
        ("'a'", "a"), ("\"b, }\"", "b, }"), (#"'it\'s /* no */'"#, "it's /* no */"),
        (#""say \"] // x\"""#, "say \"] // x\""), ("''", ""), (#"'\\'"#, "\\"),
        (#""\u00e9\x41\n""#, "éA\n"), ("'one\\\(newline)two'", "onetwo"),
        ("'a\u{2028}b'", "a\u{2028}b"),
      ])
    }

    mutating func key(_ taken: [String]) -> (written: String, key: String) {
      let all = [
        ("a", "a"), ("$b_1", "$b_1"), ("'c d'", "c d"), (#""e\"}""#, "e\"}"), (#"\u0066"#, "f"),
        ("'g/1'", "g/1"), ("null", "null"), ("\"\"", ""), (#"'h\\'"#, "h\\"), ("ü", "ü"),
        ("\"i:j\"", "i:j"),
      ]
      return pick(all.filter { !taken.contains($0.1) })
    }

    /// Writes a value and returns it.
    mutating func value(at path: [JSON5Step], depth: Int, from entry: Int? = nil) -> Node {
      let start = text.utf8.count
      let node: Node
      switch depth > 3 ? pick([0, 1, 2]) : depth == 0 ? pick([3, 4]) : pick([0, 1, 2, 3, 4]) {
      case 0:
        let (written, value) = number()
        text += written
        node = .scalar(value)
      case 1:
        let (written, value) = string()
        text += written
        node = .scalar("text \(value)")
      case 2:
        let word = pick(["null", "true", "false"])
        text += word
        node = .scalar(word)
      case 3:
        text += "["
        var entries: [Node] = []
        let count = pick([0, 1, 2, 3, 4])
        for index in 0..<count {
          space()
          entries.append(value(at: path + [.index(index)], depth: depth + 1))
          space()
          if index < count - 1 || chance(40) { text += "," }
        }
        space()
        text += "]"
        node = .array(entries)
      default:
        text += "{"
        var members: [Node.Member] = []
        let count = pick([0, 1, 2, 3, 4])
        for index in 0..<count {
          space()
          let start = text.utf8.count
          let (written, key) = key(members.map(\.key))
          text += written
          space()
          text += ":"
          space()
          let value = value(at: path + [.key(key)], depth: depth + 1, from: start)
          members.append(Node.Member(key: key, value: value))
          space()
          if index < count - 1 || chance(40) { text += "," }
        }
        space()
        text += "}"
        node = .object(members)
      }
      let end = text.utf8.count
      places.append((path, (entry ?? start)..<end, start..<end, node))
      return node
    }
  }

  /// The numbers of the comments in some bytes, in their order.
  private static func comments(in bytes: some Sequence<UInt8>) -> [Int] {
    String(decoding: Array(bytes), as: UTF8.self).split(separator: "<").dropFirst()
      .compactMap { $0.contains(">") ? Int($0.prefix { $0 != ">" }) : nil }
  }

  /// Values to set, and what the parser then reads.
  private static let literals = [
    ("-61.5", Node.scalar("number -61.5")),
    (JSON5Edit.literal("x\"\u{7}\\ü"), .scalar("text x\"\u{7}\\ü")),
    ("[]", .array([])), ("[1, 'b']", .array([.scalar("number 1.0"), .scalar("text b")])),
    ("{ en: null }", .object([.init(key: "en", value: .scalar("null"))])),
  ]

  @Test func `a text in quotes does nothing but be seen`() throws {
    let text = "a\u{202E}b\u{AD}c\u{1B}\u{2028}\u{E0041}d"
    let literal = JSON5Edit.literal(text)
    #expect(literal.isPrintable)
    let value = try JSON5.parse(Array(literal.utf8))
    guard case .string(text) = value.content else {
      Issue.record("\(literal)")
      return
    }
  }

  /// 300 rounds, or as many as the variable `BEACON_EDITS` says.
  private static var rounds: Int {
    ProcessInfo.processInfo.environment["BEACON_EDITS"].flatMap(Int.init) ?? 300
  }

  @Test(.slow) func `random edits of random files change what they should, and nothing else`()
    throws
  {
    var random = SplitMix64(seed: 34)
    for _ in 0..<Self.rounds {
      var writer = Writer(SplitMix64(seed: random.next()))
      writer.space()
      let node = writer.value(at: [], depth: 0)
      writer.space()
      let file = Array(writer.text.utf8)
      try #require(Node(JSON5.parse(file)) == node, "\(writer.text)")
      let all = Self.comments(in: file)
      try #require(all == Array(1..<(writer.comments + 1)))
      for place in writer.places {
        for edit in Self.edits(of: place.path, place.node, &writer) {
          var wanted = node
          wanted.change(edit.parent[...], edit.change)
          let edited = try edit.make(file)
          let text =
            "\(edit.name) \(place.path) of\n\(writer.text)\n=>\n\(String(decoding: edited, as: UTF8.self))"
          #expect(try Node(JSON5.parse(edited)) == wanted, "\(text)")
          let lost = edit.loses.map { $0 == .entry ? place.entry : place.value }
          let gone = lost.map { Self.comments(in: file[$0]) } ?? []
          #expect(Self.comments(in: edited) == all.filter { !gone.contains($0) }, "\(text)")
        }
      }
    }
  }

  /// An edit of the value at a path.
  private struct Edit {
    enum Lost { case entry, value }

    let name: String
    /// The path to what the edit changes of the value, and how.
    let parent: [JSON5Step]
    let change: (inout Node) -> Void
    /// What goes with its comments.
    let loses: Lost?
    let make: ([UInt8]) throws -> [UInt8]
  }

  /// Every edit that there is for a value.
  private static func edits(of path: [JSON5Step], _ node: Node, _ writer: inout Writer) -> [Edit] {
    let (literal, value) = writer.pick(literals)
    var edits: [Edit] = []
    if let last = path.last {
      edits.append(
        Edit(name: "set", parent: path, change: { $0 = value }, loses: .value) {
          try JSON5Edit.setValue(literal, at: path, in: $0)
        }
      )
      let removed = Edit(
        name: "remove",
        parent: path.dropLast(),
        change: { parent in
          switch (parent, last) {
          case (.array(var entries), .index(let index)):
            entries.remove(at: index)
            parent = .array(entries)
          case (.object(let members), .key(let key)):
            parent = .object(members.filter { $0.key != key })
          default: break
          }
        },
        loses: .entry
      ) { try JSON5Edit.remove(at: path, in: $0) }
      edits.append(removed)
    }
    switch node {
    case .array(let entries):
      edits.append(
        Edit(name: "append", parent: path, change: { $0 = .array(entries + [value]) }, loses: nil) {
          try JSON5Edit.append([literal], to: path, in: $0)
        }
      )
    case .object(let members):
      let key = writer.pick(["new", "new key", "n\n\"\\", "1"])
      let added = Node.Member(key: key, value: value)
      edits.append(
        Edit(
          name: "add",
          parent: path,
          change: { $0 = .object([added] + members) },
          loses: nil
        ) { try JSON5Edit.setValue(literal, at: path + [.key(key)], in: $0) }
      )
    case .scalar: break
    }
    // By keys alone, as the commands change names and numbers.
    let keys = path.compactMap { step in if case .key(let key) = step { key } else { nil } }
    guard !path.isEmpty, keys.count == path.count, case .scalar(let scalar) = node else {
      return edits
    }
    if scalar.hasPrefix("text") {
      edits.append(
        Edit(
          name: "setText",
          parent: path,
          change: { $0 = .scalar("text \(literal)") },
          loses: .value
        ) {
          try JSON5Edit.setText(literal, at: keys, in: $0)
        }
      )
      edits.append(
        Edit(
          name: "removeText",
          parent: path.dropLast(),
          change: { parent in
            if case .object(let members) = parent {
              parent = .object(members.filter { $0.key != keys.last })
            }
          },
          loses: .entry
        ) { try JSON5Edit.removeText(at: keys, in: $0) }
      )
    } else if scalar.hasPrefix("number") {
      edits.append(
        Edit(
          name: "set number",
          parent: path,
          change: { $0 = .scalar("number -3.25") },
          loses: .value
        ) {
          try JSON5Edit.set("-3.25", at: keys, in: $0)
        }
      )
    }
    return edits
  }
}
