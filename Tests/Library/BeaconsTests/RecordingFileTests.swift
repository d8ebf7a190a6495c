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

/// A recording continues or rotates, and nothing that is written is lost.
@Suite struct RecordingFileTests {
  private let folder = FileManager.default.temporaryDirectory
    .appending(path: "beacons-recording-\(UUID().uuidString)")

  init() throws {
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
  }

  private func path(_ name: String) -> String { folder.appending(path: name).path }

  private func text(_ name: String) throws -> String {
    String(decoding: try Data(contentsOf: folder.appending(path: name)), as: UTF8.self)
  }

  private func write(_ bytes: [UInt8], to name: String) throws {
    try Data(bytes).write(to: folder.appending(path: name))
  }

  private func recording(
    _ name: String = "air.jsonl",
    format: RecordingWriter.Format = .lines,
    replacing replaces: Bool = false,
    _ change: (inout RecordingFile.Place) -> Void = { _ in }
  ) -> RecordingFile {
    var place = RecordingFile.Place(path: path(name), format: format, continues: true)
    change(&place)
    return RecordingFile(
      place,
      opening: OutputFiles(replacing: replaces),
      header: CaptureHeader(tool: "test", version: "1", receivers: ["hci0"]),
      includesAddresses: false
    )
  }

  /// Records one report of one device at a second, and ends there.
  private func record(_ second: Int, in file: inout RecordingFile, device: UInt64 = 7) throws {
    try file.begin(at: TestScan.at(Double(second)))
    try file.write(Self.batch(second, device))
    try file.end(at: TestScan.at(Double(second) + 0.5))
  }

  private static func batch(_ second: Int, _ device: UInt64 = 7) -> ScanBatch {
    var batch = ScanBatch()
    let report = AdvertisingReport(
      time: TestScan.at(Double(second)),
      rssi: -70,
      address: DeviceAddress(device, kind: .random),
      payloadStart: 0,
      payloadCount: 3
    )
    batch.append(report, payload: [2, 1, 6])
    return batch
  }

  private func count(_ type: String, in name: String) throws -> Int {
    try text(name).split(separator: "\n").count { $0.contains("\"type\":\"\(type)\"") }
  }

  // MARK: Continuing

  @Test func `a recording that exists is continued`() throws {
    var first = recording()
    try record(1, in: &first)
    let before = try text("air.jsonl")
    #expect(before.contains("\"redacted\":true"))
    var second = recording()
    try record(10, in: &second)
    #expect(try text("air.jsonl").hasPrefix(before))
    #expect(try count("capture", in: "air.jsonl") == 2)
    #expect(try count("report", in: "air.jsonl") == 2)
    #expect(second.drainNotices() == [.continued(path: path("air.jsonl"))])
  }

  @Test func `half a line of a crash costs only that line`() throws {
    var first = recording()
    try record(1, in: &first)
    try write(Array((try text("air.jsonl") + #"{"v":1,"type":"rep"#).utf8), to: "air.jsonl")
    var second = recording()
    try record(10, in: &second)
    #expect(try text("air.jsonl").contains("\"rep\n{\"v\":1,\"type\":\"capture\""))
  }

  @Test(arguments: ["my notes", "{\"v\":1}", "not\0text"], [true, false])
  func `what is no recording is refused`(_ content: String, _ isBinary: Bool) throws {
    let name = isBinary ? "air.btsnoop" : "air.jsonl"
    let format = isBinary ? RecordingWriter.Format.btsnoop : .lines
    try write(Array(content.utf8), to: name)
    var file = recording(name, format: format)
    #expect(throws: OutputRefusal.isNoRecording(path: path(name))) {
      try file.begin(at: TestScan.at(1))
    }
    #expect(try text(name) == content)
    var forced = recording(name, format: format, replacing: true)
    try record(1, in: &forced)
    #expect(try !text(name).contains(content))
  }

  @Test func `a recording from a later time, or of another format, becomes the older file`() throws
  {
    var later = recording()
    try record(100, in: &later)
    let old = try text("air.jsonl")
    var file = recording()
    try record(1, in: &file)
    #expect(try text("air.jsonl.1") == old)
    #expect(
      file.drainNotices() == [.setAside(path: path("air.jsonl"), as: path("air.jsonl.1"))]
    )
    for second in 1...7 {
      var binary = recording("air.btsnoop", format: .btsnoop)
      try record(second, in: &binary)
    }
    let sizes = try (0..<7).map { number in
      try Data(
        contentsOf: folder.appending(path: number == 0 ? "air.btsnoop" : "air.btsnoop.\(number)")
      ).count
    }
    #expect(Set(sizes).count == 1, "\(sizes)")
  }

  @Test func `a file of zeros, as a power cut leaves it, is set aside`() throws {
    try write([UInt8](repeating: 0, count: 5000), to: "air.jsonl")
    var file = recording()
    try record(1, in: &file)
    #expect(try Data(contentsOf: folder.appending(path: "air.jsonl.1")).count == 5000)
    #expect(try count("capture", in: "air.jsonl") == 1)
  }

  @Test func `a continued recording has no pseudonym for two devices`() throws {
    for device in 1...4 as ClosedRange<UInt64> {
      var file = recording()
      try record(Int(device), in: &file, device: device)
    }
    let lines = try text("air.jsonl").split(separator: "\n")
    let pseudonyms = lines.compactMap { $0.split(separator: "\"address\":\"").dropFirst().first }
    #expect(Set(pseudonyms.map { $0.prefix(17) }).count == 4)
  }

  @Test func `a file is recorded to once at a time`() throws {
    var first = recording()
    try first.begin(at: TestScan.at(1))
    var second = recording()
    #expect(throws: OutputRefusal.isRecorded(path: path("air.jsonl"))) {
      try second.begin(at: TestScan.at(2))
    }
    try first.end(at: TestScan.at(3))
    try record(4, in: &second)
  }

