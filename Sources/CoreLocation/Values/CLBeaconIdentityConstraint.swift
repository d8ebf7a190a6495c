// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

internal import BeaconCore

/// Which beacons are meant: a UUID, optionally with a major, optionally with a minor.
open class CLBeaconIdentityCondition: NSObject, NSCopying, @unchecked Sendable {
  // All that is stored is constant, which makes the class safe to share.

  let constraint: IdentityConstraint
  /// The UUID that a beacon must have.
  public let uuid: UUID

  /// Creates the condition of every beacon of a UUID.
  public init(uuid: UUID) {
    (self.uuid, constraint) = (uuid, IdentityConstraint(uuid, nil, nil))
  }

  /// Creates the condition of every beacon of a UUID and a major.
  public init(uuid: UUID, major: CLBeaconMajorValue) {
    (self.uuid, constraint) = (uuid, IdentityConstraint(uuid, major, nil))
  }

  /// Creates the condition of one identity.
  public init(uuid: UUID, major: CLBeaconMajorValue, minor: CLBeaconMinorValue) {
    (self.uuid, constraint) = (uuid, IdentityConstraint(uuid, major, minor))
  }

  init(_ constraint: IdentityConstraint) {
    (uuid, self.constraint) = (UUID(constraint.uuid), constraint)
  }

  /// The major that a beacon must have; `nil` when any will do.
  public var major: CLBeaconMajorValue? { constraint.major }

  /// The minor that a beacon must have; `nil` when any will do.
  public var minor: CLBeaconMinorValue? { constraint.minor }

  /// Returns the condition itself, which never changes.
  open func copy(with zone: NSZone? = nil) -> Any { self }

  /// Conditions that say the same are equal.
  open override func isEqual(_ object: Any?) -> Bool {
    (object as? CLBeaconIdentityCondition)?.constraint == constraint
  }

  /// Equal conditions have equal hashes.
  open override var hash: Int { constraint.hashValue }

  /// The condition as `UUID[/MAJOR[/MINOR]]`.
  open override var description: String { constraint.description }
}

/// Which beacons are to be ranged or mark a region.
open class CLBeaconIdentityConstraint: CLBeaconIdentityCondition, @unchecked Sendable {
  // Nothing is added to what the superclass stores.
}
