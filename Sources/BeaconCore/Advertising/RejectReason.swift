// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

/// Why bytes are not a valid iBeacon.
///
/// The reasons are ordered by how near the bytes came to being one: where a payload holds several structures and none
/// is valid, the last of the reasons met is the one to tell.
public enum RejectReason: Int, CountedReason {
  /// There are no bytes.
  case empty
  /// The bytes are no HCI packet that carries an advertising report.
  case notAnAdvertisingReport
  /// The lengths in the HCI packet contradict each other.
  case malformedEvent
  /// There is no manufacturer specific data.
  case noManufacturerData
  /// An AD structure is longer than the payload.
  case structureOverruns
  /// Manufacturer specific data too short to name its company.
  case noCompany
  /// Manufacturer specific data of another company than Apple (0x004C).
  case otherCompany
  /// Apple's manufacturer specific data of another type than 0x02, or with no type at all.
  case otherAppleType
  /// An AD structure that begins as an iBeacon and is longer than the payload.
  case frameOverruns
  /// Type 0x02 with another length than 0x15.
  case wrongLength
  /// A frame that ends before its minor.
  case truncatedFrame
  /// A frame that ends before its measured power: identity known, so regions count it; distance can not be known.
  case noMeasuredPower

  /// Whether the bytes claim to be an iBeacon; a report of another kind is neither counted nor rejected.
  public var claimsToBeBeacon: Bool {
    rawValue >= RejectReason.frameOverruns.rawValue
  }
}
