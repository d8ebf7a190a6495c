// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

/// A tick's result for one constraint that a client ranges.
public struct ConstraintRanging: Sendable, Equatable {
  /// The constraint that all the beacons satisfy.
  public var constraint: IdentityConstraint
  /// The beacons received lately, in order of distance; those of unknown distance come last.
  public var beacons: [RangedBeacon]

  /// Creates a constraint's part of a tick.
  package init(constraint: IdentityConstraint, beacons: [RangedBeacon]) {
    self.constraint = constraint
    self.beacons = beacons
  }
}
