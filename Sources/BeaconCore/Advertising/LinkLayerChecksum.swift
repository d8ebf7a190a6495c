// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

/// The 24-bit checksum of link-layer packets (Core Specification, volume 6, part B, 3.1.1).
enum LinkLayerChecksum {
  /// The register's start on advertising channels, bits reversed as the register below is (0x555555).
  private static let advertisingStart: UInt32 = 0xAA_AAAA
  /// x²⁴ + x¹⁰ + x⁹ + x⁶ + x⁴ + x³ + x + 1, bits reversed.
  private static let polynomial: UInt32 = 0xDA_6000

  /// Whether the three bytes behind an advertising PDU are its checksum; they must lie in the block.
  static func matches(_ block: borrowing Span<UInt8>, pdu: Range<Int>) -> Bool {
    var register = advertisingStart
    for offset in pdu {
      register ^= UInt32(block[offset])
      for _ in 0..<8 {
        register = register >> 1 ^ (register & 1 == 0 ? 0 : polynomial)
      }
    }
    let found =
      UInt32(block.littleEndian16(at: pdu.upperBound)) | UInt32(block[pdu.upperBound + 2]) << 16
    return register == found
  }
}
