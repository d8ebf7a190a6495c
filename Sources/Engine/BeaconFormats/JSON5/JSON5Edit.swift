// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

/// Changes values of a JSON5 file and leaves everything else as the user wrote it, comments included.
///
/// Each change is parsed before it is returned, and compared with the value that it should make. So a file is never
/// replaced by one that has faults or that contains something else.
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
    try set(number, at: path, in: bytes, expected: "a number") { value in
      if case .number = value.content { true } else { false }
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
    try set(literal(text), at: path, in: bytes, expected: "a text", where: \.isText)
  }

  /// Returns a file without a key whose value is a text; the file itself if there is no such key.
  ///
  /// - Throws: ``JSON5Faults`` if the file has faults.
  package static func removeText(
    at path: [String],
    in bytes: [UInt8]
  ) throws(JSON5Faults) -> [UInt8] {
    var value = try JSON5.parse(bytes)
    for key in path {
      guard let next = value[key] else { return bytes }
      value = next
    }
    return value.isText ? try remove(at: path.map(JSON5Step.key), in: bytes) : bytes
  }

  private static func set(
    _ literal: String,
    at path: [String],
    in bytes: [UInt8],
    expected: String,
    where isExpected: (JSON5Value) -> Bool
  ) throws(JSON5Faults) -> [UInt8] {
    let isEmpty = bytes.allSatisfy { [0x20, 0x09, 0x0A, 0x0D].contains($0) }
    let file = isEmpty ? Array("{\n}\n".utf8) : bytes
    var value = try JSON5.parse(file)
    for (depth, key) in path.enumerated() {
      guard case .object = value.content else {
        let name = depth == 0 ? "the file" : path[depth - 1]
        throw JSON5Faults([
          JSON5Fault(
            "\(name) must be an object in braces, not \(value.kindName)",
            at: value.position
          )
        ])
      }
      guard let next = value[key] else {
        let steps = path[...depth].map(JSON5Step.key)
        return try setValue(nested(path[(depth + 1)...], literal), at: steps, in: file)
      }
      value = next
    }
    guard isExpected(value) else {
      let text = "\(path.last ?? "") must be \(expected), not \(value.kindName)"
      throw JSON5Faults([JSON5Fault(text, at: value.position)])
    }
    return try setValue(literal, at: path.map(JSON5Step.key), in: file)
  }

  // MARK: Literals

  /// The text in quotes.
  package static func literal(_ text: String) -> String {
    var literal = "\""
    for scalar in text.unicodeScalars {
      switch scalar {
      case "\"", "\\": literal += "\\\(scalar)"
      case _ where scalar.isUnprintable:
        for unit in String(scalar).utf16 {
          let digits = String(unit, radix: 16)
          literal += "\\u" + String(repeating: "0", count: 4 - digits.count) + digits
        }
      default: literal.unicodeScalars.append(scalar)
      }
    }
    return literal + "\""
  }

  /// A value within objects, each of which has one key.
  private static func nested(_ keys: ArraySlice<String>, _ literal: String) -> String {
    keys.reversed().reduce(literal) { "{ \(entry($1, $0)) }" }
  }

  /// A key with its value; the key is in quotes unless it is a plain word.
  static func entry(_ key: String, _ literal: String) -> String {
    let isWord =
      key.utf8.first.map { !Hex.isDecimal($0) } ?? false
      && key.utf8.allSatisfy { Hex.isDecimal($0) || (0x41...0x5A).contains($0 & 0xDF) }
    return "\(isWord ? key : Self.literal(key)): \(literal)"
  }
}

extension JSON5Value {
  fileprivate var isText: Bool { if case .string = content { true } else { false } }
}
