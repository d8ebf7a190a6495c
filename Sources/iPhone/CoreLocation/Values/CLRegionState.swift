// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

/// Whether the program is inside a region.
public enum CLRegionState: Int, Sendable {
  /// Not known. This never means that the region was left.
  case unknown = 0
  /// At least one of the region's beacons is received.
  case inside = 1
  /// None of the region's beacons is received.
  case outside = 2
}
