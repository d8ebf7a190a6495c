// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

/// The messages of the kernel's Bluetooth control channel for a monitor and for an advertisement (BlueZ
/// `doc/mgmt-api.txt`).
///
/// All numbers are little-endian. A message starts with opcode, controller and length, two bytes each, and the
/// parameters follow.
package enum ManagementMessage {
  /// Read Advertising Features.
  package static let readAdvertising: UInt16 = 0x003D
  /// Add Advertising.
  package static let addAdvertising: UInt16 = 0x003E
  /// Remove Advertising.
  package static let removeAdvertising: UInt16 = 0x003F
  /// Read Advertisement Monitor Features.
  package static let readMonitors: UInt16 = 0x0051
  /// Add Advertisement Patterns Monitor.
  package static let addMonitor: UInt16 = 0x0052
  /// Remove Advertisement Monitor.
  package static let removeMonitor: UInt16 = 0x0053
  static let commandComplete: UInt16 = 0x0001
  static let commandStatus: UInt16 = 0x0002
  static let discovering: UInt16 = 0x0013
  static let advertisingRemoved: UInt16 = 0x0024
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
    /// An advertisement was removed, or its time is over.
    case advertisingRemoved(controller: UInt16, instance: UInt8)
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

  /// Returns the message that asks for the numbers of the advertisements.
  package static func readingAdvertising(_ controller: UInt16) -> [UInt8] {
    command(readAdvertising, controller, [])
  }

  /// Returns the message that adds an advertisement, or replaces the one of its number.
  ///
  /// Connections are not accepted, and the kernel adds the Flags structure (bit 3).
  ///
  /// `data` are the other AD structures, at most 28 bytes; `instance` counts from 1; after `seconds` the kernel removes it.
  package static func adding(
    _ data: [UInt8],
    instance: UInt8,
    seconds: UInt16,
    _ controller: UInt16
  ) -> [UInt8] {
    // Instance, flags, the time of a turn among several advertisements (the kernel's choice), and the time until it ends.
    let head = [instance, 0x08, 0, 0, 0, 0, 0] + bytes(seconds)
    return command(addAdvertising, controller, head + [UInt8(clamping: data.count), 0] + data)
  }

  /// Returns the message that removes an advertisement.
  package static func removingAdvertising(_ instance: UInt8, _ controller: UInt16) -> [UInt8] {
    command(removeAdvertising, controller, [instance])
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
    case advertisingRemoved:
      return body.first.map { .advertisingRemoved(controller: controller, instance: $0) }
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

  /// Reads how many advertisements a controller can send, and the numbers of those that exist: they follow a word of
  /// flags and two greatest lengths.
  package static func advertising(_ parameters: [UInt8]) -> (possible: UInt8, used: [UInt8])? {
    guard parameters.count >= 8, parameters.count >= 8 + Int(parameters[7]) else { return nil }
    return (parameters[6], Array(parameters[8..<8 + Int(parameters[7])]))
  }

  /// Reads the handle of an added monitor.
  package static func handle(_ parameters: [UInt8]) -> UInt16? { number(parameters, 0) }

  private static func number(_ bytes: [UInt8], _ index: Int) -> UInt16? {
    guard index + 2 <= bytes.count else { return nil }
    return UInt16(bytes[index]) | UInt16(bytes[index + 1]) << 8
  }
}
