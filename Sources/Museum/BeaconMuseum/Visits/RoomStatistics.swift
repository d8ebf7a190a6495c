// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

/// What visitors did in one room.
public struct RoomStatistics: Sendable, Hashable {
  /// The room's index in the plan.
  public let room: Int
  /// The number of visitors who were there.
  public let visitors: Int
  /// How long each of them was there in total, in seconds; `nil` without a visitor.
  public let time: Distribution?
}

/// For how long nothing is known of visitors, for one reason.
public struct GapStatistics: Sendable, Hashable {
  /// The reason.
  public let reason: Visit.Gap.Reason
  /// The number of visitors with such a time.
  public let visitors: Int
  /// How long it was in total for each of them, in seconds; `nil` without one.
  public let time: Distribution?
}
