// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

package import BeaconCore

/// An action that an ``AdapterMachine`` requests from its owner.
package enum AdapterAction: Sendable, Equatable {
  /// Make a call to the adapter, and pass its outcome back with the same attempt.
  case request(AdapterRequest, attempt: Int)
  /// Add a monitor through the kernel's control channel, and pass back whether the kernel accepted it.
  case addKernelMonitor
  /// Remove the monitor that was added through the kernel's control channel.
  case removeKernelMonitor
  /// Emit a new state of the receiver.
  case emit(RadioState)
  /// Warn the operator.
  case warn(AdapterTrouble)
}
