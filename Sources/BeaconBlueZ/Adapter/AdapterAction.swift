// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

package import BeaconCore

/// What an ``AdapterMachine`` wants its owner to do.
package enum AdapterAction: Sendable, Equatable {
  /// Make a call of the adapter, and pass its outcome back with the same attempt.
  case request(AdapterRequest, attempt: Int)
  /// Add a monitor through the kernel's control channel, and pass back whether there is one.
  case addKernelMonitor
  /// Remove the monitor that was added through the kernel's control channel.
  case removeKernelMonitor
  /// Emit what the adapter is able to receive from now on.
  case emit(RadioState)
  /// Warn the operator.
  case warn(AdapterTrouble)
}
