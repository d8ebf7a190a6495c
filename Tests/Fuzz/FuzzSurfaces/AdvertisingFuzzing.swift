// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

import BeaconCore

/// Advertising data: the result depends only on the payload, never on what lies around it.
enum AdvertisingFuzzing {
  static func consume(_ bytes: [UInt8]) {
    let alone = BeaconDecoder.read(advertisingData: bytes.span, in: 0..<bytes.count)
    let margin: [UInt8] = [0x02, 0x15, 0xFF]
    let among = margin + bytes + margin
    let range = margin.count..<margin.count + bytes.count
    precondition(BeaconDecoder.read(advertisingData: among.span, in: range) == alone)
    _ = BeaconDecoder.read(manufacturerData: bytes.span, in: 0..<bytes.count)
  }
}
