// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

import BeaconCommandLine
import CommandTestSupport
import BeaconTestSupport
import Foundation
import Synchronization
import Testing

@testable import BeaconCommands

/// `name`, and where names appear; everything nearby; the first words of a newcomer.
@Suite struct NameCommandTests {
  private static let gallery = CaptureGoldenTests.gallery
  private static let beacon = "\(gallery)/1/2"
  private static let walk = CommandRun.capture("walk.btsnoop")
  private let folder: ScratchFolder
  private var environment: [String: String] { ["HOME": folder.path("home")] }

  init() throws { folder = try ScratchFolder() }

  private func run(_ line: String...) -> CommandRun { CommandRun(line, environment: environment) }

  @Test func `a name is written, shown, changed and removed`() throws {
    #expect(run("name", Self.beacon).code == .failed)
    #expect(run("name", Self.beacon, "Astro\"labe").code == .done)
    #expect(run("name", Self.beacon).output == "Astro\"labe\n")
    #expect(run("name").output == "\(Self.beacon)  Astro\"labe\n")
    let path = folder.path("home/.config/beacons/config.json5")
    var text = try String(contentsOfFile: path, encoding: .utf8)
    text = "// mine\n" + text.replacing(Self.gallery, with: Self.gallery.lowercased())
    try text.write(toFile: path, atomically: true, encoding: .utf8)
    #expect(run("name", Self.beacon, "Globe").code == .done)
    #expect(run("name").lines.count == 1)
    #expect(run("config", "check", path).code == .done)
    #expect(run("name", Self.beacon, "--remove").code == .done)
    let none = run("name")
    #expect(none.output.isEmpty && none.errors.contains("no beacon has a name"))
    #expect(run("name", Self.beacon, "--remove").code == .failed)
    #expect(try String(contentsOfFile: path, encoding: .utf8).hasPrefix("// mine\n"))
  }

  @Test func `a name is one beacon's, and is shown with it`() throws {
    #expect(run("name", Self.beacon, "Globe").output == "\(Self.beacon)  Globe\n")
    #expect(run("name", "\(Self.gallery)-1-2", "Globe").code == .done)
    let other = run("name", "\(Self.gallery)/1/3", "Globe")
    #expect(other.code == .failed && other.output.isEmpty)
    #expect(other.errors.contains("\(Self.beacon) has the name 'Globe'"), "\(other.errors)")
    #expect(other.errors.contains("'beaconctl name \(Self.beacon) --remove'"))
    let path = try folder.write("{ beacons: { '\(Self.beacon)': 'Sun' } }", to: "mine.json5")
    let named = run("name", "\(Self.gallery)/1/3", "Sun", "--config", path)
    #expect(named.errors.contains("--remove --config \(path)'"), "\(named.errors)")
    #expect(run("name", Self.beacon, "--remove").code == .done)
    #expect(run("name", "\(Self.gallery)/1/3", "Globe").code == .done)
  }

  @Test(arguments: ["a\nb", "a\u{1B}[1m", "7", "1/2", gallery, "f782", "F782/1", beacon])
  func `a text that reads as something else cannot be a name`(_ name: String) {
    let run = run("name", Self.beacon, name)
    #expect(run.code == .usage && run.output.isEmpty, "\(run.errors)")
    #expect(self.run("name").output.isEmpty)
  }

  @Test(arguments: [
    ("-1-70000", "minor '70000' is not"), ("-1-2-3", "too many parts"),
    (":1:2", "has more after its UUID"), (",1,2", "has more after its UUID"),
  ])
  func `the wrong part of an identity is named`(_ rest: String, _ fault: String) {
    for line in [
      ["range", "-f", Self.walk, "-s"], ["monitor", "-f", Self.walk, "-r"], ["name"],
    ] {
      let text = (line[0] == "monitor" ? "a=" : "") + Self.gallery + rest
      let run = CommandRun(line + [text], environment: environment)
      #expect(run.code == .usage && run.errors.contains(fault), "\(run.errors)")
    }
  }

  @Test(arguments: ["{\(gallery)}", "iBeacon:\(gallery)", "\(gallery)-1"])
  func `an identity that is not one beacon gets no name`(_ text: String) {
    let run = run("name", text, "Globe")
    #expect(run.code == .usage && run.errors.contains("is not a single beacon"), "\(run.errors)")
    let whole = self.run("name", text.hasSuffix("-1") ? "\(text)-2" : "\(text)/1/2", "Globe")
    #expect(whole.output == "\(Self.beacon)  Globe\n", "\(whole.errors)")
  }

