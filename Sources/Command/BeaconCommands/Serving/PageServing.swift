// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

package import BeaconCommandLine
internal import BeaconCore
internal import Beacons
internal import SystemKit
package import WebServer

extension Options {
  /// The port of a command's pages.
  package static func port(usually usual: Int) -> CommandOption<Int> {
    CommandOption(
      "port",
      .integer("PORT", 0...65_535),
      "Serve on this port, 0 for any free one (default: \(usual))"
    )
  }
}

extension WebServer {
  /// The address that a person opens: for everybody with the name of this machine.
  package func address(isPublic: Bool) -> String {
    "http://\(isPublic ? HostName.current : "127.0.0.1"):\(port)"
  }
}

extension CommandFailure {
  /// The failure of a command whose pages cannot be served.
  package init(_ error: WebServerError) {
    let code: ExitCode =
      switch error {
      case .portInUse: .unavailable
      case .notPermitted: .notPermitted
      case .failed: .failed
      }
    self.init(code, "\(error)")
  }
}

extension CommandIO {
  /// The longest time until a signal has its effect.
  private static let patience = TimeSpan.milliseconds(250)

  /// Serves pages until the user ends the command.
  ///
  /// - Parameter refresh: Takes the entries of the pages' users.
  package func serve(_ refresh: () throws -> Void) rethrows {
    while !isInterrupted() {
      try refresh()
      clock.sleep(for: Self.patience)
    }
  }

  /// Serves the last state of a source that has ended, until the user ends the command.
  ///
  /// - Parameters:
  ///   - isQuiet: The user does not want to know.
  ///   - refresh: Takes the entries of the pages' users.
  package func serveEnd(isQuiet: Bool, _ refresh: () throws -> Void) rethrows {
    if !isQuiet { show("the source has ended; the last state is served until Ctrl-C") }
    try serve(refresh)
  }
}
