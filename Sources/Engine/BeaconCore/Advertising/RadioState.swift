// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

/// Whether a receiver is able to receive.
public enum RadioState: String, Sendable, CaseIterable {
  /// Powered and scanning.
  case listening
  /// Switched off, or not scanning.
  case off
  /// Scanning, and receiving nothing although it should.
  case deaf
  /// No longer present, or not known to be there.
  case gone

  /// Whether the state is a change to a user who knows the one before.
  ///
  /// A receiver that is gone from the start was never there: it stands for a source none of whose receivers is known yet
  /// (row M6).
  package func isChange(from earlier: RadioState?) -> Bool {
    self != earlier && !(self == .gone && earlier == nil)
  }
}
