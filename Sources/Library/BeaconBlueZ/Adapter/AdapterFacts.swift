// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

/// The properties of an adapter when BlueZ first describes it.
package struct AdapterFacts: Sendable, Equatable {
  /// The object's path, such as `/org/bluez/hci0`.
  ///
  /// It may change when the adapter is unplugged and plugged in again.
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
