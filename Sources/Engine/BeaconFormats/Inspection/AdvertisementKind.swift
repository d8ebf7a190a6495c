// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

package import BeaconCore

/// What an advertisement is that is not an iBeacon.
package enum AdvertisementKind: Int, CountedReason {
  /// Google's Eddystone.
  case eddystone
  /// AltBeacon.
  case altBeacon
  /// Apple's Find My: an AirTag, or a device away from its owner.
  case findMy
  /// Any other advertisement of Apple's devices.
  case apple
  /// BTHome: sensors.
  case btHome
  /// Anything else.
  case other

  /// The kind as a sentence has it.
  package var label: String {
    switch self {
    case .eddystone: "Eddystone"
    case .altBeacon: "AltBeacon"
    case .findMy: "Find My"
    case .apple: "Apple"
    case .btHome: "BTHome"
    case .other: "other"
    }
  }

  /// Returns the kind of a payload; an iBeacon's is not one of these and must not be asked for.
  package static func read(
    advertisingData bytes: borrowing Span<UInt8>,
    in range: Range<Int>
  ) -> AdvertisementKind {
    guard range.lowerBound >= 0, range.upperBound <= bytes.count else { return .other }
    var offset = range.lowerBound
    var found = AdvertisementKind.other
    while offset + 1 < range.upperBound, bytes[offset] > 0 {
      let next = offset + 1 + Int(bytes[offset])
      guard next <= range.upperBound else { break }
      let kind = structure(bytes, in: offset + 1..<next)
      if kind.rawValue < found.rawValue { found = kind }
      offset = next
    }
    return found
  }

  /// The kind of one structure, which starts with its type.
  private static func structure(
    _ bytes: borrowing Span<UInt8>,
    in range: Range<Int>
  ) -> AdvertisementKind {
    let start = range.lowerBound
    guard range.count >= 3 else { return .other }
    let number = UInt16(bytes[start + 1]) | UInt16(bytes[start + 2]) << 8
    switch (bytes[start], number) {
    case (0x16, 0xFEAA), (0x02, 0xFEAA), (0x03, 0xFEAA): return .eddystone
    case (0x16, 0xFCD2): return .btHome
    case (0xFF, BeaconDecoder.appleCompany):
      return range.count >= 4 && bytes[start + 3] == 0x12 ? .findMy : .apple
    case (0xFF, _) where range.count >= 27 && bytes[start + 3] == 0xBE && bytes[start + 4] == 0xAC:
      return .altBeacon
    default: return .other
    }
  }
}

extension Tally<AdvertisementKind> {
  /// The counts in words, the largest first: `60 others: 41 Apple, 12 Eddystone, 7 other`, if any.
  package var sentence: String? {
    guard total > 0 else { return nil }
    let parts = occurred.sorted { ($1.count, $0.reason.rawValue) < ($0.count, $1.reason.rawValue) }
      .map { "\($0.count) \($0.reason.label)" }
    return "\(total) other\(total == 1 ? "" : "s"): " + parts.joined(separator: ", ")
  }
}
