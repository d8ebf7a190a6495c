// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

import BeaconTestSupport
import Foundation
import Testing

/// Each `beaconctl` command in the pages runs as it is written, with files of the names that the pages use.
@Suite(
  .enabled(
    if: FileManager.default.isExecutableFile(atPath: BuiltCommand.program.path),
    "beaconctl was not built beside these tests"
  ),
  .timeLimit(.minutes(5)),
  .slow
)
struct DocumentedCommandTests {
  struct Documented: CustomStringConvertible {
    let page: String
    let line: Int
    let command: String
    var description: String { "\(page):\(line): \(command)" }
  }

  /// The pages with commands; the change log tells of the past.
  private static func pages() throws -> [String] {
    let folder = ProjectFiles.root.appending(path: "docs").path
    let names = try FileManager.default.contentsOfDirectory(atPath: folder)
      .filter { $0.hasSuffix(".md") && $0 != "CHANGELOG.md" }
    return ["README.md"] + names.sorted().map { "docs/\($0)" }
  }

  /// The commands in a page's blocks of code, with the lines that a backslash continues joined.
  static func commands(in text: String, of page: String) -> [Documented] {
    var found: [Documented] = []
    var isShell = false
    var isInBlock = false
    var begun = ""
    for (index, line) in text.split(separator: "\n", omittingEmptySubsequences: false).enumerated()
    {
      if line.drop(while: { $0 == " " }).hasPrefix("```") {
        let language = line.drop { $0 == " " || $0 == "`" }
        isInBlock.toggle()
        isShell = isInBlock && ["", "sh", "bash", "console"].contains(String(language))
        begun = ""
        continue
      }
      guard isShell else { continue }
      var words = begun + line.drop { $0 == " " }
      if words.hasPrefix("$ ") { words.removeFirst(2) }
      if words.hasSuffix("\\") {
        begun = String(words.dropLast())
        continue
      }
      begun = ""
      guard words == "beaconctl" || words.hasPrefix("beaconctl ") else { continue }
      found.append(Documented(page: page, line: index + 1, command: words))
    }
    return found
  }

  /// The pages of whose files ``preparation`` has all. Of a command in another page only a crash is found.
  private static let prepared: Set<String> = Set(
    ["README.md"]
      + [
        "authorization", "calibrate", "captures", "configuration", "install", "live", "museum",
        "museum-report", "raspberry-pi", "regions", "replay", "scenarios", "send", "simulator",
        "tutorial",
      ].map { "docs/\($0).md" }
  )

  /// The files that pages speak of. `$root` is the project.
  private static let preparation = """
    mkdir day; cp "$root"/Fixtures/captures/walk.btsnoop log.btsnoop; cp log.btsnoop stairs.btsnoop
    cp "$root"/Fixtures/captures/two-interfaces.pcapng a.pcapng; cp a.pcapng sniffed.pcapng
    beaconctl convert log.btsnoop b.jsonl
    for name in recording near both hall first today air air.1; do cp b.jsonl $name.jsonl; done
    sed 's/"rssi":-[567]/"rssi":-9/' near.jsonl > far.jsonl
    cp "$root"/Fixtures/museum/plan.json5 museum.json5
    beaconctl museum simulate --plan museum.json5 --seed 7 day/1.btsnoop
    beaconctl convert day/1.btsnoop visit.jsonl
    echo '{}' > site.json5; echo '{}' > statue.json5
    echo '{ whenInUse: "To tell you what you stand before." }' > guide.json5
    echo 4c000215f7826da64fa24e988024bc5b71e0893e00010002c5 > lines.txt
    for name in closing-time nothing slip; do
      cp "$root"/Fixtures/scenarios/ac02-matching.json5 $name.json5
    done
    ln -s "$root"/Fixtures Fixtures
    """

  /// What a command would write is not there yet; a file that exists is never replaced.
  private static func outputs(of command: String) -> [String] {
    var found: [String] = []
    for match in command.matches(of: /--(?:record|html|csv|truth|report) ([\w.\/]+)/) {
      found.append(String(match.1))
    }
    for match in command.matches(of: /(?:plan new|convert [\w.-]+) ([\w.\/]+)/) {
      found.append(String(match.1))
    }
    return found
  }

