// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

package import BeaconCore

/// Converts the kernel's stamps, which are of the wall clock, to the timeline.
///
/// The timeline runs as fast as the wall clock, so between two steps of the wall clock the offset between them is
/// constant. It is kept until a comparison of both clocks shows that the wall clock was set: measured again each time,
/// it could put two packets in the wrong order by a microsecond.
package struct MonitorClock: Sendable, Equatable {
  /// How long before it is read a packet may have been stamped; what seems older was stamped before the clock was set.
  package static let longestDelay = TimeSpan.seconds(2)
  /// How long after the clocks were read a packet may have been stamped: while those in front of it were read.
  package static let longestReading = TimeSpan.milliseconds(500)
  /// How far the offset may differ between two comparisons without a step: a thread may be interrupted between the
  /// clocks.
  private static let tolerance = TimeSpan.milliseconds(5)

  private var offset: TimeSpan?

  /// Creates a clock whose offset is not known yet.
  package init() {}

  /// Compares both clocks.
  ///
  /// - Returns: By how much the wall clock was set since the last comparison; `nil` when it was not.
  @discardableResult
  package mutating func compare(wall: Timestamp, timeline: Timestamp) -> TimeSpan? {
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

  /// Whether a stamp is later than that of a packet that came while others were read: either the wall clock was set, or
  /// the reader stood still since it read the clocks.
  package func isAhead(_ stamp: Timestamp?, of now: Timestamp) -> Bool {
    guard let stamp, let offset else { return false }
    return stamp + offset - now > Self.longestReading
  }

  /// Returns where on the timeline a stamp lies; the present, where it would lie far from that.
  ///
  /// - Parameters:
  ///   - stamp: The stamp, by the wall clock.
  ///   - now: Where the timeline stands.
  ///   - start: When the channel was last empty, if that is known: a program that stood still for a long time reads
  ///     packets that have waited for a long time.
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
