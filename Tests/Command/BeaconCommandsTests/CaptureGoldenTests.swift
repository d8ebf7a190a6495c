// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

import BeaconCommandLine
import CommandTestSupport
import BeaconTestSupport
import Foundation
import Testing

@testable import BeaconCommands

/// The output of the commands for every bundled capture, byte for byte.
@Suite struct CaptureGoldenTests {
  static let gallery = "F7826DA6-4FA2-4E98-8024-BC5B71E0893E"
  static let fixture = "2F234454-CF6D-4A0F-ADF2-F4911BA9FFA6"

  static let captures: [String] = {
    let folder = ProjectFiles.fixtures.appending(path: "captures").path
    let names = (try? FileManager.default.contentsOfDirectory(atPath: folder)) ?? []
    return names.filter { !$0.hasSuffix(".md") && !$0.hasSuffix(".py") }.sorted()
  }()

  static func uuid(of capture: String) -> String {
    capture.hasPrefix("walk") ? gallery : fixture
  }

  /// A table whose heading is one line: its line breaks depend on the path of the checkout.
  static func withNameOnOneLine(_ table: String) -> String {
    let lines = table.split(separator: "\n", omittingEmptySubsequences: false)
    guard let counts = lines.firstIndex(where: { $0.contains(" records, ") }) else { return table }
    let heading = lines[..<counts].joined(separator: " ")
    return ([Substring(heading)] + lines[counts...]).joined(separator: "\n")
  }

  @Test func `a golden file does not depend on the path of the checkout`() {
    let rest = "45 records, 43 advertising reports\n\nx\n"
    let whole = "a/b.pcapng: pcapng, link type 187, 256, 1\n" + rest
    #expect(Self.withNameOnOneLine(whole) == whole)
    #expect(Self.withNameOnOneLine("a/b.pcapng: pcapng,\nlink type 187,\n256, 1\n" + rest) == whole)
    #expect(Self.withNameOnOneLine("x\n") == "x\n")
  }

  /// A command's golden file holds its output; its messages and exit code stand in one file a capture.
  @Test(arguments: captures) func `outputs are the golden files`(_ capture: String) throws {
    let path = CommandRun.capture(capture)
    let range = ["range", "--from", path, "--satisfying", Self.uuid(of: capture)]
    var endings = ""
    for (name, arguments, formats) in [
      ("inspect", ["inspect", path], ["json", "table"]),
      ("scan", ["scan", "--from", path], ["jsonl", "json", "csv", "table"]),
      ("range", range, ["jsonl", "json", "csv", "table"]),
    ] {
      for format in formats {
        let run = CommandRun(arguments + ["--format", format])
        endings += "\(name) \(format): \(run.code.rawValue)\n\(run.errors)"
        if !run.output.isEmpty {
          let isTable = name == "inspect" && format == "table"
          let output = isTable ? Self.withNameOnOneLine(run.output) : run.output
          try Golden.expect(output, "captures/\(capture)/\(name).\(format)")
        }
      }
    }
    try Golden.expect(endings, "captures/\(capture)/endings")
  }

  @Test(arguments: captures) func `no line of a table is wider than a terminal`(
    _ capture: String
  ) {
    let path = CommandRun.capture(capture)
    for arguments in [
      ["inspect", path], ["scan", "--from", path],
      ["range", "--from", path, "-s", Self.uuid(of: capture)],
    ] {
      let run = CommandRun(arguments + ["--color", "never"], terminal: true)
      // Sentences are not rows of a table.
      for line in run.lines where !line.hasPrefix("note: ") && !line.contains(" failed: ") {
        #expect(line.count <= 80, "\(line)")
      }
    }
  }

  /// Every format holds the same air, so the beacons ranged are the same but for values that a format does not keep.
  @Test(arguments: ["h4.btsnoop", "monitor.btsnoop", "h4.pcap", "monitor.pcap", "v1.pklg"])
  func `the same scan is ranged the same from every format`(_ capture: String) {
    func ranged(_ name: String) -> String {
      let arguments = ["range", "--from", CommandRun.capture(name), "-s", Self.fixture]
      return CommandRun(arguments + ["--format", "csv"]).output
    }
    #expect(ranged(capture) == ranged("h1.btsnoop"))
  }
}
