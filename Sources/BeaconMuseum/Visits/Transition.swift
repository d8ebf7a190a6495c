// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

/// Going on from one place to the next.
public struct Transition: Sendable, Hashable {
  /// From where, an index into the plan.
  public var from: Int
  /// To where.
  public var to: Int
  /// How often.
  public var count: Int
  /// How many visitors did it at least once.
  public var visitors: Int
}
