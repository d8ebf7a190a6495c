// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

internal import BeaconFormats

/// The keys of a store's file that this version knows; all others survive a rewrite.
indirect enum StoreShape: Sendable {
  /// A value that is replaced as a whole.
  case value
  /// An object with its known keys.
  case object([String: StoreShape])
  /// A list of such objects; two elements are the same one if the texts at these paths are equal.
  case list([String: StoreShape], identity: [[String]])

  /// Returns a new value, with the unknown keys of the old value added.
  func merging(_ new: JSON5Value, keeping old: JSON5Value) -> JSON5Value {
    switch (self, new.content, old.content) {
    case (.object(let known), .object(let members), .object(let others)):
      var result = members
      for index in result.indices {
        guard let shape = known[result[index].key], let other = old[result[index].key] else {
          continue
        }
        result[index].value = shape.merging(result[index].value, keeping: other)
      }
      let names = Set(members.map(\.key))
      result += others.filter { known[$0.key] == nil && !names.contains($0.key) }
      return JSON5Value(.object(result), at: new.position)
    case (.list(let known, let paths), .array(let elements), .array(let others)):
      var rest = others
      let merged = elements.map { element in
        let identity = Self.identity(of: element, paths)
        guard let index = rest.firstIndex(where: { Self.identity(of: $0, paths) == identity })
        else { return element }
        return StoreShape.object(known).merging(element, keeping: rest.remove(at: index))
      }
      return JSON5Value(.array(merged), at: new.position)
    case (.value, _, _), (.object, _, _), (.list, _, _): return new
    }
  }

  private static func identity(of value: JSON5Value, _ paths: [[String]]) -> [String] {
    paths.map { path in
      var place: JSON5Value? = value
      for key in path { place = place?[key] }
      switch place?.content {
      case .string(let text): return text
      case .number(let number): return number.integer.map { "\($0)" } ?? "\(number.value)"
      case .bool(let isTrue): return "\(isTrue)"
      case .null, .array, .object, nil: return ""
      }
    }
  }
}

/// Writes values as JSON, indented so that people can read the file.
struct StoreJSON {
  private var text = ""

  static func bytes(of value: JSON5Value) -> [UInt8] {
    var writer = StoreJSON()
    writer.append(value, indented: 0)
    return Array((writer.text + "\n").utf8)
  }

  private mutating func append(_ value: JSON5Value, indented depth: Int) {
    switch value.content {
    case .null: text += "null"
    case .bool(let isTrue): text += isTrue ? "true" : "false"
    case .number(let number):
      // JSON has no infinity.
      let isFinite = number.value.isFinite
      text += number.integer.map { "\($0)" } ?? (isFinite ? "\(number.value)" : "null")
    case .string(let string): append(string)
    case .array(let values):
      appendList(values.count, "[", "]", indented: depth) { writer, index in
        writer.append(values[index], indented: depth + 1)
      }
    case .object(let members):
      appendList(members.count, "{", "}", indented: depth) { writer, index in
        writer.append(members[index].key)
        writer.text += ": "
        writer.append(members[index].value, indented: depth + 1)
      }
    }
  }

  private mutating func appendList(
    _ count: Int,
    _ start: String,
    _ end: String,
    indented depth: Int,
    _ element: (inout StoreJSON, Int) -> Void
  ) {
    text += start
    for index in 0..<count {
      text += (index == 0 ? "\n" : ",\n") + String(repeating: "  ", count: depth + 1)
      element(&self, index)
    }
    if count > 0 { text += "\n" + String(repeating: "  ", count: depth) }
    text += end
  }

  private mutating func append(_ string: String) {
    text += "\""
    for scalar in string.unicodeScalars {
      switch scalar {
      case "\"": text += "\\\""
      case "\\": text += "\\\\"
      case "\n": text += "\\n"
      case "\r": text += "\\r"
      case "\t": text += "\\t"
      case "\u{0}"..."\u{1F}", "\u{7F}":
        let digits = String(scalar.value, radix: 16)
        text += "\\u" + String(repeating: "0", count: 4 - digits.count) + digits
      default: text.unicodeScalars.append(scalar)
      }
    }
    text += "\""
  }
}
