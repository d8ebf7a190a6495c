// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

/// When a region with a learned exit time is left: from its beacons' own exit times and their common silences.
///
/// While one beacon is present, its own exit time holds. While several are, the region is silent much less than any of
/// them, so the silences that they have in common are learned as well. The region then waits for that shorter time, and
/// in any case until the next packet of each of them was due.
struct ExitClock: Sendable {
  /// Until when a beacon counts as present.
  private struct Presence: Sendable {
    var identity: BeaconIdentity
    var due: Timestamp
  }

  /// The beacon whose own exit time ends last.
  private var last: Presence?
  /// The one of the other beacons whose own exit time ends last.
  private var nextToLast: Presence?
  /// When the next packets of all beacons are due, if none is lost.
  private var packetsDue = Timestamp.earliest
  /// When a beacon was last received, unless no receiver listened since.
  private var lastReceived: Timestamp?
  /// Whether several beacons were present then.
  private var hadSeveral = false
  /// The silences while several beacons are present; `nil` until there are.
  private var common: ArrivalIntervals?

  /// Whether the common silences determine the time, of which ``due(own:_:)`` returned the last.
  private(set) var isCommon = false

  /// Processes a sighting.
  ///
  /// - Returns: When the region is left if no other sighting follows.
  mutating func received(
    _ identity: BeaconIdentity,
    intervals: borrowing ArrivalIntervals,
    at time: Timestamp,
    _ learning: ExitLearning
  ) -> Timestamp {
    let own = time + intervals.exitTime(learning)
    update(identity, due: own)
    let hasSeveral = nextToLast.map { $0.due > time } ?? false
    if hadSeveral, let lastReceived {
      if common == nil { common = ArrivalIntervals(ofSeveral: ()) }
      common?.setInterval(intervals.estimatedInterval, learning.model)
      common?.received(after: time - lastReceived, learning)
    }
    hadSeveral = hasSeveral
    lastReceived = time
    packetsDue = max(packetsDue, time + intervals.nextPacket(learning))
    let latest = last?.due ?? own
    isCommon = false
    guard hasSeveral, let common, common.isLearned else { return latest }
    // Their own times may be as wrong; that shows only at the end of their gaps.
    if common.isInDoubt { return max(latest, time + learning.cap) }
    let together = max(time + common.exitTime(learning), packetsDue)
    guard together < latest else { return latest }
    isCommon = true
    return together
  }

  private mutating func update(_ identity: BeaconIdentity, due: Timestamp) {
    if last?.identity == identity {
      last?.due = due
    } else if nextToLast?.identity == identity {
      nextToLast?.due = due
    } else if due >= last?.due ?? .earliest {
      nextToLast = last
      last = Presence(identity: identity, due: due)
      return
    } else if due >= nextToLast?.due ?? .earliest {
      nextToLast = Presence(identity: identity, due: due)
      return
    }
    if let first = last, let second = nextToLast, second.due > first.due {
      (last, nextToLast) = (second, first)
    }
  }

  /// Whether a longer cap is needed for the wanted rate, when a beacon with these statistics was received last.
  func needsLongerCap(_ intervals: borrowing ArrivalIntervals) -> Bool {
    guard intervals.needsLongerCap else { return false }
    return hadSeveral ? common?.needsLongerCap ?? false : true
  }

  /// Processes that the state became unknown: no beacon counts as present.
  mutating func becameUnknown() {
    (last, nextToLast, lastReceived) = (nil, nil, nil)
    (packetsDue, hadSeveral, isCommon) = (.earliest, false, false)
  }

  /// Processes a gap, in which nothing could be received.
  mutating func stoodStill(for span: TimeSpan) {
    if let due = last?.due { last?.due = due + span }
    if let due = nextToLast?.due { nextToLast?.due = due + span }
    if packetsDue > .earliest { packetsDue = packetsDue + span }
    lastReceived = nil
  }

  /// Restores what an earlier run knew; a file may contain anything.
  mutating func restore(
    _ saved: SavedExitClock,
    at time: Timestamp,
    _ learning: ExitLearning
  ) {
    func bounded(_ span: TimeSpan) -> TimeSpan { min(max(span, .zero), learning.cap) }
    let present = saved.present.prefix(2).map {
      Presence(identity: $0.identity, due: time + bounded($0.remaining))
    }
    last = present.first
    nextToLast = present.dropFirst().first
    packetsDue = time + bounded(saved.packetsDue)
    if let common = saved.common {
      self.common = ArrivalIntervals(ofSeveral: common, learning)
    }
  }

  /// The state that a later run can restore.
  func saved(at time: Timestamp) -> SavedExitClock? {
    guard let last else { return nil }
    return SavedExitClock(
      present: [last, nextToLast].compactMap { presence in
        presence.map { SavedExitClock.Presence($0.identity, remaining: $0.due - time) }
      },
      packetsDue: packetsDue - time,
      common: common?.saved(of: last.identity)
    )
  }
}
