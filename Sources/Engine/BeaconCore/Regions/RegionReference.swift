// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

/// The location of a region's state machine: the client, which of its tables, and the slot in that table.
struct RegionReference: Sendable, Hashable {
  /// Which of a client's two tables.
  enum Table: UInt8, Sendable {
    /// The regions the client monitors.
    case monitored
    /// The regions the machine watches for the client's notifications.
    case notified
  }

  let client: Int32
  let slot: Int32
  let table: Table
}