  @Test(
    arguments: [
      (
        "{ beacons: {\n  \"B/1/2\": \"Astrolabe\" /* hall */,\n  \"B/1/3\": \"Sundial\",\n} }\n", 2,
        "/* hall */"
      ),
      ("{ beacons: {\n    \"B/1/2\": \"Astrolabe\"\n  , \"B/1/3\": \"Sundial\"\n} }\n", 2, "B/1/3"),
      (
        "{ beacons: {\n    \"B/1/1\": \"Clock\"\n  , \"B/1/2\": \"Astrolabe\"\n  , \"B/1/3\": \"Sundial\"\n} }\n",
        2, "B/1/1"
      ),
      (
        "{ beacons: {\n    \"B/1/2\": \"Astrolabe\" // door\n  , \"B/1/3\": \"Sundial\"\n} }\n", 2,
        "// door\n"
      ),
      ("{ beacons: { 'B/1/2': 'Astrolabe', 'b/1/2': 'Globe' } }", 2, "beacons"),
    ]
  )
  func `a name is removed from a file as people write it`(
    text: String,
    minor: Int,
    kept: String
  ) throws {
    let file = text.replacing("B/", with: "\(Self.gallery)/")
      .replacing("b/", with: "\(Self.gallery.lowercased())/")
    let path = try folder.write(file, to: "mine.json5")
    let beacon = "\(Self.gallery)/1/\(minor)"
    #expect(run("name", beacon, "--remove", "--config", path).code == .done)
    #expect(run("config", "check", path).code == .done)
    #expect(run("name", beacon, "--config", path).code == .failed)
    let rest = try String(contentsOfFile: path, encoding: .utf8)
    #expect(rest.contains(kept.replacing("B/", with: "\(Self.gallery)/")), "\(rest)")
  }

  @Test func `of two spellings of a beacon, the name that counts is changed`() throws {
    let other = Self.beacon.lowercased()
    let path = try folder.write("{ beacons: { '\(Self.beacon)': 'A', '\(other)': 'B' } }", to: "c")
    #expect(run("name", Self.beacon, "Globe", "--config", path).code == .done)
    #expect(run("name", Self.beacon, "--config", path).output == "Globe\n")
  }

