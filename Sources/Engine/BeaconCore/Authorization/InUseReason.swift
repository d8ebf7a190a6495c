// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

/// Why a client counts as in use; later versions may add reasons.
package enum InUseReason: String, Sendable, CaseIterable {
  /// It is in the foreground.
  case foreground
  /// It left the foreground not long ago.
  case grace
  /// It has a continuous session in the background, which the indicator shows.
  case session
}
