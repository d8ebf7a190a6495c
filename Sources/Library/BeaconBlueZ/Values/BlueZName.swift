// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

/// BlueZ's names on the bus.
enum BlueZName {
  /// The bus name of the daemon.
  static let service = "org.bluez"
  /// The path under which the daemon's objects are.
  static let root = "/org/bluez"
  /// The interface of an adapter.
  static let adapter = "org.bluez.Adapter1"
  /// The interface of an adapter that accepts advertisement monitors.
  static let monitorManager = "org.bluez.AdvertisementMonitorManager1"
  /// The interface of an adapter with which programs can register advertisements.
  static let advertisingManager = "org.bluez.LEAdvertisingManager1"
}
