// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

/// Writes D-Bus's wire format, little-endian, so that a test can also write messages that no library would.
package struct WireWriter {
  package private(set) var bytes: [UInt8] = []

  package init() {}

  package mutating func align(to boundary: Int) {
    while bytes.count % boundary != 0 { bytes.append(0) }
  }

  package mutating func integer<Number: FixedWidthInteger>(_ value: Number) {
    align(to: MemoryLayout<Number>.size)
    unsafe withUnsafeBytes(of: value.littleEndian) { unsafe bytes.append(contentsOf: $0) }
  }

  package mutating func text(_ text: String) {
    integer(UInt32(text.utf8.count))
    bytes.append(contentsOf: text.utf8)
    bytes.append(0)
  }

  package mutating func signature(_ text: String) {
    bytes.append(UInt8(truncatingIfNeeded: text.utf8.count))
    bytes.append(contentsOf: text.utf8)
    bytes.append(0)
  }

  package mutating func raw(_ more: [UInt8]) {
    bytes.append(contentsOf: more)
  }

  /// Writes an array whose elements a closure writes, with its real length.
  package mutating func array(alignment: Int, _ body: (inout WireWriter) -> Void) {
    integer(UInt32(0))
    let place = bytes.count - 4
    align(to: alignment)
    let start = bytes.count
    body(&self)
    let length = UInt32(bytes.count - start).littleEndian
    unsafe withUnsafeBytes(of: length) { new in
      for index in 0..<4 { unsafe bytes[place + index] = new[index] }
    }
  }

  package mutating func variant(_ type: String, _ body: (inout WireWriter) -> Void) {
    signature(type)
    body(&self)
  }
}
