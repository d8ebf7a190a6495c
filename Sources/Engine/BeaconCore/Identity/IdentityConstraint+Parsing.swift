// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

/// The faults of the text of an identity constraint.
public enum IdentitySyntaxError: Error, Sendable, Equatable {
  /// The first part is not a UUID.
  case notAUUID(String)
  /// The named part (`major` or `minor`) is not a whole number from 0 to 65535.
  case notANumber(part: String, found: String)
  /// There is more after the minor.
  case tooManyParts
}

extension IdentitySyntaxError: CustomStringConvertible {
  /// The fault, and its correction.
  public var description: String {
    switch self {
    case .notAUUID(let found):
      "'\(found)' is not a UUID; write 32 hexadecimal digits as 8-4-4-4-12"
    case .notANumber(let part, let found):
      "\(part) '\(found)' is not a whole number from 0 to 65535"
    case .tooManyParts:
      "too many parts; write UUID, UUID/MAJOR or UUID/MAJOR/MINOR"
    }
  }
}

extension IdentityConstraint {
  /// Parses `UUID[/MAJOR[/MINOR]]`.
  ///
  /// - Throws: ``IdentitySyntaxError`` naming the part that is wrong.
  public init(parsing text: some StringProtocol) throws(IdentitySyntaxError) {
    let parts = text.split(separator: "/", omittingEmptySubsequences: false)
    guard let uuid = UUIDText.parse(parts[0]) else { throw .notAUUID(String(parts[0].prefix(64))) }
    guard parts.count <= 3 else { throw .tooManyParts }
    guard parts.count > 1 else {
      self = .uuid(uuid)
      return
    }
    let major = try Self.number(parts[1], part: "major")
    guard parts.count > 2 else {
      self = .major(uuid, major)
      return
    }
    let minor = try Self.number(parts[2], part: "minor")
    self = .minor(BeaconIdentity(uuid: uuid, major: major, minor: minor))
  }

  private static func number(
    _ text: some StringProtocol,
    part: String
  ) throws(IdentitySyntaxError) -> UInt16 {
    // `UInt16("+5")` is 5, but the syntax has no sign.
    guard text.utf8.allSatisfy({ (0x30...0x39).contains($0) }), let value = UInt16(text) else {
      throw .notANumber(part: part, found: String(text.prefix(16)))
    }
    return value
  }
}
