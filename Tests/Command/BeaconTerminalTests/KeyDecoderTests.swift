// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

import BeaconTestSupport
import Testing

@testable import BeaconTerminal

@Suite struct KeyDecoderTests {
  static let sequences: [(String, Key)] = [
    ("q", .character("q")), ("Q", .character("Q")), ("?", .character("?")), ("é", .character("é")),
    ("展", .character("展")), ("🙂", .character("🙂")), ("\r", .enter), ("\n", .enter), ("\t", .tab),
    ("\u{7F}", .backspace), ("\u{8}", .backspace), ("\u{C}", .control("l")),
    ("\u{1B}[A", .up), ("\u{1B}OA", .up), ("\u{1B}[B", .down), ("\u{1B}[C", .right),
    ("\u{1B}[D", .left), ("\u{1B}[1;5D", .left), ("\u{1B}[H", .home), ("\u{1B}OH", .home),
    ("\u{1B}[1~", .home), ("\u{1B}[F", .end), ("\u{1B}[4~", .end), ("\u{1B}[5~", .pageUp),
    ("\u{1B}[6~", .pageDown), ("\u{1B}[2~", .insert), ("\u{1B}[3~", .delete),
    ("\u{1B}[Z", .backTab),
    ("\u{1B}OP", .function(1)), ("\u{1B}[11~", .function(1)), ("\u{1B}[[A", .function(1)),
    ("\u{1B}[1;2P", .function(1)), ("\u{1B}[15~", .function(5)), ("\u{1B}[[E", .function(5)),
    ("\u{1B}[17~", .function(6)), ("\u{1B}[21~", .function(10)), ("\u{1B}[24~", .function(12)),
    ("\u{1B}x", .alt("x")),
  ]

  @Test(arguments: sequences)
  func `every key is known, wherever a read splits it`(_ text: String, _ key: Key) {
    let bytes = Array(text.utf8)
    var whole = KeyDecoder()
    #expect(whole.decode(bytes, at: .zero) == [key])
    #expect(whole.nextDeadline == nil)
    var split = KeyDecoder()
    var keys: [Key] = []
    for (index, byte) in bytes.enumerated() {
      keys += split.decode([byte], at: .milliseconds(Int64(index) * 40))
    }
    #expect(keys == [key])
  }

  @Test func `keys received together are delivered in order`() {
    var decoder = KeyDecoder()
    let text = Self.sequences.map(\.0).joined()
    #expect(decoder.decode(Array(text.utf8), at: .zero) == Self.sequences.map(\.1))
  }

  @Test func `an escape alone is known by time`() {
    var decoder = KeyDecoder()
    #expect(decoder.decode([0x1B], at: .seconds(1)) == [])
    #expect(decoder.nextDeadline == .milliseconds(1050))
    #expect(decoder.timePassed(to: .milliseconds(1049)) == [])
    #expect(decoder.timePassed(to: .milliseconds(1050)) == [.escape])
    #expect(decoder.nextDeadline == nil)
    // Two times the key, and the key before another.
    #expect(decoder.decode([0x1B, 0x1B], at: .seconds(2)) == [.escape])
    #expect(decoder.decode(Array("q".utf8), at: .seconds(3)) == [.escape, .character("q")])
    #expect(decoder.decode([0x1B, 0x1B, 0x5B, 0x41], at: .seconds(4)) == [.escape, .up])
  }

  @Test(arguments: [
    "\u{1B}[99~", "\u{1B}[<0;1;1M", "\u{1B}[?1;2c", "\u{1B}[200~", "\u{1B}[[Z", "\u{1B}Ox",
    "\u{1B}[999999999999999999999~", "\u{0}",
  ])
  func `bytes that are not a key are skipped`(_ text: String) {
    var decoder = KeyDecoder()
    let keys = decoder.decode(Array((text + "q").utf8), at: .zero)
    #expect(keys.last == .character("q"))
    #expect(keys.count <= 2)
  }

  @Test func `a sequence without an end is dropped`() {
    var decoder = KeyDecoder()
    #expect(decoder.decode([0x1B, 0x5B] + [UInt8](repeating: 0x31, count: 500), at: .zero).isEmpty)
    var half = KeyDecoder()
    #expect(half.decode([0x1B, 0x5B, 0x31], at: .zero) == [])
    #expect(half.decode(Array("q".utf8), at: .seconds(1)) == [.character("q")])
    var broken = KeyDecoder()
    #expect(broken.decode([0xC3, 0x28, 0xFF, 0xE2, 0x82], at: .zero) == [.character("(")])
    #expect(broken.timePassed(to: .seconds(1)) == [])
  }

  @Test func `any bytes are read without a trap`() {
    var random = SplitMix64(seed: 7)
    let likely: [UInt8] = [0x1B, 0x5B, 0x4F, 0x31, 0x3B, 0x7E, 0x41, 0xE2, 0x82, 0xAC]
    var decoder = KeyDecoder()
    var time = Duration.zero
    for _ in 0..<Effort.rounds(20_000) {
      let byte =
        Bool.random(using: &random)
        ? likely.randomElement(using: &random) ?? 0 : UInt8.random(in: 0...255, using: &random)
      time = time + .milliseconds(Int64.random(in: 0...60, using: &random))
      _ = decoder.decode([byte], at: time)
    }
    _ = decoder.timePassed(to: time + .seconds(1))
    #expect(decoder.nextDeadline == nil)
  }
}
