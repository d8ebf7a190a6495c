// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

/// A region's name, chosen by the client and unique among its regions.
public struct RegionIdentifier: Sendable, Hashable, ExpressibleByStringLiteral {
  /// The name itself.
  public let rawValue: String

  /// Creates an identifier of any text.
  public init(_ rawValue: String) {
    self.rawValue = rawValue
  }

  /// Creates an identifier from a literal.
  public init(stringLiteral value: String) {
    rawValue = value
  }
}

extension RegionIdentifier: Comparable {
  /// Returns whether two names have the same bytes; canonically equivalent texts are different names.
  public static func == (lhs: RegionIdentifier, rhs: RegionIdentifier) -> Bool {
    lhs.rawValue.utf8.elementsEqual(rhs.rawValue.utf8)
  }

  /// Returns whether an identifier has the name of a text.
  public static func == (lhs: RegionIdentifier, rhs: String) -> Bool {
    lhs == RegionIdentifier(rhs)
  }

  /// Orders identifiers by their UTF-8 bytes, independently of the locale.
  public static func < (lhs: RegionIdentifier, rhs: RegionIdentifier) -> Bool {
    lhs.rawValue.utf8.lexicographicallyPrecedes(rhs.rawValue.utf8)
  }
}

extension RegionIdentifier: CustomStringConvertible {
  /// The name itself.
  public var description: String { rawValue }
}
