// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

internal import Glibc

/// Our own monitors through the kernel's control channel, where the daemon takes none (rows B22, B23).
///
/// A monitor makes the kernel switch the controller's duplicate filter off. It is not tied to the socket: one that a
/// crash left behind stays until it is removed or the daemon starts, so those found are told.
final class KernelMonitors {
  /// What became of an adapter's monitor.
  enum News: Equatable {
    /// The kernel has it.
    case added
    /// The kernel did not take it, or may not be asked.
    case refused
    /// Somebody removed it.
    case removed
    /// Before ours was added there were already this many that nobody in sight looks after.
    case found(Int)
  }

  // Not `let`: what is inside an optional that cannot be copied is lent from a variable only.
  private var socket: ManagementSocket? = ManagementSocket()
  private var handles: [UInt16: UInt16] = [:]
  private var wanted: Set<UInt16> = []
  private let tell: (UInt16, News) -> Void

  /// Opens the channel, where it can be.
  init(tell: @escaping (UInt16, News) -> Void) {
    self.tell = tell
  }

  /// What to wait on; `nil` where the kernel has no Bluetooth, or we may not ask it.
  var descriptor: Int32? { socket?.descriptor }

  /// Wants a monitor on a controller; looks first what is there.
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

  /// Reads what the kernel said.
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
    case .monitorRemoved(let controller, let handle):
      guard handles[controller] == handle else { return }
      handles[controller] = nil
      tell(controller, .removed)
    }
  }

  private func found(_ controller: UInt16, _ status: UInt8, _ parameters: [UInt8]) {
    let there = status == 0 ? ManagementMessage.handles(parameters) ?? [] : []
    let own = handles[controller]
    let others = there.count { $0 != own }
    if others > 0 { tell(controller, .found(others)) }
    // Ours may have outlived what we were told of the adapter.
    if let own, there.contains(own) { return tell(controller, .added) }
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
    tell(controller, .added)
  }

  private func refuse(_ controller: UInt16) {
    wanted.remove(controller)
    tell(controller, .refused)
  }
}
