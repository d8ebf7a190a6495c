// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

/// Limits for converting a message to values.
package struct ValueLimits: Sendable {
  /// The deepest nesting of containers; BlueZ nests up to five deep, and D-Bus allows 64.
  package var depth = 16
  /// The most values in all, so that 8 MiB of empty variants do not use a gigabyte of memory.
  package var count = 100_000

  /// Creates the default limits.
  package init() {}
}

extension MessageCursor {
  /// Returns the values from here to the end; `nil` if they exceed a limit.
  package mutating func values(_ limits: ValueLimits = ValueLimits()) -> [DBusValue]? {
    var left = limits.count
    var values: [DBusValue] = []
    while type != nil {
      guard let value = value(depth: limits.depth, left: &left) else { return nil }
      values.append(value)
      advance()
    }
    return values
  }

  private mutating func value(depth: Int, left: inout Int) -> DBusValue? {
    guard depth > 0, left > 0, let type else { return nil }
    left -= 1
    switch type {
    case .byte: return byte().map { .byte($0) }
    case .boolean: return boolean().map { .boolean($0) }
    case .int16: return int16().map { .int16($0) }
    case .uint16: return uint16().map { .uint16($0) }
    case .int32: return int32().map { .int32($0) }
    case .uint32: return uint32().map { .uint32($0) }
    case .int64: return int64().map { .int64($0) }
    case .uint64: return uint64().map { .uint64($0) }
    case .double: return double().map { .double($0) }
    case .string: return text().map { .string($0) }
    case .objectPath: return text().map { .objectPath($0) }
    case .signature: return text().map { .signature($0) }
    case .structure: return members(depth: depth, left: &left).map { .structure($0) }
    case .variant: return contained(depth: depth, left: &left).map { .variant($0) }
    case .array: return array(depth: depth, left: &left)
    case .unixDescriptor: return descriptor().map { .descriptor(DBusDescriptor(owning: $0)) }
    // An entry is read as part of its dictionary.
    case .dictionaryEntry: return nil
    }
  }

  private mutating func array(depth: Int, left: inout Int) -> DBusValue? {
    if elementType == .byte {
      return withBytes { bytes in .bytes(bytes.indices.map { bytes[$0] }) }
    }
    guard let signature = containedSignature() else { return nil }
    guard elementType == .dictionaryEntry else {
      return members(depth: depth, left: &left).map { .array(of: signature, $0) }
    }
    var entries: [DBusEntry] = []
    var isWhole = true
    let sawAll = forEachEntry { entry in
      guard isWhole, let key = entry.value(depth: depth - 1, left: &left) else {
        isWhole = false
        return
      }
      entry.advance()
      guard let value = entry.value(depth: depth - 1, left: &left) else {
        isWhole = false
        return
      }
      entries.append(DBusEntry(key: key, value: value))
    }
    let types = String(signature.dropFirst().dropLast())
    return isWhole && sawAll ? .dictionary(of: types, entries) : nil
  }

  private mutating func contained(depth: Int, left: inout Int) -> DBusValue? {
    variant { $0.value(depth: depth - 1, left: &left) }
  }

  private mutating func members(depth: Int, left: inout Int) -> [DBusValue]? {
    var members: [DBusValue] = []
    var isWhole = true
    let sawAll = forEach { member in
      guard isWhole, let value = member.value(depth: depth - 1, left: &left) else {
        isWhole = false
        return
      }
      members.append(value)
    }
    return isWhole && sawAll ? members : nil
  }
}
