// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

internal import BeaconCore

/// A condition on a beacon's identity: a UUID, optionally a major, and with it optionally a minor.
open class CLBeaconIdentityCondition: NSObject, NSCopying, @unchecked Sendable {
  // All stored properties are constant, so the class is safe to share.

  /// The UUID that a beacon must have.
  public let uuid: UUID
  /// The major that a beacon must have; `nil` for any.
  public let major: CLBeaconMajorValue?
  /// The minor that a beacon must have; `nil` for any.
  public let minor: CLBeaconMinorValue?

  /// Creates the condition of every beacon of a UUID.
  public init(uuid: UUID) {
    (self.uuid, major, minor) = (uuid, nil, nil)
  }

  /// Creates the condition of every beacon of a UUID and a major.
  public init(uuid: UUID, major: CLBeaconMajorValue) {
    (self.uuid, self.major, minor) = (uuid, major, nil)
  }

  /// Creates the condition of one identity.
  public init(uuid: UUID, major: CLBeaconMajorValue, minor: CLBeaconMinorValue) {
    (self.uuid, self.major, self.minor) = (uuid, major, minor)
  }

  init(_ constraint: IdentityConstraint) {
    (uuid, major, minor) = (UUID(constraint.uuid), constraint.major, constraint.minor)
  }

  // Computed each time: a class that stores the 128 bits of a core UUID behind Foundation's superclass is laid out
  // wrongly (Swift 6.3.1, x86-64).
  var constraint: IdentityConstraint { IdentityConstraint(uuid, major, minor) }

  /// Returns the condition itself, which never changes.
  open func copy(with zone: NSZone? = nil) -> Any { self }

  /// Conditions with the same values are equal.
  open override func isEqual(_ object: Any?) -> Bool {
    guard let other = object as? CLBeaconIdentityCondition else { return false }
    return (other.uuid, other.major, other.minor) == (uuid, major, minor)
  }

  /// Equal conditions have equal hashes.
  open override var hash: Int {
    var hasher = Hasher()
    hasher.combine(uuid)
    hasher.combine(major)
    hasher.combine(minor)
    return hasher.finalize()
  }

  /// The condition as `UUID[/MAJOR[/MINOR]]`.
  open override var description: String { constraint.description }
}
