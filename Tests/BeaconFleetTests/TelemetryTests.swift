// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

import BeaconCore
import BeaconTestSupport
import Testing

@testable import BeaconFleet

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

  /// Telemetry four times a day.
  private func watch(_ volts: [Double]) -> BatteryWatch {
    var watch = BatteryWatch()
    for (day, level) in volts.enumerated() {
      for hour in 0..<4 {
        let time = TestScan.at(Double(day) * 86_400 + Double(hour) * 3600)
        watch.add(Telemetry(volts: level), at: time, receiver: 0)
      }
      watch.endDay()
    }
    return watch
  }

  @Test func `a battery is low below 2.4 V, and falls when it will be low in a month`() {
    #expect(watch([3, 2.9, 2.35]).isLow)
    #expect(
      !watch([3, 2.9, 2.45]).isLow && watch([2.35, 2.45]).isLow && !watch([2.35, 2.55]).isLow
    )
    #expect(watch((0..<10).map { 2.9 - 0.02 * Double($0) }).willBeLow)
    #expect(!watch((0..<10).map { 3.0 - 0.002 * Double($0) }).willBeLow)
    #expect(!watch([2.9, 2.8, 2.7]).willBeLow)
    #expect(!watch((0..<14).map { $0 % 2 == 0 ? 2.9 : 2.84 }).willBeLow)
  }

  @Test func `counters that go back without a restart are another device`() {
    func contested(_ uptimes: [Int64], receivers: Int = 1) -> Bool {
      var watch = BatteryWatch()
      for (index, uptime) in uptimes.enumerated() {
        let time = TestScan.at(Double(index) * 30)
        watch.add(Telemetry(uptime: .seconds(uptime)), at: time, receiver: index % receivers)
      }
      let goesBack = watch.goesBack
      watch.endHour()
      #expect(!watch.goesBack)
      return goesBack
    }
    #expect(contested([90_000, 5000, 90_060, 5060, 90_120, 5120, 90_180, 5180]))
    #expect(!contested([90_000, 90_030, 10, 40, 70, 100]))
    // It restarts again and again.
    #expect(!contested([90_000, 5, 35, 3, 33, 2, 32, 1]))
    // One device at two receivers, of which one has a clock that is five minutes late.
    #expect(
      !contested([90_000, 89_700, 90_060, 89_760, 90_120, 89_820, 90_180, 89_880], receivers: 2)
    )
  }
}
