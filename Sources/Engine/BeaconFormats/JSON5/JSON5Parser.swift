// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

/// Reads one JSON5 file by recursive descent, and continues after a fault if that is sensible.
///
/// A function that returns `nil` has added a fault. It leaves the cursor at a point from which the enclosing array or object can search
/// for the next comma or bracket of the same level. Recursion is bounded by ``JSON5Limits/depth``.
struct JSON5Parser {
  var cursor: TextCursor
  let limits: JSON5Limits
  /// The fault, in the order it was found.
  private(set) var faults: [JSON5Fault] = []
  /// Whether the parser skipped a part of the file after a fault, so that the result is incomplete.
  private var hasSkipped = false
  private var values = 0
  /// The closing brackets of the arrays and objects that are open.
  private var openBrackets: [UInt8] = []
  /// Whether the parser has stopped, so that no more faults are added.
  private var hasStopped = false

  init(_ bytes: [UInt8], limits: JSON5Limits) {
    cursor = TextCursor(bytes)
    self.limits = limits
  }

  /// Finds the comma after a value, also behind comments.
  ///
  /// - Parameters:
  ///   - value: The value.
  ///   - bytes: The file that contains it, which has no faults.
  /// - Returns: The position of the comma, if any.
  static func comma(after value: JSON5Value, in bytes: [UInt8]) -> Int? {
    var parser = JSON5Parser(bytes, limits: JSON5Limits())
    parser.cursor.skip(to: value.end)
    parser.skipSpace()
    return parser.cursor.byte == UInt8(ascii: ",") ? parser.cursor.position.offset : nil
  }

  /// Reads the file.
  ///
  /// - Returns: The complete value; `faults` contains the faults that hide nothing, such as a duplicate key.
  /// - Throws: The faults, if they hide a part of the file.
  mutating func parse() throws(JSON5Faults) -> JSON5Value {
    guard cursor.bytes.count <= limits.bytes else {
      throw JSON5Faults([
        JSON5Fault("the file has more than \(limits.bytes) bytes; split it", at: .start)
      ])
    }
    skipSpace()
    let value = cursor.isAtEnd ? nil : value(depth: 0)
    if cursor.isAtEnd, value == nil, faults.isEmpty {
      addFault("there is nothing here; write a value, such as {}")
    }
    skipSpace()
    if value != nil, !cursor.isAtEnd {
      addFault("nothing may follow the value that the file holds; remove this or move it inside")
    }
    guard let value, !hasSkipped else { throw JSON5Faults(faults) }
    return value
  }

  /// Adds a fault at the cursor, or at an earlier position, that hides a part of the file.
  mutating func addFault(_ message: String, at position: TextPosition? = nil) {
    hasSkipped = true
    addMinorFault(message, at: position)
  }

  /// Adds a fault that does not hide a part of the file.
  private mutating func addMinorFault(_ message: String, at position: TextPosition? = nil) {
    guard !hasStopped else { return }
    faults.append(JSON5Fault(message, at: position ?? cursor.position))
    if faults.count >= limits.faults { stop("too many faults; mend those above first") }
  }

  private mutating func stop(_ message: String) {
    guard !hasStopped else { return }
    hasStopped = true
    hasSkipped = true
    faults.append(JSON5Fault(message, at: cursor.position))
    cursor.advance(by: cursor.bytes.count - cursor.position.offset)
  }

  // MARK: Values

  private mutating func value(depth: Int) -> JSON5Value? {
    guard var value = content(depth: depth) else { return nil }
    value.end = cursor.position.offset
    return value
  }

