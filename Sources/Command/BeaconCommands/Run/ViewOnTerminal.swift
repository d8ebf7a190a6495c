// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

package import BeaconCommandLine
package import BeaconTerminal
internal import SystemKit

extension TerminalLoop {
  /// Shows a view on the terminal that standard output is; `nil` if it cannot show the view.
  package static func start(_ view: View, _ output: OutputOptions, io: CommandIO) -> TerminalLoop? {
    guard let descriptor = io.terminal, let kind = io.environment["TERM"], !kind.isEmpty,
      kind != "dumb"
    else { return nil }
    let hasColor = output.hasColor(isTerminal: true, environment: io.environment)
    return start(view, output: descriptor, hasColor: hasColor)
  }

  /// Performs a command's work while the view has the terminal, and restores the terminal however the work ends.
  ///
  /// The view shows the command's messages; they are written again when the terminal is restored, so that they remain.
  ///
  /// - Parameters:
  ///   - isReplay: Whether the work ends by itself; the view then stays until the user leaves it.
  ///   - io: The command's surroundings.
  ///   - perform: Performs the actions that keys request after the end of the work.
  ///   - work: The work, with its surroundings in that time.
  /// - Returns: How the work ended.
  /// - Throws: The errors of the work.
  package func during(
    isReplay: Bool,
    io: CommandIO,
    performing perform: (View.Action) -> Void = { _ in },
    _ work: (CommandIO) async throws -> ExitCode
  ) async rethrows -> ExitCode {
    let messages = ViewMessages(self)
    defer {
      leave()
      try? io.errors.write(messages.written)
    }
    var inner = io
    inner.errors = messages
    let code = try await work(inner)
    guard isReplay else { return code }
    if !io.isInterrupted() { stay(performing: perform) }
    return Interruption.exitCode ?? code
  }
}

/// Shows a command's messages in a view, and keeps them.
private final class ViewMessages<View: TerminalView>: ByteSink {
  private let loop: TerminalLoop<View>
  private(set) var written: [UInt8] = []

  init(_ loop: TerminalLoop<View>) {
    self.loop = loop
  }

  let isTerminal = false

  func write(_ bytes: [UInt8]) {
    written += bytes
    loop.update { view in
      for line in String(decoding: bytes, as: UTF8.self).split(separator: "\n") {
        let isOwn = line.hasPrefix(CommandIO.prefix)
        view.show(String(isOwn ? line.dropFirst(CommandIO.prefix.count) : line))
      }
      return true
    }
  }
}
