// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

internal import BeaconCore

/// Writes an iBeacon frame as an AD structure, for sightings that were recorded without their bytes.
enum BeaconFrame {
  /// Appends the manufacturer specific data of a beacon; a frame without power ends before it.
  static func append(_ identity: BeaconIdentity, power: Int8?, to payload: inout [UInt8]) {
    payload.append(power == nil ? 25 : 26)
    payload.append(ManufacturerStructures.type)
    payload.append(UInt8(truncatingIfNeeded: BeaconDecoder.appleCompany))
    payload.append(UInt8(truncatingIfNeeded: BeaconDecoder.appleCompany >> 8))
    payload.append(0x02)
    payload.append(0x15)
    let high = UInt64(truncatingIfNeeded: identity.uuid >> 64)
    let low = UInt64(truncatingIfNeeded: identity.uuid)
    for shift in stride(from: UInt64(56), through: 0, by: -8) {
      payload.append(UInt8(truncatingIfNeeded: high >> shift))
    }
    for shift in stride(from: UInt64(56), through: 0, by: -8) {
      payload.append(UInt8(truncatingIfNeeded: low >> shift))
    }
    payload.append(UInt8(truncatingIfNeeded: identity.major >> 8))
    payload.append(UInt8(truncatingIfNeeded: identity.major))
    payload.append(UInt8(truncatingIfNeeded: identity.minor >> 8))
    payload.append(UInt8(truncatingIfNeeded: identity.minor))
    if let power { payload.append(UInt8(bitPattern: power)) }
  }
}
