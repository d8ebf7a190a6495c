// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

/// What a tick says of one constraint that a client ranges.
public struct ConstraintRanging: Sendable, Equatable {
  /// The constraint that all the beacons satisfy.
  public var constraint: IdentityConstraint
  /// The beacons heard, or silent for no longer than they linger: nearest first, unknown last.
  public var beacons: [RangedBeacon]
}
