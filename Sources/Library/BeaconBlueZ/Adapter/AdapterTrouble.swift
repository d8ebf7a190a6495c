// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

/// A problem of an adapter, about which the operator is warned.
package enum AdapterTrouble: Sendable, Equatable {
  /// Discovery stopped unexpectedly; it is being resumed.
  case discoveryStopped
  /// Discovery runs, but nothing was received for a long time; it is being started again.
  case silent
  /// The adapter receives nothing although it should; discovery is being started again.
  case deaf
  /// The adapter stayed deaf; it is being switched off and on.
  case powerCycled
  /// The adapter stayed deaf after every remedy.
  case stillDeaf
  /// The adapter that was deaf receives again.
  case receivesAgain
  /// The adapter is switched off.
  case switchedOff
  /// A switch blocks the radio (rfkill).
  case blocked
  /// The daemon did not accept our advertisement monitor; without a failure it never activated it, or removed it.
  case monitorRefused(BlueZFailure?)
  /// Neither BlueZ nor the kernel has a monitor, so the adapter's duplicate filter may stay on.
  case noMonitor
  /// This program may not use the adapter.
  case notPermitted(BlueZFailure)
  /// A call failed for any other reason; it is tried again.
  case failed(BlueZFailure)
  /// The source ended while its remedy had switched the adapter off, and the call to switch it on failed.
  case leftOff(BlueZFailure)

  /// The problem of a call that failed.
  init(_ failure: BlueZFailure) {
    switch failure.kind {
    case .blocked: self = .blocked
    case .notPermitted: self = .notPermitted(failure)
    case .inProgress, .alreadyExists, .notSupported, .transient: self = .failed(failure)
    }
  }
}
