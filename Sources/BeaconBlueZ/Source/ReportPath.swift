// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

/// The way reports come from an adapter; BlueZ drives discovery on either.
public enum ReportPath: String, Sendable {
  /// Through the kernel's monitor channel where that is permitted, else over D-Bus.
  case automatic
  /// Over D-Bus: the manufacturer data of what BlueZ tells, with the time it came here.
  case dbus
  /// Through the kernel's monitor channel: every packet whole, with the kernel's time. It needs `CAP_NET_RAW`.
  case kernel
}