  @Test func `an edit whose result is not valid leaves the file as it was`() throws {
    let text = "{ beacons: { }, calibration: {} }\n"
    let path = try folder.write(text, to: "mine.json5")
    let io = CommandIO.silent
    for edited in [
      "{ beacons: { 'x': 1 } }", "{ beacons: { , } }", "", "{ set: { 'no.such': 1 } }",
    ] {
      let failure = #expect(throws: CommandFailure.self) {
        try io.edit(configuration: path) { _ in Array(edited.utf8) }
      }
      #expect(failure?.code == .badConfiguration)
      #expect(failure?.lines.last == "\(path) was left as it is")
      #expect(try String(contentsOfFile: path, encoding: .utf8) == text)
    }
    try io.edit(configuration: path) { _ in Array("{}".utf8) }
    #expect(try String(contentsOfFile: path, encoding: .utf8) == "{}")
  }

  @Test func `a name is written into the file that is named`() throws {
    let path = try folder.write("// mine\n{}\n", to: "mine.json5")
    #expect(run("name", Self.beacon, "Globe", "--config", path).code == .done)
    #expect(run("name", Self.beacon, "--config", path).output == "Globe\n")
    #expect(run("name", Self.beacon).code == .failed)
    #expect(try String(contentsOfFile: path, encoding: .utf8).hasPrefix("// mine\n"))
    #expect(run("name", Self.beacon, "Globe", "--config", "none").code == .usage)
  }

  @Test func `a name is written into the file that the environment names`() throws {
    let path = try folder.write("{}", to: "mine.json5")
    let named = environment.merging(["BEACONS_CONFIG": path]) { $1 }
    #expect(CommandRun(["name", Self.beacon, "Globe"], environment: named).code == .done)
    #expect(CommandRun(["name", Self.beacon], environment: named).output == "Globe\n")
    #expect(run("name", Self.beacon).code == .failed)
  }

  @Test(arguments: [[beacon, "Globe"], [beacon, "--remove"], [beacon], []])
  func `if no file is read, no name is written and none is promised`(words: [String]) {
    _ = run("name", Self.beacon, "Astrolabe")
    let none = environment.merging(["BEACONS_CONFIG": "none"]) { $1 }
    let run = CommandRun(["name"] + words, environment: none)
    #expect(run.output.isEmpty)
    #expect(run.code == (words.isEmpty ? .done : words.count == 1 ? .failed : .usage))
    #expect(run.errors.contains("BEACONS_CONFIG is none"), "\(run.errors)")
    #expect(self.run("name", Self.beacon).output == "Astrolabe\n")
  }

  @Test func `names that are given at the same time are all kept`() throws {
    let environment = environment
    let codes = Mutex([ExitCode]())
    DispatchQueue.concurrentPerform(iterations: 6) { number in
      let words = ["name", "\(Self.gallery)/1/\(number)", "n\(number)"]
      let run = CommandRun(words, environment: environment)
      codes.withLock { $0.append(run.code) }
    }
    #expect(codes.withLock { $0 } == Array(repeating: .done, count: 6))
    #expect(run("name").lines.count == 6)
  }

  @Test func `anything but a name is refused`() {
    #expect(run("name", Self.gallery, "x").code == .usage)
    #expect(run("name", Self.beacon, "").code == .usage)
    #expect(run("name", Self.beacon, "x", "--remove").code == .usage)
    #expect(run("name", Self.beacon, String(repeating: "x", count: 81)).code == .usage)
    #expect(CommandRun(["name", Self.beacon, "x"]).code == .failed)
  }

  @Test(arguments: ["jsonl", "json", "csv", "table"])
  func `a name appears in every form`(_ format: String) throws {
    _ = run("name", Self.beacon, "Astrolabe")
    for line in [["scan"], ["range", "-s", Self.gallery], ["range"]] {
      let run = CommandRun(
        line + ["--from", Self.walk, "--format", format],
        environment: environment
      )
      #expect(run.output.contains("Astrolabe"), "\(line)")
      let bare = CommandRun(line + ["--from", Self.walk, "--format", format])
      #expect(!bare.output.contains("Astrolabe"))
      #expect(!bare.output.contains("\"name\""))
      guard format == "jsonl" else { continue }
      #expect(run.output.contains(",\"name\":\"Astrolabe\"}"), "\(run.lines.first ?? "")")
      #expect(run.output.replacing(",\"name\":\"Astrolabe\"", with: "") == bare.output)
    }
  }

  @Test func `a name appears if a region is left`() throws {
    _ = run("name", Self.beacon, "Globe")
    let zone = "{ regions: { statue: { enterWithin: 2, leaveBeyond: 3.5 } } }"
    let file = try folder.write(zone, to: "zone.json5")
    let run = run(
      "monitor",
      "--from",
      Self.walk,
      "-r",
      "statue=\(Self.beacon)",
      "--format",
      "table",
      "--config",
      file
    )
    #expect(
      run.output.contains("left statue, out of range: beyond 3.5 m, it was at "),
      "\(run.output)"
    )
    #expect(run.output.contains("; last Globe, 1/2 at -"), "\(run.output)")
  }

  // MARK: Everything nearby

  @Test func `range without a constraint ranges everything, as the constraint does`() throws {
    let all = run("range", "--from", Self.walk)
    let one = run("range", "--from", Self.walk, "-s", Self.gallery)
    #expect(all.code == .done)
    #expect(all.output.contains("\"client\":\"operator\",\"constraint\":\"*\""))
    #expect(
      all.output.replacing("\"constraint\":\"*\"", with: "\"constraint\":\"\(Self.gallery)\"")
        == one.output
    )
    let table = run("range", "--from", Self.walk, "--format", "table")
    #expect(table.output.contains("everything nearby  3 beacons"))
    #expect(table.output.contains("\(Self.gallery)  (Kontakt.io)"))
  }

  @Test func `a client must name what it ranges`() {
    let run = run("range", "--from", Self.walk, "--client", "guest")
    #expect(run.code == .usage)
    #expect(CommandRun(["range", "--from", Self.walk, "--client", "operator"]).code == .done)
  }

  // MARK: First words

  @Test func `a bare call lists what there is to do, and help explains`() {
    let bare = run()
    #expect(bare.code == .done)
    #expect(bare.output == run("--help").output)
    #expect(run("help").output == bare.output)
    #expect(run("help", "range").output == run("range", "--help").output)
    #expect(run("help", "config", "list").output == run("config", "list", "--help").output)
    #expect(run("--help", "range").output == run("range", "--help").output)
    #expect(run("-h", "config", "list").output == run("config", "list", "--help").output)
    #expect(run("config", "--help", "list").output == run("config", "list", "--help").output)
    #expect(run("--help", "rnage").errors.contains("did you mean 'range'?"))
    #expect(run("range", "--help", "x").output == run("range", "--help").output)
    #expect(run("help", "rnage").errors.contains("did you mean 'range'?"))
    #expect(run("-V").output == run("--version").output)
    #expect(run("config").output == run("config", "--help").output)
    #expect(run("config").code == .done)
    #expect(run("completion").errors.contains("needs bash|zsh|fish"))
    #expect(run("scan", "a.btsnoop").errors.contains("did you mean '--from a.btsnoop'?"))
  }

  @Test func `help and tables keep to a narrow terminal`() {
    for columns in [60, 80, 120, 200] {
      let help = CommandRun(["range", "--help"], environment: ["COLUMNS": "\(columns)"])
      let limit = min(columns, 100)
      #expect(help.lines.allSatisfy { $0.count <= limit || $0.hasPrefix("  beaconctl") })
      for line in [["scan"], ["range"], ["inspect"]] {
        let arguments = line == ["inspect"] ? line + [Self.walk] : line + ["--from", Self.walk]
        let run = CommandRun(
          arguments + ["--color", "never"],
          terminal: true,
          environment: ["COLUMNS": "\(columns)"]
        )
        let widest = run.lines.map(\.count).max() ?? 0
        #expect(
          widest <= max(columns, line == ["inspect"] ? 80 : 60),
          "\(line) \(columns) \(widest)"
        )
      }
    }
  }

  @Test(arguments: [60, 80, 200])
  func `messages on a terminal are broken between words`(_ columns: Int) {
    let words = (0..<60).map { "word\($0)" }.joined(separator: " ")
    let (terminal, pipe) = (MemorySink(isTerminal: true), MemorySink())
    for errors in [terminal, pipe] {
      CommandIO(
        output: MemorySink(),
        errors: errors,
        environment: ["COLUMNS": "\(columns)"],
        clock: FastClock()
      ).show(words)
    }
    #expect(pipe.text == "beaconctl: \(words)\n")
    let lines = terminal.text.split(separator: "\n")
    #expect(lines.count > 1 && lines.allSatisfy { $0.count <= columns })
    #expect(lines.joined(separator: " ") == "beaconctl: \(words)")
  }

  @Test func `the format into a pipe can be configured`() throws {
    let file = try folder.write("{ output: { piped: 'csv' } }", to: "c.json5")
    let run = run("scan", "--from", Self.walk, "--config", file)
    #expect(run.lines.first == "t,uuid,major,minor,power,rssi,receiver,address,name")
    #expect(
      self.run("scan", "--from", Self.walk, "--config", file, "--format", "jsonl").output.hasPrefix(
        "{"
      )
    )
  }

  @Test(arguments: [["inspect", walk], ["config", "list"], ["config", "show"], ["auth"]])
  func `a report is text in a pipe, and JSON if the user wishes it`(_ line: [String]) throws {
    let terminal = CommandRun(line + ["--format", "table"], environment: environment)
    let piped = CommandRun(line, environment: environment)
    #expect(piped.code == .done && piped.output.first.map { !"{[".contains($0) } == true)
    #expect(piped.output == terminal.output)
    let json = CommandRun(line + ["--format", "json"], environment: environment)
    #expect(json.output.first.map { "{[".contains($0) } == true)
    for (format, expected) in [("json", json), ("jsonl", json), ("csv", piped), ("table", piped)] {
      let path = try folder.write("{ output: { piped: '\(format)' } }", to: "\(format).json5")
      let chosen = environment.merging(["BEACONS_CONFIG": path]) { $1 }
      let run = CommandRun(line, environment: chosen)
      if line == ["config", "show"] {
        #expect(run.output.first == expected.output.first)
      } else {
        #expect(run.output == expected.output, "\(format)")
      }
    }
    // A faulty configuration hides no report that does not need it.
    let faulty = try folder.write("{ x", to: "faulty.json5")
    let broken = environment.merging(["BEACONS_CONFIG": faulty]) { $1 }
    if line == ["auth"] { #expect(CommandRun(line, environment: broken).output == piped.output) }
  }

  @Test func `inspect names what is not an iBeacon`() {
    let run = run("inspect", Self.walk, "--format", "json")
    #expect(run.output.contains("\"others\":{"), "\(run.output)")
    let table = self.run("inspect", Self.walk, "--format", "table")
    #expect(table.output.contains("60 others: "), "\(table.output)")
  }
}
