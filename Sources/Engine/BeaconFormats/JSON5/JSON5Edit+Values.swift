// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

/// A step from a value of a JSON5 file to one within it.
package enum JSON5Step: Sendable, Equatable {
  /// The value of a key of an object.
  case key(String)
  /// An entry of an array, counted from 0.
  case index(Int)
}

/// Changes of whole values: everything around them stays as the user wrote it, comments included.
extension JSON5Edit {
  /// Returns a file in which a value is set; the last key of the path is added if it is missing.
  ///
  /// - Parameters:
  ///   - literal: The value as JSON5.
  ///   - path: The steps to the value; at least one.
  ///   - bytes: The file.
  /// - Returns: The bytes of the changed file.
  /// - Throws: ``JSON5Faults`` if the file has faults, or if the path leads nowhere.
  package static func setValue(
    _ literal: String,
    at path: [JSON5Step],
    in bytes: [UInt8]
  ) throws(JSON5Faults) -> [UInt8] {
    let file = try JSON5.parse(bytes)
    let parent = try value(at: path.dropLast(), in: file)
    guard let step = path.last else { return bytes }
    let new = try JSON5.parse(literal)
    if let old = parent.value(step) {
      let place = old.position.offset..<old.end
      let wanted = file.changing(path[...]) { $0 = new.content }
      return try checked([(place, Array(literal.utf8))], in: bytes, wanted, at: old)
    }
    guard case .object(let members) = parent.content, case .key(let key) = step else {
      throw nowhere(step, parent)
    }
    let entry = entry(key, literal)
    let wanted = file.changing(path.dropLast()) { content in
      let member = JSON5Member(key: key, keyPosition: parent.position, value: new)
      content = .object([member] + members)
    }
    return try checked(
      [insertion(of: entry, in: parent, members, bytes)],
      in: bytes,
      wanted,
      at: parent
    )
  }

  /// Returns a file in which an array has more entries at its end.
  ///
  /// - Parameters:
  ///   - literals: The entries as JSON5.
  ///   - path: The steps to the array.
  ///   - bytes: The file.
  /// - Returns: The bytes of the changed file.
  /// - Throws: ``JSON5Faults`` if the file has faults, or without an array.
  package static func append(
    _ literals: [String],
    to path: [JSON5Step],
    in bytes: [UInt8]
  ) throws(JSON5Faults) -> [UInt8] {
    let file = try JSON5.parse(bytes)
    let array = try value(at: path[...], in: file)
    guard case .array(let entries) = array.content else { throw nowhere(.index(0), array) }
    guard !literals.isEmpty else { return bytes }
    var changes: [Change] = []
    if let last = entries.last, JSON5Parser.comma(after: last, in: bytes) == nil {
      changes.append((last.end..<last.end, [UInt8(ascii: ",")]))
    }
    let bracket = array.end - 1
    let line = lineStart(of: bracket, in: bytes)
    if line > array.position.offset, bytes[line..<bracket].allSatisfy(isBlank) {
      // A separate line, as deep as the first entry.
      let lead = entries.first.map { self.lead(of: $0.position.offset, in: bytes) }
      let deeper = Array(bytes[line..<bracket]) + [0x20, 0x20]
      let end = lineEnd(of: bytes)
      let lines = literals.flatMap { (lead ?? deeper) + Array("\($0),".utf8) + end }
      changes.append((line..<line, lines))
    } else {
      let text = literals.joined(separator: ", ")
      changes.append((bracket..<bracket, Array((entries.isEmpty ? text : " " + text).utf8)))
    }
    var new: [JSON5Value] = []
    for literal in literals { new.append(try JSON5.parse(literal)) }
    let wanted = file.changing(path[...]) { $0 = .array(entries + new) }
    return try checked(changes, in: bytes, wanted, at: array)
  }

