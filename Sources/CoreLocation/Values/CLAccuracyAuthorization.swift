// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

/// Whether a program may know beacons and regions at all.
public enum CLAccuracyAuthorization: Int, Sendable {
  /// Precise: ranging and monitoring work as far as the status grants them.
  case fullAccuracy = 0
  /// Approximate: neither ranging nor monitoring tells anything.
  case reducedAccuracy = 1
}
