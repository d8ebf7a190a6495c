// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

/// What visitors did in one room.
public struct RoomStatistics: Sendable, Hashable {
  /// The room, an index into the plan.
  public let room: Int
  /// Visitors who were there.
  public let visitors: Int
  /// How long each of them was there in all, in seconds; `nil` where nobody was.
  public let time: Distribution?
}
