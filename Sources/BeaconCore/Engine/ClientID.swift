// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

/// Which client of an engine is meant.
public struct ClientID: Sendable, Hashable, Comparable {
  /// The order in which clients connected, from 0.
  public let number: UInt32

  init(number: UInt32) {
    self.number = number
  }

  /// Orders clients by when they connected.
  public static func < (lhs: ClientID, rhs: ClientID) -> Bool { lhs.number < rhs.number }
}
