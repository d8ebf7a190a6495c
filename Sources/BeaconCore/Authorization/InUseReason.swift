// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

/// Why a client counts as in use; more reasons may come.
public enum InUseReason: String, Sendable, CaseIterable {
  /// It is in the foreground.
  case foreground
  /// It left the foreground a moment ago.
  case grace
  /// It keeps a continuous session in the background, and the indicator says so.
  case session
}
