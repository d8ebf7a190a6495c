// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

/// The way of reports from an adapter to this program.
///
/// On either way BlueZ starts discovery.
public enum ReportPath: String, Sendable {
  /// Through the kernel's monitor channel if that is permitted, otherwise over D-Bus.
  case automatic
  /// Over D-Bus: the manufacturer data in BlueZ's signals, with the time at which this program reads them.
  case dbus
  /// Through the kernel's monitor channel: whole packets with the kernel's times. This needs `CAP_NET_RAW`.
  case kernel
}
