// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

/// Whether a program may know of beacons and regions.
public enum CLAccuracyAuthorization: Int, Sendable {
  /// Precise: ranging and monitoring work as far as the authorization status allows.
  case fullAccuracy = 0
  /// Approximate: neither ranging nor monitoring delivers anything.
  case reducedAccuracy = 1
}
