// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

internal import Beacons

extension CLMonitor {
  /// The beacons that satisfy a condition: a UUID, optionally a major, and with it optionally a minor.
  public struct BeaconIdentityCondition: CLCondition, Hashable {
    /// The UUID that a beacon must have.
    public let uuid: UUID
    /// The major that a beacon must have; `nil` for any.
    public let major: UInt16?
    /// The minor that a beacon must have; `nil` for any.
    public let minor: UInt16?

    /// Creates the condition of every beacon of a UUID.
    public init(uuid: UUID) {
      (self.uuid, major, minor) = (uuid, nil, nil)
    }

    /// Creates the condition of every beacon of a UUID and a major.
    public init(uuid: UUID, major: UInt16) {
      (self.uuid, self.major, minor) = (uuid, major, nil)
    }

    /// Creates the condition of one identity.
    public init(uuid: UUID, major: UInt16, minor: UInt16) {
      (self.uuid, self.major, self.minor) = (uuid, major, minor)
    }

    init(_ constraint: IdentityConstraint) {
      (uuid, major, minor) = (UUID(constraint.uuid), constraint.major, constraint.minor)
    }

    var constraint: IdentityConstraint { IdentityConstraint(uuid, major, minor) }
  }
}
