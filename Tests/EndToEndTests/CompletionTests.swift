// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

import BeaconTestSupport
import Foundation
import Testing

@testable import BeaconCommandLine

/// Completion in real shells, with words that a shell would expand, divide or run: the regions of a configuration that
/// somebody gave to the user, names of files, and words of a command line.
@Suite(
  .enabled(
    if: FileManager.default.isExecutableFile(atPath: BuiltCommand.program.path),
    "beaconctl was not built with these tests"
  ),
  .enabled(if: Multiplexer.isAvailable, "tmux is not installed (Debian: apt install tmux)"),
  .slow,
  .timeLimit(.minutes(4))
)
struct CompletionTests {
  /// The input of a user before the tab, and the last argument that the program then gets.
  typealias Case = (typed: String, argument: String)

  /// Words that do something in some shell, each with a separate beginning.
  static let words = [
    "a b", "d$(touch PWNED)", "e`touch PWNED`", "q'uo\"te", "c:o:lon", "g*[x]?", "s\\back",
    "p;touch PWNED&x", "t~{x,y}", "h!ist", "m$HOME", "f<g>|h", "k@l", "(touch PWNED)", "#com",
    "~root", "b\\:c", "[l]",
  ]

  /// Names that no value of `--region` that is a separate word can have.
  static let unnameable = ["-dash", "x=y", "new\nline", "\u{1B}[2J"]

