// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

import BeaconCommandLine
import BeaconTestSupport
import CommandTestSupport
import Foundation
import Testing

/// Tables on terminals of 60 to 200 columns: no line is wider, and no word is broken.
@Suite struct TableWidthGoldenTests {
  private static let gallery = "F7826DA6-4FA2-4E98-8024-BC5B71E0893E"

  private static func environment(_ columns: Int) -> [String: String] {
    ["COLUMNS": "\(columns)", "BEACONS_CONFIG": "none", "LC_ALL": "C"]
  }

  /// A terminal's view of a text: escape sequences for colors take no room.
  private static func shown(_ text: String) -> String {
    text.replacing(/\u{1B}\[[0-9;]*m/, with: "")
  }

  /// A table below the name of the file: its path is not of the same length on every machine.
  private static func belowName(_ table: String) -> String {
    table.split(separator: "\n", omittingEmptySubsequences: false)
      .drop { !$0.contains(" records, ") }
      .joined(separator: "\n")
  }

  @Test(
    arguments: [60, 80, 120, 200],
    [
      ["inspect", CommandRun.capture("walk.btsnoop")],
      ["inspect", CommandRun.capture("nordic.pcap")],
      ["range", "-f", CommandRun.capture("walk.btsnoop"), "-s", gallery],
      ["range", "-f", CommandRun.capture("nordic.pcap")],
      ["scan", "-f", CommandRun.capture("walk.btsnoop")],
      ["config", "list"], ["--help"], ["range", "--help"], ["monitor", "--help"],
    ]
  )
  func `no line is wider than the terminal`(_ columns: Int, _ arguments: [String]) throws {
    let run = CommandRun(arguments, terminal: true, environment: Self.environment(columns))
    #expect(run.code == .done, "\(run.errors)")
    let output = Self.shown(run.output)
    let lines = output.split(separator: "\n", omittingEmptySubsequences: false)
    #expect(lines.count > 3)
    for line in lines { #expect(line.count <= columns, "\(line)") }
    // A broken word would leave parts that the widest table does not have; a shortened UUID has a mark, and so has the
    // end of a command line that continues.
    let wide = CommandRun(arguments, terminal: true, environment: Self.environment(1000))
    let words = { (text: String) in Set(text.split { $0 == " " || $0.isNewline }) }
    let parts = words(output).subtracting(words(Self.shown(wide.output)))
      .filter { !$0.contains("~") && $0 != "\\" }
    #expect(parts.isEmpty, "\(parts)")
  }

  @Test(arguments: [80, 120])
  func `a long name does not make a line wider than the terminal`(_ columns: Int) throws {
    let folder = try ScratchFolder()
    let path = folder.path("names.json5")
    let name = "Star globe with a name that is longer than what is left of a line"
    try Data("{ beacons: { '\(Self.gallery)/1/2': '\(name)' } }".utf8)
      .write(to: URL(filePath: path))
    for command in ["range", "scan"] {
      let arguments = [command, "-f", CommandRun.capture("walk.btsnoop"), "-s", Self.gallery]
      var environment = Self.environment(columns)
      environment["BEACONS_CONFIG"] = path
      let run = CommandRun(arguments, terminal: true, environment: environment)
      let lines = Self.shown(run.output).split(separator: "\n")
      #expect(lines.contains { $0.contains("Star globe") }, "\(run.errors)")
      for line in lines { #expect(line.count <= columns, "\(line)") }
      // Nothing is cut for a program.
      let piped = CommandRun(arguments + ["--format", "table"], environment: environment)
      #expect(piped.output.contains(name))
    }
  }

  @Test(arguments: [60, 80, 120, 200])
  func `columns stay columns if only some beacons have names`(_ columns: Int) throws {
    let folder = try ScratchFolder()
    let path = try folder.write(
      "{ beacons: { '\(Self.gallery)/1/2': 'Star globe', '\(Self.gallery)/1/3': 'A name of some thirty letters' } }",
      to: "names.json5"
    )
    var environment = Self.environment(columns)
    environment["BEACONS_CONFIG"] = path
    let arguments = ["scan", "-f", CommandRun.capture("walk.btsnoop"), "--color", "never"]
    let run = CommandRun(arguments, terminal: true, environment: environment)
    let heading = try #require(run.lines.first)
    let rows = run.lines.filter { $0.contains(" dBm") }
    let end = { (text: String, line: Substring) in
      line.firstRange(of: text).map { line.distance(from: line.startIndex, to: $0.upperBound) }
    }
    let numbers = try #require(end("MAJ/MIN", heading))
    let rssi = try #require(end("RSSI", heading))
    #expect(rows.contains { $0.contains("Star globe") } && rows.contains { $0.contains("1/1 ") })
    for row in rows {
      #expect(end(" dBm", row) == rssi, "\(row)")
      #expect(row.prefix(numbers).last?.isNumber == true, "\(row)")
      #expect(row.count <= columns)
      // What identifies a beacon for a command is whole: its name, or from 80 columns on its UUID.
      #expect(
        row.contains("Star globe") || row.contains("A name") || columns < 80
          || row.contains(Self.gallery)
      )
    }
  }

  @Test(arguments: [60, 80, 120, 200])
  func `inspect's table is as it was`(_ columns: Int) throws {
    for name in ["walk.btsnoop", "nordic.pcap"] {
      let run = CommandRun(
        ["inspect", CommandRun.capture(name)],
        terminal: true,
        environment: Self.environment(columns)
      )
      #expect(run.output.utf8.allSatisfy { $0 < 0x80 })
      let table = Self.belowName(run.output)
      #expect(!table.isEmpty)
      try Golden.expect(table, "terminal/inspect.\(name).\(columns).txt")
    }
  }

  @Test(arguments: [60, 80, 120, 200])
  func `the table of everything nearby is as it was, with the makers of its UUIDs`(_ columns: Int)
    throws
  {
    for name in ["nordic.pcap", "walk.btsnoop"] {
      let run = CommandRun(
        ["range", "-f", CommandRun.capture(name)],
        terminal: true,
        environment: Self.environment(columns).merging(["NO_COLOR": "1"]) { $1 }
      )
      #expect(run.output.contains(name == "nordic.pcap" ? "(Radius Networks," : "(Kontakt.io)"))
      try Golden.expect(run.output, "terminal/range.everything.\(name).\(columns).txt")
    }
  }

  @Test(
    arguments: [60, 80],
    [
      ("B9407F30-F5F8-466E-AFF9-25556B57FE6D", "(Estimote)"),
      ("2F234454-CF6D-4A0F-ADF2-F4911BA9FFA6", "(Radius Networks, AltBeacon's tests)"),
      ("74278BDA-B644-4520-8F0C-720EAF059935", "(Apple's AirLocate)"),
      (
        "FDA50693-A4E2-4FB1-AFCF-C6EB07647825",
        "(a common default of AprilBrother and WeChat)"
      ),
    ]
  )
  func `every maker fits next to its UUID`(_ columns: Int, _ known: (uuid: String, maker: String))
    throws
  {
    let folder = try ScratchFolder()
    let bytes = { (uuid: String) in
      let digits = Array(uuid.filter { $0 != "-" })
      return Data(
        stride(from: 0, to: 32, by: 2).compactMap { UInt8(String(digits[$0...$0 + 1]), radix: 16) }
      )
    }
    var capture = try Data(contentsOf: URL(filePath: CommandRun.capture("walk.btsnoop")))
    let other = bytes(known.uuid)
    while let range = capture.range(of: bytes(Self.gallery)) {
      capture.replaceSubrange(range, with: other)
    }
    let path = folder.path("other.btsnoop")
    try capture.write(to: URL(filePath: path))
    let run = CommandRun(
      ["range", "-f", path],
      terminal: true,
      environment: Self.environment(columns).merging(["NO_COLOR": "1"]) { $1 }
    )
    let lines = run.output.split(separator: "\n")
    #expect(lines.contains { $0.hasSuffix(known.maker) }, "\(lines.prefix(5))")
    #expect(lines.allSatisfy { $0.count <= columns }, "\(lines.prefix(5))")
  }

  @Test(arguments: [60, 80, 120, 200])
  func `range's table is as it was`(_ columns: Int) throws {
    let run = CommandRun(
      ["range", "-f", CommandRun.capture("walk.btsnoop"), "-s", Self.gallery],
      terminal: true,
      environment: Self.environment(columns).merging(["NO_COLOR": "1"]) { $1 }
    )
    try Golden.expect(run.output, "terminal/range.\(columns).txt")
  }
}
