// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

/// Reads the keys of one object and remembers which were requested, so that the others can be reported as unknown.
package struct ObjectReader {
  private var members: [JSON5Member]
  private var places: [String: Int]
  private let name: String
  private let position: TextPosition
  private let faults: FaultCollector
  private var requested: [String] = []
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

  /// Returns a reader of a key's value; `nil` if the object has no such key.
  package mutating func optional(_ key: String) -> JSON5Reader? {
    requested.append(key)
    guard let place = places[key] else { return nil }
    isRead[place] = true
    return JSON5Reader(members[place].value, name: key, faults: faults)
  }

  /// Returns a reader of a key's value; adds a fault if the object has no such key.
  package mutating func required(_ key: String) -> JSON5Reader? {
    if let reader = optional(key) { return reader }
    faults.add(NeededKey(object: name, key: key), at: position)
    return nil
  }

  /// Returns all entries in the order of the file, for an object whose keys are names that the user chose.
  package mutating func entries() -> [(key: String, keyPosition: TextPosition, value: JSON5Reader)]
  {
    isRead = Array(repeating: true, count: members.count)
    return members.map { member in
      let value = JSON5Reader(member.value, name: member.key, faults: faults)
      return (key: member.key, keyPosition: member.keyPosition, value: value)
    }
  }

  /// Adds a key that the file may leave out.
  package mutating func supply(_ key: String, _ content: JSON5Value.Content) {
    places[key] = members.count
    let value = JSON5Value(content, at: position)
    members.append(JSON5Member(key: key, keyPosition: position, value: value))
    isRead.append(true)
  }

  /// Adds a fault at the object.
  package func addFault(_ message: String) {
    faults.add(message, at: position)
  }

  /// Adds a fault for every key that was not requested, if the file must have no others; call it last.
  package func finish() {
    guard faults.isStrict else { return }
    // A form may look twice for a key.
    var seen = Set<String>()
    let known = requested.filter { seen.insert($0).inserted }
    for (member, isRead) in zip(members, isRead) where !isRead {
      let hint =
        NearestName.find(member.key, in: known).map { "; did you mean '\($0)'?" }
        ?? (known.isEmpty ? "; remove it" : "; known are \(known.joined(separator: ", "))")
      faults.add("\(name) has no key '\(member.key.shortened)'\(hint)", at: member.keyPosition)
    }
  }
}
