// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

import BeaconTestSupport
import Testing

@testable import BeaconGateway

@Suite struct PacketCheckTests {
  /// Packets of MQTT 5 as a broker sends them.
  static let valid: [[UInt8]] = [
    [0x20, 0x03, 0x00, 0x00, 0x00],
    // Refused by a broker of an older version.
    [0x20, 0x02, 0x00, 0x01],
    // Session expiry 10 s, maximum QoS 1, a user property.
    [0x20, 0x11, 0x00, 0x00, 0x0E, 0x11, 0, 0, 0, 10, 0x24, 1, 0x26, 0, 1, 0x61, 0, 1, 0x62],
    [0x30, 0x05, 0x00, 0x01, 0x61, 0x00, 0x78],
    // A number, and a subscription's identifier of two bytes.
    [0x33, 0x0A, 0x00, 0x01, 0x61, 0x00, 0x07, 0x03, 0x0B, 0x80, 0x01, 0x78],
    [0x40, 0x02, 0x00, 0x01], [0x40, 0x03, 0x00, 0x01, 0x87],
    [0x40, 0x08, 0x00, 0x01, 0x87, 0x04, 0x1F, 0x00, 0x01, 0x61],
    [0x90, 0x04, 0x00, 0x01, 0x00, 0x00], [0xD0, 0x00], [0xE0, 0x00], [0xE0, 0x01, 0x8E],
    [0xE0, 0x02, 0x8E, 0x00],
  ]

  private static func pass(
    _ bytes: [UInt8],
    pieces: [Int] = [],
    _ version: BrokerMachine.MQTTVersion = .v5,
    longest: Int = 1000
  ) -> PacketCheck.Passed? {
    var check = PacketCheck(version, longest: longest)
    var passed = PacketCheck.Passed()
    var rest = bytes[...]
    for piece in pieces + [bytes.count] {
      let more = check.add(rest.prefix(piece))
      guard check.isValid else { return nil }
      passed.bytes += more.bytes
      passed.tooLong += more.tooLong
      rest = rest.dropFirst(piece)
    }
    return passed
  }

  @Test func `valid packets pass, however they are cut`() {
    var random = SplitMix64(seed: 1)
    for packet in Self.valid { #expect(Self.pass(packet)?.bytes == packet, "\(packet)") }
    for _ in 0..<200 {
      let bytes = Self.valid.shuffled(using: &random).flatMap(\.self)
      let pieces = (0..<40).map { _ in Int.random(in: 0...5, using: &random) }
      #expect(Self.pass(bytes, pieces: pieces)?.bytes == bytes)
    }
  }

  @Test func `a property that does not exist, or is not whole, does not pass`() {
    let known: Set<UInt8> = [
      1, 2, 3, 8, 9, 11, 17, 18, 19, 21, 22, 23, 24, 25, 26, 28, 31, 33, 34, 35, 36, 37, 38, 39, 40,
      41, 42,
    ]
    for kind in UInt8.min...UInt8.max {
      let values = [1, 2, 4].map { [kind] + [UInt8](repeating: 0, count: $0) }
      let passing = values.filter { value in
        let count = UInt8(value.count)
        return Self.pass([0x20, 3 + count, 0x00, 0x00, count] + value) != nil
      }
      #expect(passing.count == (known.contains(kind) ? 1 : 0), "\(kind)")
    }
    // Properties that are longer than their packet, and a length of five bytes.
    #expect(Self.pass([0x20, 0x03, 0x00, 0x00, 0x01]) == nil)
    #expect(Self.pass([0x30, 0x03, 0x00, 0x05, 0x61]) == nil)
    #expect(Self.pass([0x30, 0x80, 0x80, 0x80, 0x80, 0x01]) == nil)
    // An older version has no properties.
    let packet: [UInt8] = [0x30, 0x05, 0x00, 0x01, 0x61, 0x01, 0x78]
    #expect(Self.pass(packet, .v311)?.bytes == packet)
  }

  @Test func `random bytes pass the same, however they are cut`() {
    var random = SplitMix64(seed: 2)
    for _ in 0..<5000 {
      var bytes = Self.valid.shuffled(using: &random).prefix(4).flatMap(\.self)
      for _ in 0..<Int.random(in: 0...3, using: &random) {
        bytes[bytes.indices.randomElement(using: &random) ?? 0] = .random(
          in: 0...255,
          using: &random
        )
      }
      let pieces = (0..<20).map { _ in Int.random(in: 0...9, using: &random) }
      let longest = Int.random(in: 5...20, using: &random)
      #expect(
        Self.pass(bytes, longest: longest) == Self.pass(bytes, pieces: pieces, longest: longest)
      )
    }
  }

  @Test func `a message that is too long is left out, and what follows passes`() {
    let large = [0x30, 0x90, 0x4E, 0x00, 0x01, 0x61] + [UInt8](repeating: 7, count: 9997)
    let small: [UInt8] = [0x30, 0x04, 0x00, 0x01, 0x62, 0x00]
    for pieces in [[], [1, 1, 1, 1, 1, 1, 1], [5, 3000, 8000]] {
      let passed = Self.pass(large + small, pieces: pieces)
      #expect(passed?.bytes == small && passed?.tooLong == ["a"])
    }
    // Other packets are not as long.
    #expect(Self.pass([0x90, 0x90, 0x4E, 0x00, 0x01]) == nil)
  }
}
