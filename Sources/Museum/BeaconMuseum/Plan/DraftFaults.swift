// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

internal import BeaconFormats

/// The faults of a plan that a draft would make, each with the part that it concerns, since its author sees no lines.
package struct DraftFaults: Error {
  /// A fault.
  package struct Fault: Sendable {
    /// The fault, and its correction.
    package let message: PlanFault
    /// The kind that it concerns: `floor`, `room`, `exhibit`, or `museum`.
    package let kind: String
    /// The index in the draft.
    package let index: Int
    /// The page's field, such as `title-de`.
    let field: String
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
        let field = Self.field(of: fault, in: entries[index])
        return Fault(message: Self.message(fault), kind: kind, index: place, field: field)
      }
      let field = Self.field(of: fault, in: file)
      return Fault(message: Self.message(fault), kind: "museum", index: 0, field: field)
    }
  }

  /// The fields of keys that have another name on the page.
  private static let fields = [
    "at": "right", "outline": "cornerRight", "power": "allPower", PlanDraft.purposeKey: "purpose",
  ]

  /// The page's field of a fault: the key of its value and the language.
  private static func field(of fault: JSON5Fault, in part: JSON5Value?) -> String {
    var keys: [String] = []
    var value = part
    while case .object(let members)? = value?.content,
      let member = members.last(where: { $0.value.position.offset <= fault.position.offset }),
      member.value.end >= fault.position.offset
    {
      keys.append(member.key)
      value = member.value
    }
    if let needed = fault.reason as? NeededKey { keys.append(needed.key) }
    if let language = (fault.reason as? PlanFault)?.language { keys.append(language) }
    // An exhibit has a power as well, which has its own field.
    let names = keys.first == "power" ? keys : keys.map { fields[$0] ?? $0 }
    return names.filter { !["manifest", "purposes", "calibration"].contains($0) }
      .joined(separator: "-")
  }

  /// A fault in the words of the page, without the file's form.
  private static func message(_ fault: JSON5Fault) -> PlanFault {
    switch fault.reason {
    case let fault as PlanFault: fault
    case let needed as NeededKey: PlanFault(\.needed, .key(needed.key))
    // The page's own checks keep a curator from each of these.
    default: PlanFault(\.other, .text(fault.message))
    }
  }

  /// Returns the faults in a language as one JSON object on one line.
  package func json(in language: String) -> String {
    var writer = JSONLineWriter()
    writer.beginObject()
    writer.key("faults")
    writer.beginArray()
    for fault in faults {
      writer.beginObject()
      writer.string("message", fault.message.text(in: language))
      writer.string("kind", fault.kind)
      writer.integer("index", fault.index)
      writer.string("field", fault.field)
      writer.endObject()
    }
    writer.endArray()
    writer.endObject()
    return String(decoding: writer.bytes, as: UTF8.self)
  }
}
