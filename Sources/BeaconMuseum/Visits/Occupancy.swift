// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

public import BeaconCore

/// Who was there in one quarter of an hour.
public struct Occupancy: Sendable, Hashable {
  /// When the quarter begins: a whole quarter of an hour of UTC.
  public var start: Timestamp
  /// Visitors who were there for any part of it.
  public var visitors: Int
  /// The most at one moment.
  public var peak: Int
}
