// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

import Testing

@testable import BeaconCommandLine

/// A command line of a program that knows nothing of beacons.
@Suite struct CommandLineParserTests {
  enum Color: String, CaseIterable {
    case auto, always, never
  }

  static let rssi = CommandArgument(.integer("RSSI", -128...127), "a signal strength")
  static let power = CommandOption("power", .number("DBM", -128...127), "power", letter: "p")
  static let color = CommandOption("color", .choice(of: Color.self), "color")
  static let file = CommandOption("file", .file("FILE"), "a file", letter: "f", repeats: true)
  static let verbose = CommandFlag("verbose", "more", letter: "v", repeats: true)

  static let root = Command<[String]>(
    "test",
    "test",
    arguments: [rssi],
    groups: [OptionGroup("All", [power, color, file, verbose, CommandFlag.help])],
    run: { arguments, context in
      context.isEmpty && arguments.has(verbose) ? .failed : .done
    }
  )

  static func run<Context>(
    _ line: [String],
    of root: Command<Context>
  ) throws -> ParsedArguments {
    let parser = CommandLineParser(root) { name, known in known.first { $0.hasPrefix(name) } }
    guard case .run(_, let arguments) = try parser.parse(line) else {
      Issue.record("nothing to run")
      throw UsageError("nothing to run")
    }
    return arguments
  }

  @Test func `values have the types of their options`() throws {
    let parsed = try Self.run(["--color=never", "-f", "a", "-70", "-vvfb"], of: Self.root)
    #expect(parsed[Self.color] == .never)
    #expect(parsed[Self.power] == nil)
    #expect(parsed.all(Self.file) == ["a", "b"])
    #expect(parsed.entries(Self.file).map(\.place) == [2, 5])
    #expect(parsed.count(Self.verbose) == 2)
    #expect(parsed.place(of: Self.verbose) == 5)
    #expect(try parsed.required(Self.rssi) == -70)
  }

  @Test func `arguments are assigned in order`() throws {
    let input = CommandArgument(.file("IN"), "what is read")
    let output = CommandArgument(.file("OUT"), "what is written", isOptional: true, repeats: true)
    let root = Command<Void>("copy", "copies", arguments: [input, output]) { _, _ in .done }
    #expect(try Self.run(["-"], of: root)[input] == "-")
    #expect(try Self.run(["--", "-odd"], of: root)[input] == "-odd")
    let parsed = try Self.run(["a", "b", "c"], of: root)
    #expect(try parsed.required(input) == "a")
    #expect(parsed.all(output) == ["b", "c"])
    #expect(try Self.run(["a"], of: root)[output] == nil)
  }

  @Test func `a command has its function`() async throws {
    let parser = CommandLineParser(Self.root) { _, _ in nil }
    guard case .run(let run, let arguments) = try parser.parse(["-v", "1"]) else {
      Issue.record("nothing to run")
      return
    }
    #expect(try await run(arguments, []) == .failed)
    #expect(try await run(arguments, ["something"]) == .done)
  }

  @Test(arguments: [
    (["1", "--color", "nev"], "argument 2: --color: 'nev' is not known; did you mean 'never'?"),
    (
      ["1", "--color", "x"],
      "argument 2: --color: 'x' is not known; write one of auto, always, never"
    ),
    (["1", "--file="], "argument 2: --file: FILE is empty; name a file"),
    (["200"], "argument 1: RSSI: '200' is not a whole number from -128 to 127"),
    ([], "'test' needs RSSI; see 'test --help'"),
  ])
  func `a wrong value is refused in one line`(_ line: [String], _ message: String) {
    let error = #expect(throws: UsageError.self) { try Self.run(line, of: Self.root) }
    #expect(error?.description == message)
  }

  @Test func `numbers below zero are values and arguments`() throws {
    for line in [
      ["-70", "--power", "-59.5"], ["-p-59.5", "-70"], ["--power=-59.5", "--", "-70"],
    ] {
      let parsed = try Self.run(line, of: Self.root)
      #expect(parsed[Self.power] == -59.5)
      #expect(parsed[Self.rssi] == -70)
    }
    #expect(throws: UsageError.self) { try Self.run(["-700"], of: Self.root) }
  }

  @Test func `a default subcommand has its own options`() throws {
    let seed = CommandOption("seed", .integer("SEED", 0...9), "seed")
    let root = Command<Void>(
      "museum",
      "museum",
      subcommands: [
        Command("guide", "guide", groups: [OptionGroup("All", [seed])]) { _, _ in .done },
        Command("serve", "serve") { _, _ in .done },
      ],
      defaultSubcommand: "guide"
    )
    for line in [[], ["--seed", "3"], ["guide", "--seed=3"], ["serve"]] {
      let parsed = try Self.run(line, of: root)
      #expect(parsed.commandNames == ["museum", line.first == "serve" ? "serve" : "guide"])
      #expect(parsed[seed] == (line.contains { $0.contains("seed") } ? 3 : nil))
    }
  }

  @Test(arguments: [("10M", 10 << 20), ("1K", 1024), ("2G", 2 << 30), ("100", 100)])
  func `a size has a power of 1024`(_ text: String, _ bytes: Int) throws {
    #expect(try ValueKind<Int>.size.read(text) == bytes)
  }

  @Test(arguments: ["", "M", "0", "-1M", "+1", "1T", "99999999999G", "1.5M"])
  func `text that is not a size is refused`(_ text: String) {
    #expect(throws: ValueFault.self) { try ValueKind<Int>.size.read(text) }
  }
}
