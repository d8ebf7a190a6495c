// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

/// What BlueZ says of an adapter when it is found.
package struct AdapterFacts: Sendable, Equatable {
  /// The object's path, such as `/org/bluez/hci0`; it may be another one after the adapter was unplugged.
  package var path: String
  /// Whether the adapter is powered.
  package var isPowered: Bool
  /// Whether discovery is running, for any program.
  package var isDiscovering: Bool
  /// Whether advertisement monitors can be registered (`bluetoothd --experimental`).
  package var acceptsMonitors: Bool

  /// Creates facts.
  package init(path: String, isPowered: Bool, isDiscovering: Bool, acceptsMonitors: Bool) {
    self.path = path
    self.isPowered = isPowered
    self.isDiscovering = isDiscovering
    self.acceptsMonitors = acceptsMonitors
  }
}
