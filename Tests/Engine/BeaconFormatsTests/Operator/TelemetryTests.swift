// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

import BeaconCore
import BeaconTestSupport
import Testing

@testable import BeaconFormats

/// What beacons say of their batteries and counters.
@Suite struct TelemetryTests {
  private static func bytes(_ hex: String) -> [UInt8] {
    let digits = hex.filter { $0 != " " }.compactMap(\.hexDigitValue)
    return stride(from: 0, to: digits.count - 1, by: 2).map {
      UInt8(digits[$0] * 16 + digits[$0 + 1])
    }
  }

  private static func read(_ bytes: [UInt8]) -> Telemetry? {
    Telemetry.read(advertisingData: bytes.span, in: 0..<bytes.count)
  }

  private static let tlm = "020106 0303aafe 1116aafe 2000 0bb8 1580 00000100 00002710"

  @Test func `each format is read`() {
    #expect(
      Self.read(Self.bytes(Self.tlm))
        == Telemetry(volts: 3.0, celsius: 21.5, sent: 256, uptime: .seconds(1000))
    )
    let ruuvi = "0201061bff9904 05 12fc 5394 c37c 0004 fffc 040c ac36 42 00cd cbb8334c884f"
    #expect(Self.read(Self.bytes(ruuvi)) == Telemetry(volts: 2.977, celsius: 24.3))
    #expect(Self.read(Self.bytes("0c16e1ff a1 08 64 010203040506")) == Telemetry(percent: 100))
    #expect(
      Self.read(Self.bytes("0b16d2fc 40 00 09 01 61 02 ca09"))
        == Telemetry(percent: 97, celsius: 25.06)
    )
    #expect(Self.read(Self.bytes("0716d2fc 40 0c 020c")) == Telemetry(volts: 3.074))
  }

  @Test func `what is not said is nil, and encrypted, damaged and other data are nothing`() {
    let silent = Self.read(Self.bytes("1116aafe 2000 0000 8000 00000000 00000000"))
    #expect(silent == Telemetry(sent: 0, uptime: .zero))
    for hex in [
      "1116aafe 2001 0bb8 1580 00000100 00002710", "0416aafe20", "0c16e1ff a1 08 65 010203040506",
      "0716d2fc 41 0c 020c", "0516d2fc 40 0c", "0416d2fc 40", "1aff4c000215", "0000", "ff", "",
    ] {
      #expect(Self.read(Self.bytes(hex)) == nil, "\(hex)")
    }
  }

  @Test func `no bytes of any length trap`() {
    var random = SplitMix64(seed: 1)
    let starts = ["16aafe2000", "16e1ffa108", "16d2fc40", "ff990405"].map(Self.bytes)
    for _ in 0..<20_000 {
      let start = starts[Int(random.next() % 4)]
      var data = [UInt8(random.next() & 0x1F)] + start
      for _ in 0..<random.next() % 32 { data.append(UInt8(random.next() & 0xFF)) }
      let found = Self.read(data)
      #expect(found.map { $0.percent ?? 0 <= 100 } ?? true)
    }
  }
}
