// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

/// A region event kept back until a provisional grant is decided (rows A15 to A21).
///
/// The caller keeps the event itself; this is its number and time.
public struct HeldEvent: Sendable, Hashable {
  /// The caller's number for the event.
  public let id: UInt64
  /// When the event occurred; its age counts from this time.
  public let time: Timestamp

  /// Creates a held event.
  public init(id: UInt64, time: Timestamp) {
    self.id = id
    self.time = time
  }
}
