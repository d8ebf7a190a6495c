// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

/// Why bytes are not a valid iBeacon.
///
/// The reasons are in the order of how near the bytes are to a valid one: if a payload contains several structures
/// without a valid one, the last reason in this order is reported.
public enum RejectReason: Int, CountedReason {
  /// Bytes are missing.
  case empty
  /// The bytes are not an HCI packet with an advertising report.
  case notAnAdvertisingReport
  /// The lengths in the HCI packet contradict each other.
  case malformedEvent
  /// Manufacturer specific data is missing.
  case noManufacturerData
  /// An AD structure is longer than the payload.
  case structureOverruns
  /// Manufacturer specific data too short to name its company.
  case noCompany
  /// Manufacturer specific data of another company than Apple (0x004C).
  case otherCompany
  /// Apple's manufacturer specific data of another type than 0x02, or with no type at all.
  case otherAppleType
  /// An AD structure that starts like an iBeacon and is longer than the payload.
  case frameOverruns
  /// Type 0x02 with another length than 0x15.
  case wrongLength
  /// A frame that ends in front of its minor, or within it.
  case truncatedFrame
  /// A frame that ends in front of its measured power: the identity is known, so regions count it; the distance cannot
  /// be known.
  case noMeasuredPower

  /// Whether the bytes claim to be an iBeacon; a report of another kind is neither counted nor rejected.
  public var claimsToBeBeacon: Bool {
    rawValue >= RejectReason.frameOverruns.rawValue
  }

  /// The reason in words.
  package var text: String {
    switch self {
    case .empty: "bytes are missing"
    case .notAnAdvertisingReport: "the HCI packet has no advertising report"
    case .malformedEvent: "the lengths in the HCI packet contradict each other"
    case .noManufacturerData: "manufacturer specific data (AD type 0xff) is missing"
    case .structureOverruns: "an AD structure is longer than the payload"
    case .noCompany: "the manufacturer specific data names no company"
    case .otherCompany: "the company is not Apple (4c 00)"
    case .otherAppleType: "the type after 4c 00 is not 02"
    case .frameOverruns: "it starts like one, and its length is beyond the end of the bytes"
    case .wrongLength: "the length after 4c 00 02 is not 15"
    case .truncatedFrame: "it ends in front of its minor, or within it"
    case .noMeasuredPower: "it ends in front of its measured power"
    }
  }
}