  /// The beginnings of the words as a user types them, outside and inside of quotes.
  static let beginnings: [Case] =
    [
      ("a", "a b"), (#"a\ "#, "a b"), ("d", "d$(touch PWNED)"), ("e", "e`touch PWNED`"),
      ("q", "q'uo\"te"), ("c", "c:o:lon"), ("c:o", "c:o:lon"), ("c:o:", "c:o:lon"),
      ("g", "g*[x]?"), ("s", "s\\back"), ("p", "p;touch PWNED&x"), ("t", "t~{x,y}"),
      ("h", "h!ist"), ("m", "m$HOME"), ("f", "f<g>|h"), ("k@", "k@l"),
      (#"\("#, "(touch PWNED)"), ("\\#", "#com"), (#"\~"#, "~root"),
      ("b", "b\\:c"), (#"\["#, "[l]"), ("\"a", "a b"),
      ("'d", "d$(touch PWNED)"), ("\"d", "d$(touch PWNED)"), ("\"e", "e`touch PWNED`"),
      ("\"q", "q'uo\"te"), ("'c:o", "c:o:lon"),
    ]

  /// A program with such words.
  static let program: Command<Void> = {
    let kind = ValueKind("WORD", completion: .names(words)) { $0 }
    let option = CommandOption("pick", kind, "Pick it's [word]: `x` $(touch PWNED)", letter: "p")
    return Command("pick", "picks", groups: [OptionGroup("All", [option])]) { _, _ in .done }
  }()

  /// A folder with the configuration, the files and the two programs, which write their last argument into `got`.
  private static func prepare(_ folder: URL, for shell: Shell) throws {
    let manager = FileManager.default
    for name in ["bin", "work", "beacons"] {
      try manager.createDirectory(
        at: folder.appending(path: name),
        withIntermediateDirectories: true
      )
    }
    let literals = try (words + unnameable).map { word in
      String(decoding: try JSONEncoder().encode(word), as: UTF8.self)
    }
    let regions = literals.map { "\($0): { exit: 8 }" }.joined(separator: ", ")
    try Data("{ regions: { \(regions) } }".utf8)
      .write(to: folder.appending(path: "beacons/config.json5"))
    try Data().write(to: folder.appending(path: "work/file $(touch PWNED).txt"))
    let got = folder.appending(path: "got").path
    let script = """
      #!/bin/sh
      case "$0 $1" in *beaconctl\\ config) exec '\(BuiltCommand.program.path)' "$@" ;; esac
      for last; do :; done
      printf %s "$last" >'\(got).new' && mv '\(got).new' '\(got)'

      """
    for name in ["beaconctl", "pick"] {
      let path = folder.appending(path: "bin/\(name)").path
      try Data(script.utf8).write(to: URL(fileURLWithPath: path))
      try manager.setAttributes([.posixPermissions: 0o755], ofItemAtPath: path)
    }
    let scripts =
      shell.completion(of: CommandTextTests.root) + "\n" + shell.completion(of: program)
    try Data(scripts.utf8).write(to: folder.appending(path: "completion"))
  }

  /// Starts a shell without its user's settings, with the completions.
  private static func start(_ shell: Shell, _ terminal: Multiplexer) throws {
    let folder = terminal.folder.path
    try prepare(terminal.folder, for: shell)
    try terminal.type(
      "unset BEACONS_CONFIG; export XDG_CONFIG_HOME=\(folder) HOME=\(folder) PATH=\(folder)/bin:$PATH;"
        + " cd \(folder)/work\n"
    )
    let (command, load) =
      switch shell {
      case .bash: ("bash --norc --noprofile", "source ../completion")
      case .zsh: ("zsh -f", "autoload -U compinit; compinit -D; source ../completion")
      case .fish: ("fish --no-config", "source ../completion")
      }
    try terminal.type("exec \(command)\n")
    try terminal.type("clear; \(load); echo begun | tr a-z A-Z\n")
    _ = try terminal.wait { $0.contains("BEGUN") }
  }

  /// Types a line with a tab at its end, and returns the last argument that the program got.
  private static func complete(
    _ line: String,
    _ shell: Shell,
    _ terminal: Multiplexer
  ) throws -> String {
    let got = terminal.folder.appending(path: "got")
    // Bash closes a quote by itself; the others leave it open after '=', since a text follows.
    let isOpen = shell != .bash && line.hasPrefix("beaconctl")
    let quote = isOpen ? line.first { "'\"".contains($0) } : nil
    try terminal.type("\(line)\t\(quote.map(String.init) ?? "")\n")
    _ = try terminal.wait { _ in FileManager.default.fileExists(atPath: got.path) }
    defer { try? FileManager.default.removeItem(at: got) }
    return try String(contentsOf: got, encoding: .utf8)
  }

  @Test(arguments: Shell.allCases)
  func `a shell completes words as they are, and runs none`(_ shell: Shell) throws {
    let program = "/usr/bin/\(shell.rawValue)"
    guard FileManager.default.isExecutableFile(atPath: program) else {
      #if compiler(<6.3)
        return
      #else
        try Test.cancel(
          "\(shell.rawValue) is not installed (Debian: apt install \(shell.rawValue))"
        )
      #endif
    }
    let terminal = try Multiplexer(columns: 120, rows: 40)
    try Self.start(shell, terminal)
    var cases: [Case] = Self.beginnings.map { ("beaconctl monitor --region \($0)", "\($1)=") }
    cases += Self.beginnings.map { ("pick -p \($0)", $1) }
    cases += [
      ("beaconctl monitor --region=a", "--region=a b="),
      ("beaconctl monitor --region=c:o", "--region=c:o:lon="),
      ("pick --pick=d", "--pick=d$(touch PWNED)"),
      ("beaconctl inspect fil", "file $(touch PWNED).txt"),
      ("beaconctl scan --record fil", "file $(touch PWNED).txt"),
      ("beaconctl scan --output csv:fil", "csv:file $(touch PWNED).txt"),
      ("beaconctl scan --output=csv:fil", "--output=csv:file $(touch PWNED).txt"),
      ("beaconctl ins", "inspect"), ("beaconctl scan --format cs", "csv"),
      ("beaconctl range --sat", "--satisfying"),
      ("beaconctl scan --set ranging.linge", "ranging.linger="),
      // What cannot be given so is not offered.
      ("beaconctl monitor --region xx", "xx"), ("beaconctl monitor --region new", "new"),
    ]
    for (line, argument) in cases {
      #expect(try Self.complete(line, shell, terminal) == argument, "\(shell) \(line)")
    }
    for folder in ["work", ""] {
      let names = try FileManager.default.contentsOfDirectory(
        atPath: terminal.folder.appending(path: folder).path
      )
      #expect(!names.contains { $0.hasPrefix("PWNED") }, "\(shell) ran a word")
    }
  }
}