  /// Returns a file without an entry of an array, or without a key of an object; with its line, if nothing else is on
  /// it.
  ///
  /// - Throws: ``JSON5Faults`` if the file has faults, or if there is no such entry.
  package static func remove(
    at path: [JSON5Step],
    in bytes: [UInt8]
  ) throws(JSON5Faults) -> [UInt8] {
    let file = try JSON5.parse(bytes)
    let parent = try value(at: path.dropLast(), in: file)
    guard let step = path.last else { return bytes }
    guard let index = parent.index(step) else { throw nowhere(step, parent) }
    let wanted = file.changing(path.dropLast()) { content in
      switch content {
      case .array(var entries):
        entries.remove(at: index)
        content = .array(entries)
      case .object(var members):
        members.remove(at: index)
        content = .object(members)
      default: break
      }
    }
    let places = removal(of: index, from: parent.entries, in: bytes)
    return try checked(places.map { ($0, []) }, in: bytes, wanted, at: parent)
  }

  /// Returns a file without several entries of an array, with their lines.
  ///
  /// - Throws: ``JSON5Faults`` if the file has faults, or without an array.
  package static func remove(
    _ isRemoved: (_ index: Int) -> Bool,
    of path: [JSON5Step],
    in bytes: [UInt8]
  ) throws(JSON5Faults) -> [UInt8] {
    let file = try JSON5.parse(bytes)
    let array = try value(at: path[...], in: file)
    guard case .array(let entries) = array.content else { throw nowhere(.index(0), array) }
    let removed = entries.indices.filter(isRemoved)
    guard !removed.isEmpty else { return bytes }
    let wanted = file.changing(path[...]) { content in
      content = .array(entries.indices.filter { !isRemoved($0) }.map { entries[$0] })
    }
    let all = array.entries
    let places = RangeSet(removed.flatMap { removal(of: $0, from: all, in: bytes) })
    return try checked(places.ranges.map { ($0, []) }, in: bytes, wanted, at: array)
  }

  /// Returns a file in which the entries of an array are in another order: whole lines with their comments if no two entries
  /// share a line, otherwise only the entries.
  ///
  /// - Parameters:
  ///   - order: The index of each entry as it is, in the new order.
  ///   - path: The steps to the array.
  ///   - bytes: The file.
  /// - Returns: The bytes of the changed file.
  /// - Throws: ``JSON5Faults`` if the file has faults, or without an array of so many entries.
  package static func reorder(
    _ order: [Int],
    of path: [JSON5Step],
    in bytes: [UInt8]
  ) throws(JSON5Faults) -> [UInt8] {
    let file = try JSON5.parse(bytes)
    let array = try value(at: path[...], in: file)
    guard case .array(let entries) = array.content, order.sorted() == Array(entries.indices) else {
      throw nowhere(.index(order.count - 1), array)
    }
    let wanted = file.changing(path[...]) { $0 = .array(order.map { entries[$0] }) }
    if let lines = lines(of: entries, in: array, bytes) {
      // A comment can reach over the end of an entry's last line; then only the entries move.
      let place = lines[0].place.lowerBound..<lines[lines.count - 1].place.upperBound
      let moved = order.flatMap { lines[$0].bytes }
      if let edited = try? checked([(place, moved)], in: bytes, wanted, at: array) { return edited }
    }
    let changes = entries.indices.map { index -> Change in
      let (old, new) = (entries[index], entries[order[index]])
      return (old.position.offset..<old.end, Array(bytes[new.position.offset..<new.end]))
    }
    return try checked(changes, in: bytes, wanted, at: array)
  }

