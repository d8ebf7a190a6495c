// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

import BeaconCommandLine
import BeaconCore
import BeaconFormats
import BeaconTestSupport
import Beacons
import CommandTestSupport
import Foundation
import Testing

@testable import BeaconCommands

/// Regions while a capture shows that no receiver listened (row T11).
@Suite struct ScanPauseTests {
  static let museum = SeveralCapturesTests.museum

  /// A capture of one beacon, each second until a time and again from another one on, while the scan is off.
  ///
  /// - Parameters:
  ///   - silence: When the beacon is not received.
  ///   - off: When the scan is off; `nil` if the capture does not show it.
  static func capture(
    silent silence: Range<Double>,
    off: Range<Double>?,
    end: Double = 60,
    to name: String,
    in folder: ScratchFolder
  ) throws -> String {
    var scan = TestScan()
    for second in stride(from: 0.25, to: end, by: 1) where !silence.contains(second) {
      scan.report(TestScan.beacon(1, 1), -60, at: second)
    }
    if let off {
      scan.add(.radio(receiver: 0, .off, TestScan.at(off.lowerBound)))
      scan.add(.radio(receiver: 0, .listening, TestScan.at(off.upperBound)))
    }
    var bytes: [UInt8] = []
    BtsnoopWriter().begin(receiverNames: ["hci0"], at: TestScan.at(0), into: &bytes)
    BtsnoopWriter().write(scan.inOrder, into: &bytes)
    let path = folder.url.appending(path: name)
    try Data(withoutNotes(bytes)).write(to: path)
    return path.path
  }

  /// A capture as a host writes it: without the notes by which our writer marks a state that counts however short it is.
  private static func withoutNotes(_ capture: [UInt8]) -> [UInt8] {
    var (kept, start) = (Array(capture.prefix(16)), 16)
    while start + 24 <= capture.count {
      let count = capture[start + 4..<start + 8].reduce(0) { $0 << 8 | Int($1) }
      let (end, systemNote) = (start + 24 + count, UInt8(12))
      if capture[start + 11] != systemNote { kept += capture[start..<end] }
      start = end
    }
    return kept
  }

  static func monitor(_ captures: [String], _ options: [String] = []) -> CommandRun {
    CommandRun(
      ["monitor"] + captures.flatMap { ["-f", $0] } + ["-r", "a=\(museum)", "--format", "jsonl"]
        + options
    )
  }

  @Test(arguments: ["default", "coreLocation14"])
  func `a region is not left while the capture shows that no receiver listened`(
    _ profile: String
  ) throws {
    let folder = try ScratchFolder()
    let silent = try Self.capture(silent: 20..<50, off: nil, to: "silent.btsnoop", in: folder)
    let paused = try Self.capture(silent: 20..<50, off: 20..<50, to: "off.btsnoop", in: folder)
    let control = Self.monitor([silent], ["--profile", profile])
    let run = Self.monitor([paused], ["--profile", profile])
    #expect(control.output.contains("region.exit") && control.output.contains("region.enter"))
    #expect(run.code == .done)
    #expect(!run.output.contains("region.exit") && !run.output.contains("region.enter"))
    #expect(run.output.contains(#""code":"radioOff""#))
    let unknown = #""state":"unknown","origin":"observed","reason":"radioOff""#
    #expect(run.output.contains(unknown) == (profile == "default"))
  }

  @Test(arguments: [("region.exit=4", 23.5..<25.75), ("region.exit=4", 22.0..<24.75)])
  func `a pause of less than three seconds changes nothing, and an exit comes at its time`(
    _ exit: String,
    _ off: Range<Double>
  ) throws {
    let folder = try ScratchFolder()
    // The exit is due at 24.25 s.
    let silent = try Self.capture(silent: 21..<40, off: nil, to: "silent.btsnoop", in: folder)
    let paused = try Self.capture(silent: 21..<40, off: off, to: "off.btsnoop", in: folder)
    let run = Self.monitor([paused], ["--set", exit])
    #expect(run.output.contains("region.exit") && run.output.contains("radioOff") == false)
    #expect(run.output == Self.monitor([silent], ["--set", exit]).output)
    // The same exit never comes if the scan stays off.
    let longer = off.lowerBound..<off.lowerBound + 3
    let real = try Self.capture(silent: 21..<40, off: longer, to: "real.btsnoop", in: folder)
    let lines = Self.monitor([real], ["--set", exit]).output.split(separator: "\n")
    let time = RFC3339.string(TestScan.at(24.25))
    #expect(lines.contains { $0.contains("radioOff") })
    #expect(!lines.contains { $0.contains("region.exit") && $0.contains(time) })
  }

