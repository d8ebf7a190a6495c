// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

/// A key that the user pressed.
package enum Key: Sendable, Hashable {
  /// A character, as typed; a capital letter stands for the key with shift.
  case character(Character)
  /// A letter with the control key, in lower case.
  case control(Character)
  /// A character with the alt key.
  case alt(Character)
  /// A function key by its number, 1 to 12.
  case function(Int)
  case enter, tab, backTab, backspace, escape
  case up, down, left, right
  case home, end, pageUp, pageDown, insert, delete
}
