// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

/// Identifies a client of an engine.
public struct ClientID: Sendable, Hashable, Comparable {
  /// The client's number, in the order of connecting, from 0.
  public let number: UInt32

  /// Creates the name of a client.
  package init(number: UInt32) {
    self.number = number
  }

  /// Orders clients by when they connected.
  public static func < (lhs: ClientID, rhs: ClientID) -> Bool { lhs.number < rhs.number }
}