  @Test func `recordings, conversions and merges of such a capture give the same events`() throws {
    let folder = try ScratchFolder()
    let capture = try Self.capture(silent: 20..<50, off: 20..<50, to: "off.btsnoop", in: folder)
    let events = Self.monitor([capture]).output
    #expect(events.contains("radioOff"))
    let recorded = folder.url.appending(path: "recorded.jsonl").path
    #expect(Self.monitor([capture], ["--record", recorded]).code == .done)
    #expect(Self.monitor([recorded]).output == events)
    for name in ["converted.jsonl", "converted.btsnoop", "converted.pcap"] {
      let path = folder.url.appending(path: name).path
      #expect(CommandRun(["convert", capture, path]).code == .done)
      #expect(Self.monitor([path]).output == events, "\(name)")
    }
    // Another receiver that listens in the pause keeps the region; one that is off as well does not.
    let other = try Self.capture(silent: 0..<0, off: nil, to: "other.btsnoop", in: folder)
    let merged = Self.monitor([capture, other]).output
    #expect(!merged.contains("radioOff") && !merged.contains("region.exit"))
    let both = Self.monitor([capture, recorded]).output
    #expect(both.contains("radioOff") && !both.contains("region.exit"))
  }

  @Test func `reports while a recording states that no radio listens are reported once`() throws {
    let folder = try ScratchFolder()
    let whole = try Self.capture(silent: 0..<0, off: 20..<70, to: "whole.btsnoop", in: folder)
    let recorded = folder.url.appending(path: "recorded.jsonl").path
    #expect(CommandRun(["convert", whole, recorded]).code == .done)
    // The state is a recording's, so a report does not end it.
    var lines = try String(contentsOfFile: recorded, encoding: .utf8).split(separator: "\n")
    let off = RFC3339.string(TestScan.at(20))
    lines.removeAll { $0.contains(#""type":"radio""#) }
    let place = try #require(lines.firstIndex { $0.contains(RFC3339.string(TestScan.at(20.25))) })
    lines.insert(
      #"{"v":1,"type":"radio","t":"\#(off)","receiver":"hci0","state":"off"}"#,
      at: place
    )
    let path = folder.url.appending(path: "off.jsonl").path
    try (lines.joined(separator: "\n") + "\n").write(
      toFile: path,
      atomically: true,
      encoding: .utf8
    )
    let run = Self.monitor([path])
    #expect(
      run.output.components(separatedBy: #""code":"stateContradicted","reason":"radioOff""#).count
        == 2
    )
    #expect(run.errors.contains("reports come although no receiver listens"))
    #expect(!run.output.contains("region.exit"))
    let again = folder.url.appending(path: "again.jsonl").path
    #expect(Self.monitor([path], ["--record", again]).code == .done)
    #expect(Self.monitor([again]).output == run.output)
    for name in ["converted.btsnoop", "converted.pcap"] {
      let converted = folder.url.appending(path: name).path
      #expect(CommandRun(["convert", path, converted]).code == .done)
      #expect(Self.monitor([converted]).output == run.output, "\(name)")
    }
    let table = CommandRun(["inspect", path, "--format", "table"]).output
    #expect(table.contains("with 1 pause, in which it still gave 39"), "\(table)")
    let json = CommandRun(["inspect", path, "--format", "json"]).output
    #expect(json.contains(#""pauses":1,"unexpected_reports":39,"#), "\(json)")
  }

  @Test func `inspect shows for how long the receivers listened`() throws {
    let folder = try ScratchFolder()
    let capture = try Self.capture(silent: 20..<50, off: 20..<50, to: "off.btsnoop", in: folder)
    let table = CommandRun(["inspect", capture, "--format", "table"]).output
    #expect(table.contains("hci0 listened for 29 s of 59 s, with 1 pause:\n  off for 30 s from "))
    let json = CommandRun(["inspect", capture, "--format", "json"]).output
    #expect(
      json.contains(
        #""receivers":[{"receiver":"hci0","listened":29,"pauses":1,"longest_pauses":[{"t":"#
      ),
      "\(json)"
    )
    let silent = try Self.capture(silent: 20..<50, off: nil, to: "silent.btsnoop", in: folder)
    #expect(!CommandRun(["inspect", silent, "--format", "json"]).output.contains("receivers"))
  }
}
