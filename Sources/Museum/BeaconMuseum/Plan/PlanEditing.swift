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

  /// A text without the languages that the plan does not have any more.
  ///
  /// A missing translation stays missing. Only the first language must be there.
  func within(_ text: LocalizedText) -> LocalizedText {
    LocalizedText(
      languages.enumerated().compactMap { index, language in
        guard index == 0 || text.entries.contains(where: { $0.language == language }) else {
          return nil
        }
        return LocalizedText.Entry(language: language, text: text[language])
      }
    )
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

  // MARK: Arrays

  /// Appends objects to an array.
  mutating func append(_ objects: [[String?]], _ key: String) throws(JSON5Faults) {
    guard !objects.isEmpty else { return }
    let literals = objects.map { "{ \($0.compactMap(\.self).joined(separator: ", ")) }" }
    bytes = try JSON5Edit.append(literals, to: [.key(key)], in: bytes)
  }

  /// Changes entries of an array, each as a separate file: the time grows with the file, not with its square.
  mutating func edit(
    _ key: String,
    _ change: (_ index: Int, _ entry: inout PlanEditing) throws(JSON5Faults) -> Void
  ) throws(JSON5Faults) {
    guard case .array(let entries)? = try value([.key(key)])?.content else { return }
    var (edited, end): ([UInt8], Int) = ([], 0)
    for (index, value) in entries.enumerated() {
      let start = value.position.offset
      var entry = PlanEditing(Array(bytes[start..<value.end]), languages)
      try change(index, &entry)
      edited += bytes[end..<start] + entry.bytes
      end = value.end
    }
    bytes = edited + bytes[end...]
  }

  /// Puts the entries of an array in order, each with its comments; `places` has the new place of each entry.
  mutating func reorder(_ places: [Int], _ key: String) throws(JSON5Faults) {
    guard places != Array(places.indices) else { return }
    let order = places.indices.sorted { places[$0] < places[$1] }
    bytes = try JSON5Edit.reorder(order, of: [.key(key)], in: bytes)
  }

  /// Removes the entries of an array that are not kept.
  mutating func remove(
    _ all: Range<Int>,
    except kept: some Sequence<Int>,
    _ key: String
  ) throws(JSON5Faults) {
    let kept = Set(kept)
    let removed = Set(all.lazy.filter { !kept.contains($0) })
    guard !removed.isEmpty else { return }
    bytes = try JSON5Edit.remove({ removed.contains($0) }, of: [.key(key)], in: bytes)
  }
}
