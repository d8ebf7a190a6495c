// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

/// A terminal at which a user answers prompts with single keys.
package protocol UserTerminal: AnyObject {
  /// Switches to reading single keys, or back to whole lines.
  func receiveKeys(_ isWanted: Bool)
  /// Returns the next key; `nil` if none was pressed in time.
  func key(within patience: Duration) -> UInt8?
  /// Whether the terminal's input has ended.
  var hasEnded: Bool { get }
}
