// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

import BeaconService
import Foundation
import Testing

struct CrossingJournalTests {
  static func line(_ number: UInt64) -> [UInt8] {
    Array("{\"type\":\"region.enter\",\"sequence\":\(number)}\n".utf8)
  }

  static func makePath() throws -> String {
    try ServiceFixture.makeFolder().path + "/clients/a/crossings.jsonl"
  }

  @Test func `numbers and lines outlive a process that was killed`() throws {
    let path = try Self.makePath()
    for start in [1, 4] as [UInt64] {
      // Nothing closes or synchronizes the first one.
      let journal = CrossingJournal(path: path, boot: "b")
      #expect(journal.next == start)
      for number in start..<start + 3 { try journal.append(Self.line(number)) }
    }
    let journal = CrossingJournal(path: path, boot: "b")
    #expect(journal.last == 6)
    #expect(journal.lines(after: 4) == [Self.line(5), Self.line(6)])
    #expect(journal.lines(after: 6).isEmpty)
  }

  @Test func `after a power cut numbers jump, and a line that was cut off is not read`() throws {
    let path = try Self.makePath()
    let journal = CrossingJournal(path: path, boot: "b")
    for number in 1...3 as ClosedRange<UInt64> { try journal.append(Self.line(number)) }
    let bytes = try Data(contentsOf: URL(fileURLWithPath: path))
    try bytes.dropLast(10).write(to: URL(fileURLWithPath: path))
    let next = CrossingJournal(path: path, boot: "c")
    #expect(next.next > 3)
    #expect(next.lines(after: 0) == [Self.line(1), Self.line(2)])
    let number = next.next
    try next.append(Self.line(number))
    let last = CrossingJournal(path: path, boot: "c")
    #expect(last.last == number)
    #expect(last.lines(after: 2) == [Self.line(number)])
  }

  @Test func `the file stays small and the newest 1,024 are kept`() throws {
    let path = try Self.makePath()
    let journal = CrossingJournal(path: path, boot: "b")
    for number in 1...5000 as ClosedRange<UInt64> { try journal.append(Self.line(number)) }
    let size = try Data(contentsOf: URL(fileURLWithPath: path)).count
    #expect(size < 2100 * 60)
    let again = CrossingJournal(path: path, boot: "b")
    #expect(again.last == 5000)
    #expect(again.lines(after: 0).count == CrossingJournal.limit)
    #expect(again.lines(after: 4999) == [Self.line(5000)])
  }
}
