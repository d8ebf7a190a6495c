// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

/// Turns the bytes that a terminal sends into keys.
///
/// A terminal sends a character for most keys and an escape sequence for others, and a read may split a sequence
/// anywhere. The escape key sends the same byte that starts a sequence: it is recognized when no byte follows for a
/// while. The decoder reads no clock; the caller passes in times of any clock.
package struct KeyDecoder: Sendable {
  /// The longest time between two bytes of a sequence.
  ///
  /// A terminal sends them together; a slow connection splits them into a few packets.
  package static let patience = Duration.milliseconds(50)
  /// The longest sequence that is kept; bytes in the middle of a longer one are dropped.
  private static let longest = 32

  private var pending: [UInt8] = []
  private var lastByte = Duration.zero

  package init() {}

  /// When ``timePassed(to:)`` next has something to do; `nil` while nothing is pending.
  package var nextDeadline: Duration? { pending.isEmpty ? nil : lastByte + Self.patience }

  /// Processes bytes received at a time and returns the keys that are recognized by now.
  package mutating func decode(_ bytes: some Sequence<UInt8>, at time: Duration) -> [Key] {
    var keys = timePassed(to: time)
    lastByte = time
    for byte in bytes {
      pending.append(byte)
      drain(into: &keys)
    }
    return keys
  }

  /// Notes that time has passed, and returns the keys that are recognized because nothing followed.
  package mutating func timePassed(to time: Duration) -> [Key] {
    guard let nextDeadline, time >= nextDeadline else { return [] }
    // An incomplete sequence is a key that was lost in transmission, not the escape key followed by letters.
    let keys: [Key] = pending == [0x1B] ? [.escape] : []
    pending = []
    return keys
  }

  private enum Step {
    /// More bytes are needed.
    case more
    /// The number of bytes used, and their key; no key if it is not known.
    case consumed(Int, Key?)
  }

  private mutating func drain(into keys: inout [Key]) {
    while !pending.isEmpty {
      guard case .consumed(let count, let key) = step() else {
        // A sequence this long is not a key, and neither is its rest.
        if pending.count > Self.longest { pending.removeSubrange(2...) }
        return
      }
      pending.removeFirst(min(count, pending.count))
      if let key { keys.append(key) }
    }
  }

  private func step() -> Step {
    guard let first = pending.first else { return .more }
    if first == 0x1B { return escapeStep() }
    if first < 0x20 || first == 0x7F { return .consumed(1, Self.control(first)) }
    return characterStep(from: 0)
  }

  private static func control(_ byte: UInt8) -> Key? {
    switch byte {
    case 0x0D, 0x0A: .enter
    case 0x09: .tab
    case 0x08, 0x7F: .backspace
    case 0x01...0x1A: .control(Character(Unicode.Scalar(byte + 0x60)))
    default: nil
    }
  }

  /// Decodes a UTF-8 character that starts at an index.
  private func characterStep(from start: Int) -> Step {
    let length: Int
    switch pending[start] {
    case 0x00...0x7F: length = 1
    case 0xC2...0xDF: length = 2
    case 0xE0...0xEF: length = 3
    case 0xF0...0xF4: length = 4
    default: return .consumed(start + 1, nil)
    }
    let found = pending[start...].prefix(length)
    for (offset, byte) in found.enumerated() where offset > 0 && byte & 0xC0 != 0x80 {
      return .consumed(start + offset, nil)
    }
    guard found.count == length else { return .more }
    guard let text = String(validating: found, as: UTF8.self), let character = text.first else {
      return .consumed(start + length, nil)
    }
    return .consumed(start + length, start == 0 ? .character(character) : .alt(character))
  }

  private func escapeStep() -> Step {
    guard pending.count > 1 else { return .more }
    switch pending[1] {
    case 0x1B: return .consumed(1, .escape)
    case UInt8(ascii: "["): return sequenceStep()
    case UInt8(ascii: "O"):
      guard pending.count > 2 else { return .more }
      return .consumed(3, KeySequence.key(final: pending[2], parameters: []))
    case 0x00..<0x20, 0x7F: return .consumed(2, nil)
    default: return characterStep(from: 1)
    }
  }

  /// Decodes a control sequence: parameters, then a final byte that identifies the key.
  private func sequenceStep() -> Step {
    // The Linux console sends this for its first five function keys.
    if pending.count > 2, pending[2] == UInt8(ascii: "[") {
      guard pending.count > 3 else { return .more }
      let number = Int(pending[3]) - Int(UInt8(ascii: "A")) + 1
      return .consumed(4, (1...5).contains(number) ? .function(number) : nil)
    }
    for index in pending.indices.dropFirst(2) {
      switch pending[index] {
      case 0x20...0x3F: continue
      case 0x40...0x7E:
        let parameters = KeySequence.parameters(pending[2..<index])
        return .consumed(index + 1, KeySequence.key(final: pending[index], parameters: parameters))
      default: return .consumed(index, nil)
      }
    }
    return .more
  }
}
