// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

package import BeaconCore

/// Puts the kernel's stamps, which are of the wall clock, on the one timeline.
///
/// The timeline runs at the wall clock's pace, so between two steps of the wall clock the two lie a constant apart. That
/// constant is kept until a look at both clocks shows that the wall clock was set: measured anew each time it would put
/// two packets in the wrong order by a microsecond.
package struct MonitorClock: Sendable, Equatable {
  /// How much older than the reading of it a packet may be; what seems older was stamped before the clock was set.
  package static let longestDelay = TimeSpan.seconds(2)
  /// How much later than the look at the clocks a packet may have come: while those before it were read.
  package static let longestReading = TimeSpan.milliseconds(500)
  /// What two looks at two clocks may differ by without a step: a thread may be interrupted between them.
  private static let tolerance = TimeSpan.milliseconds(5)

  private var offset: TimeSpan?

  /// Creates a clock that was not looked at yet.
  package init() {}

  /// Looks at both clocks.
  ///
  /// - Returns: By how much the wall clock was set since the last look; `nil` when it was not.
  @discardableResult
  package mutating func look(wall: Timestamp, timeline: Timestamp) -> TimeSpan? {
    let seen = timeline - wall
    guard let known = offset else {
      offset = seen
      return nil
    }
    let step = known - seen
    guard step > Self.tolerance || step < .zero - Self.tolerance else { return nil }
    offset = seen
    return step
  }

  /// Whether a stamp is later than packets can be that came while others were read: either the wall clock was set, or the
  /// reader stood still since it looked at the clocks.
  package func isAhead(_ stamp: Timestamp?, of now: Timestamp) -> Bool {
    guard let stamp, let offset else { return false }
    return stamp + offset - now > Self.longestReading
  }

  /// Returns where on the timeline a stamp lies: the look at the clocks, where it would lie far from that.
  ///
  /// - Parameters:
  ///   - stamp: The stamp, by the wall clock.
  ///   - now: Where the timeline stands.
  ///   - start: When there was nothing more to read, if that is known: a program that stood still for long reads packets
  ///     that have waited for long.
  /// - Returns: The time.
  package func time(
    of stamp: Timestamp?,
    now: Timestamp,
    notBefore start: Timestamp? = nil
  ) -> Timestamp {
    guard let stamp, let offset else { return now }
    let time = stamp + offset
    let oldest = min(start ?? now, now) - Self.longestDelay
    let isNear = time - now <= Self.longestReading && time >= oldest
    return isNear ? time : now
  }
}
