// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

import SystemKit
import BeaconTestSupport
import Beacons
import Foundation
import Testing

/// Captures as scan sources.
@Suite(.timeLimit(.minutes(1)))
struct CaptureSourceTests {
  @Test func `a session ranges a capture`() async throws {
    let path = ProjectFiles.fixtures.appending(path: "captures/walk.btsnoop").path
    let source = try CaptureSource(path: path)
    let session = BeaconSession(source)
    let start = try await session.now
    let client = try await session.connect()
    let uuid = try IdentityConstraint(parsing: "F7826DA6-4FA2-4E98-8024-BC5B71E0893E")
    let ticks = try await session.run {
      await client.ranging(satisfying: uuid).reduce(into: [RangingTick]()) { $0.append($1) }
    }
    #expect(ticks.first.map { $0.time } == start.nextWholeSecond)
    #expect(ticks.allSatisfy { !$0.beacons.isEmpty })
    #expect(!source.isLive)
    #expect(source.remarks.isEmpty)
  }

  /// The lines of a recording by one receiver that receives the same beacon at some milliseconds.
  static func recording(_ receiver: String, _ milliseconds: [Int]) -> String {
    let header = #"{"v":1,"type":"capture","tool":"test","receivers":["\#(receiver)"]}"#
    let reports = milliseconds.map { time in
      let stamp = "2026-05-02T10:00:0\(time / 1000).\(String(time % 1000 + 1000).dropFirst())Z"
      return #"{"v":1,"type":"report","t":"\#(stamp)","receiver":"\#(receiver)","rssi":-60,"#
        + #""ad":"1aff4c000215f7826da64fa24e988024bc5b71e0893e00010001c5"}"#
    }
    return ([header] + reports).joined(separator: "\n") + "\n"
  }

  @Test func `several captures are one source, in order of time`() async throws {
    let folder = FileManager.default.temporaryDirectory.appending(path: "captures-\(UUID())")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: folder) }
    let (hall, cafe) = (folder.appending(path: "hall.jsonl"), folder.appending(path: "cafe.jsonl"))
    try Data(Self.recording("hall", [0, 400, 900]).utf8).write(to: hall)
    try Data(Self.recording("cafe", [200, 600, 1500]).utf8).write(to: cafe)
    let source = try CaptureSource(paths: [cafe.path, hall.path, hall.path])
    var received: [String] = []
    let start = try await source.now
    while let batch = try await source.next(until: nil) {
      for input in batch.inputs {
        let time = Int(((input.time - start).seconds * 1000).rounded())
        switch input {
        case .report(let report): received.append("\(time) \(report.receiver)")
        case .radio(let receiver, .gone, _): received.append("\(time) \(receiver) gone")
        default: break
        }
      }
    }
    // The hall's capture has ended when the other one continues.
    #expect(received == ["0 0", "200 1", "400 0", "600 1", "900 0", "900 0 gone", "1500 1"])
    #expect(source.receiverNames == ["hall", "cafe"])
    #expect(source.paths == [cafe.path, hall.path])
    #expect(source.remarks == ["\(hall.path) is named twice; it is read once"])
  }

  @Test func `text without a line of a recording is not a capture`() async throws {
    let file = FileManager.default.temporaryDirectory.appending(path: "\(UUID()).json")
    try Data("{\"a\":1}\n{\"b\":2}\n".utf8).write(to: file)
    defer { try? FileManager.default.removeItem(at: file) }
    let source = try CaptureSource(path: file.path)
    let error = await #expect(throws: CaptureError.self) { try await source.next(until: nil) }
    let message = "\(error.map { "\($0)" } ?? "")"
    #expect(message.contains("no line of it is one of a recording: line 1: 'type' is"))
  }

  @Test func `a file that is no capture is reported when it is opened`() throws {
    #expect(throws: CaptureError.self) { try CaptureSource(path: #filePath) }
    #expect(throws: SystemError.self) { try CaptureSource(path: "/nowhere/at/all") }
  }

  /// Swift takes two such paths for one.
  @Test func `two files whose names differ only in their form are two`() throws {
    let folder = FileManager.default.temporaryDirectory.appending(path: "names-\(UUID())").path
    try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(atPath: folder) }
    let paths = ["p\u{E9}", "pe\u{301}"].map { folder + "/" + $0 }
    for path in paths { #expect(FileManager.default.createFile(atPath: path, contents: nil)) }
    let (distinct, remarks) = CaptureSource.distinct(paths + [paths[1]])
    #expect(distinct.map { Array($0.utf8) } == paths.map { Array($0.utf8) })
    #expect(remarks.count == 1)
  }
}
