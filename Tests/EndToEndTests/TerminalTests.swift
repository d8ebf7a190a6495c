// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

import BeaconTestSupport
import DBusTestSupport
import Foundation
import Glibc
import Testing

/// The view of `range` on a real terminal: drawn, resized, left, and the terminal as it was afterwards.
@Suite(
  .enabled(
    if: FileManager.default.isExecutableFile(atPath: BuiltCommand.program.path),
    "beaconctl was not built with these tests"
  ),
  .enabled(if: Multiplexer.isAvailable, "tmux is not installed (Debian: apt install tmux)"),
  .timeLimit(.minutes(2))
)
struct TerminalTests {
  static let range =
    "'\(BuiltCommand.program.path)' range --from Fixtures/captures/walk.btsnoop --speed 1x"
    + " -s \(StreamTests.gallery)"

  @Test(arguments: [(80, 24), (200, 60)])
  func `beacons are shown, chosen and explained`(_ columns: Int, _ rows: Int) throws {
    let terminal = try Multiplexer(columns: columns, rows: rows)
    try terminal.type("\(Self.range)\n")
    let list = try terminal.wait { $0.contains("1/1") && $0.contains("1/2") }
    #expect(list.hasPrefix(" range  replay"))
    #expect(list.split(separator: "\n").last?.contains("F10quit") == true)
    try terminal.press("Down", "F2")
    _ = try terminal.wait { $0.contains("path loss") && $0.contains("requested") }
    try terminal.press("?")
    _ = try terminal.wait { $0.contains("this page") }
    try terminal.press("Escape")
    _ = try terminal.wait { $0.contains("DISTANCE") }
    try terminal.press("p")
    _ = try terminal.wait { $0.contains("PAUSED") }
    try terminal.press("q")
    try terminal.expectShell(code: 0)
  }

  @Test func `it follows the terminal's size, down to one that is too small`() throws {
    let terminal = try Multiplexer(columns: 80, rows: 24)
    try terminal.type("\(Self.range)\n")
    _ = try terminal.wait { $0.contains("1/1 ") }
    try terminal.resize(columns: 160, rows: 40)
    _ = try terminal.wait { $0.contains("9 IN 10") && $0.contains("PROXIMITY") }
    try terminal.resize(columns: 40, rows: 8)
    _ = try terminal.wait { $0.contains("this view needs") }
    try terminal.resize(columns: 80, rows: 24)
    _ = try terminal.wait { $0.contains("F10quit") }
    try terminal.press("F10")
    try terminal.expectShell(code: 0)
  }

  @Test(arguments: [
    ("TERM", 143), ("INT", 130), ("HUP", 143), ("SEGV", 139), ("ABRT", 134), ("ILL", 132),
    ("TRAP", 133), ("BUS", 135),
  ])
  func `the terminal is as it was after a signal or a crash`(_ signal: String, _ code: Int) throws {
    let terminal = try Multiplexer(columns: 80, rows: 24)
    try terminal.type("\(Self.range) & echo $! >\(terminal.folder.path)/pid; fg\n")
    _ = try terminal.wait { $0.contains("1/1 ") }
    try terminal.kill(signal)
    try terminal.expectShell(code: code)
  }

  @Test(arguments: ["main", "other"])
  func `the terminal is as it was after a stack was used up`(_ thread: String) throws {
    let terminal = try Multiplexer(columns: 80, rows: 24)
    let program = BuiltCommand.program.deletingLastPathComponent().appending(path: "TerminalCrash")
    // A core dump of a full stack takes long and does not help.
    try terminal.type("ulimit -c 0; '\(program.path)' \(thread)\n")
    _ = try terminal.wait { $0.contains("Segmentation fault") }
    try terminal.expectShell(code: 139)
  }

