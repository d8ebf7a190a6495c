// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

import BeaconCommandLine
import BeaconCommands
import CalibrateCommands
import CommandTestSupport
import Foundation
import SystemKit
import Testing

/// No command overwrites a user's files: an input never, another file only with `--force`.
@Suite struct OutputTests {
  private let folder: ScratchFolder
  private static let uuid = "F7826DA6-4FA2-4E98-8024-BC5B71E0893E"

  init() throws { folder = try ScratchFolder() }

  /// A copy of a capture, to be damaged if anything damages it.
  private func capture(_ name: String = "walk.btsnoop") throws -> (path: String, bytes: Data) {
    let bytes = try Data(contentsOf: URL(filePath: CommandRun.capture("walk.btsnoop")))
    try bytes.write(to: folder.url.appending(path: name))
    return (folder.path(name), bytes)
  }

  private func bytes(_ name: String) throws -> Data {
    try Data(contentsOf: folder.url.appending(path: name))
  }

  @Test(
    arguments: [
      ["range", "-s", uuid, "--record", "IN", "--format", "none"],
      ["scan", "--record", "IN", "--format", "none"],
      ["scan", "-o", "jsonl:IN", "--format", "none"],
      ["range", "-s", uuid, "-o", "csv:IN", "--format", "none"],
      ["monitor", "-r", "a=\(uuid)", "-o", "table:IN", "--format", "none"],
    ],
    ["walk.btsnoop", "hard", "soft"]
  )
  func `an input is never an output`(_ words: [String], _ name: String) throws {
    let (path, bytes) = try capture()
    try FileManager.default.linkItem(atPath: path, toPath: folder.path("hard"))
    try FileManager.default.createSymbolicLink(
      atPath: folder.path("soft"),
      withDestinationPath: "walk.btsnoop"
    )
    let words = words.map { $0.replacing("IN", with: folder.path(name)) }
    for force in [[], ["--force"]] {
      let run = CommandRun(words + ["--from", path] + force)
      #expect(run.code == .usage)
      #expect(run.errors.contains(folder.path(name)))
      #expect(try self.bytes("walk.btsnoop") == bytes)
    }
  }

  @Test func `a capture that is read later is not an output either`() throws {
    let (first, _) = try capture("a.btsnoop")
    let (second, bytes) = try capture("b.btsnoop")
    let run = CommandRun(["scan", "--from", first, "--from", second, "--record", second, "--force"])
    #expect(run.code == .usage)
    #expect(try self.bytes("b.btsnoop") == bytes)
  }

  @Test func `a capture that a pattern names is not an output either`() throws {
    _ = try capture("a.btsnoop")
    let (second, bytes) = try capture("b.btsnoop")
    let run = CommandRun(
      ["scan", "--from", folder.path("*.btsnoop"), "--record", second, "--force"]
    )
    #expect(run.code == .usage)
    #expect(try self.bytes("b.btsnoop") == bytes)
  }

  @Test func `a configuration file is an input`() throws {
    let (path, _) = try capture()
    let config = try folder.write("{}", to: "c.json5")
    let run = CommandRun(
      ["scan", "--from", path, "--config", config, "-o", "jsonl:\(config)", "--force"]
    )
    #expect(run.code == .usage)
    #expect(try bytes("c.json5") == Data("{}".utf8))
  }

  @Test func `convert writes no input, and over another file only when asked`() throws {
    let (path, bytes) = try capture()
    #expect(CommandRun(["convert", "--to", "jsonl", path, path, "--force"]).code == .usage)
    #expect(try self.bytes("walk.btsnoop") == bytes)
    let old = try folder.write("mine", to: "out.jsonl")
    let run = CommandRun(["convert", path, old])
    #expect(run.code == .usage)
    #expect(run.errors.contains("--force"))
    #expect(try self.bytes("out.jsonl") == Data("mine".utf8))
    #expect(CommandRun(["convert", path, old, "--force"]).code == .done)
    #expect(try self.bytes("out.jsonl").starts(with: Data(#"{"v":1,"type":"capture""#.utf8)))
  }

  @Test func `a damaged input leaves the old output, also with force`() throws {
    let old = try folder.write("mine", to: "out.jsonl")
    let bad = try folder.write("no capture at all", to: "bad")
    #expect(CommandRun(["convert", bad, old, "--force"]).code == .badData)
    #expect(try bytes("out.jsonl") == Data("mine".utf8))
  }

  @Test(
    arguments: [
      ["-o", "jsonl:OUT", "-o", "csv:OUT"], ["--record", "OUT", "-o", "csv:OUT"],
      ["--record", "OUT", "-o", "csv:OUT", "--force"],
    ]
  )
  func `two outputs never share a file`(_ words: [String]) throws {
    let (path, _) = try capture()
    let out = folder.path("out")
    let run = CommandRun(["scan", "--from", path] + words.map { $0.replacing("OUT", with: out) })
    #expect(run.code == .usage)
    #expect(run.errors.contains("two outputs"))
  }

