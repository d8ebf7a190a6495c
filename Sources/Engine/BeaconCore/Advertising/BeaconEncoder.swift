// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

/// Writes the frame that ``BeaconDecoder`` reads, for simulations and for recordings without the original bytes.
public enum BeaconEncoder {
  /// Returns the advertising data of an iBeacon: one AD structure of manufacturer specific data, without Flags.
  ///
  /// - Parameters:
  ///   - identity: The beacon's identity.
  ///   - measuredPower: Its RSSI at 1 m in dBm.
  /// - Returns: The 27 bytes.
  public static func advertisingData(_ identity: BeaconIdentity, measuredPower: Int8) -> [UInt8] {
    var data: [UInt8] = [0x1A, BeaconDecoder.manufacturerSpecificData, 0x4C, 0x00, 0x02, 0x15]
    data.reserveCapacity(27)
    for shift in stride(from: 120, through: 0, by: -8) {
      data.append(UInt8(truncatingIfNeeded: identity.uuid >> UInt128(shift)))
    }
    for number in [identity.major, identity.minor] {
      data.append(UInt8(number >> 8))
      data.append(UInt8(truncatingIfNeeded: number))
    }
    data.append(UInt8(bitPattern: measuredPower))
    return data
  }
}
