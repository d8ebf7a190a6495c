// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

internal import BeaconFormats

/// The faults of a plan that a draft would make, each with the part that it concerns, since its author sees no lines.
package struct DraftFaults: Error, Equatable {
  /// A fault.
  package struct Fault: Sendable, Equatable {
    /// The fault, and its correction.
    package let message: String
    /// The kind that it concerns: `floor`, `room`, `exhibit`, or `museum`.
    package let kind: String
    /// The index in the draft.
    package let index: Int
  }

  /// The faults, in the order of the file; never empty.
  package let faults: [Fault]

  /// Finds the parts that faults concern.
  ///
  /// - Parameters:
  ///   - found: The faults of the file.
  ///   - draft: The draft that made the file.
  ///   - bytes: The file.
  init(_ found: JSON5Faults, _ draft: PlanDraft, _ bytes: [UInt8]) {
    let file = try? JSON5.parse(bytes)
    let places = [
      ("floors", "floor", PlanDraft.order(draft.floors.map(\.was))),
      ("rooms", "room", Array(draft.rooms.indices)),
      ("exhibits", "exhibit", Array(draft.exhibits.indices)),
    ]
    faults = found.faults.map { fault in
      for (key, kind, order) in places {
        guard case .array(let entries)? = file?[key]?.content,
          let index = entries.lastIndex(where: { $0.position.offset <= fault.position.offset }),
          entries[index].end >= fault.position.offset, let place = order[safe: index]
        else { continue }
        return Fault(message: Self.text(fault.message), kind: kind, index: place)
      }
      return Fault(message: Self.text(fault.message), kind: "museum", index: 0)
    }
  }

  /// The names of fields on the page by their keys in the file.
  private static let fields = [
    "alwaysAndWhenInUse": "Why it greets while it is closed", "whenInUse": "Why the guide asks",
    "ExhibitGuide": "Why it asks for the precise location", "museum": "Name of the museum",
    "uuid": "UUID of the beacons", "title": "Title", "text": "Text", "name": "Name",
    "image": "Image file", "minor": "Minor", "major": "Major", "number": "Number",
    "audio": "Sound file", "power": "Power at 1 m, dBm", "viewing": "Viewing time, s",
    "exponent": "Path loss exponent",
  ]
  private static let languages = [
    "en": "English", "de": "Deutsch", "fr": "Français", "es": "Español", "it": "Italiano",
  ]

  /// A fault in the words of the page: with the names of its fields and languages, and without the file's form.
  private static func text(_ message: String) -> String {
    // Without a remedy in the file's form.
    let parts = message.split(separator: "{", maxSplits: 1)
    let remedy = "; write "
    let hasRemedy = parts.count == 2 && parts[0].hasSuffix(remedy)
    let fault = hasRemedy ? parts[0].dropLast(remedy.count) : message[...]
    var words = fault.split(separator: " ", omittingEmptySubsequences: false).map(String.init)
    if let key = words.first, let field = fields[key] { words[0] = "“\(field)”" }
    guard hasRemedy, let start = words.firstIndex(of: "in") else {
      return words.joined(separator: " ")
    }
    for index in words.indices.dropFirst(start + 1) {
      let tag = words[index].prefix { $0 != "," }
      if let name = languages[String(tag)] {
        words[index] = name + words[index].dropFirst(tag.count)
      }
    }
    return words.joined(separator: " ")
  }

  /// The faults as one JSON object on one line.
  package var json: String {
    var writer = JSONLineWriter()
    writer.beginObject()
    writer.key("faults")
    writer.beginArray()
    for fault in faults {
      writer.beginObject()
      writer.string("message", fault.message)
      writer.string("kind", fault.kind)
      writer.integer("index", fault.index)
      writer.endObject()
    }
    writer.endArray()
    writer.endObject()
    return String(decoding: writer.bytes, as: UTF8.self)
  }
}
