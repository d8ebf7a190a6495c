// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

internal import Beacons
internal import Glibc

/// The program as a process: its arguments, streams, signals and exit code.
public enum CommandProcess {
  /// Runs the command line of the process and ends it.
  public static func run() -> Never {
    Interruption.install()
    let io = CommandIO(
      output: FileSink(FileDescriptor(standard: STDOUT_FILENO)),
      errors: FileSink(FileDescriptor(standard: STDERR_FILENO)),
      environment: environment,
      clock: SystemPlaybackClock(),
      terminal: isatty(STDOUT_FILENO) == 1 ? STDOUT_FILENO : nil,
      person: StandardTerminal(),
      isInterrupted: { Interruption.exitCode != nil }
    )
    exit(Program.run(Array(CommandLine.arguments.dropFirst()), io: io).rawValue)
  }

  /// The few environment variables that commands look at.
  private static var environment: [String: String] {
    var found: [String: String] = [:]
    let names = [
      "NO_COLOR", "XDG_STATE_HOME", "HOME", "COLUMNS", "TERM", "LC_ALL", "LC_CTYPE", "LANG",
    ]
    for name in names {
      if let value = unsafe getenv(name) { found[name] = unsafe String(cString: value) }
    }
    return found
  }
}
