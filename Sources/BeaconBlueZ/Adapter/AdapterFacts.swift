// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

/// What BlueZ tells of an adapter when it is found.
package struct AdapterFacts: Sendable, Equatable {
  /// The object's path, such as `/org/bluez/hci0`; it may be another after the adapter was unplugged.
  package var path: String
  /// Whether the adapter is powered.
  package var isPowered: Bool
  /// Whether somebody's discovery is running.
  package var isDiscovering: Bool
  /// Whether advertisement monitors can be registered (`bluetoothd --experimental`).
  package var takesMonitors: Bool

  /// Creates facts.
  package init(path: String, isPowered: Bool, isDiscovering: Bool, takesMonitors: Bool) {
    self.path = path
    self.isPowered = isPowered
    self.isDiscovering = isDiscovering
    self.takesMonitors = takesMonitors
  }
}
