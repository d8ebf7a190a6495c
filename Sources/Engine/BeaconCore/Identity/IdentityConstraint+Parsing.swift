// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

/// The faults of the text of an identity constraint.
public enum IdentitySyntaxError: Error, Sendable, Equatable {
  /// The first part is not a UUID.
  case notAUUID(String)
  /// The named part (`major` or `minor`) is not a whole number from 0 to 65535.
  case notANumber(part: String, found: String)
  /// The text after the UUID has another form than `/MAJOR/MINOR`.
  case unknownForm(String)
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
      "\(part) '\(found)' is not a whole number from 0 to 65535" + Self.hint(found)
    case .unknownForm(let found):
      "'\(found)' has more after its UUID; write UUID, UUID/MAJOR or UUID/MAJOR/MINOR"
    case .tooManyParts:
      "too many parts; write UUID, UUID/MAJOR or UUID/MAJOR/MINOR"
    }
  }

  /// A number that can only be hexadecimal needs its mark.
  private static func hint(_ found: String) -> String {
    let isHexadecimal =
      (1...4).contains(found.utf8.count) && UInt16(found, radix: 16) != nil
      && !found.hasPrefix("+") && !found.hasPrefix("-")
    return isHexadecimal && UInt16(found) == nil ? "; write a hexadecimal one as 0x\(found)" : ""
  }
}

extension IdentityConstraint {
  /// Parses `UUID[/MAJOR[/MINOR]]`, and the forms in which other programs write it.
  ///
  /// These are `UUID-MAJOR-MINOR` and `UUID_MAJOR_MINOR`, `iBeacon:` before it, braces around the UUID, and numbers in
  /// hexadecimal with `0x`.
  ///
  /// - Throws: ``IdentitySyntaxError`` naming the part that is wrong.
  public init(parsing text: some StringProtocol) throws(IdentitySyntaxError) {
    let (uuid, rest) = try Self.uuid(in: text.utf8)
    guard let separator = rest.first else {
      self = .uuid(uuid)
      return
    }
    guard Self.separators.contains(separator) else { throw .unknownForm(Self.shown(text)) }
    let parts = rest.dropFirst().split(separator: separator, omittingEmptySubsequences: false)
    guard parts.count <= 2 else { throw .tooManyParts }
    let major = try Self.number(parts[0], part: "major")
    guard parts.count > 1 else {
      self = .major(uuid, major)
      return
    }
    let minor = try Self.number(parts[1], part: "minor")
    self = .minor(BeaconIdentity(uuid: uuid, major: major, minor: minor))
  }

  /// The separators of the parts.
  private static let separators: [UInt8] = [0x2F, 0x2D, 0x5F]
  /// The optional beginning, in lower case.
  private static let prefix = Array("ibeacon:".utf8)

  private static func shown(_ text: some StringProtocol) -> String { String(text.prefix(64)) }

  /// Reads the UUID at the start of a text, and returns the text after it.
  private static func uuid(
    in text: some Collection<UInt8>
  ) throws(IdentitySyntaxError) -> (UInt128, ArraySlice<UInt8>) {
    var rest = Array(text)[...]
    if rest.prefix(prefix.count).map({ $0 | 0x20 }) == prefix {
      rest = rest.dropFirst(prefix.count)
    }
    let isBraced = rest.first == 0x7B
    if isBraced { rest = rest.dropFirst() }
    // With dashes, or without.
    for count in [36, 32] {
      let written = String(decoding: rest.prefix(count), as: UTF8.self)
      guard rest.count >= count, let uuid = UUIDText.parse(written) else { continue }
      var after = rest.dropFirst(count)
      if isBraced {
        guard after.popFirst() == 0x7D else { continue }
      }
      // A further digit makes it another number.
      guard after.first.map({ !isHexadecimal($0) }) ?? true else { continue }
      return (uuid, after)
    }
    let first = text.prefix { $0 != 0x2F }
    throw .notAUUID(shown(String(decoding: first, as: UTF8.self)))
  }

  private static func isHexadecimal(_ byte: UInt8) -> Bool {
    (0x30...0x39).contains(byte) || (0x61...0x66).contains(byte | 0x20)
  }

  private static func number(
    _ text: ArraySlice<UInt8>,
    part: String
  ) throws(IdentitySyntaxError) -> UInt16 {
    let digits = text.dropFirst(2)
    let isHexadecimal = text.starts(with: [0x30, 0x78]) || text.starts(with: [0x30, 0x58])
    // `UInt16("+5")` is 5, but the syntax has no sign.
    let value =
      isHexadecimal
      ? digits.allSatisfy(Self.isHexadecimal)
        ? UInt16(String(decoding: digits, as: UTF8.self), radix: 16) : nil
      : text.allSatisfy({ (0x30...0x39).contains($0) })
        ? UInt16(String(decoding: text, as: UTF8.self)) : nil
    guard let value else {
      throw .notANumber(part: part, found: String(decoding: text.prefix(16), as: UTF8.self))
    }
    return value
  }
}
