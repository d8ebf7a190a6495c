// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

/// Reads the keys of one object, remembering which were asked for, so that the others can be told as unknown.
package struct ObjectReader {
  private let members: [JSON5Member]
  private let places: [String: Int]
  private let name: String
  private let position: TextPosition
  private let faults: FaultCollector
  private var asked: [String] = []
  private var isRead: [Bool]

  init(_ members: [JSON5Member], name: String, at position: TextPosition, faults: FaultCollector) {
    self.members = members
    self.name = name
    self.position = position
    self.faults = faults
    places = Dictionary(
      members.enumerated().map { ($1.key, $0) },
      uniquingKeysWith: { first, _ in first }
    )
    isRead = Array(repeating: false, count: members.count)
  }

  /// Returns a reader of a key's value; `nil` where the object has no such key.
  package mutating func optional(_ key: String) -> JSON5Reader? {
    asked.append(key)
    guard let place = places[key] else { return nil }
    isRead[place] = true
    return JSON5Reader(members[place].value, name: key, faults: faults)
  }

  /// Returns a reader of a key's value; tells a fault where the object has no such key.
  package mutating func required(_ key: String) -> JSON5Reader? {
    if let reader = optional(key) { return reader }
    faults.tell("\(name) needs '\(key)'", at: position)
    return nil
  }

  /// All entries in the order of the file, for an object whose keys are names of the writer's own choice.
  package mutating func entries() -> [(key: String, keyPosition: TextPosition, value: JSON5Reader)]
  {
    isRead = Array(repeating: true, count: members.count)
    return members.map { member in
      let value = JSON5Reader(member.value, name: member.key, faults: faults)
      return (key: member.key, keyPosition: member.keyPosition, value: value)
    }
  }

  /// Tells a fault at the object.
  package func tell(_ message: String) {
    faults.tell(message, at: position)
  }

  /// Tells every key that was not asked for; call it once all were.
  package func finish() {
    for (member, isRead) in zip(members, isRead) where !isRead {
      let hint =
        NearestName.find(member.key, in: asked).map { "; did you mean '\($0)'?" }
        ?? (asked.isEmpty ? "; remove it" : "; known are \(asked.joined(separator: ", "))")
      faults.tell("\(name) has no key '\(member.key.shortened)'\(hint)", at: member.keyPosition)
    }
  }
}
