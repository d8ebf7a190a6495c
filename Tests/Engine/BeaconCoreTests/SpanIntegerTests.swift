// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

import BeaconCore
import Testing

@Suite struct SpanIntegerTests {
  static let bytes: [UInt8] = [0x01, 0x02, 0x03, 0x04, 0x05, 0x06, 0x07, 0x08, 0x09]

  @Test func `numbers are read at any offset in either order`() {
    let span = Self.bytes.span
    #expect(span.littleEndian16(at: 1) == 0x0302)
    #expect(span.bigEndian16(at: 1) == 0x0203)
    #expect(span.littleEndian32(at: 3) == 0x0706_0504)
    #expect(span.bigEndian32(at: 3) == 0x0405_0607)
    #expect(span.bigEndian64(at: 1) == 0x0203_0405_0607_0809)
    #expect(span.addressBits(at: 0) == 0x0605_0403_0201)
  }

  @Test func `a number that reaches beyond the end is refused`() async {
    await #expect(processExitsWith: .failure) { _ = SpanIntegerTests.bytes.span.bigEndian64(at: 2) }
    await #expect(processExitsWith: .failure) {
      _ = SpanIntegerTests.bytes.span.bigEndian16(at: -1)
    }
  }
}
