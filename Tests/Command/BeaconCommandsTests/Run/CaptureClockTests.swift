// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

import BeaconCommandLine
import BeaconCore
import BeaconFormats
import BeaconTestSupport
import CommandTestSupport
import Foundation
import Testing

@testable import BeaconCommands

/// A recorder's clock that is wrong, or is set, loses nothing of a capture, and is reported (row T2).
@Suite struct CaptureClockTests {
  static let museum = "F7826DA6-4FA2-4E98-8024-BC5B71E0893E"

  static func fixture(_ name: String) -> String {
    ProjectFiles.fixtures.appending(path: "clocks/\(name).jsonl").path
  }

  static func run(_ command: String, _ captures: [String], _ more: [String] = []) -> CommandRun {
    CommandRun([command] + captures.flatMap { ["-f", $0] } + more + ["--format", "jsonl"])
  }

  /// The values of a key in the lines of a type.
  static func values(_ key: String, of type: String, in run: CommandRun) -> [String] {
    run.lines.compactMap { line in
      guard line.contains(#""type":"\#(type)""#),
        let object = try? JSONSerialization.jsonObject(with: Data(line.utf8)) as? [String: Any],
        let value = object[key]
      else { return nil }
      return "\(value)"
    }
  }

  static let expected = [
    ("back-45", gaps: 0, late: 1, said: "set back by 44 s;"),
    ("boot-1970", gaps: 1, late: 0, said: ""),
    ("boot-saved-hour", gaps: 0, late: 2, said: "set back by 2599 s, the first of 2 times"),
    ("day-late", gaps: 0, late: 1, said: "set back by 86399 s;"),
    ("spike-45", gaps: 0, late: 1, said: "1 record has a time far from"),
    ("wild-stamps", gaps: 0, late: 1, said: "2 records have a time far from"),
    ("wild-start", gaps: 0, late: 1, said: "1 record has a time far from"),
  ]

  @Test(arguments: expected.map(\.0))
  func `nothing is lost, and the run says what it did`(_ name: String) throws {
    let (_, gaps, late, said) = try #require(Self.expected.first { $0.0 == name })
    let right = Self.run("scan", [Self.fixture("right")])
    let scan = Self.run("scan", [Self.fixture(name)])
    #expect(scan.code == .done)
    let levels = Self.values("rssi", of: "sighting", in: scan)
    #expect(levels == Self.values("rssi", of: "sighting", in: right), "all, in their order")
    let times = Self.values("t", of: "sighting", in: scan)
    #expect(times == times.sorted())
    #expect(Set(times).count > 55, "they are not piled on one instant")
    #expect(said.isEmpty ? scan.errors.isEmpty : scan.errors.contains(said), "\(scan.errors)")
    let range = Self.run(
      "range",
      [Self.fixture(name)],
      ["-s", Self.museum, "-r", "m=\(Self.museum)"]
    )
    #expect(Self.values("t", of: "ranged", in: range).count > 55)
    #expect(!range.output.contains("region.exit"))
    let codes = Self.values("code", of: "diagnostic", in: range)
    #expect(codes.count { $0 == "timeGap" } == gaps)
    #expect(codes.count { $0 == "late" } == late)
  }

  @Test(arguments: expected.map(\.0))
  func `a recording of the replay tells the same`(_ name: String) throws {
    let folder = try ScratchFolder()
    let path = folder.path("run.jsonl")
    let arguments = ["-s", Self.museum, "-r", "m=\(Self.museum)"]
    let first = Self.run("range", [Self.fixture(name)], arguments + ["--record", path])
    let second = Self.run("range", [path], arguments)
    #expect(second.output == first.output)
    #expect(second.errors.isEmpty, "\(second.errors)")
  }

  @Test(arguments: [1, 97, 1000])
  func `a stream of such a capture is read like the file`(blockSize: Int) throws {
    for (name, _, _, _) in Self.expected {
      let bytes = [UInt8](try Data(contentsOf: URL(fileURLWithPath: Self.fixture(name))))
      func steady(_ source: MemorySource) throws -> [ScanInput] {
        var reader = try CaptureReader(source)
        var clock = SteadyClock()
        var inputs: [ScanInput] = []
        while let batch = try reader.next() { inputs += clock.steady(batch).inputs }
        return (inputs + clock.finish().inputs).map(Self.withoutPlace)
      }
      let whole = try steady(MemorySource(bytes))
      #expect(try steady(MemorySource(bytes, blockSizes: [blockSize, 7])) == whole)
    }
  }

  /// An input without where its payload lies in the batch.
  private static func withoutPlace(_ input: ScanInput) -> ScanInput {
    guard case .report(var report) = input else { return input }
    report.payloadStart = 0
    return .report(report)
  }

  @Test func `what could not be read is said at the end, in words and as a diagnostic`() throws {
    let folder = try ScratchFolder()
    var lines = try String(contentsOfFile: Self.fixture("right"), encoding: .utf8)
      .split(separator: "\n").map(String.init)
    lines[10] = "{broken"
    lines[40] = "{broken"
    let path = try folder.write(lines.joined(separator: "\n") + "\n", to: "x.jsonl")
    let run = Self.run("range", [path], ["-s", Self.museum])
    #expect(run.errors.contains("left out: 2 malformedRecord"), "\(run.errors)")
    let last = try #require(run.lines.last { $0.contains("diagnostic") })
    #expect(last.contains(#""code":"dropped","reason":"malformedRecord","count":2"#))
    // Cut in two, it says the same.
    let header = lines[0]
    let first = try folder.write(lines[..<30].joined(separator: "\n") + "\n", to: "1.jsonl")
    let second = try folder.write(
      ([header] + lines[30...]).joined(separator: "\n") + "\n",
      to: "2.jsonl"
    )
    #expect(Self.run("range", [second, first], ["-s", Self.museum]).output == run.output)
  }

  @Test func `inspect and convert keep the times as they were recorded`() throws {
    let folder = try ScratchFolder()
    let copy = folder.path("copy.jsonl")
    #expect(CommandRun(["convert", Self.fixture("day-late"), copy]).code == .done)
    let text = try String(contentsOfFile: copy, encoding: .utf8)
    #expect(text.contains("2026-02-28T09:00:25.250000Z"))
    let inspected = CommandRun(["inspect", Self.fixture("wild-stamps"), "--format", "json"])
    #expect(inspected.output.contains("2031-01-01T00:00:00"))
  }

  @Test func `times at the ends of the calendar trap nothing`() throws {
    let folder = try ScratchFolder()
    let whole = try String(contentsOfFile: Self.fixture("right"), encoding: .utf8)
    for year in ["1970-01-01T00:00", "9999-12-31T23:59"] {
      let path = try folder.write(
        whole.replacingOccurrences(of: "2026-03-01T09:00", with: year),
        to: "x.jsonl"
      )
      let arguments = ["-s", Self.museum, "-r", "m=\(Self.museum)", "--drain"]
      #expect(Self.run("range", [path], arguments).code == .done)
    }
  }
}
