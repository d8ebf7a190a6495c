// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

import BeaconGateway
import BeaconTestSupport
import Foundation
import SystemKit
import Testing

@testable import BrokerClient

/// A folder that goes with the test.
final class TestFolder {
  let url: URL
  var path: String { url.path }

  init() throws {
    url = FileManager.default.temporaryDirectory.appending(path: "spool-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: url, withIntermediateDirectories: true)
  }

  deinit { try? FileManager.default.removeItem(at: url) }

  /// The folder as a process leaves it that is killed now.
  func asKilled() throws -> TestFolder {
    let copy = try TestFolder()
    for name in try FileManager.default.contentsOfDirectory(atPath: path) {
      try FileManager.default.copyItem(
        at: url.appending(path: name),
        to: copy.url.appending(path: name)
      )
    }
    return copy
  }
}

@Suite struct SpoolTests {
  static func record(_ number: Int, count: Int = 10) -> SpoolRecord {
    SpoolRecord(
      topic: "beacons/1/home/hall/crossing",
      payload: Array("\(number) ".utf8) + [UInt8](repeating: 0x2E, count: count)
    )
  }

  static func number(_ record: SpoolRecord?) -> Int? {
    record.flatMap { Int(String(decoding: $0.payload.prefix { $0 != 0x20 }, as: UTF8.self)) }
  }

  @Test(arguments: ["lock", "head", "topics", "last-seen", "components"])
  func `a file of the user in the folder is refused and stays`(_ name: String) throws {
    let folder = try TestFolder()
    let path = folder.path + "/" + name
    for text in ["my own\n", #"{"mine":1}"#] {
      try Data(text.utf8).write(to: URL(filePath: path))
      #expect(throws: OutputRefusal.isNotOwn(path: path)) { try Spool(folder.path) }
      #expect(try WholeFile.read(path) == Array(text.utf8))
    }
    // One that was written here is used again.
    let lines = [
      "lock": "1\n", "head": "7\n", "topics": "beacons/1/home/hall/status\n",
      "last-seen": #"{"beacon":"F7826DA6-4FA2-4E98-8024-BC5B71E0893E/1/2"}"# + "\n",
      "components": "homeassistant/device/x/config a sensor\n",
    ]
    try Data((lines[name] ?? "").utf8).write(to: URL(filePath: path))
    _ = try Spool(folder.path)
    try FileManager.default.linkItem(atPath: path, toPath: folder.path + "/other")
    #expect(throws: OutputRefusal.isNotOwn(path: path)) { try Spool(folder.path) }
  }

  @Test(.enabled(if: geteuid() == 0), arguments: ["link", "link/new"])
  func `no spool is written through a link of another account`(_ name: String) throws {
    let folder = try TestFolder()
    let (own, link) = (folder.path + "/own", folder.path + "/link")
    let manager = FileManager.default
    try manager.createDirectory(atPath: own, withIntermediateDirectories: true)
    try manager.createSymbolicLink(atPath: link, withDestinationPath: own)
    #expect(lchown(link, 65_534, 65_534) == 0)
    #expect(throws: BrokerClientError.folder("\(link) is a link of another account (65534)")) {
      _ = try Spool(folder.path + "/" + name)
    }
    #expect(try manager.contentsOfDirectory(atPath: own).isEmpty)
  }

  /// Everything that waits, in the order in which it would be sent.
  static func waiting(_ spool: Spool) -> [Int] {
    var numbers: [Int] = []
    var message: Int32 = 0
    while let next = spool.outbox.nextRecord() {
      if let number = number(spool.read(next)) { numbers.append(number) }
      message += 1
      spool.outbox.sending(next, as: message)
      spool.acknowledged(message)
    }
    return numbers
  }

