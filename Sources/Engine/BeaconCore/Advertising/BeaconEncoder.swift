// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

/// Writes the frame that ``BeaconDecoder`` reads, for simulations and for recordings without the original bytes.
package enum BeaconEncoder {
  /// What precedes a frame in advertising data: the length and the type of its structure.
  static let structureStart: [UInt8] = [
    UInt8(BeaconDecoder.frameCount + 1), BeaconDecoder.manufacturerSpecificData,
  ]

  /// Returns the advertising data of an iBeacon: one AD structure of manufacturer specific data, without Flags.
  ///
  /// - Parameters:
  ///   - identity: The beacon's identity.
  ///   - measuredPower: Its RSSI at 1 m in dBm.
  /// - Returns: The 27 bytes.
  package static func advertisingData(_ identity: BeaconIdentity, measuredPower: Int8) -> [UInt8] {
    var data: [UInt8] = []
    data.reserveCapacity(structureStart.count + BeaconDecoder.frameCount)
    append(identity, measuredPower: measuredPower, to: &data)
    return data
  }

  /// Appends the advertising data of an iBeacon; a frame without power ends before it.
  package static func append(
    _ identity: BeaconIdentity,
    measuredPower: Int8?,
    to data: inout [UInt8]
  ) {
    data.append(structureStart[0] - (measuredPower == nil ? 1 : 0))
    data.append(structureStart[1])
    append(frameOf: identity, measuredPower: measuredPower, to: &data)
  }

  /// Appends a frame, from the company identifier on; one without power ends before it.
  static func append(
    frameOf identity: BeaconIdentity,
    measuredPower: Int8?,
    to data: inout [UInt8]
  ) {
    data.append(UInt8(truncatingIfNeeded: BeaconDecoder.appleCompany))
    data.append(UInt8(truncatingIfNeeded: BeaconDecoder.appleCompany >> 8))
    data.append(0x02)
    data.append(0x15)
    let high = UInt64(truncatingIfNeeded: identity.uuid >> 64)
    let low = UInt64(truncatingIfNeeded: identity.uuid)
    for shift in stride(from: UInt64(56), through: 0, by: -8) {
      data.append(UInt8(truncatingIfNeeded: high >> shift))
    }
    for shift in stride(from: UInt64(56), through: 0, by: -8) {
      data.append(UInt8(truncatingIfNeeded: low >> shift))
    }
    for number in [identity.major, identity.minor] {
      data.append(UInt8(truncatingIfNeeded: number >> 8))
      data.append(UInt8(truncatingIfNeeded: number))
    }
    if let measuredPower { data.append(UInt8(bitPattern: measuredPower)) }
  }
}
