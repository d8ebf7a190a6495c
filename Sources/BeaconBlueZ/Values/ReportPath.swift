// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

/// The way that reports come from an adapter; discovery is started through BlueZ on either.
public enum ReportPath: String, Sendable {
  /// Through the kernel's monitor channel where that is permitted, else over D-Bus.
  case automatic
  /// Over D-Bus: the manufacturer data in BlueZ's signals, with the time at which they are read.
  case dbus
  /// Through the kernel's monitor channel: whole packets with the kernel's times. It needs `CAP_NET_RAW`.
  case kernel
}
