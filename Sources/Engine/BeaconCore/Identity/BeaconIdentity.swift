// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

/// The identity that a beacon transmits: a UUID with a major and a minor number.
///
/// It is not unique in practice: hundreds of transmitters were found to share one.
public struct BeaconIdentity: Sendable, Hashable {
  /// The proximity UUID; the first octet transmitted is the most significant.
  public let uuid: UInt128
  /// The major number; 0 and 65535 are ordinary values.
  public let major: UInt16
  /// The minor number; 0 and 65535 are ordinary values.
  public let minor: UInt16

  /// Creates an identity.
  @inlinable
  public init(uuid: UInt128, major: UInt16, minor: UInt16) {
    self.uuid = uuid
    self.major = major
    self.minor = minor
  }
}

extension BeaconIdentity: Comparable {
  /// Orders identities by UUID, then major, then minor.
  public static func < (lhs: BeaconIdentity, rhs: BeaconIdentity) -> Bool {
    if lhs.uuid != rhs.uuid { return lhs.uuid < rhs.uuid }
    if lhs.major != rhs.major { return lhs.major < rhs.major }
    return lhs.minor < rhs.minor
  }
}

extension BeaconIdentity {
  /// The UUID as text, for Foundation's `UUID(uuidString:)`.
  public var uuidString: String { UUIDText.string(uuid) }
}

extension BeaconIdentity: CustomStringConvertible {
  /// The identity as `UUID/MAJOR/MINOR`.
  public var description: String { "\(UUIDText.string(uuid))/\(major)/\(minor)" }
}
