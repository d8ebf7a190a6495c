// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

import BeaconTestSupport
import Foundation
import Testing

@testable import BeaconCommandLine
@testable import BeaconCommands
@testable import beaconctl

/// The texts of the whole command line: help, completions and manual.
@Suite struct CommandTextTests {
  static let root = Beaconctl.program.root

  static let pages = ManualPage(root, ProgramTexts.common(version: "0", date: "0"))

  static var texts: [(name: String, text: String)] {
    CommandPath(root).all.map { path in
      (path.name.replacing(" ", with: "-") + ".help", HelpText.render(path))
    }
      + Shell.allCases.map { ("completion.\($0.rawValue)", $0.completion(of: root)) }
      + [("beaconctl.1", pages.program())]
      + root.subcommands.compactMap { command in
        pages.command(command.name).map { ("beaconctl-\(command.name).1", $0) }
      }
  }

  @Test func `help, completions and manual are the golden files`() throws {
    for (name, text) in Self.texts { try Golden.expect(text, "command-line/\(name)") }
  }

  @Test(arguments: CommandPath(root).all.map(\.names))
  func `help fits 80 columns`(_ names: [String]) {
    var path = CommandPath(Self.root)
    for name in names { path = path.command.subcommand(name).map(path.appending) ?? path }
    for line in HelpText.render(path).split(separator: "\n") {
      #expect(line.count <= 80, "\(line)")
      #expect(line.last != " ", "\(line)")
    }
  }

  @Test func `each name is used once`() {
    for path in CommandPath(Self.root).all {
      let spellings = path.options.flatMap(\.spellings)
      #expect(Set(spellings).count == spellings.count, "\(path.name): \(spellings)")
      let known = Set(path.options.map(\.name))
      for names in path.command.exclusive + path.options.map(\.needs) {
        #expect(names.allSatisfy(known.contains), "\(path.name): \(names)")
      }
    }
  }

  @Test func `options of one name have values of one type`() {
    // A reader of a kept history names regions, a picture is one file, and a simulated visitor listens for minutes: nothing of
    // a run reads their options.
    let others = ["beaconctl plot", "beaconctl museum simulate"]
    let runs = CommandPath(Self.root).all.filter {
      !$0.name.hasPrefix("beaconctl history") && !others.contains($0.name)
    }
    var types: [String: ObjectIdentifier] = [:]
    for option in runs.flatMap(\.options) {
      guard let type = option.kind?.type else { continue }
      #expect(types.updateValue(type, forKey: option.name) ?? type == type, "\(option.longName)")
    }
  }

  @Test func `every command has a function or subcommands`() {
    for path in CommandPath(Self.root).all {
      #expect((path.command.run == nil) == !path.command.subcommands.isEmpty, "\(path.name)")
    }
  }

  @Test(arguments: Shell.allCases)
  func `a shell reads its completion`(_ shell: Shell) throws {
    let program = "/usr/bin/\(shell.rawValue)"
    guard FileManager.default.isExecutableFile(atPath: program) else {
      #if compiler(<6.3)
        return
      #else
        try Test.cancel("\(shell.rawValue) is not installed")
      #endif
    }
    let file = FileManager.default.temporaryDirectory
      .appending(path: "beaconctl-completion-\(UUID().uuidString)")
    try Data(shell.completion(of: Self.root).utf8).write(to: file)
    defer { try? FileManager.default.removeItem(at: file) }
    #expect(try Self.run(program, ["-n", file.path]).status == 0)
  }

  @Test(
    arguments: [
      ("beaconctl ra", "range"), ("beaconctl range --sat", "--satisfying"),
      ("beaconctl range --format js", "json jsonl"), ("beaconctl range --format = csv", "csv"),
      ("beaconctl config ch", "check"), ("beaconctl completion z", "zsh"),
      ("beaconctl range -o cs", "csv:"), ("beaconctl range -o csv : /etc/passw", ""),
      ("beaconctl range --output csv :", ""), ("beaconctl inspect /etc/passw", ""),
      ("beaconctl convert --forc", "--force"),
      ("beaconctl range --set ranging.li", "ranging.linger="),
      ("beaconctl monitor -r ha", "hall="), ("beaconctl monitor -r $", #"\$\(touch\ /\)="#),
    ] as [(String, String)]
  )
  func `bash completes`(_ line: String, _ words: String) throws {
    let typed = line.split(separator: " ").map { Shell.bash.quote(String($0)) }
    let script =
      Shell.bash.completion(of: Self.root) + """
        beaconctl() { case "$2" in list) printf '%s\\n' ranging.linger deafness.patience ;; *) printf '%s\\n' hall '$(touch /)' ;; esac; }
        COMP_WORDS=(\(typed.joined(separator: " ")))
        COMP_CWORD=\(typed.count - 1)
        _beaconctl
        printf '%s ' "${COMPREPLY[@]}"
        """
    let result = try Self.run("/bin/bash", ["--norc", "-c", script])
    // Files are completed by readline, which is not here.
    #expect(result.output == words + " ")
  }

  static func run(_ program: String, _ arguments: [String]) throws -> (
    status: Int32, output: String
  ) {
    let process = Process()
    process.executableURL = URL(fileURLWithPath: program)
    process.arguments = arguments
    let pipe = Pipe()
    process.standardOutput = pipe
    try process.run()
    let output = pipe.fileHandleForReading.readDataToEndOfFile()
    process.waitUntilExit()
    return (process.terminationStatus, String(decoding: output, as: UTF8.self))
  }
}
