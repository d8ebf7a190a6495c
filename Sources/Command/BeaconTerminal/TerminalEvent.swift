// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

/// An event of a ``Terminal``.
package enum TerminalEvent: Sendable, Hashable {
  /// A key was pressed.
  case key(Key)
  /// The terminal's size changed, or it does not show the last drawing any more: draw again.
  case redraw
  /// ``Terminal/Waker/wake()`` was called.
  case woken
  /// The user or the system wants the program to end, or the terminal was closed.
  case stop
}