  /// The words that a reader replaces.
  private static func replaced(_ command: String) -> String {
    command.replacing(/\bUUID\b/, with: "F7826DA6-4FA2-4E98-8024-BC5B71E0893E")
      .replacing("/1/17", with: "/1/1").replacing("/1/18", with: "/1/2")
      .replacing("/1/19", with: "/1/3")
  }

  @Test func `commands are found, also those of several lines`() throws {
    let text = """
      Text `beaconctl none`.
      ```
      $ beaconctl range \\
          --from a   # why
      beaconctl
      beaconctls
      ```
      ```json
      beaconctl no
      ```
      """
    let found = Self.commands(in: text, of: "page")
    #expect(found.map(\.command) == ["beaconctl range --from a   # why", "beaconctl"])
    #expect(found.map(\.line) == [4, 5])
  }

  @Test func `every command of the pages runs as it is written`() throws {
    let commands = try Self.pages().flatMap { page in
      let text = try String(
        contentsOf: ProjectFiles.root.appending(path: page),
        encoding: .utf8
      )
      return Self.commands(in: text, of: page)
    }
    #expect(commands.count > 70)
    // A command without an adapter ends with 69, and one that a user must permit with 77; what plays at the pace of a
    // clock, or serves pages, is stopped after a while.
    let runs = commands.enumerated().map { index, one in
      let removed = Self.outputs(of: one.command).map { "rm -f '\($0)'" }.joined(separator: "; ")
      let quoted = Self.replaced(one.command).replacing("'", with: "'\\''")
      return """
        cp -r "$template" "$folder/\(index)"; cd "$folder/\(index)" || exit 9; \(removed)
        timeout -s INT -k 4 4 bash -c 'beaconctl() { "$program" "$@"; }; \(quoted)' \
          >"$folder/out" 2>"$folder/err" </dev/null
        echo "$? \(index) $(tail -c 300 "$folder/err" | tr '\\n' ' ')"; rm -rf "$folder/\(index)"
        """
    }
    let script = """
      root=$PWD; folder=$(mktemp -d); template=$folder/template; export program='\(BuiltCommand.program.path)'
      trap 'rm -rf "$folder"' EXIT; mkdir "$template"; cd "$template" || exit 9
      unset BEACONS_CONFIG; export HOME=$folder/home XDG_CONFIG_HOME=$folder/home/c XDG_STATE_HOME=$folder/home/s
      export DBUS_SYSTEM_BUS_ADDRESS=unix:path=/nowhere/bus; unset DBUS_SESSION_BUS_ADDRESS
      { \(Self.preparation)
      } >/dev/null || exit 8
      \(runs.joined(separator: "\n"))
      """
    let file = FileManager.default.temporaryDirectory.appending(path: "\(UUID().uuidString).sh")
    try script.write(to: file, atomically: true, encoding: .utf8)
    defer { try? FileManager.default.removeItem(at: file) }
    let run = try BuiltCommand("source '\(file.path)'")
    #expect(run.code == 0, "\(run.errors)")
    let ended = run.output.split(separator: "\n")
    #expect(ended.count == commands.count)
    for line in ended {
      let parts = line.split(separator: " ", maxSplits: 2)
      guard parts.count >= 2, let code = Int(parts[0]), let index = Int(parts[1]) else {
        Issue.record("\(line)")
        continue
      }
      let one = commands[index]
      // What runs until it is stopped was stopped; a walk is no measurement at one place.
      var expected = [0, 2, 69, 77, 124, 130]
      if one.command.contains(" calibrate ") { expected += [1, 65] }
      // No terminal asks for the next distance here.
      if line.contains("several live distances need a terminal") { expected.append(64) }
      if Self.prepared.contains(one.page) {
        #expect(expected.contains(code), "\(one): \(line)")
      } else {
        #expect(code != 70, "\(one): \(line)")
      }
    }
  }
}