  /// The lines of each entry of an array, from the end of the one before, with a comma; `nil` if two share a line.
  private static func lines(
    of entries: [JSON5Value],
    in array: JSON5Value,
    _ bytes: [UInt8]
  ) -> [Change]? {
    guard let first = bytes[array.position.offset...].firstIndex(of: 0x0A) else { return nil }
    var (lines, start): ([Change], Int) = ([], first + 1)
    for entry in entries {
      let line = lineStart(of: entry.position.offset, in: bytes)
      let comma = JSON5Parser.comma(after: entry, in: bytes)
      guard start <= line, bytes[line..<entry.position.offset].allSatisfy(isBlank),
        let end = bytes[(comma ?? entry.end)...].firstIndex(of: 0x0A), end < array.end
      else { return nil }
      var own = Array(bytes[start...end])
      if comma == nil { own.insert(UInt8(ascii: ","), at: entry.end - start) }
      lines.append((start..<end + 1, own))
      start = end + 1
    }
    return lines.isEmpty ? nil : lines
  }

  // MARK: Changes of bytes

  /// Bytes that replace those of a place.
  private typealias Change = (place: Range<Int>, bytes: [UInt8])

  /// Makes changes, in the order of the file, and checks that the file then contains the intended values.
  private static func checked(
    _ changes: [Change],
    in bytes: [UInt8],
    _ wanted: JSON5Value,
    at value: JSON5Value
  ) throws(JSON5Faults) -> [UInt8] {
    var (edited, end): ([UInt8], Int) = ([], 0)
    for change in changes {
      edited += bytes[end..<change.place.lowerBound] + change.bytes
      end = change.place.upperBound
    }
    edited += bytes[end...]
    return try checked(edited, wanted, at: value)
  }

  /// Returns a changed file.
  ///
  /// - Throws: ``JSON5Faults`` if it has faults or does not contain the intended values.
  static func checked(
    _ edited: [UInt8],
    _ wanted: JSON5Value,
    at value: JSON5Value
  ) throws(JSON5Faults) -> [UInt8] {
    if let found = try? JSON5.parse(edited), found.isSame(as: wanted) { return edited }
    let text =
      "this cannot be changed without damage to the rest of the file; change it in an editor"
    throw JSON5Faults([JSON5Fault(text, at: value.position)])
  }

  /// An entry behind an object's opening brace.
  private static func insertion(
    of entry: String,
    in object: JSON5Value,
    _ members: [JSON5Member],
    _ file: [UInt8]
  ) -> Change {
    let start = object.position.offset + 1
    let isBroken = file[start...].prefix { $0 != 0x0A }.allSatisfy { isBlank($0) || $0 == 0x0D }
    guard isBroken || members.isEmpty else {
      return (start..<start, Array(" \(entry),".utf8))
    }
    // Indented like the existing entries, or two spaces more than the line of the brace.
    let outer = lead(of: object.position.offset, in: file)
    let inner = members.first.map { lead(of: $0.keyPosition.offset, in: file) }
    let end = lineEnd(of: file)
    let line = end + (inner ?? outer + [0x20, 0x20]) + Array("\(entry),".utf8)
    return (start..<start, line + (isBroken ? [] : end + outer))
  }

  /// The places of an entry and of one comma next to it.
  private static func removal(
    of index: Int,
    from entries: [(start: Int, value: JSON5Value)],
    in file: [UInt8]
  ) -> [Range<Int>] {
    var (start, end) = (entries[index].start, entries[index].value.end)
    let next = JSON5Parser.comma(after: entries[index].value, in: file)
    let previous =
      index > 0 ? JSON5Parser.comma(after: entries[index - 1].value, in: file) : nil
    // A comma in front of the next line belongs to that line's entry.
    let hasOwn = next.map { !file[end..<$0].contains(0x0A) } ?? false
    var comma: Range<Int>?
    var isFollowed = true
    if let place = hasOwn ? next : previous ?? next {
      if place >= end, file[end..<place].allSatisfy(isBlank) {
        end = place + 1
      } else if place < start, file[(place + 1)..<start].allSatisfy(isBlank) {
        (start, isFollowed) = (place, false)
      } else {
        let leads = file[lineStart(of: place, in: file)..<place].allSatisfy(isBlank)
        comma = place..<(leads ? endOfBlanks(from: place + 1, in: file) : place + 1)
      }
    }
    let line = lineStart(of: start, in: file)
    let rest: Int = file[end...].firstIndex { !isBlank($0) && $0 != 0x0D } ?? file.count
    if line > 0, file[line..<start].allSatisfy(isBlank), rest < file.count, file[rest] == 0x0A {
      (start, end) = (line, rest + 1)
    } else if isFollowed {
      end = endOfBlanks(from: end, in: file)
    }
    guard let comma else { return [start..<end] }
    return comma.lowerBound < start ? [comma, start..<end] : [start..<end, comma]
  }

