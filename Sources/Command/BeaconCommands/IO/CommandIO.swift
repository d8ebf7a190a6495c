// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

package import BeaconCommandLine
package import BeaconTerminal
package import BeaconBlueZ
package import BeaconCore
package import Beacons
package import SystemKit
package import BeaconFormats

/// A command of `beaconctl`.
package typealias BeaconctlCommand = Command<CommandIO>

/// A command's surroundings: its streams and the services of the process.
package struct CommandIO {
  /// Where data goes.
  package var output: any ByteSink
  /// Where everything else goes.
  package var errors: any ByteSink
  /// The environment variables.
  package var environment: [String: String]
  /// Waits for a paced replay.
  package var clock: any PlaybackClock
  /// Standard output's descriptor if it is a terminal, otherwise `nil`.
  package var terminal: Int32?
  /// The user at the terminal, if any.
  package var user: (any UserTerminal)?
  /// Asked now and then whether the user wants to stop.
  package var isInterrupted: () -> Bool
  /// Whether the outputs are the process' own standard streams.
  package var writesStandardStreams = false
  /// Opens the files that the command writes.
  package var files = OutputFiles()
  /// Every constant that the program knows, in the order in which `config list` writes them.
  ///
  /// A file that sets a constant of any module is valid for every command, also for one that does not use it.
  package var schema = ConfigurationSchema([.engine, .receivers, .recording, .authorization])
  /// The configuration file of the whole machine; `nil` if none is looked for.
  package var machineConfiguration: String?
  /// How far the user's local time is ahead of UTC.
  package var localZone = LocalZone.utc
  /// The name of the screen that follows when a key ends one; `nil` if the program ends.
  package var screenLeadsTo: String?
  /// How wide the terminal is; a common width if it does not report one.
  package var columns: Int {
    if let text = environment["COLUMNS"], let columns = Int(text), columns > 0 { return columns }
    return terminal.map { Terminal.columns(of: $0) } ?? 80
  }
  /// Standard error's descriptor if it is a terminal, otherwise `nil`.
  package var messageTerminal: Int32?
  /// Opens the kernel's monitor channel for live listening.
  package var openKernelChannel: BlueZScanOptions.ChannelOpener = MonitorSocket.open

  /// Whether the process gives up its capabilities as soon as the kernel's channels are open.
  package var dropsCapabilities = false

  /// The start of a message, so that its reader knows its program.
  package static let prefix = "beaconctl: "

  package init(
    output: any ByteSink,
    errors: any ByteSink,
    environment: [String: String] = [:],
    clock: any PlaybackClock,
    terminal: Int32? = nil,
    user: (any UserTerminal)? = nil,
    isInterrupted: @escaping () -> Bool = { false }
  ) {
    self.output = output
    self.errors = errors
    self.environment = environment
    self.clock = clock
    self.terminal = terminal
    self.user = user
    self.isInterrupted = isInterrupted
  }

  /// Shows a line to the user of the command; a failure to write it is ignored.
  package func show(_ line: String) {
    let text = Self.prefix + line.printable
    guard errors.isTerminal else {
      try? errors.write(Array("\(text)\n".utf8))
      return
    }
    // A terminal would break the line within a word.
    let width =
      environment["COLUMNS"] == nil ? messageTerminal.map { Terminal.columns(of: $0) } : nil
    try? errors.write(Self.table(HelpText.wrapped(text, indent: 0, width ?? columns)))
  }

  /// Writes the lines of a table for a person to standard output, each on one line whatever is in it.
  package func write(table lines: [String]) throws {
    try output.write(Self.table(lines))
  }

  /// The bytes of a table's lines.
  package static func table(_ lines: [String]) -> [UInt8] {
    Array(lines.map { $0.printable + "\n" }.joined().utf8)
  }
}