  private mutating func content(depth: Int) -> JSON5Value? {
    values += 1
    guard values <= limits.values else {
      stop("the file holds more than \(limits.values) values; split it")
      return nil
    }
    let start = cursor.position
    guard let byte = cursor.byte else {
      addFault("a value is missing at the end of the file")
      return nil
    }
    switch byte {
    case UInt8(ascii: "{"), UInt8(ascii: "["):
      guard depth < limits.depth else {
        addFault("nested more than \(limits.depth) deep; write it flatter")
        return nil
      }
      return byte == UInt8(ascii: "{") ? object(depth: depth + 1) : array(depth: depth + 1)
    case UInt8(ascii: "\""), UInt8(ascii: "'"):
      return string().map { JSON5Value(.string($0), at: start) }
    case UInt8(ascii: "+"), UInt8(ascii: "-"), UInt8(ascii: "."),
      UInt8(ascii: "0")...UInt8(ascii: "9"):
      return number().map { JSON5Value(.number($0), at: start) }
    default:
      return word(at: start)
    }
  }

  /// Reads `null`, `true`, `false`, `Infinity` or `NaN`; any other word adds a fault with the likely meaning.
  private mutating func word(at start: TextPosition) -> JSON5Value? {
    guard let word = identifier() else {
      unexpected("a value")
      return nil
    }
    switch word {
    case "null": return JSON5Value(.null, at: start)
    case "true": return JSON5Value(.bool(true), at: start)
    case "false": return JSON5Value(.bool(false), at: start)
    case "Infinity" where !limits.plainNumbers:
      return JSON5Value(.number(JSON5Number(value: .infinity)), at: start)
    case "NaN" where !limits.plainNumbers:
      return JSON5Value(.number(JSON5Number(value: .nan)), at: start)
    case "NaN", "Infinity", "nil", "None", "undefined":
      addFault("write null instead of \(word)", at: start)
    case "yes", "on": addFault("write true instead of \(word)", at: start)
    case "no", "off": addFault("write false instead of \(word)", at: start)
    default:
      let words = ["null", "true", "false", "Infinity", "NaN"]
      if let nearest = NearestName.find(word, in: words) {
        addFault("'\(word.shortened)' is no value; did you mean \(nearest)?", at: start)
      } else {
        addFault("a text stands in quotes: write \"\(word.shortened)\"", at: start)
      }
    }
    return nil
  }

  private mutating func array(depth: Int) -> JSON5Value {
    let start = cursor.position
    cursor.advance()
    openBrackets.append(UInt8(ascii: "]"))
    defer { openBrackets.removeLast() }
    var elements: [JSON5Value] = []
    while !closes("[", at: start) {
      if let element = value(depth: depth) {
        elements.append(element)
        separate(from: "value")
      } else {
        resynchronize()
      }
    }
    return JSON5Value(.array(elements), at: start)
  }

  private mutating func object(depth: Int) -> JSON5Value {
    let start = cursor.position
    cursor.advance()
    openBrackets.append(UInt8(ascii: "}"))
    defer { openBrackets.removeLast() }
    var members: [JSON5Member] = []
    var firstLines: [String: Int] = [:]
    while !closes("{", at: start) {
      guard let member = member(depth: depth) else {
        resynchronize()
        continue
      }
      if let line = firstLines[member.key] {
        addMinorFault(
          "'\(member.key.shortened)' was already given in line \(line); remove one",
          at: member.keyPosition
        )
      } else {
        firstLines[member.key] = member.keyPosition.line
        members.append(member)
      }
      separate(from: "entry")
    }
    return JSON5Value(.object(members), at: start)
  }

  private mutating func member(depth: Int) -> JSON5Member? {
    let start = cursor.position
    let key: String?
    switch cursor.byte {
    case UInt8(ascii: "\""), UInt8(ascii: "'"):
      key = string()
    case let byte? where Hex.isDecimal(byte) || "+-.".utf8.contains(byte):
      addFault("a key that begins so stands in quotes")
      return nil
    default:
      key = identifier()
      if key == nil { unexpected("a key") }
    }
    guard let key else { return nil }
    skipSpace()
    switch cursor.byte {
    case UInt8(ascii: ":"):
      cursor.advance()
    case UInt8(ascii: "="):
      addMinorFault("write ':' instead of '=' between key and value")
      cursor.advance()
      if cursor.byte == UInt8(ascii: ">") { cursor.advance() }
    default:
      addFault("write ':' and a value after the key '\(key.shortened)'")
      return nil
    }
    skipSpace()
    guard !endsValue else {
      addFault("write a value after '\(key.shortened):'")
      return nil
    }
    return value(depth: depth).map { JSON5Member(key: key, keyPosition: start, value: $0) }
  }

