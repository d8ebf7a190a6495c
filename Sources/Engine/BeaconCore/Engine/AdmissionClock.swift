// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

/// Admits inputs to the timeline, each at a time that is never earlier than the one before.
///
/// An input is admitted at the latest of three times: its own stamp, the last input's admission, and a microsecond
/// after the last deadline that passed. The admitted time is used and recorded, so a recording replays to the same
/// events.
struct AdmissionClock: Sendable {
  /// The current time of the timeline: the last admitted input or the last deadline passed.
  private(set) var now: Timestamp
  /// The earliest time at which the next input can be admitted.
  private(set) var earliest: Timestamp
  /// The last time at which the source is known to have listened; a gap that follows starts here.
  private(set) var lastInput: Timestamp
  /// The number of inputs admitted later than their own stamp.
  private(set) var late = 0

  init(startingAt start: Timestamp) {
    now = start
    earliest = start
    lastInput = start
  }

  /// Returns the time at which an input with a stamp would be admitted now.
  func time(for stamp: Timestamp) -> Timestamp { max(stamp, earliest) }

  /// Returns whether an input with a stamp would be admitted no later than a time, and without a gap before it.
  @inline(__always)
  func isQuiet(before stamp: Timestamp, until due: Timestamp, longestGap: TimeSpan) -> Bool {
    let time = time(for: stamp)
    return time - lastInput <= longestGap && time <= due
  }

  /// Admits an input with a stamp.
  mutating func admit(_ stamp: Timestamp) -> Timestamp {
    let time = time(for: stamp)
    if stamp < earliest { late &+= 1 }
    now = time
    earliest = time
    lastInput = time
    return time
  }

  /// Notes that the source was listening at a time, without an input to admit.
  mutating func received(upTo time: Timestamp) {
    now = max(now, time)
    earliest = max(earliest, time)
    lastInput = max(lastInput, time)
  }

  /// Admits a user action or a program's request with a stamp; it does not show that the source was listening.
  mutating func act(at stamp: Timestamp) -> Timestamp {
    let time = time(for: stamp)
    if stamp < earliest { late &+= 1 }
    now = time
    earliest = time
    return time
  }

  /// Notes that a deadline passed at the time it was due.
  mutating func passed(_ deadline: Timestamp) {
    now = max(now, deadline)
    earliest = max(earliest, deadline + TimeSpan(microseconds: 1))
  }
}
