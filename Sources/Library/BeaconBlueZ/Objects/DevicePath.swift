// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

/// The parts of a device's object path, such as `/org/bluez/hci0/dev_C0_00_00_00_00_01`.
struct DevicePath: Equatable {
  /// The path of the daemon's objects.
  private static let root: StaticString = "/org/bluez/hci"
  private static let device: StaticString = "/dev_"

  /// The kernel's number of the adapter.
  let adapter: UInt16
  /// The device's address, with the octet that is written first in bits 40 to 47.
  let address: UInt64

  /// Adapter and address in one number, as the key of a table.
  var key: UInt64 { UInt64(adapter) << 48 | address }

  /// Reads a path; `nil` if it is not the path of a device.
  init?(_ path: borrowing Span<UInt8>) {
    var index = 0
    guard Self.skip(Self.root, in: path, at: &index),
      let adapter = Self.number(in: path, at: &index),
      Self.skip(Self.device, in: path, at: &index),
      let address = Self.address(in: path, at: &index),
      index == path.count
    else { return nil }
    self.adapter = adapter
    self.address = address
  }

  /// Returns the number of the adapter with a path such as `/org/bluez/hci0`.
  static func adapterNumber(of path: borrowing Span<UInt8>) -> UInt16? {
    var index = 0
    guard skip(root, in: path, at: &index), let number = number(in: path, at: &index) else {
      return nil
    }
    return index == path.count ? number : nil
  }

  private static func skip(
    _ text: StaticString,
    in path: borrowing Span<UInt8>,
    at index: inout Int
  ) -> Bool {
    guard path.count - index >= text.utf8CodeUnitCount else { return false }
    for offset in 0..<text.utf8CodeUnitCount {
      guard unsafe path[index + offset] == text.utf8Start[offset] else { return false }
    }
    index += text.utf8CodeUnitCount
    return true
  }

  private static func number(in path: borrowing Span<UInt8>, at index: inout Int) -> UInt16? {
    var number: UInt32 = 0
    let start = index
    while index < path.count, case let digit = path[index] &- UInt8(ascii: "0"), digit < 10 {
      number = number * 10 + UInt32(digit)
      guard number <= UInt32(UInt16.max) else { return nil }
      index += 1
    }
    return index == start ? nil : UInt16(number)
  }

  private static func address(in path: borrowing Span<UInt8>, at index: inout Int) -> UInt64? {
    // Six octets of two digits each, with five underscores between them.
    guard path.count - index == 17 else { return nil }
    var address: UInt64 = 0
    for octet in 0..<6 {
      let place = index + octet * 3
      guard let high = digit(path[place]), let low = digit(path[place + 1]),
        octet == 5 || path[place + 2] == UInt8(ascii: "_")
      else { return nil }
      address = address << 8 | UInt64(high << 4 | low)
    }
    index += 17
    return address
  }

  private static func digit(_ byte: UInt8) -> UInt8? {
    switch byte {
    case UInt8(ascii: "0")...UInt8(ascii: "9"): byte - UInt8(ascii: "0")
    case UInt8(ascii: "A")...UInt8(ascii: "F"): byte - UInt8(ascii: "A") + 10
    case UInt8(ascii: "a")...UInt8(ascii: "f"): byte - UInt8(ascii: "a") + 10
    default: nil
    }
  }
}