  // MARK: Between values

  /// Whether the cursor is at a character that can only end a value.
  private var endsValue: Bool {
    switch cursor.byte {
    case nil, UInt8(ascii: ","), UInt8(ascii: "}"), UInt8(ascii: "]"): true
    default: false
    }
  }

  /// Moves to the next entry of the innermost array or object; returns whether it was the last.
  private mutating func closes(_ opened: StaticString, at start: TextPosition) -> Bool {
    while true {
      skipSpace()
      guard let byte = cursor.byte else {
        addFault("this '\(opened)' is never closed; write the missing bracket", at: start)
        return true
      }
      switch byte {
      case UInt8(ascii: ","):
        addMinorFault("nothing stands before this ','; remove it")
        cursor.advance()
      case UInt8(ascii: "}"), UInt8(ascii: "]"):
        if byte == openBrackets.last {
          cursor.advance()
          return true
        }
        addFault(
          "'\(Character(Unicode.Scalar(byte)))' does not close the '\(opened)' of line \(start.line)"
        )
        // A bracket that closes an outer level is left to that level: the inner one is missing.
        if openBrackets.dropLast().contains(byte) { return true }
        cursor.advance()
      default:
        return false
      }
    }
  }

  /// Skips the comma after an entry, or adds the fault that it is missing.
  private mutating func separate(from entry: StaticString) {
    skipSpace()
    if cursor.byte == UInt8(ascii: ",") {
      cursor.advance()
    } else if !endsValue {
      addMinorFault("write ',' between this and the \(entry) before")
      if !startsEntry {
        hasSkipped = true
        resynchronize()
      }
    }
  }

  /// Whether a key or a value can start at the cursor.
  private var startsEntry: Bool {
    switch cursor.byte {
    case UInt8(ascii: "\""), UInt8(ascii: "'"), UInt8(ascii: "{"), UInt8(ascii: "["): true
    case let byte? where Hex.isDecimal(byte): openBrackets.last == UInt8(ascii: "]")
    default: cursor.scalar.map { Self.startsIdentifier($0.value) } ?? false
    }
  }

  /// Skips past the next comma, or to the next bracket, of the innermost array or object.
  private mutating func resynchronize() {
    var depth = 0
    while let byte = cursor.byte {
      switch byte {
      case UInt8(ascii: "{"), UInt8(ascii: "["):
        depth += 1
      case UInt8(ascii: "}"), UInt8(ascii: "]"):
        if depth == 0 { return }
        depth -= 1
      case UInt8(ascii: ",") where depth == 0:
        cursor.advance()
        return
      case UInt8(ascii: "\""), UInt8(ascii: "'"):
        skipString(quote: byte)
      case UInt8(ascii: "/"):
        let before = cursor.position
        skipSpace()
        if cursor.position != before { continue }
      default:
        break
      }
      cursor.advance()
    }
  }

  /// Skips a text to its closing quote or the end of its line.
  private mutating func skipString(quote: UInt8) {
    cursor.advance()
    while let byte = cursor.byte, byte != quote, byte != UInt8(ascii: "\n") {
      if byte == UInt8(ascii: "\\") { cursor.advance() }
      cursor.advance()
    }
  }
}

extension String {
  /// The text, cut to a length that fits into a message.
  package var shortened: String {
    let longest = 40
    return count > longest ? prefix(longest - 1) + "…" : self
  }
}
