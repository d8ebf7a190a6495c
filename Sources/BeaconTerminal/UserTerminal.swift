// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

/// A terminal with a person at it, who answers prompts with one key.
package protocol UserTerminal: AnyObject {
  /// Begins to take single keys, or goes back to whole lines.
  func takeKeys(_ isWanted: Bool)
  /// Returns the next key; `nil` where none came in time.
  func key(within patience: Duration) -> UInt8?
  /// Whether nobody is there any more.
  var hasEnded: Bool { get }
}