  @Test(.enabled(if: PrivateBus.isAvailable, "\(PrivateBus.absence)"))
  func `the terminal is as it was after the bus's thread used its stack up`() throws {
    let bus = try PrivateBus()
    let terminal = try Multiplexer(columns: 80, rows: 24)
    let program = BuiltCommand.program.deletingLastPathComponent().appending(path: "TerminalCrash")
    try terminal.type("ulimit -c 0; '\(program.path)' bus '\(bus.address)'\n")
    _ = try terminal.wait { $0.contains("Segmentation fault") }
    try terminal.expectShell(code: 139)
  }

  @Test func `it stops and continues as programs do`() throws {
    let terminal = try Multiplexer(columns: 80, rows: 24)
    try terminal.type("\(Self.range)\n")
    _ = try terminal.wait { $0.contains("1/1 ") }
    try terminal.press("C-z")
    try terminal.expectShell(code: 148)
    try terminal.type("fg\n")
    _ = try terminal.wait { $0.contains("F10quit") }
    try terminal.press("C-c")
    try terminal.expectShell(code: 130)
  }

  @Test func `n names a beacon, during a replay and after it`() throws {
    let terminal = try Multiplexer(columns: 80, rows: 24)
    let file = "\(terminal.folder.path)/names.json5"
    try Data("// mine\n{}\n".utf8).write(to: URL(filePath: file))
    try terminal.type("\(Self.range.replacing("1x", with: "40x")) --config \(file)\n")
    _ = try terminal.wait { $0.contains("1/1 ") }
    try terminal.press("n")
    try terminal.type("Quartz\n")
    // The end's message may replace that of the name before a look.
    _ = try terminal.wait { $0.contains("Quartz") && $0.contains("ENDED") }
    try terminal.press("Home", "n")
    try terminal.type("Sun dial\n")
    _ = try terminal.wait { $0.contains("is named Sun dial") }
    try terminal.press("q")
    try terminal.expectShell(code: 0)
    let text = try String(contentsOfFile: file, encoding: .utf8)
    #expect(text.hasPrefix("// mine\n"))
    #expect(text.contains("Quartz") && text.contains("Sun dial"))
  }

  @Test func `r begins and ends a recording, which can be played`() throws {
    let terminal = try Multiplexer(columns: 80, rows: 24)
    try terminal.type("cd \(terminal.folder.path); root=$OLDPWD\n")
    let range = Self.range.replacing("Fixtures/", with: "$root/Fixtures/")
    try terminal.type("\(range)\n")
    _ = try terminal.wait { $0.contains("1/1 ") }
    try terminal.press("r")
    let screen = try terminal.wait { $0.contains("recording to ") }
    #expect(screen.contains("REC"))
    _ = try terminal.wait { $0.contains("10:00:06Z") || $0.contains("10:00:07Z") }
    try terminal.press("r")
    _ = try terminal.wait { $0.contains("recorded beacons-") }
    try terminal.press("q")
    try terminal.expectShell(code: 0)
    let names = try FileManager.default.contentsOfDirectory(atPath: terminal.folder.path)
    let name = try #require(names.first { $0.hasPrefix("beacons-2026") })
    let recorded = terminal.folder.appending(path: name).path
    let played = try BuiltCommand("beaconctl scan --from \(recorded)")
    #expect(played.code == 0)
    #expect(played.output.split(separator: "\n").count > 10)
    #expect(try String(contentsOfFile: recorded, encoding: .utf8).contains("\"type\":\"end\""))
  }

  @Test func `a table is written on request, or if no view is possible`() throws {
    for words in ["--format table", "--format none --summary", ""] {
      let terminal = try Multiplexer(columns: 80, rows: 24)
      let kind = words.isEmpty ? "TERM=dumb " : ""
      try terminal.type("\(kind)timeout -s INT 2 \(Self.range) \(words)\n")
      _ = try terminal.wait { $0.contains(words.contains("none") ? "\"summary\"" : " dBm ") }
      try terminal.expectShell(code: 124)
    }
  }