  // MARK: Lines

  private static func isBlank(_ byte: UInt8) -> Bool { byte == 0x20 || byte == 0x09 }

  private static func endOfBlanks(from start: Int, in file: [UInt8]) -> Int {
    file[start...].firstIndex { !isBlank($0) } ?? file.count
  }

  private static func lineStart(of offset: Int, in file: [UInt8]) -> Int {
    file[..<offset].lastIndex(of: 0x0A).map { $0 + 1 } ?? 0
  }

  /// The blanks at the start of the line that contains a byte.
  private static func lead(of offset: Int, in file: [UInt8]) -> [UInt8] {
    Array(file[lineStart(of: offset, in: file)..<offset].prefix(while: isBlank))
  }

  /// How the first line of a file ends.
  private static func lineEnd(of file: [UInt8]) -> [UInt8] {
    let end = file.firstIndex(of: 0x0A) ?? 0
    return end > 0 && file[end - 1] == 0x0D ? [0x0D, 0x0A] : [0x0A]
  }

  // MARK: Steps

  private static func value(
    at path: ArraySlice<JSON5Step>,
    in file: JSON5Value
  ) throws(JSON5Faults) -> JSON5Value {
    var value = file
    for step in path {
      guard let next = value.value(step) else { throw nowhere(step, value) }
      value = next
    }
    return value
  }

  private static func nowhere(_ step: JSON5Step, _ value: JSON5Value) -> JSON5Faults {
    let wanted =
      switch step {
      case .key(let key): "the key '\(key)'"
      case .index(let index): "an entry \(index + 1)"
      }
    return JSON5Faults([
      JSON5Fault("\(value.kindName) has not \(wanted)", at: value.position)
    ])
  }
}

extension JSON5Value {
  /// The values within, each with the place where its entry starts: that of its key in an object.
  fileprivate var entries: [(start: Int, value: JSON5Value)] {
    switch content {
    case .array(let entries): entries.map { ($0.position.offset, $0) }
    case .object(let members): members.map { ($0.keyPosition.offset, $0.value) }
    default: []
    }
  }

  /// Which of the entries a step leads to, if any.
  fileprivate func index(_ step: JSON5Step) -> Int? {
    switch (step, content) {
    case (.key(let key), .object(let members)): members.firstIndex { $0.key == key }
    case (.index(let index), .array(let entries)): entries.indices.contains(index) ? index : nil
    default: nil
    }
  }

  /// The value to which a step leads, if any.
  fileprivate func value(_ step: JSON5Step) -> JSON5Value? {
    index(step).map { entries[$0].value }
  }

  /// The value with a change at a path; the path exists.
  fileprivate func changing(
    _ path: ArraySlice<JSON5Step>,
    _ change: (inout Content) -> Void
  ) -> JSON5Value {
    var value = self
    guard let step = path.first else {
      change(&value.content)
      return value
    }
    guard let index = index(step) else { return value }
    switch content {
    case .array(var entries):
      entries[index] = entries[index].changing(path.dropFirst(), change)
      value.content = .array(entries)
    case .object(var members):
      members[index].value = members[index].value.changing(path.dropFirst(), change)
      value.content = .object(members)
    default: break
    }
    return value
  }
}