  @Test(
    arguments: [
      ["-o", "csv:-"], ["-o", "csv:-", "-o", "jsonl:-", "--format", "none"],
      ["-o", "csv:/dev/stdout"], ["--record", "/dev/stdout"],
      ["-o", "csv:/dev/fd/1", "-o", "jsonl:-", "--format", "none"],
    ]
  )
  func `two outputs never share standard output`(_ words: [String]) throws {
    let (path, _) = try capture()
    let run = CommandRun(["scan", "--from", path] + words)
    #expect(run.code == .usage)
    #expect(run.output.isEmpty)
    #expect(run.errors.contains("name a file for one of them"), "\(run.errors)")
  }

  @Test(arguments: ["clients/operator/state.json", "machine.json"])
  func `a file that the run keeps with the states of regions is not an output`(_ name: String)
    throws
  {
    let (path, _) = try capture()
    let monitor = ["monitor", "-r", "a=\(Self.uuid)", "--from", path, "--state", folder.path("st")]
    #expect(CommandRun(monitor).code == .done)
    let old = try bytes("st/clients/operator/state.json")
    let run = CommandRun(monitor + ["-o", "csv:\(folder.path("st"))/\(name)", "--force"])
    #expect(run.code == .usage)
    #expect(run.errors.contains("is a file that the run itself keeps"), "\(run.errors)")
    #expect(try bytes("st/clients/operator/state.json") == old)
  }

  /// Row L9.
  @Test func `a folder of states that cannot be written is reported and fails the run`() throws {
    let (path, _) = try capture()
    try FileManager.default.createSymbolicLink(
      atPath: folder.path("loop"),
      withDestinationPath: "loop"
    )
    let run = CommandRun([
      "monitor", "-r", "a=\(Self.uuid)", "--from", path, "--state", folder.path("loop"),
    ])
    #expect(run.code == .failed)
    #expect(run.output.contains("region.state"))
    #expect(run.errors.contains("cannot be kept: cannot make"), "\(run.errors)")
  }

  @Test func `standard output is an output as any other`() throws {
    let (path, _) = try capture()
    let run = CommandRun(["scan", "--from", path, "--format", "none", "-o", "csv:-"])
    #expect(run.code == .done)
    #expect(run.output == CommandRun(["scan", "--from", path, "--format", "csv"]).output)
  }

  @Test(
    arguments: [
      (["-o", "csv:no/x"], "the folder 'no' of 'no/x' does not exist"),
      (["-o", "csv:."], "'.' is a folder"),
      (["--record", "no/x.jsonl"], "the folder 'no' of 'no/x.jsonl' does not exist"),
      (["--state", "FILE", "-r", "a=\(uuid)"], "FILE' is a file, and a folder is wanted"),
      (["--state", "FILE/x", "-r", "a=\(uuid)"], "FILE' is a file"),
    ]
  )
  func `an output that cannot be is refused before anything is read`(
    _ words: [String],
    _ sentence: String
  ) throws {
    let file = try folder.write("mine", to: "FILE")
    let kept = try folder.write("mine", to: "kept.csv")
    let run = CommandRun(
      // An input that cannot be read is not even looked at.
      ["monitor", "-r", "b=\(Self.uuid)/1", "--from", "/no/such/file", "--force"]
        + ["-o", "csv:\(kept)"] + words.map { $0.replacing("FILE", with: file) }
    )
    #expect(run.code == .usage)
    #expect(run.errors.contains(sentence), "\(run.errors)")
    #expect(!run.errors.contains("/no/such"), "\(run.errors)")
    #expect(try bytes("kept.csv") == Data("mine".utf8))
  }

  @Test(arguments: [["--record", "OUT"], ["-o", "jsonl:OUT"]])
  func `a replay replaces a file only with force`(_ words: [String]) throws {
    let (path, _) = try capture()
    let out = try folder.write("mine", to: "out.jsonl")
    let arguments =
      ["scan", "--from", path, "--format", "none"] + words.map { $0.replacing("OUT", with: out) }
    let run = CommandRun(arguments)
    #expect(run.code == .usage)
    #expect(run.errors.contains("'\(out)' exists"))
    #expect(try bytes("out.jsonl") == Data("mine".utf8))
    #expect(CommandRun(arguments + ["--force"]).code == .done)
    #expect(try bytes("out.jsonl").count > 1_000)
  }

  @Test func `a replay does not continue a recording`() throws {
    let (path, _) = try capture()
    let arguments = [
      "scan", "--from", path, "--record", folder.path("r.jsonl"), "--format", "none",
    ]
    #expect(CommandRun(arguments).code == .done)
    let first = try bytes("r.jsonl")
    #expect(CommandRun(arguments).code == .usage)
    #expect(try bytes("r.jsonl") == first)
    #expect(FileStatus(folder.path("r.jsonl"))?.mode == 0o600)
    #expect(CommandRun(arguments + ["--force"]).code == .done)
    #expect(try bytes("r.jsonl") == first)
  }

