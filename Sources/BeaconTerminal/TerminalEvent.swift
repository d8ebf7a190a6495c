// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

/// What a ``Terminal`` has to tell.
package enum TerminalEvent: Sendable, Hashable {
  /// A key was pressed.
  case key(Key)
  /// The terminal has another size, or shows something else than it was last given: draw again.
  case redraw
  /// Somebody called ``Terminal/Waker/wake()``.
  case woken
  /// The user or the system wants the program to end, or the terminal has gone.
  case stop
}
