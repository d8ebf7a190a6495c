// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

/// What the operator should know of an adapter.
package enum AdapterTrouble: Sendable, Equatable {
  /// Discovery stopped, though we want it; it is being asked for again.
  case discoveryStopped
  /// Discovery is said to run, and nothing was heard for long; it is being started anew.
  case silent
  /// The adapter hears nothing it should; discovery is being started anew.
  case deaf
  /// The adapter stayed deaf; it is being switched off and on.
  case powerCycled
  /// The adapter stayed deaf, whatever was tried.
  case stillDeaf
  /// The adapter that was deaf hears again.
  case receivesAgain
  /// The radio is blocked by a switch.
  case blocked
  /// The daemon or the kernel did not take our advertisement monitor.
  case monitorRefused
  /// There is no monitor of any kind, so the adapter's duplicate filter may stay on.
  case noMonitor
  /// We may not use the adapter.
  case notPermitted
  /// A call failed for a reason that has no row of its own.
  case failed(String)
}
