// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

/// The Bluetooth device address in a report.
///
/// An address is evidence, never an identity: addresses rotate, and one identity may be sent from many. Outputs show it
/// only when addresses are requested.
public struct DeviceAddress: Sendable, Hashable {
  /// What kind of address it is (Core Specification, volume 4, part E, 7.7.65.2, `Address_Type`).
  public enum Kind: UInt8, Sendable, CaseIterable {
    /// A public device address.
    case publicDevice = 0
    /// A random device address: static or private.
    case random = 1
    /// A public identity address that the controller resolved from a private one.
    case publicIdentity = 2
    /// A random static identity address that the controller resolved from a private one.
    case randomIdentity = 3

    /// Reads an address type; `nil` for the reserved ones and an anonymous advertisement's.
    ///
    /// Unlike the initializer by raw value this one is inlined: every report passes through it.
    @inlinable @inline(__always)
    package init?(addressType: UInt8) {
      switch addressType {
      case 0: self = .publicDevice
      case 1: self = .random
      case 2: self = .publicIdentity
      case 3: self = .randomIdentity
      default: return nil
      }
    }
  }

  // In three parts, an address takes seven bytes, also as an optional; as one integer it would take sixteen in each
  // report.
  @usableFromInline let low: UInt32
  @usableFromInline let high: UInt16
  /// What kind of address it is.
  public let kind: Kind

  /// Creates an address from its 48 bits, as written most significant octet first, and its kind.
  @inlinable
  public init(_ bits: UInt64, kind: Kind) {
    low = UInt32(truncatingIfNeeded: bits)
    high = UInt16(truncatingIfNeeded: bits >> 32)
    self.kind = kind
  }

  /// The 48 bits of the address, the octet written first in bits 40 to 47.
  @inlinable
  public var bits: UInt64 { UInt64(high) << 32 | UInt64(low) }

  /// The address in the low 48 bits, most significant octet first as it is written, and the kind in bits 48 to 49.
  @inlinable
  public var rawValue: UInt64 { UInt64(kind.rawValue) << 48 | bits }

  /// Creates an address from its raw value; `nil` for ``unknown``.
  ///
  /// It is not inlined: a tick would become so large that the compiler no longer inlines the filter.
  @inline(never)
  init?(rawValue: UInt64) {
    guard let kind = Kind(addressType: UInt8(truncatingIfNeeded: rawValue >> 48)) else {
      return nil
    }
    self.init(rawValue, kind: kind)
  }

  /// The substitute for a raw value if the address is not known.
  static let unknown: UInt64 = 0xFF << 48

  /// Returns the raw value of an address, or ``unknown``.
  @inline(__always)
  static func rawValue(of address: DeviceAddress?) -> UInt64 { address?.rawValue ?? unknown }

  /// The address as `AA:BB:CC:DD:EE:FF`.
  ///
  /// Not the `description`, so that no message contains an address by accident.
  public var text: String {
    (0..<6).map { index in
      let octet = UInt8(truncatingIfNeeded: bits >> UInt64(40 - 8 * index))
      return (octet < 16 ? "0" : "") + String(octet, radix: 16, uppercase: true)
    }
    .joined(separator: ":")
  }
}
