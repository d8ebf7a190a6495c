// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

import BeaconCore
import BeaconFormats
import BeaconTestSupport
import Foundation
import Synchronization
import SystemKit
import Testing

@testable import Beacons

/// A run never waits for the disk of its recording (row T14). A pipe whose reader reads nothing stands for a disk that stalls.
@Suite struct RecordingQueueTests {
  private let path = FileManager.default.temporaryDirectory
    .appending(path: "beacons-queue-\(UUID().uuidString)").path

  // The reader of a pipe ends before its writer.
  init() { _ = signal(SIGPIPE, SIG_IGN) }

  private func queue(waits: Bool = false, limit: Int = 100) -> RecordingQueue {
    var place = RecordingFile.Place(path: path, format: .lines, continues: true)
    place.waits = waits
    let file = RecordingFile(
      place,
      opening: OutputFiles(),
      header: CaptureHeader(tool: "test", version: "1", receivers: ["hci0", "hci1"]),
      includesAddresses: false
    )
    return RecordingQueue(file, limit: limit)
  }

  private func batch(_ second: Int, count: Int = 1) -> ScanBatch {
    var batch = ScanBatch()
    for _ in 0..<count {
      let report = AdvertisingReport(
        time: TestScan.at(Double(second)),
        rssi: -70,
        address: DeviceAddress(7, kind: .random),
        payloadStart: 0,
        payloadCount: 200
      )
      batch.append(report, payload: [UInt8](repeating: 1, count: 200))
    }
    return batch
  }

  private static func times(_ type: String, in text: String) -> [Substring] {
    text.split(separator: "\n").filter { $0.contains(#""type":"\#(type)""#) }
  }

  /// A pipe that this process has open at both ends, full of empty lines if its writer is to wait immediately.
  private func makePipe(isFull: Bool = false) throws -> FileHandle {
    try #require(mkfifo(path, 0o600) == 0)
    let descriptor = open(path, O_RDWR | O_NONBLOCK)
    try #require(descriptor >= 0)
    let lines = [UInt8](repeating: UInt8(ascii: "\n"), count: 4_096)
    while isFull, write(descriptor, lines, lines.count) > 0 {}
    _ = fcntl(descriptor, F_SETFL, O_RDWR)
    return FileHandle(fileDescriptor: descriptor, closeOnDealloc: true)
  }

  @Test func `what a stalled disk does not take is counted, reported and not known to a replay`()
    async throws
  {
    let reader = try makePipe(isFull: true)
    defer { unlink(path) }
    let queue = queue()
    try queue.begin(at: TestScan.at(0), zone: nil, [])
    try queue.put(.batch(ScanBatch(inputs: [.radio(receiver: 1, .off, TestScan.at(1))])))
    let start = ContinuousClock.now
    for second in 2..<1_000 { try queue.put(.batch(batch(second, count: 10))) }
    let action = RecordedUserAction(time: TestScan.at(1_000), client: "c", input: .foreground)
    try queue.put(.action(action))
    #expect(ContinuousClock.now - start < .seconds(5))
    #expect(queue.drainNotices() == [.behind(path: path)])
    let text = Mutex("")
    let all = Thread {
      var bytes: [UInt8] = []
      while !String(decoding: bytes.suffix(200), as: UTF8.self).contains(#""type":"end""#) {
        bytes += [UInt8](reader.availableData)
      }
      text.withLock { $0 = String(decoding: bytes, as: UTF8.self) }
    }
    all.start()
    // The queue is empty when it takes a report again.
    var notices: [RecordingNotice] = []
    var second = 2_000
    while notices.isEmpty {
      try queue.put(.batch(batch(second)))
      notices = queue.drainNotices()
      second += 1
      try await Task.sleep(for: .milliseconds(5))
    }
    try queue.end(at: TestScan.at(Double(second)))
    while !all.isFinished { try await Task.sleep(for: .milliseconds(5)) }
    let recorded = text.withLock { $0 }
    guard case .resumed(_, let lost, let since, let until)? = notices.first, notices.count == 1
    else {
      return #expect(Bool(false), "\(notices)")
    }
    let reports = Self.times("report", in: recorded).count
    #expect(lost + reports == 9_980 + (second - 2_000))
    let radio = Self.times("radio", in: recorded)
    #expect(radio.count == 3)
    #expect(radio[1].contains(RFC3339.string(since)) && radio[1].contains(#""deaf""#))
    #expect(radio[1].contains("hci0"))
    #expect(radio[2].contains(RFC3339.string(until)) && radio[2].contains(#""listening""#))
    #expect(Self.times("user", in: recorded).count == 1)
  }

  @Test func `a mark that comes while the queue is full loses nothing`() throws {
    let reader = try makePipe(isFull: true)
    defer { unlink(path) }
    let queue = queue()
    try queue.begin(at: TestScan.at(0), zone: nil, [])
    try queue.put(.batch(batch(1, count: 100)))
    for second in 2..<50 {
      try queue.put(.batch(ScanBatch(inputs: [.mark(TestScan.at(Double(second)))])))
    }
    #expect(queue.drainNotices().isEmpty)
    try queue.put(.batch(batch(50)))
    #expect(queue.drainNotices() == [.behind(path: path)])
    try reader.close()
  }

  @Test func `a replay that is recorded waits, and loses nothing`() async throws {
    let reader = try makePipe()
    defer { unlink(path) }
    let queue = queue(waits: true)
    let written = Thread {
      try? queue.begin(at: TestScan.at(0), zone: nil, [])
      for second in 1...200 { try? queue.put(.batch(batch(second, count: 10))) }
      try? queue.end(at: TestScan.at(201))
    }
    written.start()
    var text = ""
    while !text.suffix(200).contains(#""type":"end""#) {
      text += String(decoding: reader.availableData, as: UTF8.self)
    }
    #expect(Self.times("report", in: text).count == 2_000)
    #expect(queue.drainNotices().isEmpty)
  }

  @Test func `a run begins although no program opens its pipe`() throws {
    try #require(mkfifo(path, 0o600) == 0)
    defer { unlink(path) }
    let queue = queue()
    let start = ContinuousClock.now
    try queue.begin(at: TestScan.at(0), zone: nil, [])
    try queue.put(.batch(batch(1)))
    #expect(ContinuousClock.now - start < .seconds(3))
    // Lets the queue's thread end.
    _ = FileHandle(fileDescriptor: open(path, O_RDWR | O_NONBLOCK), closeOnDealloc: true)
  }

  @Test func `an account that may read a recording cannot hold its lock`() throws {
    try Data().write(to: URL(filePath: path))
    defer { unlink(path) }
    let reader = open(path, O_RDONLY)
    defer { close(reader) }
    #expect(flock(reader, LOCK_EX | LOCK_NB) == 0)
    var first = try FileLock(of: path)
    #expect(first != nil)
    #expect(FileLock.isHeld(of: path))
    #expect(try FileLock(of: path) == nil)
    first = nil
    #expect(!FileLock.isHeld(of: path))
    let folder = (path as NSString).deletingLastPathComponent
    let left = try FileManager.default.contentsOfDirectory(atPath: folder)
    var status = stat()
    stat(path, &status)
    #expect(!left.contains(".beacons-\(status.st_ino).lock"))
  }
}