  @Test func `what was not acknowledged is there for the next process, in order`() throws {
    let folder = try TestFolder()
    do {
      let spool = try Spool(folder.path)
      for number in 0..<30 { _ = spool.append(Self.record(number), isUrgent: number % 2 == 0) }
      for number in 0..<10 {
        spool.outbox.sending(UInt64(number), as: Int32(number))
        spool.acknowledged(Int32(number))
      }
      spool.saveHead()
    }
    let spool = try Spool(folder.path)
    #expect(Self.waiting(spool) == Array(10..<30))
    #expect(spool.outbox.waiting == 0 && spool.lost == 0)
  }

  @Test func `two processes do not share a spool`() throws {
    let folder = try TestFolder()
    let spool = try Spool(folder.path)
    #expect(throws: BrokerClientError.self) { _ = try Spool(folder.path) }
    #expect(spool.outbox.end == 0)
  }

  /// At any time the process is killed: nothing that the broker did not have is lost, and the order stays.
  @Test func `a kill at any time loses nothing and keeps the order`() throws {
    var random = SplitMix64(seed: 5)
    for _ in 0..<Effort.rounds(20) {
      var folder = try TestFolder()
      var spool: Spool? = try Spool(folder.path)
      var written = 0
      var received: Set<Int> = []
      var message: Int32 = 0
      for _ in 0..<120 {
        switch random.next() % 10 {
        case 0..<5:
          _ = spool?.append(Self.record(written), isUrgent: false)
          written += 1
        case 5..<9:
          guard let spool, let next = spool.outbox.nextRecord() else { continue }
          let number = try #require(Self.number(spool.read(next)))
          message += 1
          spool.outbox.sending(next, as: message)
          received.insert(number)
          if random.next() % 3 > 0 {
            spool.acknowledged(message)
          } else {
            spool.outbox.disconnected()
          }
        default:
          let left = try folder.asKilled()
          spool = nil
          folder = left
          spool = try Spool(folder.path)
        }
      }
      let last = try #require(spool)
      last.outbox.disconnected()
      let rest = Self.waiting(last)
      #expect(rest == rest.sorted())
      #expect(received.union(rest) == Set(0..<written))
    }
  }

  @Test func `a file that was cut is read up to the cut, and numbers go on`() throws {
    let folder = try TestFolder()
    do {
      let spool = try Spool(folder.path)
      for number in 0..<5 { _ = spool.append(Self.record(number), isUrgent: false) }
    }
    let name = "/spool-00000000000000000000"
    let bytes = try WholeFile.read(folder.path + name)
    try Data(bytes.dropLast(3)).write(to: URL(fileURLWithPath: folder.path + name))
    do {
      let spool = try Spool(folder.path)
      #expect(spool.outbox.end == 4)
      _ = spool.append(Self.record(5), isUrgent: false)
    }
    let spool = try Spool(folder.path)
    #expect(Self.waiting(spool) == [0, 1, 2, 3, 5])
  }

  @Test func `files that nobody wrote, or that are damaged, do no harm`() throws {
    let folder = try TestFolder()
    for (name, text) in [
      ("spool-00000000000000000007", "no record"), ("spool-x", "x"), ("head", ""), ("topics", ""),
    ] { try Data(text.utf8).write(to: folder.url.appending(path: name)) }
    let spool = try Spool(folder.path)
    #expect(spool.outbox.head == 7 && spool.outbox.end == 7)
    _ = spool.append(Self.record(1), isUrgent: false)
    #expect(Self.waiting(spool) == [1])
  }

  @Test func `the oldest go when there is no room, and they are counted`() throws {
    let folder = try TestFolder()
    let spool = try Spool(folder.path, limit: 4 << 20)
    for number in 0..<60 {
      _ = spool.append(Self.record(number, count: 100_000), isUrgent: false)
    }
    let sizes = try FileManager.default.contentsOfDirectory(atPath: folder.path).compactMap {
      FileStatus(folder.path + "/" + $0)?.size
    }
    #expect(sizes.reduce(0, +) <= 4 << 20)
    #expect(spool.lost > 0)
    #expect(Self.waiting(spool) == Array(Int(spool.lost)..<60))
  }

