// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

/// A step from a value of a JSON5 file to one within it.
package enum JSON5Step: Sendable, Equatable {
  /// The value of a key of an object.
  case key(String)
  /// An entry of an array, counted from 0.
  case index(Int)
}

/// Changes of whole values: everything around them stays as the user wrote it, comments included.
extension JSON5Edit {
  /// Returns a file in which a value is set; the last key of the path is added where it is missing.
  ///
  /// - Parameters:
  ///   - literal: The value as JSON5.
  ///   - path: The steps to the value; at least one.
  ///   - bytes: The file.
  /// - Returns: The bytes of the changed file.
  /// - Throws: ``JSON5Faults`` if the file has faults, or if the path leads nowhere.
  package static func setValue(
    _ literal: String,
    at path: [JSON5Step],
    in bytes: [UInt8]
  ) throws(JSON5Faults) -> [UInt8] {
    let parent = try value(at: path.dropLast(), in: try JSON5.parse(bytes))
    guard let step = path.last else { return bytes }
    if let old = parent.value(step) {
      let end = end(of: old, in: bytes)
      return bytes[..<old.position.offset] + Array(literal.utf8) + bytes[end...]
    }
    guard case .object(let members) = parent.content, case .key(let key) = step else {
      throw nowhere(step, parent)
    }
    return insert([key], literal, into: parent, members, of: bytes)
  }

  /// Returns a file in which an array has one more entry at its end.
  ///
  /// - Parameters:
  ///   - literal: The entry as JSON5.
  ///   - path: The steps to the array.
  ///   - bytes: The file.
  /// - Returns: The bytes of the changed file.
  /// - Throws: ``JSON5Faults`` if the file has faults, or if there is no array.
  package static func append(
    _ literal: String,
    to path: [JSON5Step],
    in bytes: [UInt8]
  ) throws(JSON5Faults) -> [UInt8] {
    let array = try value(at: path[...], in: try JSON5.parse(bytes))
    guard case .array(let entries) = array.content else { throw nowhere(.index(0), array) }
    let bracket = end(of: array, in: bytes) - 1
    var start = Array(bytes[..<bracket])
    var needsComma = false
    if let last = entries.last {
      let end = end(of: last, in: bytes)
      needsComma = comma(after: end, in: bytes) == nil
      if needsComma { start.insert(UInt8(ascii: ","), at: end) }
    }
    let lineStart = start.lastIndex(of: 0x0A).map { $0 + 1 } ?? 0
    let isOwnLine =
      lineStart > array.position.offset
      && start[lineStart...].allSatisfy { $0 == 0x20 || $0 == 0x09 }
    guard isOwnLine else {
      start += (entries.isEmpty ? literal : " " + literal).utf8
      return start + bytes[bracket...]
    }
    // A line of its own, as deep as the first entry.
    let closing = Array(start[lineStart...])
    let depth = entries.first.map { indentation(at: $0.position.offset, of: bytes) }
    let spaces = String(repeating: " ", count: depth ?? closing.count + 2)
    let line = Array((spaces + literal + ",\n").utf8)
    return start[..<lineStart] + line + closing + bytes[bracket...]
  }

  /// Returns a file without an entry of an array; with its line, where nothing else is on it.
  ///
  /// - Throws: ``JSON5Faults`` if the file has faults, or if there is no such entry.
  package static func remove(
    at path: [JSON5Step],
    in bytes: [UInt8]
  ) throws(JSON5Faults) -> [UInt8] {
    let entry = try value(at: path[...], in: try JSON5.parse(bytes))
    let end = end(of: entry, in: bytes)
    var rest = bytes
    // The comma may stand behind a comment, which stays.
    if let comma = comma(after: end, in: bytes) { rest.remove(at: comma) }
    return removing(entry.position.offset, end, from: rest)
  }

  private static func value(
    at path: ArraySlice<JSON5Step>,
    in file: JSON5Value
  ) throws(JSON5Faults) -> JSON5Value {
    var value = file
    for step in path {
      guard let next = value.value(step) else { throw nowhere(step, value) }
      value = next
    }
    return value
  }

  private static func nowhere(_ step: JSON5Step, _ value: JSON5Value) -> JSON5Faults {
    let wanted =
      switch step {
      case .key(let key): "the key '\(key)'"
      case .index(let index): "an entry \(index + 1)"
      }
    return JSON5Faults([
      JSON5Fault("\(value.kindName) has not \(wanted)", at: value.position)
    ])
  }

  // MARK: Where values end

  /// Where a value ends in a file without faults.
  private static func end(of value: JSON5Value, in file: [UInt8]) -> Int {
    let start = value.position.offset
    switch value.content {
    case .string: return endOfText(from: start, in: file)
    case .array, .object: return endOfBrackets(from: start, in: file)
    case .null, .bool, .number:
      let delimiters = Array(" \t\r\n,]}/".utf8)
      return file[start...].firstIndex {
        delimiters.contains($0) || $0 >= 0x80 || $0 == 0x0B || $0 == 0x0C
      } ?? file.count
    }
  }

  private static func endOfBrackets(from start: Int, in file: [UInt8]) -> Int {
    var index = start
    var depth = 0
    while index < file.count {
      switch file[index] {
      case UInt8(ascii: "["), UInt8(ascii: "{"): depth += 1
      case UInt8(ascii: "]"), UInt8(ascii: "}"):
        depth -= 1
        if depth == 0 { return index + 1 }
      case UInt8(ascii: "\""), UInt8(ascii: "'"):
        index = endOfText(from: index, in: file)
        continue
      case UInt8(ascii: "/"):
        index = endOfComment(from: index, in: file)
        continue
      default: break
      }
      index += 1
    }
    return file.count
  }

  /// Where a comment ends; one byte later where there is none.
  private static func endOfComment(from start: Int, in file: [UInt8]) -> Int {
    var rest = file[(start + 1)...]
    switch rest.popFirst() {
    case UInt8(ascii: "/"):
      while let byte = rest.first {
        // The line separators of JavaScript end a comment, too.
        let isSeparator =
          rest.starts(with: [0xE2, 0x80, 0xA8]) || rest.starts(with: [0xE2, 0x80, 0xA9])
        if byte == 0x0A || byte == 0x0D || isSeparator { break }
        rest.removeFirst()
      }
      return rest.startIndex
    case UInt8(ascii: "*"):
      while !rest.isEmpty, !rest.starts(with: [UInt8(ascii: "*"), UInt8(ascii: "/")]) {
        rest.removeFirst()
      }
      return min(rest.startIndex + 2, file.count)
    default: return start + 1
    }
  }

  /// Where the comma behind an entry stands, which ends there; `nil` if the array ends without one.
  private static func comma(after end: Int, in file: [UInt8]) -> Int? {
    var index = end
    while index < file.count, file[index] != UInt8(ascii: "]") {
      switch file[index] {
      case UInt8(ascii: ","): return index
      case UInt8(ascii: "/"): index = endOfComment(from: index, in: file)
      default: index += 1
      }
    }
    return nil
  }
}

extension JSON5Value {
  /// The value to which a step leads; `nil` if there is none.
  fileprivate func value(_ step: JSON5Step) -> JSON5Value? {
    switch (step, content) {
    case (.key(let key), .object): self[key]
    case (.index(let index), .array(let entries)) where entries.indices.contains(index):
      entries[index]
    default: nil
    }
  }
}
