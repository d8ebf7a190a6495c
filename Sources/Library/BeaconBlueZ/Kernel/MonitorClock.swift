// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

package import BeaconCore

/// Converts the kernel's time stamps, which are wall-clock times, to the timeline.
///
/// The timeline runs as fast as the wall clock, so between two steps of the wall clock the offset between them is
/// constant. It is kept until a comparison of both clocks shows that the wall clock was set. If it were measured for
/// each packet, errors of a microsecond could put two packets in the wrong order.
package struct MonitorClock: Sendable, Equatable {
  /// The longest plausible time between a packet's stamp and its reading.
  ///
  /// A stamp that seems older was made before the clock was set.
  package static let longestDelay = TimeSpan.seconds(2)
  /// The longest plausible time by which a stamp is later than the reading of the clocks: the packet was received while
  /// earlier packets were read.
  package static let longestReading = TimeSpan.milliseconds(500)
  /// The largest difference of the offset between two comparisons that is not a step: the thread may be interrupted
  /// between reading the two clocks.
  private static let tolerance = TimeSpan.milliseconds(5)

  private var offset: TimeSpan?

  /// Creates a clock whose offset is not known yet.
  package init() {}

  /// Compares both clocks.
  ///
  /// - Returns: The step of the wall clock since the last comparison, if any.
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

  /// Whether a stamp is too late for a packet that was received while others were read.
  ///
  /// Then either the wall clock was set, or the reader was stalled since it read the clocks.
  package func isAhead(_ stamp: Timestamp?, of now: Timestamp) -> Bool {
    guard let stamp, let offset else { return false }
    return stamp + offset - now > Self.longestReading
  }

  /// Returns the time of a stamp on the timeline; if that would be far from the current time, the current time.
  ///
  /// - Parameters:
  ///   - stamp: The stamp, as a wall-clock time.
  ///   - now: The current time on the timeline.
  ///   - start: When the channel was last empty, if that is known: after a long stall the program reads packets that
  ///     waited for a long time.
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
