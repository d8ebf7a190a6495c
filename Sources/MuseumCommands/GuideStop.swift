// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

internal import Synchronization

/// Whether the visitor has left, for a run on another thread.
final class GuideStop: Sendable {
  private let state = Atomic(false)

  /// Whether the run shall end.
  var isWanted: Bool { state.load(ordering: .relaxed) }

  /// Lets the run end.
  func want() { state.store(true, ordering: .relaxed) }
}
