// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

internal import Glibc

/// Adds advertisement monitors through the kernel's control channel, if the daemon accepts none (rows B22, B23).
///
/// A monitor makes the kernel switch the controller's duplicate filter off. It is not tied to the socket: after a crash
/// it stays until a program removes it or the daemon starts. So monitors of others that are found are reported.
final class KernelMonitors {
  /// A change of an adapter's monitor.
  enum Change: Equatable {
    /// The kernel accepted it.
    case added
    /// The kernel refused it, or this program may not use the channel.
    case refused
    /// Another program removed it.
    case removed
    /// The kernel's discovery ended, whichever program started it.
    case discoveryEnded
    /// The kernel already had this many other monitors.
    case found(Int)
  }

  // A variable, because Swift can borrow the value inside a noncopyable optional only from a variable.
  private var socket: ManagementSocket? = ManagementSocket()
  private var handles: [UInt16: UInt16] = [:]
  private var wanted: Set<UInt16> = []
  private let report: (UInt16, Change) -> Void

  /// Opens the channel, if that is possible.
  ///
  /// - Parameter report: Called with a controller and the change of its monitor.
  init(report: @escaping (UInt16, Change) -> Void) {
    self.report = report
  }

  /// The descriptor to wait on; `nil` if the kernel has no Bluetooth or this program may not use the channel.
  var descriptor: Int32? { socket?.descriptor }

  /// Adds a monitor to a controller, after asking for the existing ones.
  func add(_ controller: UInt16) {
    wanted.insert(controller)
    guard let sent = socket?.send(ManagementMessage.reading(controller)), sent else {
      return refuse(controller)
    }
  }

  /// Removes the monitor of a controller.
  func remove(_ controller: UInt16) {
    wanted.remove(controller)
    guard let handle = handles.removeValue(forKey: controller) else { return }
    _ = socket?.send(ManagementMessage.removing(handle, controller))
  }

  /// Reads the kernel's messages.
  func receive() {
    while let message = socket?.receive() ?? nil {
      guard let event = ManagementMessage.event(message) else { continue }
      handle(event)
    }
  }

  private func handle(_ event: ManagementMessage.Event) {
    switch event {
    case .completed(let command, let controller, let status, let parameters):
      guard wanted.contains(controller) else { return }
      switch command {
      case ManagementMessage.readMonitors: found(controller, status, parameters)
      case ManagementMessage.addMonitor: added(controller, status, parameters)
      default: break
      }
    case .discoveryEnded(let controller): report(controller, .discoveryEnded)
    case .monitorRemoved(let controller, let handle):
      guard handles[controller] == handle else { return }
      handles[controller] = nil
      report(controller, .removed)
    case .advertisingRemoved: break
    }
  }

  private func found(_ controller: UInt16, _ status: UInt8, _ parameters: [UInt8]) {
    let there = status == 0 ? ManagementMessage.handles(parameters) ?? [] : []
    let own = handles[controller]
    let others = there.count { $0 != own }
    if others > 0 { report(controller, .found(others)) }
    // Our monitor may still exist after the adapter was unplugged and plugged in again.
    if let own, there.contains(own) { return report(controller, .added) }
    handles[controller] = nil
    guard let sent = socket?.send(ManagementMessage.adding(controller)), sent else {
      return refuse(controller)
    }
  }

  private func added(_ controller: UInt16, _ status: UInt8, _ parameters: [UInt8]) {
    guard status == 0, let handle = ManagementMessage.handle(parameters) else {
      return refuse(controller)
    }
    handles[controller] = handle
    report(controller, .added)
  }

  private func refuse(_ controller: UInt16) {
    wanted.remove(controller)
    report(controller, .refused)
  }
}
