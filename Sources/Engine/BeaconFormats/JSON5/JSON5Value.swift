// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

/// A value read from a JSON5 file, with its position.
package struct JSON5Value: Sendable, Equatable {
  /// The kinds of values.
  package enum Content: Sendable, Equatable {
    /// `null`.
    case null
    /// `true` or `false`.
    case bool(Bool)
    /// A number, whole or not, `Infinity` and `NaN` included.
    case number(JSON5Number)
    /// A text in quotes.
    case string(String)
    /// Values in brackets.
    case array([JSON5Value])
    /// Keys and values in braces, in the order of the file.
    case object([JSON5Member])
  }

  /// The value.
  package var content: Content
  /// The position of its first character.
  package var position: TextPosition
  /// Its end: the bytes from the start of the file to the first one after it.
  package var end: Int

  /// Creates a value; without an end, it is not from a file.
  package init(_ content: Content, at position: TextPosition, end: Int? = nil) {
    self.content = content
    self.position = position
    self.end = end ?? position.offset
  }

  /// Whether another value has the same content, wherever it is in its file.
  package func isSame(as other: JSON5Value) -> Bool {
    switch (content, other.content) {
    case (.array(let ours), .array(let others)):
      ours.count == others.count && zip(ours, others).allSatisfy { $0.isSame(as: $1) }
    case (.object(let ours), .object(let others)):
      ours.count == others.count
        && zip(ours, others).allSatisfy { $0.key == $1.key && $0.value.isSame(as: $1.value) }
    default: content == other.content
    }
  }

  /// The value of a key; `nil` when this is not an object or has no such key.
  package subscript(_ key: String) -> JSON5Value? {
    guard case .object(let members) = content else { return nil }
    return members.first { $0.key == key }?.value
  }

  /// The keys of an object, in the order of the file; none of anything else.
  package var keys: [String] {
    guard case .object(let members) = content else { return [] }
    return members.map(\.key)
  }

  /// The name of this kind of value in messages.
  package var kindName: String { content.kindName }
}

extension JSON5Value.Content {
  /// The name of this kind of value in messages.
  package var kindName: String {
    switch self {
    case .null: "null"
    case .bool(let bool): bool ? "true" : "false"
    case .number: "a number"
    case .string: "a text"
    case .array: "an array"
    case .object: "an object"
    }
  }
}

/// One key of an object with its value.
package struct JSON5Member: Sendable, Equatable {
  /// The key, quotes and escapes resolved.
  package var key: String
  /// The position of the key's first character.
  package var keyPosition: TextPosition
  /// The value.
  package var value: JSON5Value

  /// Creates a member.
  package init(key: String, keyPosition: TextPosition, value: JSON5Value) {
    self.key = key
    self.keyPosition = keyPosition
    self.value = value
  }
}

/// A number of a JSON5 file.
package struct JSON5Number: Sendable, Equatable {
  /// The nearest Double; infinite or not a number only if the file contains them or exceeds the range of Double.
  package var value: Double
  /// The exact value of a number written without point and exponent; `nil` if it does not fit into a signed 64-bit
  /// integer.
  package var integer: Int64?

  /// Creates a number.
  package init(value: Double, integer: Int64? = nil) {
    self.value = value
    self.integer = integer
  }

  /// Returns whether two numbers were written alike: `NaN` equals `NaN` here, unlike in arithmetic.
  package static func == (lhs: JSON5Number, rhs: JSON5Number) -> Bool {
    lhs.integer == rhs.integer && lhs.value.bitPattern == rhs.value.bitPattern
  }
}
