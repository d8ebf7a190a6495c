// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

/// A move of visitors from one place to the next.
public struct Transition: Sendable, Hashable {
  /// The index in the plan of the place they left.
  public var from: Int
  /// The index in the plan of the place they went to.
  public var to: Int
  /// How often it happened.
  public var count: Int
  /// The number of visitors who made it at least once.
  public var visitors: Int
}
