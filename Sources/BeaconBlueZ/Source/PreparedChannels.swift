// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

internal import Synchronization

/// The kernel's channels, opened before the capabilities that they need are dropped.
package final class PreparedChannels: Sendable {
  private let monitor: Mutex<Result<MonitorSocket, BlueZUnavailable>?>
  private let opening: BlueZScanOptions.ChannelOpener

  /// Opens both channels; that one cannot be opened matters only to who wants it.
  ///
  /// - Parameter opening: Opens the monitor channel.
  package init(opening: @escaping BlueZScanOptions.ChannelOpener) {
    self.opening = opening
    let opened: Result<MonitorSocket, BlueZUnavailable>
    do throws(BlueZUnavailable) {
      opened = .success(try opening())
    } catch {
      opened = .failure(error)
    }
    monitor = Mutex(opened)
    ManagementSocket.prepare()
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
