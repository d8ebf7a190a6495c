// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

import BeaconTerminal
import BeaconCore
import BeaconTestSupport
import Foundation

@testable import BeaconCommands

/// What a command line did, run in this process.
struct CommandRun {
  let code: ExitCode
  let output: String
  let errors: String

  init(
    _ arguments: [String],
    terminal: Bool = false,
    environment: [String: String] = [:],
    clock: any PlaybackClock = FastClock(),
    user: (any UserTerminal)? = nil,
    isInterrupted: @escaping () -> Bool = { false }
  ) {
    let output = MemorySink(isTerminal: terminal)
    let errors = MemorySink()
    let io = CommandIO(
      output: output,
      errors: errors,
      environment: environment,
      clock: clock,
      user: user,
      isInterrupted: isInterrupted
    )
    code = Program.run(arguments, io: io)
    self.output = Self.portable(output.text)
    self.errors = Self.portable(errors.text)
  }

  /// Text without the place of the project on this machine.
  private static func portable(_ text: String) -> String {
    text.replacing(ProjectFiles.root.path + "/", with: "")
  }

  /// The lines of the output, whether they end as text does or as a table of values does.
  var lines: [Substring] { output.split(whereSeparator: \.isNewline) }

  /// The path of a capture of the project.
  static func capture(_ name: String) -> String {
    ProjectFiles.fixtures.appending(path: "captures/\(name)").path
  }
}

/// A clock on which waiting takes no time.
final class FastClock: PlaybackClock {
  private(set) var elapsed = TimeSpan.zero
  private(set) var waits = 0

  func sleep(for span: TimeSpan) {
    waits += 1
    elapsed = elapsed + span
  }
}

/// A folder that goes with the test.
final class ScratchFolder {
  let url: URL

  init() throws {
    url = FileManager.default.temporaryDirectory.appending(path: "beacons-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: url, withIntermediateDirectories: true)
  }

  func path(_ name: String) -> String { url.appending(path: name).path }

  /// Writes a file and returns its path.
  func write(_ text: String, to name: String) throws -> String {
    try Data(text.utf8).write(to: url.appending(path: name))
    return path(name)
  }

  deinit { try? FileManager.default.removeItem(at: url) }
}
