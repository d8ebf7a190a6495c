// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

public import BeaconCore

/// The number of visitors in one quarter of an hour.
public struct Occupancy: Sendable, Hashable {
  /// The start of the time: a whole quarter of an hour, or midnight, in UTC.
  public var start: Timestamp
  /// The number of visitors who were there for any part of it.
  public var visitors: Int
  /// The largest number of visitors at the same time.
  public var peak: Int
}
