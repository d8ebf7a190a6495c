// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

import DBus
import Foundation

/// A private bus for a test, ended with the test.
package final class PrivateBus: Sendable {
  /// Whether there is a `dbus-daemon` to run.
  package static let isAvailable = FileManager.default.isExecutableFile(atPath: program)
  package static let absence = "dbus-daemon is not installed (Debian: apt install dbus-daemon)"
  private static let program = "/usr/bin/dbus-daemon"

  private let folder: URL
  private let process: DaemonProcess

  package var address: String { "unix:path=\(folder.path)/bus" }

  package init() throws {
    folder = FileManager.default.temporaryDirectory
      .appending(path: "beacons-bus-\(UUID().uuidString.prefix(13))")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    let configuration = folder.appending(path: "bus.conf")
    try Data(Self.text(listeningIn: folder).utf8).write(to: configuration)
    // The address is printed when the bus listens.
    process = try DaemonProcess(
      Self.program,
      ["--config-file=\(configuration.path)", "--nofork", "--print-address"]
    )
  }

  /// Ends the bus, as a machine that shuts down would.
  package func stop() {
    process.stop()
  }

  deinit {
    process.stop()
    try? FileManager.default.removeItem(at: folder)
  }

  private static func text(listeningIn folder: URL) -> String {
    """
    <!DOCTYPE busconfig PUBLIC "-//freedesktop//DTD D-Bus Bus Configuration 1.0//EN"
     "http://www.freedesktop.org/standards/dbus/1.0/busconfig.dtd">
    <busconfig>
      <type>session</type>
      <listen>unix:path=\(folder.path)/bus</listen>
      <auth>EXTERNAL</auth>
      <policy context="default">
        <allow send_destination="*" eavesdrop="true"/>
        <allow eavesdrop="true"/>
        <allow own="*"/>
      </policy>
    </busconfig>
    """
  }
}
