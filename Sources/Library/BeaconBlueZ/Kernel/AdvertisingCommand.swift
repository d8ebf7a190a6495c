// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

package import BeaconCore

/// The kernel's command to a controller that advertises, as its monitor channel shows it.
///
/// BlueZ does not report the interval of an advertisement; these commands do (Bluetooth Core, Vol 4, Part E, 7.8.5 and
/// 7.8.53).
package struct AdvertisingCommand: Sendable, Equatable {
  /// The number of the adapter.
  package let adapter: UInt16
  /// The shortest and the longest interval between two packets.
  package let interval: ClosedRange<TimeSpan>

  /// The opcode of a command in the monitor channel.
  static let commandOpcode: UInt16 = 2
  /// LE Set Advertising Parameters.
  static let setParameters: UInt16 = 0x2006
  /// LE Set Extended Advertising Parameters.
  static let setExtendedParameters: UInt16 = 0x2036
  /// The unit of the intervals, in microseconds.
  private static let unit: Int64 = 625

  /// Reads a packet of the monitor channel; `nil` if it is no such command.
  package init?(_ packet: borrowing Span<UInt8>) {
    let header = MonitorFrame.headerCount
    guard packet.count >= header + 3, packet.littleEndian16(at: 0) == Self.commandOpcode else {
      return nil
    }
    let parameters = header + 3
    let (shortest, longest): (Int64, Int64)
    switch packet.littleEndian16(at: header) {
    case Self.setParameters where packet.count >= parameters + 4:
      shortest = Int64(packet.littleEndian16(at: parameters))
      longest = Int64(packet.littleEndian16(at: parameters + 2))
    case Self.setExtendedParameters where packet.count >= parameters + 9:
      // After the handle and the event's properties; three bytes each.
      shortest = Self.number(packet, at: parameters + 3)
      longest = Self.number(packet, at: parameters + 6)
    default:
      return nil
    }
    guard shortest <= longest else { return nil }
    adapter = packet.littleEndian16(at: 2)
    interval =
      TimeSpan(microseconds: shortest * Self.unit)...TimeSpan(microseconds: longest * Self.unit)
  }

  private static func number(_ packet: borrowing Span<UInt8>, at offset: Int) -> Int64 {
    Int64(packet.littleEndian16(at: offset)) | Int64(packet[offset + 2]) << 16
  }
}