  @Test func `NO_COLOR and --color decide whether output has color`() throws {
    for (before, after, hasColor) in [
      ("", "", true), ("NO_COLOR=1 ", "", false), ("", " --color never", false),
      ("NO_COLOR=1 ", " --color always", true),
    ] {
      let terminal = try Multiplexer(columns: 80, rows: 24)
      try terminal.type("\(before)\(Self.range)\(after)\n")
      let shown = #/1/1 +[INF] /#
      // A beacon whose proximity is not known yet has no color.
      _ = try terminal.wait { $0.contains(shown) }
      let colors = try terminal.colors()
      #expect(colors.contains("38;5;") == hasColor, "\(before)\(after)")
    }
  }

  @Test(
    .enabled(
      if: FileManager.default.isExecutableFile(atPath: "/usr/bin/ed"),
      "ed is not installed (Debian: apt install ed)"
    )
  )
  func `config edit opens a real editor, and checks what it wrote`() throws {
    let terminal = try Multiplexer(columns: 120, rows: 24)
    let program = BuiltCommand.program.path
    try terminal.type(
      "unset BEACONS_CONFIG VISUAL; export XDG_CONFIG_HOME=\(terminal.folder.path)\n"
    )
    try terminal.type("clear; VISUAL= EDITOR='ed -s' '\(program)' config edit; echo ended $?\n")
    // The file that was started, as ed lists it.
    try terminal.type(",p\n")
    _ = try terminal.wait { $0.contains("names every constant") }
    for line in [",c", "{ set: { \"ranging.linger\": 20 } }", ".", "w", "q"] {
      try terminal.type("\(line)\n")
    }
    _ = try terminal.wait { $0.contains("ended 0") }
    let found = #"grep -q 'linger","value":20,'; echo grep: $?"#
    try terminal.type("clear; '\(program)' config show --format json | \(found)\n")
    _ = try terminal.wait { $0.contains("grep: 0") }
    try terminal.type("clear; EDITOR='ed -s' '\(program)' config edit; echo ended $?\n")
    for line in ["s/linger/lingr/", "w", "q"] { try terminal.type("\(line)\n") }
    let screen = try terminal.wait { $0.contains("press Return") }
    #expect(screen.contains("ranging.lingr"))
    // The file is as it was until the draft has no fault.
    let file = terminal.folder.appending(path: "beacons/config.json5")
    let before = "{ set: { \"ranging.linger\": 20 } }\n"
    #expect(try String(contentsOf: file, encoding: .utf8) == before)
    try terminal.press("Enter")
    for line in ["s/lingr\": 20/linger\": 30/", "w", "q"] { try terminal.type("\(line)\n") }
    _ = try terminal.wait { $0.contains("ended 0") }
    #expect(
      try String(contentsOf: file, encoding: .utf8) == before.replacing("20", with: "30")
    )
    #expect(try Self.names(in: file) == ["config.json5"])
    // A draft with a fault is kept, and the file is as it was.
    try terminal.type("clear; EDITOR='ed -s' '\(program)' config edit; echo ended $?\n")
    for line in ["s/30/}/", "w", "q"] { try terminal.type("\(line)\n") }
    _ = try terminal.wait { $0.contains("press Return") }
    try terminal.press("C-d")
    _ = try terminal.wait { $0.contains("ended 2") }
    #expect(
      try String(contentsOf: file, encoding: .utf8) == before.replacing("20", with: "30")
    )
    #expect(try Self.names(in: file) == ["config.json5", "config.json5.new"])
    // Another program's change is not undone.
    let name = "'\(program)' name F7826DA6-4FA2-4E98-8024-BC5B71E0893E/1/1 Globe"
    try terminal.type("clear; EDITOR=\"\(name); ed -s\" '\(program)' config edit; echo ended $?\n")
    for line in ["s/30/40/", "w", "q"] { try terminal.type("\(line)\n") }
    let last = try terminal.wait { $0.contains("ended 1") }
    #expect(last.contains("was changed meanwhile"))
    let text = try String(contentsOf: file, encoding: .utf8)
    #expect(text.contains("30") && text.contains("Globe"))
    #expect(
      try Self.names(in: file) == ["config.json5", "config.json5.new", "config.json5.new-2"]
    )
  }

  @Test(arguments: [
    ("truncate -s 17M", "config.json5.new: it is larger than 16 MiB"),
    ("f() { rm $1; mkfifo $1; }; f", "config.json5.new is not a regular file"),
    ("f() { rm $1; ln -s . $1; }; f", "config.json5.new is not a regular file"),
  ])
  func `a draft that cannot be read is kept`(_ editor: String, _ sentence: String) throws {
    let terminal = try Multiplexer(columns: 200, rows: 24)
    let program = BuiltCommand.program.path
    try terminal.type(
      "unset BEACONS_CONFIG VISUAL; export XDG_CONFIG_HOME=\(terminal.folder.path)\n"
    )
    try terminal.type("clear; EDITOR='\(editor)' '\(program)' config edit; echo ended $?\n")
    let screen = try terminal.wait { $0.matches(of: /ended [0-9]/).count == 1 }
    #expect(screen.contains(sentence) && screen.contains("left as it is"), "\(screen)")
    let file = terminal.folder.appending(path: "beacons/config.json5")
    #expect(try Self.names(in: file) == ["config.json5.new"])
  }

  @Test func `a terminal that takes nothing does not keep a run from ending`() throws {
    let control = open("/dev/ptmx", O_RDWR | O_NOCTTY)
    defer { close(control) }
    // TIOCSPTLCK and TIOCGPTN: it is unlocked, and its number read.
    var (lock, number) = (Int32(0), Int32(-1))
    #expect(ioctl(control, 0x4004_5431, &lock) == 0 && ioctl(control, 0x8004_5430, &number) == 0)
    let terminal = open("/dev/pts/\(number)", O_RDWR | O_NOCTTY)
    let ends = FileHandle(fileDescriptor: terminal, closeOnDealloc: true)
    #expect(tcflow(terminal, TCOOFF) == 0)
    let process = Process()
    process.executableURL = BuiltCommand.program
    process.arguments = ["range", "--simulate", "1", "--speed", "1x"]
    process.environment = ["TERM": "xterm", "BEACONS_CONFIG": "none"]
    (process.standardInput, process.standardOutput) = (ends, ends)
    process.standardError = FileHandle.nullDevice
    try process.run()
    var modes = termios()
    repeat {
      #expect(tcgetattr(terminal, &modes) == 0)
      usleep(10_000)
    } while modes.c_lflag & tcflag_t(ICANON) != 0 && process.isRunning
    kill(process.processIdentifier, SIGTERM)
    for _ in 0..<3000 where process.isRunning { usleep(10_000) }
    #expect(!process.isRunning)
    kill(process.processIdentifier, SIGKILL)
    process.waitUntilExit()
    #expect(process.terminationStatus == 143)
  }

  private static func names(in file: URL) throws -> [String] {
    try FileManager.default.contentsOfDirectory(atPath: file.deletingLastPathComponent().path)
      .sorted()
  }

  // MARK: While the program waits

  /// Views whose run waits for a pipe without a writer, and a text of each.
  static let waiting = [
    (
      "range --speed 1x -s \(StreamTests.gallery)", "F10quit", "e", "No events yet"
    ),
    (
      "museum --plan $root/Fixtures/museum/plan.json5 --record visit.jsonl", "Museum of Measure",
      "l",
      "Museum des Messens"
    ),
  ]

  /// A terminal with a view whose run waits for a silent pipe.
  private static func wait(_ command: String, shows text: String) throws -> Multiplexer {
    let terminal = try Multiplexer(columns: 80, rows: 24)
    try terminal.type(
      "root=$PWD; export XDG_STATE_HOME=\(terminal.folder.path); cd \(terminal.folder.path); clear\n"
    )
    try terminal.type("mkfifo pipe; sleep 1000 >pipe & clear\n")
    try terminal.type("'\(BuiltCommand.program.path)' \(command) --from pipe & echo $! >pid; fg\n")
    _ = try terminal.wait { $0.contains(text) }
    return terminal
  }

  @Test(arguments: waiting)
  func `keys and a new size work while the run waits`(
    _ command: String,
    _ text: String,
    _ key: String,
    _ shown: String
  ) throws {
    let terminal = try Self.wait(command, shows: text)
    try terminal.press(key)
    _ = try terminal.wait { $0.contains(shown) }
    try terminal.resize(columns: 40, rows: 8)
    _ = try terminal.wait { $0.contains(#/needs|braucht/#) && !$0.contains(shown) }
    try terminal.resize(columns: 100, rows: 30)
    _ = try terminal.wait { $0.contains(shown) }
    try terminal.press("C-z")
    try terminal.expectShell(code: 148)
    try terminal.type("fg\n")
    _ = try terminal.wait { $0.contains(shown) }
    try terminal.press("q")
    try terminal.expectShell(code: 0)
  }

  @Test(arguments: waiting)
  func `^C ends a run that waits`(
    _ command: String,
    _ text: String,
    _: String,
    _: String
  ) throws {
    let terminal = try Self.wait(command, shows: text)
    try terminal.press("C-c")
    try terminal.expectShell(code: 130)
  }

  @Test(arguments: waiting)
  func `a second signal ends a run immediately, and the terminal is as it was`(
    _ command: String,
    _ text: String,
    _: String,
    _: String
  ) throws {
    let terminal = try Self.wait(command, shows: text)
    // A stopped process gets both signals before it can do anything.
    try terminal.kill("STOP")
    try terminal.kill("TERM")
    try terminal.kill("INT")
    try terminal.kill("CONT")
    // `wait` returns immediately with 147 for a job that the shell still believes to be stopped.
    try terminal.type("while kill -0 $(cat pid) 2>&-; do sleep 0.05; done; wait $(cat pid)\n")
    try terminal.expectShell { $0 == 143 || $0 == 130 }
  }

  @Test func `what the source ended with stays until the user leaves`() throws {
    let terminal = try Multiplexer(columns: 80, rows: 24)
    try terminal.type("\(Self.range.replacing("1x", with: "100x")) --summary\n")
    _ = try terminal.wait { $0.contains("the source has ended; q leaves") }
    try terminal.resize(columns: 100, rows: 30)
    try terminal.press("e")
    _ = try terminal.wait { $0.contains("\"summary\"") }
    try terminal.press("q")
    // The command's messages of the view are written again.
    _ = try terminal.wait { $0.contains("\"summary\"") && $0.contains("ready:") }
    try terminal.expectShell(code: 0)
  }

  @Test(.slow) func `the guide's clock continues while it asks, and if it may receive nothing`()
    throws
  {
    let terminal = try Multiplexer(columns: 80, rows: 24)
    try terminal.type(
      "XDG_STATE_HOME=\(terminal.folder.path) '\(BuiltCommand.program.path)' museum"
        + " --plan Fixtures/museum/plan.json5 --simulate 7 --speed 5x\n"
    )
    let clock = { (screen: String) in screen.firstMatch(of: /[0-9]{2}(:[0-9]{2}){2}/)?.0 }
    for (state, key) in [("allow while using", "d"), ("denied", "q")] {
      let first = try terminal.wait { $0.contains(state) }
      _ = try terminal.wait { $0.contains(state) && clock($0) != clock(first) }
      try terminal.press(key)
    }
    try terminal.expectShell(code: 0)
  }
}