  @Test func `a recording that goes on is neither set aside nor emptied by another one`() throws {
    for format in [RecordingWriter.Format.lines, .btsnoop, .pcap] {
      let name = "air.\(format)"
      var first = recording(name, format: format)
      try first.begin(at: TestScan.at(1))
      try first.write(Self.batch(2))
      let content = try Data(contentsOf: URL(fileURLWithPath: path(name)))
      for (continues, replaces) in [(true, false), (true, true), (false, true)] {
        // The time is before that of the first recording, which could not be continued.
        var second = recording(name, format: format, replacing: replaces) {
          $0.continues = continues
        }
        #expect(throws: OutputRefusal.isRecorded(path: path(name))) {
          try second.begin(at: TestScan.at(0))
        }
      }
      #expect(try Data(contentsOf: URL(fileURLWithPath: path(name))) == content)
      #expect(!FileManager.default.fileExists(atPath: path("\(name).1")))
      try first.end(at: TestScan.at(3))
    }
  }

  // MARK: Rotation and permissions

  @Test func `rotation never takes the name of a file that is no recording`() throws {
    try write(Array("mine".utf8), to: "air.jsonl.1")
    var file = recording { $0.rotation = .size(1) }
    let refusal = OutputRefusal.isNoRecording(path: path("air.jsonl.1"), canReplace: false)
    #expect(throws: refusal) { try file.begin(at: TestScan.at(1)) }
    // `--force` does not replace it.
    #expect(refusal.description.hasSuffix("was left as it is; name another file"))
    try FileManager.default.removeItem(atPath: path("air.jsonl.1"))
    try file.begin(at: TestScan.at(1))
    try write(Array("mine".utf8), to: "air.jsonl.1")
    #expect(throws: refusal) { try file.write(Self.batch(2)) }
    #expect(try text("air.jsonl.1") == "mine")
  }

  @Test func `rotation never takes the name of an input`() throws {
    var first = recording("air.jsonl.1")
    try record(1, in: &first)
    let before = try text("air.jsonl.1")
    let files = OutputFiles(replacing: true)
    try files.addInput(path("air.jsonl.1"))
    var place = RecordingFile.Place(path: path("air.jsonl"), format: .lines, continues: true)
    place.rotation = .size(1)
    let header = CaptureHeader(tool: "test", version: "1", receivers: ["hci0"])
    var file = RecordingFile(place, opening: files, header: header, includesAddresses: false)
    let refusal = OutputRefusal.isInput(path: path("air.jsonl.1"), input: path("air.jsonl.1"))
    #expect(throws: refusal) { try file.begin(at: TestScan.at(1)) }
    #expect(try text("air.jsonl.1") == before)
  }

  @Test func `each file says in which state the receivers are`() throws {
    var file = recording { $0.rotation = .size(400) }
    try file.begin(at: TestScan.at(1))
    let listening = ScanInput.radio(receiver: 0, .listening, TestScan.at(1))
    try file.write(ScanBatch(inputs: [listening]))
    for second in 2...6 { try file.write(Self.batch(second)) }
    try FileManager.default.removeItem(atPath: path("air.jsonl"))
    try file.write(Self.batch(7))
    try file.end(at: TestScan.at(8))
    let names = try FileManager.default.contentsOfDirectory(atPath: folder.path)
    #expect(names.count >= 3)
    for name in names { #expect(try count("radio", in: name) == 1, "\(name)") }
  }

  @Test func `an older file that somebody writes to meanwhile is looked into again`() throws {
    var file = recording { $0.rotation = .size(1) }
    try file.begin(at: TestScan.at(1))
    for second in 2...4 { try file.write(Self.batch(second)) }
    // The same file with other content, as an editor that keeps it leaves it.
    let notes = Array("notes on the first visit".utf8)
    let older = try FileDescriptor(writingInto: path("air.jsonl.2"), appending: false)
    try older.empty()
    try older.write(notes)
    #expect(throws: OutputRefusal.isNoRecording(path: path("air.jsonl.2"), canReplace: false)) {
      try file.write(Self.batch(5))
    }
    #expect(try text("air.jsonl.2") == String(decoding: notes, as: UTF8.self))
  }

  @Test func `a restart of a rotating recording loses no file`() throws {
    for second in 1...5 {
      var file = recording { $0.rotation = .size(200) }
      try record(second, in: &file)
    }
    var reports = 0
    for name in try FileManager.default.contentsOfDirectory(atPath: folder.path) {
      reports += try count("report", in: name)
    }
    #expect(reports == 5)
  }

  @Test(arguments: [0o600, 0o640, 0o644] as [UInt32])
  func `only the owner reads a recording, unless it is opened to others`(_ mode: UInt32) throws {
    var file = recording { $0.mode = mode }
    try record(1, in: &file)
    #expect(FileStatus(path("air.jsonl"))?.mode == mode)
    #expect(RecordingFile.Place(path: "", format: .lines, continues: true).mode == 0o600)
  }

  // MARK: What others do to the file

  @Test func `a file that is emptied meanwhile is a recording again`() throws {
    var file = recording()
    try file.begin(at: TestScan.at(1))
    try file.write(Self.batch(2))
    try write([], to: "air.jsonl")
    try file.write(Self.batch(3))
    try file.end(at: TestScan.at(4))
    #expect(file.drainNotices() == [.emptied(path: path("air.jsonl"))])
    #expect(try text("air.jsonl").hasPrefix("{\"v\":1,\"type\":\"capture\""))
    #expect(try count("report", in: "air.jsonl") == 1)
  }

  @Test(arguments: [true, false])
  func `a file that is removed or moved meanwhile is begun again`(_ isMoved: Bool) throws {
    var file = recording()
    try file.begin(at: TestScan.at(1))
    try file.write(Self.batch(2))
    if isMoved {
      try FileManager.default.moveItem(atPath: path("air.jsonl"), toPath: path("moved"))
    } else {
      try FileManager.default.removeItem(atPath: path("air.jsonl"))
    }
    try file.write(Self.batch(3))
    try file.end(at: TestScan.at(4))
    #expect(file.drainNotices() == [.moved(path: path("air.jsonl"))])
    #expect(try count("capture", in: "air.jsonl") == 1)
    #expect(try count("report", in: "air.jsonl") == 1)
  }

  // MARK: The disk

  @Test(.timeLimit(.minutes(1)))
  func `written data waits for the disk on another thread, and not each by itself`() async throws {
    let (syncs, continuation) = AsyncStream.makeStream(of: Void.self)
    let disk = DiskSynchronizer(every: .milliseconds(1)) { () throws(SystemError) in
      continuation.yield()
    }
    for _ in 1...100 { disk.note() }
    var iterator = syncs.makeAsyncIterator()
    #expect(await iterator.next() != nil)
    disk.note()
    #expect(await iterator.next() != nil)
    disk.cancel()
    try disk.check()
  }

  @Test(.timeLimit(.minutes(1)))
  func `an error of the disk ends the recording at its next write`() async throws {
    let (syncs, continuation) = AsyncStream.makeStream(of: Void.self)
    let error = SystemError(5, .write, "air.jsonl")
    let disk = DiskSynchronizer(every: .milliseconds(1)) { () throws(SystemError) in
      continuation.yield()
      throw error
    }
    disk.note()
    var iterator = syncs.makeAsyncIterator()
    _ = await iterator.next()
    disk.cancel()
    #expect(throws: error) { try disk.check() }
  }
}
