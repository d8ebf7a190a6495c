// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

/// A checksum, FNV-1a of 64 bits, for what may collide but hardly ever does; it does not prevent forging.
package enum Checksum {
  package static func of(_ bytes: some Sequence<UInt8>) -> UInt64 {
    bytes.reduce(0xCBF2_9CE4_8422_2325) { ($0 ^ UInt64($1)) &* 0x100_0000_01B3 }
  }

  /// The checksum in hexadecimal.
  package static func text(_ bytes: some Sequence<UInt8>) -> String {
    String(of(bytes), radix: 16)
  }
}
