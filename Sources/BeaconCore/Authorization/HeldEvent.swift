// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

/// A region event kept back until a provisional grant is decided (rows A15 to A21).
///
/// What happened stays with the owner; here it is a number and a time.
public struct HeldEvent: Sendable, Hashable {
  /// The owner's name for the event.
  public let id: UInt64
  /// When the event happened; its age counts from here.
  public let time: Timestamp

  /// Creates a held event.
  public init(id: UInt64, time: Timestamp) {
    self.id = id
    self.time = time
  }
}
