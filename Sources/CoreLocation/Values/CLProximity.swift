// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

/// How near a beacon is.
public enum CLProximity: Int, Sendable {
  /// Nothing can be said: no packet came lately, or none that tells a distance.
  case unknown = 0
  /// Within about half a meter.
  case immediate = 1
  /// Within about three meters.
  case near = 2
  /// Heard, and farther than near.
  case far = 3
}
