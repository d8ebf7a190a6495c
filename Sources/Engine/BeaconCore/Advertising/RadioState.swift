// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

/// Whether a receiver is able to receive.
public enum RadioState: String, Sendable, CaseIterable {
  /// Powered and scanning.
  case listening
  /// Switched off, or not scanning.
  case off
  /// Scanning, and receiving nothing although it should.
  case deaf
  /// No longer present.
  case gone
}
