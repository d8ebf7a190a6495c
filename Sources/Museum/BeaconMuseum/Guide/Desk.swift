// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

internal import BeaconCore

/// Notices that a lent device was brought back: it was elsewhere, and then stayed in a room with a desk.
///
/// A visitor who has just got the device at the desk has not been elsewhere, so a long talk there ends nothing.
struct Desk: Sendable {
  /// How long the device stays before it counts as handed in.
  private let patience: TimeSpan
  /// For each room, whether devices are handed in there.
  private let rooms: [Bool]
  private var hasBeenElsewhere = false
  private var since: Timestamp?

  init(_ plan: Plan, _ rules: GuideConfiguration) {
    patience = rules.deskReset
    rooms = plan.rooms.map(\.isDesk)
  }

  /// Whether a room has a desk.
  func isAt(_ room: Int?) -> Bool { room.flatMap { rooms[safe: $0] } ?? false }

  /// Starts again, for the next visitor.
  mutating func forget() {
    hasBeenElsewhere = false
    since = nil
  }

  /// Processes a second in a room.
  ///
  /// - Returns: Whether the device has now been handed in; once for each visit.
  mutating func weigh(_ room: Int?, at time: Timestamp) -> Bool {
    guard let room else { return false }
    guard isAt(room) else {
      hasBeenElsewhere = true
      since = nil
      return false
    }
    if since == nil { since = time }
    guard hasBeenElsewhere, let since, time - since >= patience else { return false }
    forget()
    return true
  }
}
