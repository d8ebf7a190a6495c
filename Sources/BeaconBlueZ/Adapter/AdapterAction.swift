// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

package import BeaconCore

/// What the owner of an ``AdapterMachine`` must do.
package enum AdapterAction: Sendable, Equatable {
  /// Make a call of the adapter, and tell how it ended with the same attempt.
  case request(AdapterRequest, attempt: Int)
  /// Add a monitor through the kernel's control channel, and tell whether there is one.
  case addKernelMonitor
  /// Remove the monitor added through the kernel's control channel.
  case removeKernelMonitor
  /// Tell those who listen what the adapter is able to hear.
  case tell(RadioState)
  /// Tell the operator.
  case report(AdapterTrouble)
}
