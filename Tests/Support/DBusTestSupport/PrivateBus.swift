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

  /// The permissions on a bus.
  package enum Policy: Sendable, Equatable {
    /// Everybody may do everything.
    case everything
    /// As on a system bus: only the account of the tests may own a name and call others; everybody may connect and send
    /// signals, also to single programs. A message may have at most 32 MiB.
    case system
    /// Everybody may do everything, but call BlueZ.
    case withoutBlueZ
    /// Everybody may do everything, but call this method of the bus itself.
    case withoutCall(String)
  }

  package var address: String { "unix:path=\(folder.path)/bus" }

  /// Starts a bus.
  ///
  /// - Parameters:
  ///   - policy: The permissions on it.
  ///   - limits: The bus's limits that are not the usual ones.
  package init(_ policy: Policy = .everything, limits: KeyValuePairs<String, Int> = [:]) throws {
    folder = FileManager.default.temporaryDirectory
      .appending(path: "beacons-bus-\(UUID().uuidString.prefix(13))")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    let configuration = folder.appending(path: "bus.conf")
    try Data(Self.text(policy, limits, listeningIn: folder).utf8).write(to: configuration)
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

  private static func rules(_ policy: Policy) -> String {
    switch policy {
    case .everything:
      """
      <policy context="default">
        <allow user="*"/>
        <allow send_destination="*" eavesdrop="true"/>
        <allow eavesdrop="true"/>
        <allow own="*"/>
      </policy>
      """
    case .withoutBlueZ:
      rules(.everything)
        + #"<policy context="mandatory"><deny send_destination="org.bluez"/></policy>"#
    case .withoutCall(let member):
      rules(.everything)
        + """
        <policy context="mandatory">
          <deny send_destination="org.freedesktop.DBus" send_interface="org.freedesktop.DBus"
            send_member="\(member)"/>
        </policy>
        """
    case .system:
      """
      <policy context="default">
        <allow user="*"/>
        <deny own="*"/>
        <deny send_type="method_call"/>
        <allow send_type="signal"/>
        <allow send_type="method_return" send_requested_reply="true"/>
        <allow send_type="error" send_requested_reply="true"/>
        <allow receive_type="signal"/>
        <allow receive_type="method_call"/>
        <allow receive_type="method_return"/>
        <allow receive_type="error"/>
        <allow send_destination="org.freedesktop.DBus" send_interface="org.freedesktop.DBus"/>
      </policy>
      <policy user="\(getuid())">
        <allow own="*"/>
        <allow send_type="method_call"/>
      </policy>
      """
    }
  }

  private static func text(
    _ policy: Policy,
    _ limits: KeyValuePairs<String, Int>,
    listeningIn folder: URL
  ) -> String {
    let limits = limits.map { "<limit name=\"\($0.key)\">\($0.value)</limit>" }
    return """
      <!DOCTYPE busconfig PUBLIC "-//freedesktop//DTD D-Bus Bus Configuration 1.0//EN"
       "http://www.freedesktop.org/standards/dbus/1.0/busconfig.dtd">
      <busconfig>
        <type>\(policy == .system ? "system" : "session")</type>
        <listen>unix:path=\(folder.path)/bus</listen>
        <auth>EXTERNAL</auth>
        \(rules(policy))
        \(limits.joined())
      </busconfig>
      """
  }
}
