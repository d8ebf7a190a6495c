// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

internal import Synchronization

/// The kernel's channels, opened before the capabilities that they need are dropped.
package final class PreparedChannels: Sendable {
  private let monitor: Mutex<Result<MonitorSocket, BlueZUnavailable>?>
  private let opening: BlueZScanOptions.ChannelOpener

  /// Opens the channels; that one cannot be opened matters only to who wants it.
  ///
  /// - Parameters:
  ///   - via: How reports come, or `nil` for the permitted way. Over D-Bus the monitor channel stays closed; the other one is needed there as well, to end the
  ///     duplicate filter of an adapter.
  ///   - opening: Opens the monitor channel.
  package init(via: ReportPath?, opening: @escaping BlueZScanOptions.ChannelOpener) {
    self.opening = opening
    monitor = Mutex(via == .dbus ? nil : Self.result(of: opening))
    ManagementSocket.prepare()
  }

  private static func result(
    of opening: BlueZScanOptions.ChannelOpener
  ) -> Result<MonitorSocket, BlueZUnavailable> {
    do throws(BlueZUnavailable) {
      return .success(try opening())
    } catch {
      return .failure(error)
    }
  }

  /// Returns the monitor channel to its first caller, and opens another one for a later caller.
  package func open() throws(BlueZUnavailable) -> MonitorSocket {
    let opened = monitor.withLock { monitor in
      defer { monitor = nil }
      return monitor
    }
    guard let opened else { return try opening() }
    return try opened.get()
  }
}
