// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

/// Changes single numbers and texts of a JSON5 file and leaves everything else as the user wrote it, comments included.
package enum JSON5Edit {
  /// Returns a file in which a number is set; missing objects on the path are created.
  ///
  /// - Parameters:
  ///   - number: The number, as written in the file.
  ///   - path: The keys from the outermost object to the number; at least one.
  ///   - bytes: The file; may be empty.
  /// - Returns: The bytes of the changed file.
  /// - Throws: ``JSON5Faults`` if the file has faults, or if a value on the path is not an object.
  package static func set(
    _ number: String,
    at path: [String],
    in bytes: [UInt8]
  ) throws(JSON5Faults) -> [UInt8] {
    try set(number, at: path, in: bytes) { value, file in
      guard case .number = value.content else { return nil }
      return file[value.position.offset...].firstIndex { !isNumberByte($0) } ?? file.count
    }
  }

  /// Returns a file in which a text is set; missing objects on the path are created.
  ///
  /// - Parameters:
  ///   - text: The text itself.
  ///   - path: The keys from the outermost object to the text; at least one.
  ///   - bytes: The file; may be empty.
  /// - Returns: The bytes of the changed file.
  /// - Throws: ``JSON5Faults`` if the file has faults, or if a value on the path is not an object.
  package static func setText(
    _ text: String,
    at path: [String],
    in bytes: [UInt8]
  ) throws(JSON5Faults) -> [UInt8] {
    try set(literal(text), at: path, in: bytes, expected: "a text") { value, file in
      guard case .string = value.content else { return nil }
      return endOfText(from: value.position.offset, in: file)
    }
  }

  /// Returns a file without a key whose value is a text; the file itself where there is no such key.
  ///
  /// - Throws: ``JSON5Faults`` if the file has faults.
  package static func removeText(
    at path: [String],
    in bytes: [UInt8]
  ) throws(JSON5Faults) -> [UInt8] {
    var value = try JSON5.parse(bytes)
    var member: JSON5Member?
    for key in path {
      guard case .object(let members) = value.content,
        let next = members.first(where: { $0.key == key })
      else { return bytes }
      (member, value) = (next, next.value)
    }
    guard let member, case .string = value.content else { return bytes }
    let end = endOfText(from: value.position.offset, in: bytes)
    return removing(member.keyPosition.offset, end, from: bytes)
  }

  /// A file without what is between two places, and the comma behind it.
  static func removing(_ start: Int, _ end: Int, from bytes: [UInt8]) -> [UInt8] {
    let blanks: [UInt8] = [0x20, 0x09]
    var (start, end) = (start, end)
    while end < bytes.count, blanks.contains(bytes[end]) { end += 1 }
    if end < bytes.count, bytes[end] == UInt8(ascii: ",") { end += 1 }
    // A line that holds nothing else goes as a whole.
    let before: Int? = bytes[..<start].lastIndex { !blanks.contains($0) }
    let after: Int =
      bytes[end...].firstIndex { !blanks.contains($0) && $0 != 0x0D } ?? bytes.count
    if let before, bytes[before] == 0x0A, after < bytes.count, bytes[after] == 0x0A {
      (start, end) = (before + 1, after + 1)
    }
    return Array(bytes[..<start] + bytes[end...])
  }

  /// The text in quotes.
  package static func literal(_ text: String) -> String {
    var literal = "\""
    for scalar in text.unicodeScalars {
      switch scalar {
      case "\"", "\\": literal += "\\\(scalar)"
      case _
      where scalar.value < 0x20 || (0x7F..<0xA0).contains(scalar.value)
        || (0x2028...0x2029).contains(scalar.value):
        let digits = String(scalar.value, radix: 16)
        literal += "\\u" + String(repeating: "0", count: 4 - digits.count) + digits
      default: literal.unicodeScalars.append(scalar)
      }
    }
    return literal + "\""
  }

  /// Where a text ends that starts with its quote at an offset of a file without faults.
  static func endOfText(from start: Int, in file: [UInt8]) -> Int {
    let quote = file[start]
    var index = start + 1
    while index < file.count, file[index] != quote {
      index += file[index] == UInt8(ascii: "\\") ? 2 : 1
    }
    return min(index + 1, file.count)
  }

  private static func set(
    _ literal: String,
    at path: [String],
    in bytes: [UInt8],
    expected: String = "a number",
    endOfValue: (JSON5Value, [UInt8]) -> Int?
  ) throws(JSON5Faults) -> [UInt8] {
    let isEmpty = bytes.allSatisfy { [0x20, 0x09, 0x0A, 0x0D].contains($0) }
    let file = isEmpty ? Array("{\n}\n".utf8) : bytes
    var value = try JSON5.parse(file)
    for (depth, key) in path.enumerated() {
      guard case .object(let members) = value.content else {
        let name = depth == 0 ? "the file" : path[depth - 1]
        throw JSON5Faults([
          JSON5Fault(
            "\(name) must be an object in braces, not \(value.kindName)",
            at: value.position
          )
        ])
      }
      guard let next = value[key] else {
        return insert(path[depth...], literal, into: value, members, of: file)
      }
      value = next
    }
    guard let end = endOfValue(value, file) else {
      let text = "\(path.last ?? "") must be \(expected), not \(value.kindName)"
      throw JSON5Faults([JSON5Fault(text, at: value.position)])
    }
    return file[..<value.position.offset] + Array(literal.utf8) + file[end...]
  }

  private static func isNumberByte(_ byte: UInt8) -> Bool {
    Hex.isDecimal(byte) || "+-.xXabcdefABCDEFInityNa".utf8.contains(byte)
  }

  /// Inserts a new entry behind an object's opening brace.
  static func insert(
    _ keys: ArraySlice<String>,
    _ number: String,
    into object: JSON5Value,
    _ members: [JSON5Member],
    of file: [UInt8]
  ) -> [UInt8] {
    let brace = object.position.offset
    let rest = file[(brace + 1)...]
    let lineEnd = rest.firstIndex { $0 == 0x0A } ?? file.count
    let isBroken = rest[..<lineEnd].allSatisfy { [0x20, 0x09, 0x0D].contains($0) }
    let entry: String
    if isBroken || members.isEmpty {
      // Indented like the existing entries, or two spaces more than the line of the brace.
      let depth =
        members.first.map { $0.keyPosition.column - 1 } ?? indentation(at: brace, of: file) + 2
      let closing = isBroken ? "" : "\n" + String(repeating: " ", count: max(0, depth - 2))
      entry = "\n" + String(repeating: " ", count: depth) + nested(keys, number) + "," + closing
    } else {
      entry = " " + nested(keys, number) + ","
    }
    var edited = Array(file[...brace])
    edited += entry.utf8
    edited += rest
    return edited
  }

  /// The number of spaces at the start of the line that contains a byte.
  static func indentation(at offset: Int, of file: [UInt8]) -> Int {
    let start = file[..<offset].lastIndex(of: 0x0A).map { $0 + 1 } ?? 0
    return file[start...].prefix { $0 == 0x20 }.count
  }

  private static func nested(_ keys: ArraySlice<String>, _ number: String) -> String {
    guard let key = keys.first else { return number }
    let inner = nested(keys.dropFirst(), number)
    return name(key) + ": " + (keys.count > 1 ? "{ \(inner) }" : inner)
  }

  /// A key as written in the file: in quotes unless it is a plain word.
  private static func name(_ key: String) -> String {
    let isWord =
      key.utf8.first.map { !Hex.isDecimal($0) } ?? false
      && key.utf8.allSatisfy { Hex.isDecimal($0) || (0x41...0x5A).contains($0 & 0xDF) }
    guard !isWord else { return key }
    let escaped = key.unicodeScalars.map { $0 == "\\" || $0 == "\"" ? "\\\($0)" : "\($0)" }
      .joined()
    return "\"\(escaped)\""
  }
}
