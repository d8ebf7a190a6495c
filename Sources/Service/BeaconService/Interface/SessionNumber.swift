// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

/// Which session of a program it is.
///
/// Each account counts its own: a common number would show a program how many sessions the others create, and when.
package struct SessionNumber: Hashable, Comparable, Sendable {
  /// The account of the program.
  package let account: UInt32
  /// Which of the account's sessions since the service started, from 1.
  package let count: UInt32

  /// Creates the number of a session.
  package init(account: UInt32, count: UInt32) {
    self.account = account
    self.count = count
  }

  package static func < (one: SessionNumber, other: SessionNumber) -> Bool {
    (one.account, one.count) < (other.account, other.count)
  }
}
