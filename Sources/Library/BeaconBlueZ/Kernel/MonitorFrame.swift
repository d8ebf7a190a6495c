// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

internal import BeaconCore

/// The relevant content of a packet of the kernel's HCI monitor channel (row B20).
///
/// On the socket all numbers are little-endian, unlike in a capture. A packet starts with opcode, adapter and length,
/// two bytes each, and the payload follows.
package enum MonitorFrame: Sendable, Equatable {
  /// An HCI command without its packet type; the range is its place in the packet.
  case command(adapter: UInt16, Range<Int>)
  /// An HCI event without its packet type; the range is its place in the packet.
  case event(adapter: UInt16, Range<Int>)
  /// An adapter is present; its address is `nil` until the kernel knows it.
  case found(adapter: UInt16, address: UInt64?, name: String)
  /// An adapter was removed.
  case gone(adapter: UInt16)
  /// An adapter was switched on.
  case opened(adapter: UInt16)
  /// An adapter was switched off.
  case closed(adapter: UInt16)
  /// The kernel now knows an adapter's address.
  case identified(adapter: UInt16, address: UInt64?)
  /// A message of the kernel about itself.
  case note(String)
  /// Anything else.
  case other

  /// The opcodes of the relevant packets; the filter passes no others.
  enum Opcode {
    static let newIndex: UInt16 = 0
    static let deletedIndex: UInt16 = 1
    static let command: UInt16 = 2
    static let event: UInt16 = 3
    static let openIndex: UInt16 = 8
    static let closeIndex: UInt16 = 9
    static let indexInfo: UInt16 = 10
    static let systemNote: UInt16 = 12
  }

  /// The bytes before the payload.
  package static let headerCount = 6
  /// The size of the field for an adapter's name.
  private static let nameCount = 8
  /// The most bytes to keep of a note; the kernel's own notes are half a line long.
  private static let longestNote = 200

  /// Reads a packet; `nil` if its length, or the length of its content, is wrong.
  package init?(_ packet: borrowing Span<UInt8>) {
    guard packet.count >= Self.headerCount,
      Int(packet.littleEndian16(at: 4)) == packet.count - Self.headerCount
    else { return nil }
    let adapter = packet.littleEndian16(at: 2)
    let payload = Self.headerCount..<packet.count
    switch packet.littleEndian16(at: 0) {
    case Opcode.command: self = .command(adapter: adapter, payload)
    case Opcode.event: self = .event(adapter: adapter, payload)
    case Opcode.newIndex:
      // Type, bus, address, name.
      guard payload.count >= 8 + Self.nameCount else { return nil }
      self = .found(
        adapter: adapter,
        address: Self.address(packet, at: payload.lowerBound + 2),
        name: Self.text(packet, payload.lowerBound + 8..<payload.lowerBound + 8 + Self.nameCount)
      )
    case Opcode.deletedIndex: self = .gone(adapter: adapter)
    case Opcode.openIndex: self = .opened(adapter: adapter)
    case Opcode.closeIndex: self = .closed(adapter: adapter)
    case Opcode.indexInfo:
      guard payload.count >= 6 else { return nil }
      let address = Self.address(packet, at: payload.lowerBound)
      self = .identified(adapter: adapter, address: address)
    case Opcode.systemNote:
      let end = min(payload.upperBound, payload.lowerBound + Self.longestNote)
      self = .note(Self.text(packet, payload.lowerBound..<end))
    default: self = .other
    }
  }

  private static func address(_ packet: borrowing Span<UInt8>, at offset: Int) -> UInt64? {
    let bits = packet.addressBits(at: offset)
    return bits == 0 ? nil : bits
  }

  /// Returns the characters before the first unprintable one.
  private static func text(_ packet: borrowing Span<UInt8>, _ range: Range<Int>) -> String {
    var text = ""
    for offset in range {
      guard (0x20..<0x7F).contains(packet[offset]) else { break }
      text.unicodeScalars.append(Unicode.Scalar(packet[offset]))
    }
    return text
  }
}
