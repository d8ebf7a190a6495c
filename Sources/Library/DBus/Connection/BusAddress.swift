// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

internal import CDBus
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
    system(
      set: unsafe getenv("DBUS_SYSTEM_BUS_ADDRESS").map { unsafe String(cString: $0) },
      hasMoreRights: getauxval(UInt(AT_SECURE)) != 0
    )
  }

  /// Returns the address of the system bus.
  ///
  /// - Parameters:
  ///   - set: The value of `DBUS_SYSTEM_BUS_ADDRESS`; `nil` if it is not set.
  ///   - hasMoreRights: Whether this process has more rights than the user who started it, because of its file. Then the
  ///     user's variable does not count: an address can even name a program to run.
  /// - Returns: The address.
  package static func system(set: String?, hasMoreRights: Bool) -> BusAddress {
    guard let set, !set.isEmpty, !hasMoreRights else {
      return BusAddress("unix:path=/var/run/dbus/system_bus_socket")
    }
    return BusAddress(set)
  }
}
