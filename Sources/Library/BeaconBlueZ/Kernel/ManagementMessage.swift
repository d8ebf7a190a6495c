// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

/// The messages of the kernel's Bluetooth control channel that a monitor needs (BlueZ `doc/mgmt-api.txt`).
///
/// All numbers are little-endian. A message starts with opcode, controller and length, two bytes each, and the
/// parameters follow.
package enum ManagementMessage {
  /// Read Advertisement Monitor Features.
  package static let readMonitors: UInt16 = 0x0051
  /// Add Advertisement Patterns Monitor.
  package static let addMonitor: UInt16 = 0x0052
  /// Remove Advertisement Monitor.
  package static let removeMonitor: UInt16 = 0x0053
  static let commandComplete: UInt16 = 0x0001
  static let commandStatus: UInt16 = 0x0002
  static let discovering: UInt16 = 0x0013
  static let monitorRemoved: UInt16 = 0x0031
  /// The size of the field for a pattern's value, whatever the value's length.
  private static let valueRoom = 31

  /// A message from the kernel.
  package enum Event: Sendable, Equatable {
    /// A command ended; the status is 0 if it succeeded.
    case completed(command: UInt16, controller: UInt16, status: UInt8, parameters: [UInt8])
    /// The kernel's discovery ended, whichever program started it.
    case discoveryEnded(controller: UInt16)
    /// This or another program removed a monitor.
    case monitorRemoved(controller: UInt16, handle: UInt16)
  }

  private static func command(
    _ command: UInt16,
    _ controller: UInt16,
    _ parameters: [UInt8]
  ) -> [UInt8] {
    bytes(command) + bytes(controller) + bytes(UInt16(clamping: parameters.count)) + parameters
  }

  private static func bytes(_ number: UInt16) -> [UInt8] {
    [UInt8(truncatingIfNeeded: number), UInt8(truncatingIfNeeded: number >> 8)]
  }

  /// Returns the message that asks for the existing monitors.
  package static func reading(_ controller: UInt16) -> [UInt8] {
    command(readMonitors, controller, [])
  }

  /// Returns the message that adds a monitor for iBeacon frames.
  ///
  /// It has one pattern for AD type 0xFF, from the first byte: Apple's company identifier, then 02 15.
  package static func adding(_ controller: UInt16) -> [UInt8] {
    let value: [UInt8] = [0x4C, 0x00, 0x02, 0x15]
    let padding = [UInt8](repeating: 0, count: valueRoom - value.count)
    return command(addMonitor, controller, [1, 0xFF, 0, UInt8(value.count)] + value + padding)
  }

  /// Returns the message that removes a monitor.
  package static func removing(_ handle: UInt16, _ controller: UInt16) -> [UInt8] {
    command(removeMonitor, controller, bytes(handle))
  }

  /// Reads a message from the kernel; `nil` if it does not matter here or is too short.
  package static func event(_ message: [UInt8]) -> Event? {
    guard let event = number(message, 0), let controller = number(message, 2),
      let length = number(message, 4), message.count >= 6 + Int(length)
    else { return nil }
    let body = Array(message[6..<6 + Int(length)])
    switch event {
    case commandComplete, commandStatus:
      guard let command = number(body, 0), body.count >= 3 else { return nil }
      return .completed(
        command: command,
        controller: controller,
        status: body[2],
        parameters: Array(body.dropFirst(3))
      )
    case discovering:
      // The type of addresses comes first.
      return body.count >= 2 && body[1] == 0 ? .discoveryEnded(controller: controller) : nil
    case monitorRemoved:
      return number(body, 0).map { .monitorRemoved(controller: controller, handle: $0) }
    default:
      return nil
    }
  }

  /// Reads the handles of the existing monitors, which follow two words of features, two limits and their count.
  package static func handles(_ parameters: [UInt8]) -> [UInt16]? {
    guard let count = number(parameters, 11), parameters.count >= 13 + 2 * Int(count) else {
      return nil
    }
    return (0..<Int(count)).compactMap { number(parameters, 13 + 2 * $0) }
  }

  /// Reads the handle of an added monitor.
  package static func handle(_ parameters: [UInt8]) -> UInt16? { number(parameters, 0) }

  private static func number(_ bytes: [UInt8], _ index: Int) -> UInt16? {
    guard index + 2 <= bytes.count else { return nil }
    return UInt16(bytes[index]) | UInt16(bytes[index + 1]) << 8
  }
}
