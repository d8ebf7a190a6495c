// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

internal import Glibc

/// The address of a bus, in the form of the D-Bus Specification ("Server Addresses").
package struct BusAddress: Sendable, Equatable {
  /// The address as libdbus reads it.
  package let text: String

  /// Creates an address from its text.
  package init(_ text: String) {
    self.text = text
  }

  /// The system bus: the value of `DBUS_SYSTEM_BUS_ADDRESS`, or the specification's default address.
  package static var system: BusAddress {
    if let set = unsafe getenv("DBUS_SYSTEM_BUS_ADDRESS"), unsafe set.pointee != 0 {
      return BusAddress(unsafe String(cString: set))
    }
    return BusAddress("unix:path=/var/run/dbus/system_bus_socket")
  }
}
