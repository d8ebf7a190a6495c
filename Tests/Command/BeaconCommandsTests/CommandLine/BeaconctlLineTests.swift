// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

import BeaconCommandLine
import BeaconCore
import BeaconTestSupport
import Testing

@testable import BeaconCommands

/// The command line of `beaconctl` without commands of other modules.
@Suite struct BeaconctlLineTests {
  static let program = Program()
  static let uuid = "F7826DA6-4FA2-4E98-8024-BC5B71E0893E"

  static func run(_ line: [String]) throws -> ParsedArguments {
    guard case .run(_, let arguments) = try program.parse(line) else {
      Issue.record("nothing to run")
      throw UsageError("nothing to run")
    }
    return arguments
  }

  @Test func `options may stand anywhere and in any spelling`() throws {
    let parsed = try Self.run([
      "-v", "range", "--satisfying", Self.uuid, "--beacon=\(Self.uuid)/1", "-s\(Self.uuid)/1/2",
      "-vf", "-", "--speed", "10x", "--set", "a.b=", "--set=c=d=e", "--region",
      "museum=\(Self.uuid)",
      "--output=jsonl:a:b", "--drain",
    ])
    #expect(parsed.commandNames == ["beaconctl", "range"])
    // As a user types it after the program's name.
    #expect(parsed.commandName == "range")
    #expect(
      parsed.all(Options.beacons).map(\.description) == [
        Self.uuid, "\(Self.uuid)/1", "\(Self.uuid)/1/2",
      ]
    )
    #expect(parsed.entries(Options.beacons).map(\.place) == [3, 5, 6])
    #expect(parsed.count(Options.verbose) == 2)
    #expect(parsed[Options.from] == "-")
    #expect(parsed[Options.speed] == .times(10))
    #expect(
      parsed.all(Options.set) == [
        SettingArgument(key: "a.b", value: ""), SettingArgument(key: "c", value: "d=e"),
      ]
    )
    #expect(parsed.all(Options.region).map(\.id) == ["museum"])
    #expect(parsed[Options.output]?.format == .jsonl)
    #expect(parsed[Options.output]?.file.path == "a:b")
    #expect(parsed.has(Options.drain))
    #expect(!parsed.has(Options.includeAddresses))
    #expect(parsed.place(of: Options.drain) == 17)
  }

  @Test(arguments: [
    (["--help"], "beaconctl"), (["range", "-h"], "beaconctl range"),
    (["config", "list", "--help"], "beaconctl config list"), (["scan", "-vh"], "beaconctl scan"),
  ])
  func `help is asked for at every command`(_ line: [String], _ name: String) throws {
    guard case .help(let path) = try Self.program.parse(line) else {
      Issue.record("no help")
      return
    }
    #expect(path.name == name)
  }

  @Test func `version`() throws {
    guard case .version = try Self.program.parse(["--version"]) else {
      Issue.record("no version")
      return
    }
  }

  @Test(arguments: [
    ([], "a command is missing after 'beaconctl'; see 'beaconctl --help'"),
    (["rnage"], "argument 1: 'rnage' is not a command; did you mean 'range'?"),
    (
      ["config", "zzz"],
      "argument 2: 'zzz' is not a command; write one of list, show, check, path, edit"
    ),
    (
      ["range", "--satisfing", "x"],
      "argument 2: '--satisfing' is not an option of 'beaconctl range'; did you mean '--satisfying'?"
    ),
    (
      ["range", "--xyzzy"],
      "argument 2: '--xyzzy' is not an option of 'beaconctl range'; see 'beaconctl range --help'"
    ),
    // By the rules of letters this is `-f rom x`.
    (
      ["range", "-from", "x"],
      "argument 3: 'x' is an unexpected argument; did you mean '--from x'?"
    ),
    (
      ["range", "-x"],
      "argument 2: '-x' is not an option of 'beaconctl range'; see 'beaconctl range --help'"
    ),
    (["range", "-s"], "argument 2: '-s' needs a value: UUID[/MAJOR[/MINOR]]"),
    (
      ["range", "--record", "--summary"],
      "argument 2: '--record' needs a value: FILE; write '--record=...' if it begins with '-'"
    ),
    (["range", "--record="], "argument 2: --record: FILE is empty; name a file"),
    (
      ["range", "--summary=yes"],
      "argument 2: '--summary' takes no value; write '--summary' alone"
    ),
    (
      ["range", "-s", "\(uuid)/70000"],
      "argument 2: -s: major '70000' is not a whole number from 0 to 65535"
    ),
    (
      ["range", "--format", "jsnl"],
      "argument 2: --format: 'jsnl' is not known; did you mean 'jsonl'?"
    ),
    (
      ["range", "--format", "x"],
      "argument 2: --format: 'x' is not known; write one of table, json, jsonl, csv, none"
    ),
    (
      ["range", "--from", "a", "--speed", "fast"],
      "argument 4: --speed: 'fast' is not a speed; write max, or a factor such as 1x or 10x"
    ),
    (["range", "--speed", "1x"], "argument 2: '--speed' works only with '--from'"),
    (
      ["range", "--from", "a", "--speed", "1x", "--speed", "2x"],
      "argument 6: '--speed' was already given as argument 4; give it once"
    ),
    (
      ["range", "--from", "a", "--adapter", "hci0"],
      "argument 4: '--adapter' cannot be combined with '--from' (argument 2); give one of them"
    ),
    (
      ["range", "--region", "museum"],
      "argument 2: --region: 'museum' is not of the form ID=UUID[/MAJOR[/MINOR]]: write '=' and the beacons after the"
        + " region's name, such as 'museum=F7826DA6-4FA2-4E98-8024-BC5B71E0893E', or 'hall=museum' if it is the name of a"
        + " beacon"
    ),
    (
      ["range", "a\nb"],
      "argument 2: 'a?b' is an unexpected argument; did you mean '--from a?b'?"
    ),
    (["inspect"], "'beaconctl inspect' needs FILE; see 'beaconctl inspect --help'"),
    (
      ["completion", "bsh"],
      "argument 2: bash|zsh|fish: 'bsh' is not known; did you mean 'bash'?"
    ),
  ])
  func `a wrong line is reported with its position and what is expected`(
    _ line: [String],
    _ message: String
  ) {
    let error = #expect(throws: UsageError.self) { try Self.program.parse(line) }
    #expect(error?.description == message)
  }

  // MARK: Kinds of values

  @Test(arguments: [
    ("10s", 10_000_000), ("1.5m", 90_000_000), ("250ms", 250_000), ("2h", 7_200_000_000),
    ("0s", 0), ("1d", 86_400_000_000),
  ])
  func `a time has a unit`(_ text: String, _ microseconds: Int64) throws {
    #expect(
      try ValueKind<TimeSpan>.duration.read(text) == TimeSpan(microseconds: microseconds)
    )
  }

  @Test(arguments: ["", "10", "s", "-1s", "1e3s", "infs", "0x1s", "10 s", "99999999d", ".5s"])
  func `anything but a time is refused`(_ text: String) {
    #expect(throws: ValueFault.self) { try ValueKind<TimeSpan>.duration.read(text) }
  }

  @Test(arguments: 0..<20)
  func `no arguments make it trap, and every error is one line`(_ seed: UInt64) {
    var random = SplitMix64(seed: seed)
    let words =
      CommandPath(Self.program.root).all.flatMap { path in
        [path.command.name] + path.options.flatMap(\.spellings)
      } + ["-", "--", "=", "-x", "--=", "é", "", "\n", "-5", "1x", "a=b", Self.uuid, "jsonl:x"]
    for _ in 0..<500 {
      let line = (0..<Int.random(in: 0..<7, using: &random)).map { _ -> String in
        let word = words.randomElement(using: &random) ?? ""
        switch Int.random(in: 0..<4, using: &random) {
        case 0: return word + "=" + (words.randomElement(using: &random) ?? "")
        case 1: return String(word.dropLast())
        default: return word
        }
      }
      do {
        _ = try Self.program.parse(line)
      } catch {
        #expect(!error.description.contains { $0.isNewline })
      }
    }
  }
}
