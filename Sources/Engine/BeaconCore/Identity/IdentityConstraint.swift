// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

/// A set of beacons: all of a UUID, of a UUID and a major, or of one identity.
///
/// As in Core Location, a minor needs a major. Constraints compare by value.
public enum IdentityConstraint: Sendable, Hashable {
  /// Every beacon of a UUID.
  case uuid(UInt128)
  /// Every beacon of a UUID and a major.
  case major(UInt128, UInt16)
  /// One identity.
  case minor(BeaconIdentity)

  /// The UUID that a beacon must have.
  public var uuid: UInt128 {
    switch self {
    case .uuid(let uuid), .major(let uuid, _): uuid
    case .minor(let identity): identity.uuid
    }
  }

  /// The major that a beacon must have; `nil` when any satisfies.
  public var major: UInt16? {
    switch self {
    case .uuid: nil
    case .major(_, let major): major
    case .minor(let identity): identity.major
    }
  }

  /// The minor that a beacon must have; `nil` when any satisfies.
  public var minor: UInt16? {
    switch self {
    case .uuid, .major: nil
    case .minor(let identity): identity.minor
    }
  }

  /// Returns whether a beacon satisfies the constraint.
  public func isSatisfied(by identity: BeaconIdentity) -> Bool {
    switch self {
    case .uuid(let uuid): identity.uuid == uuid
    case .major(let uuid, let major): identity.uuid == uuid && identity.major == major
    case .minor(let exact): identity == exact
    }
  }
}

extension IdentityConstraint: Comparable {
  /// Orders constraints by UUID, then major, then minor; a missing number comes first.
  public static func < (lhs: IdentityConstraint, rhs: IdentityConstraint) -> Bool {
    if lhs.uuid != rhs.uuid { return lhs.uuid < rhs.uuid }
    let (left, right) = (lhs.major.map(Int.init) ?? -1, rhs.major.map(Int.init) ?? -1)
    if left != right { return left < right }
    return (lhs.minor.map(Int.init) ?? -1) < (rhs.minor.map(Int.init) ?? -1)
  }
}

extension IdentityConstraint: CustomStringConvertible {
  /// The constraint as `UUID[/MAJOR[/MINOR]]`, the form that ``init(parsing:)`` reads.
  public var description: String {
    let uuid = UUIDText.string(uuid)
    guard let major else { return uuid }
    guard let minor else { return "\(uuid)/\(major)" }
    return "\(uuid)/\(major)/\(minor)"
  }
}
