// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

import BeaconCore
import BeaconFormats
import BeaconTestSupport
import Beacons
import Foundation
import SystemKit
import Testing

@testable import BeaconService

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
      let journal = try CrossingJournal(path: path, boot: "b")
      #expect(journal.next == start)
      for number in start..<start + 3 { try journal.append(Self.line(number)) }
    }
    let journal = try CrossingJournal(path: path, boot: "b")
    #expect(journal.last == 6)
    #expect(journal.lines(after: 4) == [Self.line(5), Self.line(6)])
    #expect(journal.lines(after: 6).isEmpty)
  }

  @Test(.enabled(if: geteuid() == 0))
  func `a journal that another account could have written is neither read nor written`() throws {
    let store = ClientStore(directory: try ServiceFixture.makeFolder().path)
    let path = CrossingJournal.path(of: "a", in: store)
    let own = try CrossingJournal(path: path, boot: "b", in: store)
    try own.append(Self.line(1))
    let bytes = try Data(contentsOf: URL(fileURLWithPath: path))
    #expect(chown(store.directory, 65_534, 65_534) == 0)
    for journal in [own, try CrossingJournal(path: path, boot: "b", in: store)] {
      #expect(throws: SystemError.self) { try journal.append(Self.line(2)) }
    }
    #expect(try CrossingJournal(path: path, boot: "b", in: store).last == 0)
    #expect(try Data(contentsOf: URL(fileURLWithPath: path)) == bytes)
  }

  @Test func `after a power cut numbers jump, and a line that was cut off is not read`() throws {
    let path = try Self.makePath()
    let journal = try CrossingJournal(path: path, boot: "b")
    for number in 1...3 as ClosedRange<UInt64> { try journal.append(Self.line(number)) }
    let bytes = try Data(contentsOf: URL(fileURLWithPath: path))
    try bytes.dropLast(10).write(to: URL(fileURLWithPath: path))
    let next = try CrossingJournal(path: path, boot: "c")
    #expect(next.next > 3)
    #expect(next.lines(after: 0) == [Self.line(1), Self.line(2)])
    let number = next.next
    try next.append(Self.line(number))
    let last = try CrossingJournal(path: path, boot: "c")
    #expect(last.last == number)
    #expect(last.lines(after: 2) == [Self.line(number)])
  }

  /// Otherwise its numbers would be given twice. Row P17.
  @Test func `without descriptors a journal is not read as empty, and costs none later`() async {
    await #expect(processExitsWith: .success) {
      let path = try CrossingJournalTests.makePath()
      let journal = try CrossingJournal(path: path, boot: "b")
      try journal.append(CrossingJournalTests.line(1))
      withoutDescriptors {
        #expect(throws: SystemError.self) { try CrossingJournal(path: path, boot: "b") }
        // The system looks for a descriptor before it looks for the file.
        #expect((try? CrossingJournal(path: path + "2", boot: "b"))?.last == 0)
        #expect(throws: SystemError.self) { try journal.append(CrossingJournalTests.line(2)) }
      }
      try journal.append(CrossingJournalTests.line(3))
      let again = try CrossingJournal(path: path, boot: "b")
      #expect(again.last == 3)
      #expect(again.lines(after: 1) == [CrossingJournalTests.line(3)])
    }
  }

  @Test func `the file stays small and the newest 1,024 are kept`() throws {
    let path = try Self.makePath()
    let journal = try CrossingJournal(path: path, boot: "b")
    for number in 1...5000 as ClosedRange<UInt64> { try journal.append(Self.line(number)) }
    let size = try Data(contentsOf: URL(fileURLWithPath: path)).count
    #expect(size < 2100 * 60)
    let again = try CrossingJournal(path: path, boot: "b")
    #expect(again.last == 5000)
    #expect(again.lines(after: 0).count == CrossingJournal.limit)
    #expect(again.lines(after: 4999) == [Self.line(5000)])
  }

  private static func crossing(_ type: String, _ time: String, number: UInt64) -> [UInt8] {
    Array(
      """
      {"type":"\(type)","sequence":\(number),"t":"\(time)","region":"hall"}

      """.utf8
    )
  }

  @Test func `a region's last crossing is found, whatever stands between`() throws {
    let path = try Self.makePath()
    let journal = try CrossingJournal(path: path, boot: "b")
    #expect(journal.regions.isEmpty)
    try journal.append(Self.crossing("region.enter", "2026-01-02T03:04:05Z", number: 1))
    try journal.append(Self.crossing("region.exit", "2026-01-02T03:05:05Z", number: 2))
    try journal.append(Array("{\"type\":\"region.state\",\"sequence\":3}\n".utf8))
    let time = try #require(RFC3339.parse("2026-01-02T03:05:05Z"))
    let last = try CrossingJournal(path: path, boot: "b").regions["hall"]?.crossing
    #expect(last == CrossingJournal.Crossing(time: time, state: .outside))
  }

  private static let start = Timestamp(microseconds: 1_767_323_045_000_000)

  private static func restored(
    from path: String,
    _ saved: [SavedRegion] = []
  ) throws -> [SavedRegion] {
    var client = SavedClient()
    client.regions = saved
    EngineRoom.adjust(&client, try CrossingJournal(path: path, boot: "b").regions)
    return client.regions
  }

  /// What a service that was killed right behind a region's first crossing finds: it saved nothing of the region. Row P7.
  @Test func `a region is found again from the request on, with its crossing`() throws {
    let path = try Self.makePath()
    let hall = Region("hall", .uuid(1), notifyOnExit: false)
    let journal = try CrossingJournal(path: path, boot: "b")
    try journal.append(.monitor(hall, assuming: .outside), of: "a", at: Self.start)
    #expect(
      try Self.restored(from: path) == [SavedRegion(hall, state: .outside, savedAt: Self.start)]
    )
    try journal.append(Self.crossing("region.enter", "2026-01-02T03:04:06Z", number: 1))
    let entry = Self.start + .seconds(1)
    let found = try Self.restored(from: path)
    #expect(found == [SavedRegion(hall, state: .inside, savedAt: entry)])
    // What was saved later holds.
    let later = SavedRegion(hall, state: .outside, savedAt: entry + .seconds(1))
    #expect(try Self.restored(from: path, [later]) == [later])
    #expect(try CrossingJournal(path: path, boot: "b").last == 1)
    #expect(try CrossingJournal(path: path, boot: "b").lines(after: 0).count == 1)
  }

  @Test func `the last request about a region counts, and forgets crossings before it`() throws {
    let path = try Self.makePath()
    let journal = try CrossingJournal(path: path, boot: "b")
    try journal.append(.monitor(Region("hall", .uuid(1)), assuming: nil), of: "a", at: Self.start)
    try journal.append(Self.crossing("region.enter", "2026-01-02T03:04:06Z", number: 1))
    let second = Region("hall", .uuid(2))
    let then = Self.start + .seconds(2)
    try journal.append(.monitor(second, assuming: nil), of: "a", at: then)
    let old = SavedRegion(Region("hall", .uuid(1)), state: .inside, savedAt: Self.start)
    let new = SavedRegion(second, state: .unknown, savedAt: then)
    #expect(try Self.restored(from: path, [old]) == [new])
    try journal.append(.stopMonitoring("hall"), of: "a", at: then)
    #expect(try Self.restored(from: path, [old]).isEmpty)
  }

  @Test func `requests without end do not make the file grow, and lose no crossing`() throws {
    let path = try Self.makePath()
    let journal = try CrossingJournal(path: path, boot: "b")
    try journal.append(Self.line(1))
    for uuid in 1...9000 as ClosedRange<UInt128> {
      let hall = Region("hall", .uuid(uuid))
      try journal.append(.monitor(hall, assuming: nil), of: "a", at: Self.start)
    }
    #expect(try Data(contentsOf: URL(fileURLWithPath: path)).count < 2100 * 220)
    let again = try CrossingJournal(path: path, boot: "b")
    #expect(again.last == 1)
    #expect(again.lines(after: 0) == [Self.line(1)])
    #expect(again.regions["hall"]?.registered?.region.constraint == .uuid(9000))
  }

  @Test(arguments: [
    // What was kept after the crossing holds.
    (RegionState.outside, 20 as Int64, RegionState.outside),
    // A killed service kept nothing after it; the request to monitor may be as late as the first crossing.
    (.outside, 10, .inside),
    (.outside, 5, .inside),
    (.unknown, 5, .inside),
    (.inside, 5, .inside),
  ]) func `a state that was kept before a crossing is brought up to it`(
    kept: RegionState,
    at seconds: Int64,
    restored: RegionState
  ) {
    let region = Region("hall", .uuid(1))
    var saved = SavedClient()
    saved.regions = [
      SavedRegion(region, state: kept, savedAt: Timestamp(microseconds: seconds * 1_000_000))
    ]
    let time = Timestamp(microseconds: 10_000_000)
    EngineRoom.adjust(&saved, ["hall": .init(crossing: .init(time: time, state: .inside))])
    #expect(saved.regions.map(\.state) == [restored])
  }
}
