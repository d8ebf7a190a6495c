// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

import BeaconTestSupport
import Foundation
import Testing

/// A terminal with a shell in it, as tmux has one; it goes with the test.
final class Multiplexer {
  static let isAvailable = FileManager.default.isExecutableFile(atPath: "/usr/bin/tmux")

  /// A folder of the test's own.
  let folder: URL
  private let modes: String
  private var questions = 0

  struct TimeOut: Error, CustomStringConvertible {
    let description: String
  }

  init(columns: Int, rows: Int) throws {
    folder = FileManager.default.temporaryDirectory.appending(
      path: "beacons-tmux-\(UUID().uuidString.prefix(8))"
    )
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    modes = folder.appending(path: "modes").path
    // A shell of jobs and no person's settings; it reports that it is ready, and how the terminal is set.
    try run(
      "new-session -d -x \(columns) -y \(rows) 'env -u NO_COLOR BEACONS_CONFIG=none TZ=UTC SWIFT_BACKTRACE=enable=no LC_ALL=C.UTF-8 PS1=ready: bash --norc --noprofile'"
    )
    _ = try wait { $0.contains("ready:") }
    try type("stty -g >\(modes).before; clear\n")
    _ = try wait { $0.hasPrefix("ready:") && !$0.contains("stty") }
  }

  deinit {
    // Not kill-server, which is a signal, and here signals may be blocked: without a session the server ends by itself.
    _ = try? run("kill-session")
    try? FileManager.default.removeItem(at: folder)
  }

  @discardableResult
  private func run(_ words: String) throws -> String {
    let socket = folder.appending(path: "socket").path
    // The server outlives the shell that starts it, and must not hold what Foundation waits on to be closed.
    let closing =
      "for fd in /proc/$$/fd/*; do fd=${fd##*/}; (( fd > 2 )) && eval \"exec $fd>&-\"; done"
    let script = "\(closing); TMUX= tmux -S \(socket) -f /dev/null \(words)"
    return try BuiltCommand(script).output
  }

  /// Types text as it is.
  func type(_ text: String) throws {
    let quoted = text.dropLast(text.hasSuffix("\n") ? 1 : 0).replacing("'", with: "'\\''")
    try run("send-keys -l '\(quoted)'")
    if text.hasSuffix("\n") { try press("Enter") }
  }

  /// Presses keys by their tmux names.
  func press(_ keys: String...) throws {
    try run("send-keys " + keys.map { "'\($0)'" }.joined(separator: " "))
  }

  func resize(columns: Int, rows: Int) throws {
    try run("resize-window -x \(columns) -y \(rows)")
  }

  /// Sends a signal to the program whose number the shell wrote down.
  func kill(_ signal: String) throws {
    _ = try BuiltCommand("kill -\(signal) $(cat \(folder.path)/pid)")
  }

  /// The screen without colors.
  func shown() throws -> String { try run("capture-pane -p") }

  /// The screen with the sequences that color it.
  func colors() throws -> String { try run("capture-pane -p -e") }

  /// Waits until the screen is as a test wants it, and returns it.
  func wait(until isThere: (String) -> Bool) throws -> String {
    var last = ""
    for _ in 0..<300 {
      last = try shown()
      if isThere(last) { return last }
      Thread.sleep(forTimeInterval: 0.1)
    }
    throw TimeOut(description: "the terminal still shows:\n\(last)")
  }

  /// Expects the shell to have its terminal back as it was: its modes, its screen, its cursor; and how the program ended.
  func expectShell(code: Int, sourceLocation: SourceLocation = #_sourceLocation) throws {
    try expectShell(sourceLocation: sourceLocation) { $0 == code }
  }

  func expectShell(
    sourceLocation: SourceLocation = #_sourceLocation,
    code isExpected: (Int) -> Bool
  ) throws {
    _ = try wait { $0.trimmingCharacters(in: .newlines).hasSuffix("\nready:") }
    // A separate mark: what an earlier call had echoed may still be on the screen.
    questions += 1
    try type("echo code \(questions)=$?; stty -g >\(modes).after; echo done \(questions)\n")
    let screen = try wait { $0.contains("\ndone \(questions)\n") }
    let pattern = try Regex("code \(questions)=([0-9]+)\\n", as: (Substring, Substring).self)
    let code = screen.firstMatch(of: pattern).flatMap { Int($0.1) }
    #expect(code.map(isExpected) == true, "\(screen)", sourceLocation: sourceLocation)
    let flags = try run("display-message -p '#{alternate_on} #{cursor_flag} #{wrap_flag}'")
    #expect(flags == "0 1 1\n", sourceLocation: sourceLocation)
    let before = try String(contentsOfFile: modes + ".before", encoding: .utf8)
    let after = try String(contentsOfFile: modes + ".after", encoding: .utf8)
    #expect(before == after, sourceLocation: sourceLocation)
  }
}
