// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

/// A value of any D-Bus type, for rare calls; frequent signals are read in place with ``MessageCursor`` instead.
package indirect enum DBusValue: Sendable, Equatable {
  case byte(UInt8)
  case boolean(Bool)
  case int16(Int16)
  case uint16(UInt16)
  case int32(Int32)
  case uint32(UInt32)
  case int64(Int64)
  case uint64(UInt64)
  case double(Double)
  case string(String)
  case objectPath(String)
  case signature(String)
  /// An open file, `h`.
  case descriptor(DBusDescriptor)
  /// An array of bytes, `ay`.
  case bytes([UInt8])
  /// An array, with the signature of its elements; an empty array has one too.
  case array(of: String, [DBusValue])
  /// A dictionary in the order of the message, with the joined signatures of key and value, such as `sv`.
  case dictionary(of: String, [DBusEntry])
  case structure([DBusValue])
  case variant(DBusValue)

  /// The D-Bus signature of the type.
  package var typeSignature: String {
    switch self {
    case .byte: "y"
    case .boolean: "b"
    case .int16: "n"
    case .uint16: "q"
    case .int32: "i"
    case .uint32: "u"
    case .int64: "x"
    case .uint64: "t"
    case .double: "d"
    case .string: "s"
    case .objectPath: "o"
    case .signature: "g"
    case .descriptor: "h"
    case .bytes: "ay"
    case .array(let element, _): "a\(element)"
    case .dictionary(let entry, _): "a{\(entry)}"
    case .structure(let members): "(\(members.map(\.typeSignature).joined()))"
    case .variant: "v"
    }
  }

  /// How many bytes it takes in a message, counted generously.
  package var wireBytes: Int {
    switch self {
    case .string(let text), .objectPath(let text), .signature(let text): text.utf8.count + 8
    case .bytes(let bytes): bytes.count + 8
    case .array(_, let values), .structure(let values): 12 + values.map(\.wireBytes).reduce(0, +)
    case .dictionary(_, let entries):
      12 + entries.map { 8 + $0.key.wireBytes + $0.value.wireBytes }.reduce(0, +)
    case .variant(let value): 8 + value.wireBytes
    default: 8
    }
  }

  /// The text of a string, object path or signature; `nil` for anything else.
  package var text: String? {
    switch self {
    case .string(let text), .objectPath(let text), .signature(let text): text
    default: nil
    }
  }

  /// Returns a dictionary from names to variants, `a{sv}`, with the names in the order given.
  package static func properties(_ entries: KeyValuePairs<String, DBusValue>) -> DBusValue {
    properties(entries.map { ($0.key, $0.value) })
  }

  /// The same, of entries that are collected one by one.
  package static func properties(_ entries: [(String, DBusValue)]) -> DBusValue {
    .dictionary(
      of: "sv",
      entries.map { DBusEntry(key: .string($0.0), value: .variant($0.1)) }
    )
  }
}
