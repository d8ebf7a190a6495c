// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

/// How near a beacon is.
public enum CLProximity: Int, Sendable {
  /// Not known: no packet was received lately, or none that allows a distance estimate.
  case unknown = 0
  /// Within about half a meter.
  case immediate = 1
  /// Within about three meters.
  case near = 2
  /// Received, and farther away than near.
  case far = 3
}
