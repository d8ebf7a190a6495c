// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

import BeaconCore
import BeaconFormats
import BeaconTestSupport
import Foundation
import Testing

/// The commands in the pages run as they are written, with files of the names that the pages use, and print the same as the pages.
@Suite(
  .enabled(
    if: FileManager.default.isExecutableFile(atPath: BuiltCommand.program.path),
    "beaconctl was not built with these tests"
  ),
  .serialized,
  .timeLimit(.minutes(5))
)
struct DocumentedCommandTests {
  /// The pages of whose files ``preparation`` has all. Of a command in another page only a crash is found.
  private static let prepared: Set<String> = Set(
    ["README.md"]
      + [
        "authorization", "calibrate", "captures", "configuration", "install", "live", "museum",
        "museum-report", "raspberry-pi", "regions", "replay", "scenarios", "send", "simulator",
        "tutorial",
      ].map { "docs/\($0).md" }
  )

  /// The files that pages speak of and do not contain. `$root` is the project, `$folder` has the ``recordings``.
  private static let preparation = #"""
    mkdir day; cp "$root"/Fixtures/captures/walk.btsnoop log.btsnoop; cp log.btsnoop stairs.btsnoop
    cp "$root"/Fixtures/captures/two-interfaces.pcapng a.pcapng; cp a.pcapng sniffed.pcapng
    beaconctl convert log.btsnoop b.jsonl
    for name in recording near both first today air air.1; do cp b.jsonl $name.jsonl; done
    sed 's/"rssi":-[567]/"rssi":-9/' near.jsonl > far.jsonl
    cp "$root"/Fixtures/museum/plan.json5 museum.json5
    beaconctl museum simulate --plan museum.json5 --seed 7 day/1.btsnoop
    beaconctl convert day/1.btsnoop visit.jsonl
    echo '{}' > site.json5
    echo '{ whenInUse: "To tell you what you stand before." }' > guide.json5
    echo 4c000215f7826da64fa24e988024bc5b71e0893e00010002c5 > lines.txt
    ln -s "$root"/Fixtures "$folder"/recordings/* .
    """#

  /// The recordings that pages speak of. `hall` and `cellar` receive the exhibits of the plan every 10 s, until one of them falls
  /// silent and `cellar` falls deaf; `slow` receives about half of a beacon's packets.
  private static var recordings: [String: [UInt8]] {
    // At 15:00 UTC on 2026-05-09.
    let start = 78_338_800.0
    func recording(
      _ name: String,
      every interval: Double,
      _ received: (Double) -> [BeaconIdentity]
    ) -> (String, [UInt8]) {
      var scan = TestScan()
      for second in stride(from: 0, to: 10_800, by: interval) {
        scan.mark(at: start + second)
        for beacon in received(second) {
          scan.report(beacon, -60, at: start + second, address: UInt64(beacon.minor))
        }
      }
      var writer = CaptureLineWriter(CaptureHeader(tool: "page", receivers: [name]))
      writer.append(scan.batch)
      return ("\(name).jsonl", writer.bytes)
    }
    let exhibits = (1...5 as ClosedRange<UInt16>).flatMap { room in
      (1...(room < 5 ? 5 : 4)).map { TestScan.beacon(room, 100 * room + $0) }
    }
    func present(_ second: Double) -> [BeaconIdentity] {
      exhibits.filter { second < 8_000 || $0.minor != 102 }
    }
    var random = SplitMix64(seed: 1)
    return Dictionary(
      uniqueKeysWithValues: [
        recording("hall", every: 10, present),
        recording("cellar", every: 10) { $0 < 6_000 ? present($0) : [] },
        recording("slow", every: 10.24) { _ in
          Bool.random(using: &random) ? [TestScan.beacon(1, 17)] : []
        },
      ]
    )
  }

  /// The file that a command writes is not there yet; a file that exists is never replaced.
  private static func outputs(of command: String) -> [String] {
    var found: [String] = []
    for match in command.matches(of: /--(?:record|html|csv|truth|report) ([\w.\/]+)/) {
      found.append(String(match.1))
    }
    for match in command.matches(of: /(?:plan new|convert [\w.-]+) ([\w.\/]+)/) {
      found.append(String(match.1))
    }
    for match in command.matches(of: /museum simulate .* ([\w.\/]+)$/) {
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

  /// Runs the commands of blocks with the files of their pages, several blocks at a time.
  ///
  /// - Parameters:
  ///   - blocks: The commands of each block.
  ///   - pages: All pages.
  ///   - isFresh: Whether each command of a block begins with the same files; only the account's files are those of the block.
  ///   - seconds: After how many seconds a command is stopped.
  /// - Returns: The commands, each with its exit code and output.
  private static func run(
    _ blocks: [[DocumentedPage.Command]],
    of pages: [DocumentedPage],
    isFresh: Bool,
    seconds: Int
  ) throws -> [(command: DocumentedPage.Command, code: Int, output: String)] {
    let folder = FileManager.default.temporaryDirectory.appending(path: UUID().uuidString)
    defer { try? FileManager.default.removeItem(at: folder) }
    func write(_ bytes: some Sequence<UInt8>, to name: String) throws {
      let file = folder.appending(path: name)
      try FileManager.default.createDirectory(
        at: file.deletingLastPathComponent(),
        withIntermediateDirectories: true
      )
      try Data(bytes).write(to: file)
    }
    for (name, bytes) in recordings { try write(bytes, to: "recordings/\(name)") }
    for page in pages {
      for file in page.files { try write(file.text.utf8, to: "files/\(page.path)/\(file.name)") }
    }
    for (index, block) in blocks.enumerated() {
      let runs = block.enumerated().map { number, one in
        let removed = outputs(of: one.text).map { "rm -f '\($0)'; " }.joined()
        let quoted = replaced(one.text).replacing("'", with: "'\\''")
        return """
          \(number == 0 || isFresh ? "enter \(number)" : ":"); \(removed)
          timeout -s INT -k 60 \(seconds) bash -c 'beaconctl() { "$program" "$@"; }; swift() { "${program%/*}/$2"; }; \(quoted)' \
            >"$ran.\(number)" 2>&1 </dev/null
          echo $? >"$ran.\(number).code"
          """
      }
      let script = """
        ran=$folder/ran/\(index)
        enter() {
          cp -r "$folder"/template "$ran.$1.files"; cd "$ran.$1.files" || exit 9
          cp "$folder/files/\(block[0].page)"/* . 2>/dev/null
        }
        export HOME=$ran.home XDG_CONFIG_HOME=$ran.home/c XDG_STATE_HOME=$ran.home/s
        \(runs.joined(separator: "\n"))
        rm -rf "$ran".*.files
        """
      try write(script.utf8, to: "blocks/\(index)")
    }
    let all = try BuiltCommand(
      """
      root=$PWD; export folder='\(folder.path)' program='\(BuiltCommand.program.path)'
      unset BEACONS_CONFIG DBUS_SESSION_BUS_ADDRESS; export DBUS_SYSTEM_BUS_ADDRESS=unix:path=/nowhere/bus
      mkdir "$folder"/ran "$folder"/template; cd "$folder"/template || exit 9
      { export HOME=$folder/home XDG_CONFIG_HOME=$folder/home/c XDG_STATE_HOME=$folder/home/s
      \(preparation)
      } >/dev/null || exit 8
      printf '%s\\n' "$folder"/blocks/* | xargs -P 8 -n 1 bash
      """
    )
    #expect(all.code == 0, "\(all.errors)")
    return try blocks.enumerated().flatMap { index, block in
      try block.enumerated().map { number, one in
        let file = folder.appending(path: "ran/\(index).\(number)")
        let code = try String(contentsOf: file.appendingPathExtension("code"), encoding: .utf8)
        let output = String(decoding: try Data(contentsOf: file), as: UTF8.self)
        return (one, Int(code.dropLast()) ?? -1, output)
      }
    }
  }

  @Test func `commands, their outputs and files are found`() throws {
    let text = """
      Text `beaconctl none`.
      ```
      beaconctl range \\
          --from a   # why
      beaconctl
      beaconctls
      ```
        ```
        $ beaconctl inspect \\
            a
        one

         two
        $ cat b
        ```
      ```json5 b.json5
      beaconctl no
      ```
      <!-- golden: terminal/a.txt -->
      ```
      beaconctl
      ```
      """
    let page = DocumentedPage("page", text)
    #expect(
      page.others.map { $0.map(\.text) } == [["beaconctl range --from a   # why", "beaconctl"]]
    )
    #expect(page.others.map { $0.map(\.line) } == [[4, 5]])
    let session = try #require(page.sessions.first)
    #expect(session.map(\.text) == ["beaconctl inspect a", "cat b"])
    #expect(session.map { page.text($0.shown ?? 0..<0) } == [["one", "", " two"], []])
    #expect(page.files.map(\.name) == ["b.json5"] && page.files.map(\.text) == ["beaconctl no\n"])
    #expect(page.goldens.map(\.name) == ["terminal/a.txt"])
    #expect(page.goldens.map { page.text($0.shown) } == [["beaconctl"]])
    var other = page
    other.show(["three", ""], at: session[0].shown ?? 0..<0)
    #expect(
      other.lines[8...12] == ["  $ beaconctl inspect \\", "      a", "  three", "", "  $ cat b"]
    )
  }

  @Test func `an output is compared line by line, and may leave lines out`() {
    let printed = ["10 one", "11 two", "12 three", "13 four"]
    func difference(_ shown: String...) -> String { ShownOutput.difference(shown, from: printed) }
    #expect(difference("10 one", "11 two", "12 three", "13 four").isEmpty)
    #expect(difference("10 one", "…").isEmpty)
    #expect(difference("…", "12 three", "…").isEmpty)
    #expect(difference("…", "12 three", "13 four").isEmpty)
    #expect(difference("10 one", "…", "13 four").isEmpty)
    #expect(difference("10 one", "11 two") == "+ 12 three\n+ 13 four")
    #expect(difference("10 one", "11 two", "12 tree", "13 four") == "- 12 tree\n+ 12 three")
    #expect(difference("…", "12 drei", "13 four", "…") == "- 12 drei\n+ 12 three")
    #expect(difference("…", "12 three") == "- 12 three\n+ 13 four")
    #expect(difference("11 two", "…") == "- 11 two\n+ 10 one")
  }

  /// Compares what pages show; `tools/update-golden` writes it in place of that.
  private static func compare(
    _ pages: [DocumentedPage],
    _ shown: [(page: String, place: String, lines: Range<Int>, printed: [String])]
  ) throws {
    for var page in pages {
      let before = page.lines
      // From the end, so that the places of the others stay.
      for one in shown.filter({ $0.page == page.path }).sorted(by: {
        $0.lines.lowerBound > $1.lines.lowerBound
      }) {
        let text = page.text(one.lines)
        if Golden.isUpdating {
          page.show(ShownOutput.updated(text, from: one.printed), at: one.lines)
        } else {
          let difference = ShownOutput.difference(text, from: one.printed)
          guard !difference.isEmpty else { continue }
          Issue.record(
            "\(one.place): the page shows (-) other lines than are printed (+):\n\(difference)\nlook at it, then run tools/update-golden --pages"
          )
        }
      }
      if page.lines != before { try page.save() }
    }
  }

  @Test func `pages show screens as the golden files have them`() throws {
    let pages = try DocumentedPage.all()
    let shown = try pages.flatMap { page in
      try page.goldens.map { name, lines in
        let file = ProjectFiles.fixtures.appending(path: "golden/\(name)")
        let printed = try String(contentsOf: file, encoding: .utf8).split(
          separator: "\n",
          omittingEmptySubsequences: false
        )
        return (
          page.path, "\(page.path):\(lines.lowerBound): \(name)", lines,
          printed.dropLast().map(String.init)
        )
      }
    }
    #expect(!shown.isEmpty)
    try Self.compare(pages, shown)
  }

  @Test func `Swift in pages is a part of the source of its name`() throws {
    let all = FileManager.default.enumerator(
      atPath: ProjectFiles.root.appending(path: "Sources").path
    )
    let sources = (all?.allObjects as? [String]) ?? []
    let files = try DocumentedPage.all().flatMap(\.files).filter { $0.name.hasSuffix(".swift") }
    #expect(!files.isEmpty)
    for file in files {
      let path = try #require(sources.first { $0.hasSuffix("/\(file.name)") })
      let source = try String(
        contentsOf: ProjectFiles.root.appending(path: "Sources/\(path)"),
        encoding: .utf8
      )
      #expect(source.contains(file.text), "\(file.name) is not as the page shows it")
    }
  }

  @Test(.slow) func `pages show what their commands print`() throws {
    let pages = try DocumentedPage.all()
    let ran = try Self.run(pages.flatMap(\.sessions), of: pages, isFresh: false, seconds: 60)
    #expect(ran.count > 7)
    let shown = ran.compactMap { command, code, output in
      #expect(![70, 124].contains(code), "\(command): \(code)")
      let printed =
        output.isEmpty
        ? [] : output.split(separator: "\n", omittingEmptySubsequences: false).map(String.init)
      return command.shown.map {
        (
          command.page, "\(command)", $0,
          Array(output.hasSuffix("\n") ? printed.dropLast() : printed[...])
        )
      }
    }
    try Self.compare(pages, shown)
  }

  @Test(.slow) func `every other command of the pages runs as it is written`() throws {
    let pages = try DocumentedPage.all()
    let blocks = pages.flatMap(\.others).filter { !$0.isEmpty }
    // What plays at the pace of a clock, or serves pages, is stopped after a while.
    let ran = try Self.run(blocks, of: pages, isFresh: true, seconds: 4)
    #expect(ran.count > 70)
    for (one, code, output) in ran {
      // A command without an adapter ends with 69, and one that a user must permit with 77; a walk is not a measurement at one
      // place.
      var expected = [0, 2, 69, 77, 124, 130]
      if one.text.contains(" calibrate ") { expected += [1, 65] }
      // No terminal asks for the next distance here.
      if output.contains("several live distances need a terminal") { expected.append(64) }
      if Self.prepared.contains(one.page) {
        #expect(expected.contains(code), "\(one): \(code) \(output.suffix(300))")
      } else {
        #expect(code != 70, "\(one): \(code) \(output.suffix(300))")
      }
    }
  }
}