  @Test func `devices are written as they are`() throws {
    let (path, _) = try capture()
    let run = CommandRun(
      ["scan", "--from", path, "--record", "/dev/null", "-o", "csv:/dev/null", "--format", "none"]
    )
    #expect(run.code == .done, "\(run.errors)")
  }

  @Test func `calibrate keeps drafts, permissions and links`() throws {
    let config = try folder.write("{}", to: "c.json5")
    _ = try folder.write("draft", to: "c.json5.new")
    try FileManager.default.setAttributes([.posixPermissions: 0o600], ofItemAtPath: config)
    try FileManager.default.createSymbolicLink(
      atPath: folder.path("soft"),
      withDestinationPath: "c.json5"
    )
    let run = CommandRun(
      of: Program(adding: [(.beacons, CalibrateCommand.command)]),
      [
        "calibrate", "--from", CommandRun.capture("walk.btsnoop"), "--beacon", "\(Self.uuid)/1/1",
        "--config", config, "--write", folder.path("soft"),
      ]
    )
    #expect(run.code == .done || run.code == .negativeVerdict, "\(run.errors)")
    #expect(try bytes("c.json5.new") == Data("draft".utf8))
    #expect(FileStatus(config)?.mode == 0o600)
    #expect(
      try FileManager.default.destinationOfSymbolicLink(atPath: folder.path("soft")) == "c.json5"
    )
  }

  @Test func `a file too large to be read as a whole is reported to be`() throws {
    let path = folder.path("c.json5")
    try #require(FileManager.default.createFile(atPath: path, contents: nil))
    try FileHandle(forWritingAtPath: path)?.truncate(atOffset: UInt64(WholeFile.limit) + 1)
    let run = CommandRun(["config", "check", path])
    #expect(run.code == .badData)
    #expect(run.errors.contains("larger than 16 MiB"))
  }

  // MARK: Endings

  @Test(arguments: ["csv", "json", "jsonl"])
  func `the ending of a further output decides its format`(_ ending: String) throws {
    let folder = try ScratchFolder()
    let capture = CommandRun.capture("walk.btsnoop")
    let (short, long) = (folder.path("a.\(ending)"), folder.path("long"))
    let run = CommandRun(
      ["range", "--from", capture, "--format", "none", "-o", short, "-o", "\(ending):\(long)"]
    )
    #expect(run.code == .done, "\(run.errors)")
    let bytes = try Data(contentsOf: URL(fileURLWithPath: short))
    #expect(bytes.count > 1000)
    #expect(try Data(contentsOf: URL(fileURLWithPath: long)) == bytes)
  }

  @Test(arguments: ["a", "a.txt", "xml:a", "csv:", ":a", "none:a", "a.csv.gz"])
  func `an output whose format is not clear is refused with the endings`(_ output: String) {
    let run = CommandRun(["scan", "--from", CommandRun.capture("walk.btsnoop"), "-o", output])
    #expect(run.code == .usage)
    #expect(run.errors.contains("use .csv, .json or .jsonl, or write FORMAT:FILE"), "\(run.errors)")
  }

  @Test func `the filtered RSSI of each second is in the values of range`() throws {
    let run = CommandRun(
      ["range", "--from", CommandRun.capture("walk.btsnoop"), "--format", "csv"]
    )
    let rows = run.output.split(separator: "\n")
    #expect(rows[0].hasSuffix(",rssi_filtered"))
    #expect(rows.dropFirst().allSatisfy { $0.contains(/,-[0-9]+\.[0-9]+$/) }, "\(rows[1])")
  }

  @Test(arguments: ["csv", "json"])
  func `convert writes the reports as a table if the file's ending is one of a table`(
    _ ending: String
  ) throws {
    let folder = try ScratchFolder()
    let capture = CommandRun.capture("walk.btsnoop")
    let path = folder.path("x.\(ending)")
    let converted = CommandRun(["convert", capture, path])
    #expect(converted.code == .done, "\(converted.errors)")
    #expect(converted.output.isEmpty)
    let scanned = CommandRun(["scan", "--from", capture, "--format", ending])
    #expect(try String(contentsOfFile: path, encoding: .utf8) == scanned.output)
    #expect(CommandRun(["convert", capture, path]).code != .done, "it is kept without --force")
    let part = folder.path("part.\(ending)")
    let span = ["--since", "10:00:10", "--until", "10:00:12"]
    #expect(CommandRun(["convert", capture, part] + span).code == .done)
    let all = CommandRun(["scan", "--from", capture, "--format", ending] + span)
    #expect(try String(contentsOfFile: part, encoding: .utf8) == all.output)
  }
}
