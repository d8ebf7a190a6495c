// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

extension [UInt8] {
  mutating func appendBigEndian<Value: FixedWidthInteger>(_ value: Value) {
    for octet in stride(from: Value.bitWidth - 8, through: 0, by: -8) {
      append(UInt8(truncatingIfNeeded: value >> Value(octet)))
    }
  }

  mutating func appendLittleEndian<Value: FixedWidthInteger>(_ value: Value) {
    appendBigEndian(value.byteSwapped)
  }
}
