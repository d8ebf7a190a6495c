// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

internal import BeaconCore

/// A condition on a beacon's identity: a UUID, optionally a major, and with it optionally a minor.
open class CLBeaconIdentityCondition: NSObject, NSCopying, NSSecureCoding,
  @unchecked Sendable
{
  // All stored properties are constant, so the class is safe to share.

  private let values: Values

  private struct Values: Hashable, Codable {
    let uuid: UUID
    let major: CLBeaconMajorValue?
    let minor: CLBeaconMinorValue?
  }

  /// Creates the condition of every beacon of a UUID.
  public init(uuid: UUID) {
    values = Values(uuid: uuid, major: nil, minor: nil)
  }

  /// Creates the condition of every beacon of a UUID and a major.
  public init(uuid: UUID, major: CLBeaconMajorValue) {
    values = Values(uuid: uuid, major: major, minor: nil)
  }

  /// Creates the condition of one identity.
  public init(uuid: UUID, major: CLBeaconMajorValue, minor: CLBeaconMinorValue) {
    values = Values(uuid: uuid, major: major, minor: minor)
  }

  init(_ constraint: IdentityConstraint) {
    values = Values(
      uuid: UUID(constraint.uuid),
      major: constraint.major,
      minor: constraint.minor
    )
  }

  /// Creates a condition from an archive.
  public required init?(coder: NSCoder) {
    guard let values = coder.decodeValues(Values.self, forKey: "condition") else { return nil }
    self.values = values
  }

  /// Writes the condition to an archive.
  open func encode(with coder: NSCoder) { coder.encodeValues(values, forKey: "condition") }

  /// Whether archives of conditions are safe to read.
  public class var supportsSecureCoding: Bool { true }

  /// The UUID that a beacon must have.
  open var uuid: UUID { values.uuid }
  /// The major that a beacon must have; `nil` for any.
  open var major: CLBeaconMajorValue? { values.major }
  /// The minor that a beacon must have; `nil` for any.
  open var minor: CLBeaconMinorValue? { values.minor }

  // Computed each time: a class that stores the 128 bits of a core UUID behind Foundation's superclass is laid out
  // wrongly (Swift 6.3.1, x86-64).
  var constraint: IdentityConstraint { IdentityConstraint(values.uuid, values.major, values.minor) }

  /// Returns the condition itself, which never changes.
  open func copy(with zone: NSZone? = nil) -> Any { self }

  /// Conditions with the same values are equal.
  open override func isEqual(_ object: Any?) -> Bool {
    guard let other = object as? CLBeaconIdentityCondition else { return false }
    return other.values == values
  }

  /// Equal conditions have equal hashes.
  open override var hash: Int { values.hashValue }

  /// The condition as `UUID[/MAJOR[/MINOR]]`.
  open override var description: String { constraint.description }
}
