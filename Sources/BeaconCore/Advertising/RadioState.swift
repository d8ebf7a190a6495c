// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

/// What a receiver is able to hear.
public enum RadioState: String, Sendable, CaseIterable {
  /// Powered and scanning.
  case listening
  /// Switched off, or not scanning.
  case off
  /// Scanning, and hearing nothing it should.
  case deaf
  /// No longer there.
  case gone
}
