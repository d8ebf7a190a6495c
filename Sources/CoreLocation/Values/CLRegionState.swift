// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

/// Whether the program is among a region's beacons.
public enum CLRegionState: Int, Sendable {
  /// Nothing can be said; never a reason to say "left".
  case unknown = 0
  /// At least one of the region's beacons is heard.
  case inside = 1
  /// None is.
  case outside = 2
}