  /// A kill or a power cut behind the creation of a file leaves it without a record.
  @Test(arguments: ["", "B", "\u{0}\u{0}\u{0}\u{0}\u{0}\u{0}\u{0}\u{0}\u{0}\u{0}\u{0}\u{0}"])
  func `a newest file without a whole record does not end the spool`(_ text: String) throws {
    let folder = try TestFolder()
    do {
      let spool = try Spool(folder.path)
      for number in 0..<3 { _ = spool.append(Self.record(number), isUrgent: true) }
    }
    let name = "spool-00000000000000000003"
    try Data(text.utf8).write(to: folder.url.appending(path: name))
    for number in 3..<5 {
      let spool = try Spool(folder.path)
      #expect(spool.append(Self.record(number), isUrgent: true) == UInt64(number))
      #expect(spool.fault == nil)
    }
    let spool = try Spool(folder.path)
    #expect(Self.waiting(spool) == [0, 1, 2, 3, 4])
  }

  /// A folder in the place of the next file: the disk takes nothing until it is gone.
  private static func block(_ folder: TestFolder, _ number: Int) throws -> URL {
    let digits = String(number)
    let name = "spool-" + String(repeating: "0", count: 20 - digits.count) + digits
    let place = folder.url.appending(path: name).appending(path: "x")
    try FileManager.default.createDirectory(at: place, withIntermediateDirectories: true)
    return place.deletingLastPathComponent()
  }

  @Test func `what a disk does not take waits in memory, in order, and is written later`() throws {
    let folder = try TestFolder()
    do {
      let spool = try Spool(folder.path)
      let obstacle = try Self.block(folder, 0)
      for number in 0..<5 {
        #expect(spool.append(Self.record(number), isUrgent: true) == UInt64(number))
        #expect(spool.append(Self.record(100), isUrgent: false) == nil)
        #expect(spool.fault != nil)
      }
      #expect(spool.refused == 5 && spool.lost == 0)
      // A connected broker gets it meanwhile.
      let next = spool.outbox.nextRecord()
      let first = try #require(next)
      #expect(Self.number(spool.read(first)) == 0)
      spool.outbox.sending(first, as: 1)
      spool.acknowledged(1)
      try FileManager.default.removeItem(at: obstacle)
      // The number of the first record that the broker does not have.
      #expect(spool.append(Self.record(5), isUrgent: false) == 5)
      #expect(spool.fault == nil)
    }
    #expect(Self.waiting(try Spool(folder.path)) == [1, 2, 3, 4, 5])
  }

  @Test func `what a disk took only at the end is there for the next process`() throws {
    let folder = try TestFolder()
    do {
      let spool = try Spool(folder.path)
      let obstacle = try Self.block(folder, 0)
      for number in 0..<2 { _ = spool.append(Self.record(number), isUrgent: true) }
      try FileManager.default.removeItem(at: obstacle)
      spool.finish()
      #expect(spool.lost == 0)
    }
    #expect(Self.waiting(try Spool(folder.path)) == [0, 1])
  }

  @Test func `what a disk never took is bounded, and counted`() throws {
    let folder = try TestFolder()
    let count = Spool.unwrittenLimit + 10
    for number in 0...10 { _ = try Self.block(folder, number) }
    let spool = try Spool(folder.path)
    for number in 0..<count { _ = spool.append(Self.record(number), isUrgent: true) }
    #expect(spool.lost == 10)
    #expect(spool.outbox.waiting == UInt64(Spool.unwrittenLimit))
    #expect(Self.number(spool.read(10)) == 10 && spool.read(9) == nil)
    spool.finish()
    #expect(spool.lost == UInt64(count) && spool.outbox.waiting == 0)
  }

  @Test func `a file with a number beyond all numbers is none of the spool's`() throws {
    let folder = try TestFolder()
    let bytes = try #require(Self.record(0).bytes)
    try Data(bytes).write(to: folder.url.appending(path: "spool-18446744073709551615"))
    let spool = try Spool(folder.path)
    #expect(spool.append(Self.record(1), isUrgent: true) == 0)
  }
}
