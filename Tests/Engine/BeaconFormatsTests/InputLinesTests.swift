// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

import Testing

@testable import BeaconFormats

@Suite struct InputLinesTests {
  private static func lines(_ text: String, blocks: [Int] = []) throws -> [String] {
    var lines = InputLines(MemorySource(Array(text.utf8), blockSizes: blocks))
    var read: [String] = []
    while let line = try lines.next() { read.append(String(decoding: line.bytes, as: UTF8.self)) }
    return read
  }

  @Test(arguments: [
    ("", []), ("\n", [""]), ("a", ["a"]), ("a\n", ["a"]), ("a\n\nb", ["a", "", "b"]),
    ("ab\ncd\n", ["ab", "cd"]),
  ])
  func `lines are what stands before line ends, and after the last`(
    _ text: String,
    _ expected: [String]
  ) throws {
    for blocks in [[], [1], [2], [3, 1]] {
      #expect(try Self.lines(text, blocks: blocks) == expected)
    }
  }

  @Test(arguments: [true, false])
  func `a line without an end is cut, and the next one is read`(_ isLast: Bool) throws {
    let long = [UInt8](repeating: 0x61, count: 3 * InputLines.limit)
    let source = MemorySource([0x62, 0x0A] + long + (isLast ? [] : [0x0A, 0x63]))
    var lines = InputLines(source)
    #expect(try lines.next() == InputLines.Line(bytes: [0x62], isCut: false))
    let cut = try #require(try lines.next())
    #expect(cut.isCut)
    #expect(cut.bytes.count == InputLines.limit)
    #expect(try lines.next() == (isLast ? nil : InputLines.Line(bytes: [0x63], isCut: false)))
    #expect(try lines.next() == nil)
  }
}
