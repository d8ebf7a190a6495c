// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

/// What the kernel knows of an adapter.
package struct MonitorAdapter: Sendable, Equatable {
  /// The adapter's number, as in `hci0`.
  package let number: UInt16
  /// Its address; `nil` until the kernel has asked it.
  package var address: UInt64?
  /// Its name, such as `hci0`.
  package var name: String
  /// Whether it is switched on.
  package var isOpen: Bool

  /// Creates an adapter.
  package init(number: UInt16, address: UInt64?, name: String, isOpen: Bool = false) {
    self.number = number
    self.address = address
    self.name = name
    self.isOpen = isOpen
  }

  /// Whether it may be the adapter that BlueZ gives an address, as `AA:BB:CC:DD:EE:FF`.
  ///
  /// A bus can be another machine's; then numbers are alike and addresses are not.
  package func mayHave(address text: String) -> Bool {
    guard let address else { return true }
    let digits = text.utf8.filter { $0 != UInt8(ascii: ":") }
    return UInt64(String(decoding: digits, as: UTF8.self), radix: 16) == address
  }
}
