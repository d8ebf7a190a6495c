// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

internal import BeaconCore
internal import BeaconFormats

/// A file that is being changed, step by step.
struct PlanEditing {
  private(set) var bytes: [UInt8]
  private let languages: [String]

  init(_ bytes: [UInt8], _ languages: [String]) {
    self.bytes = bytes
    self.languages = languages
  }

  /// A text as it is written in the file.
  func text(_ text: LocalizedText) -> String {
    let entries = text.entries.map {
      "\(JSON5Edit.literal($0.language)): \(JSON5Edit.literal($0.text))"
    }
    return "{ \(entries.joined(separator: ", ")) }"
  }

  mutating func set(_ literal: String, _ path: [JSON5Step]) throws(JSON5Faults) {
    bytes = try JSON5Edit.setValue(literal, at: path, in: bytes)
  }

  /// Sets a value, or removes its key if there is one.
  mutating func set(_ literal: String?, _ path: [JSON5Step]) throws(JSON5Faults) {
    guard let literal else {
      if try value(path) != nil { bytes = try JSON5Edit.remove(at: path, in: bytes) }
      return
    }
    try set(literal, path)
  }

  /// Writes a text in the languages in which it is another one now.
  mutating func write(_ text: LocalizedText?, _ old: LocalizedText?, _ path: [JSON5Step])
    throws(JSON5Faults)
  {
    guard text != old else { return }
    guard let text, let old, try isObject(path) else {
      return try set(text.map(self.text), path)
    }
    for entry in text.entries where !old.entries.contains(entry) {
      try set(JSON5Edit.literal(entry.text), path + [.key(entry.language)])
    }
    for entry in old.entries where !text.entries.contains(where: { $0.language == entry.language })
    {
      bytes = try JSON5Edit.remove(at: path + [.key(entry.language)], in: bytes)
    }
  }

  /// Gives a text the languages of the plan: those that it does not have are added, others removed.
  mutating func complete(_ text: LocalizedText, _ path: [JSON5Step]) throws(JSON5Faults) {
    let entries = languages.map { LocalizedText.Entry(language: $0, text: text[$0]) }
    try write(LocalizedText(entries), text, path)
  }

  /// Whether a text is written as an object; a plan of one language can have plain texts.
  func isObject(_ path: [JSON5Step]) throws(JSON5Faults) -> Bool {
    if case .object? = try value(path)?.content { return true }
    return false
  }

  private func value(_ path: [JSON5Step]) throws(JSON5Faults) -> JSON5Value? {
    var value: JSON5Value? = try JSON5.parse(bytes)
    for step in path {
      switch (step, value?.content) {
      case (.key(let key), _): value = value?[key]
      case (.index(let index), .array(let values)): value = values[safe: index]
      case (.index, _): return nil
      }
    }
    return value
  }

  mutating func append(_ members: [String?], _ key: String) throws(JSON5Faults) {
    let literal = "{ \(members.compactMap { $0 }.joined(separator: ", ")) }"
    bytes = try JSON5Edit.append(literal, to: [.key(key)], in: bytes)
  }

  /// Removes entries of an array, the last one first, so that the indices of the others stay.
  mutating func remove(
    _ all: Range<Int>,
    except kept: [Int],
    _ key: String
  ) throws(JSON5Faults) {
    for index in all.reversed() where !kept.contains(index) {
      bytes = try JSON5Edit.remove(at: [.key(key), .index(index)], in: bytes)
    }
  }
}
