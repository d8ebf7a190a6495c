// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

internal import BeaconCommandLine
internal import BeaconTerminal
internal import SystemKit
package import BeaconBlueZ
internal import Beacons
internal import Glibc
internal import BeaconFormats
internal import BeaconCore

/// The program as a process: its arguments, streams, signals and exit code.
package enum CommandProcess {
  /// Runs the command line of the process and ends it.
  package static func run(_ program: Program) -> Never {
    run(program, Array(CommandLine.arguments.dropFirst()))
  }

  /// Runs a command line and ends the process.
  ///
  /// - Parameters:
  ///   - program: The program.
  ///   - arguments: The command line without the program's own name.
  ///   - openKernelChannel: Opens the kernel's monitor channel, or a substitute for it.
  package static func run(
    _ program: Program,
    _ arguments: [String],
    opening openKernelChannel: @escaping BlueZScanOptions.ChannelOpener = MonitorSocket.open
  ) -> Never {
    let isReady = FileDescriptor.prepare()
    Interruption.install()
    guard isReady else {
      refuse("fewer than \(FileDescriptor.leastFree) more files may be opened (ulimit -n)")
    }
    guard SystemThread.hasStack else {
      refuse("the stack may have less than \(SystemThread.leastStack >> 10) KiB (ulimit -s)")
    }
    guard SystemThread.hasThreads else {
      refuse("fewer than \(SystemThread.leastThreads) threads may be started (ulimit -u)")
    }
    let code = RunThread.run {
      await program.run(arguments, io: standardIO(opening: openKernelChannel))
    }
    exit((code ?? .software).rawValue)
  }

  /// Ends a process that the limits of the system do not let begin.
  private static func refuse(_ reason: String) -> Never {
    try? FileDescriptor(standard: STDERR_FILENO).write(Array("beaconctl: \(reason)\n".utf8))
    exit(ExitCode.unavailable.rawValue)
  }

  /// The machine's configuration, as the operator of all its accounts writes it.
  package static let machineConfiguration = "/etc/beacons/config.json5"

  /// The streams and the terminal of the process.
  private static func standardIO(
    opening openKernelChannel: @escaping BlueZScanOptions.ChannelOpener
  ) -> CommandIO {
    var io = CommandIO(
      output: FileSink(standard: STDOUT_FILENO),
      errors: FileSink(standard: STDERR_FILENO),
      environment: environment,
      clock: SystemPlaybackClock(),
      terminal: isatty(STDOUT_FILENO) == 1 ? STDOUT_FILENO : nil,
      user: StandardTerminal(),
      isInterrupted: { Interruption.exitCode != nil }
    )
    io.messageTerminal = isatty(STDERR_FILENO) == 1 ? STDERR_FILENO : nil
    io.openKernelChannel = openKernelChannel
    io.machineConfiguration = machineConfiguration
    io.localZone = LocalZone { WallClock.utcOffset(at: $0) }
    io.writesStandardStreams = true
    io.dropsCapabilities = true
    return io
  }

  /// The few environment variables that commands look at.
  private static var environment: [String: String] {
    var found: [String: String] = [:]
    let names = [
      "NO_COLOR", "XDG_STATE_HOME", "XDG_CONFIG_HOME", "BEACONS_CONFIG", "VISUAL", "EDITOR", "HOME",
      "COLUMNS", "TERM", "LC_ALL", "LC_CTYPE", "LANG", "DBUS_SESSION_BUS_ADDRESS",
      "XDG_RUNTIME_DIR", "STATE_DIRECTORY", "JOURNAL_STREAM", "NOTIFY_SOCKET", "WATCHDOG_PID",
      "WATCHDOG_USEC", "CREDENTIALS_DIRECTORY", "TMPDIR", "TZ",
    ]
    for name in names {
      if let value = unsafe getenv(name) { found[name] = unsafe String(cString: value) }
    }
    // One rule for every command.
    found["HOME"] = Folder.home(found["HOME"])
    return found
  }
}

/// The machine's monotonic clock, for paced replays.
private struct SystemPlaybackClock: PlaybackClock {
  private let start = ContinuousClock.now

  var elapsed: TimeSpan { TimeSpan(ContinuousClock.now - start) }

  func sleep(for span: TimeSpan) {
    // In slices, so that a signal that asks to stop takes effect within one.
    var left = span.microseconds
    while left > 0, Interruption.exitCode == nil {
      let slice = min(left, 100_000)
      usleep(UInt32(slice))
      left -= slice
    }
  }
}
