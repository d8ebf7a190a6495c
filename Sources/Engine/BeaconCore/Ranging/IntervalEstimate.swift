// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

/// Learns how often a beacon is received, to distinguish a pausing beacon from one that is gone.
///
/// It keeps the last gaps between reports and returns one of the shortest: lost advertisements make gaps longer, never
/// shorter, and a burst makes few of them short. It takes 32 bytes per beacon.
package struct IntervalEstimate: Sendable {
  /// How many gaps are kept: eight, a few seconds of a typical beacon, so that a changed interval is learned soon.
  package static let gapsKept = 8
  /// How many gaps an estimate needs: with fewer, two consecutive lost advertisements would look like the interval.
  package static let gapsNeeded = 4
  /// Which of the gaps is returned, as a fraction of their number: of eight, the second smallest.
  ///
  /// The smallest could come from another radio that shares the identity.
  package static let gapsBelowDivisor = 8
  /// Gaps shorter than 5 ms are one advertisement received on two channels, or by two receivers: the shortest
  /// interval is 20 ms.
  package static let shortestGap = TimeSpan.milliseconds(5)
  /// Gaps longer than 60 s are silences, as on the timeline itself, and do not describe the interval.
  package static let longestGap = TimeSpan.seconds(60)
  /// How many intervals a silence may last before it counts: three, so that two lost advertisements do not count.
  package static let intervalsHeld: Int64 = 3
  /// How many times its longest known gap a silence may last before it counts, up to ``usualHold``: four.
  package static let gapsHeld: Int64 = 4
  /// The shortest time for which a silent beacon keeps its proximity: 3 s, as a steady beacon is present for the
  /// regions too.
  package static let leastHold = TimeSpan.seconds(3)
  /// The usual time for which a silent beacon keeps its proximity: 5 s.
  ///
  /// Phones and adapters that scan in turns lose every second report, and more than half of their seconds lack reports.
  /// On recorded walks, 3 s change the nearest beacon 13 times a minute, 5 s 9 times, and 8 s follow it later.
  package static let usualHold = TimeSpan.seconds(5)

  /// The gaps in milliseconds, oldest overwritten first.
  private var gaps = [8 of UInt16](repeating: 0)
  private var last: Int64 = 0
  private var known: UInt8 = 0
  private var next: UInt8 = 0
  private var hasReceived = false

  /// Creates an estimate without any report.
  package init() {}

  /// Processes the time of a report; an earlier time than the last is ignored.
  @inline(__always)
  package mutating func received(at time: Timestamp) {
    guard hasReceived else {
      hasReceived = true
      last = time.microseconds
      return
    }
    let gap = time.microseconds &- last
    guard gap >= Self.shortestGap.microseconds else { return }
    last = time.microseconds
    guard gap <= Self.longestGap.microseconds else { return }
    gaps[Int(next & 7)] = UInt16(clamping: (gap &+ 500) / 1000)
    next = (next &+ 1) & 7
    known = min(known &+ 1, 8)
  }

  /// The interval at which the beacon is received when nothing is lost; `nil` before ``gapsNeeded`` gaps.
  package var interval: TimeSpan? {
    guard Int(known) >= Self.gapsNeeded else { return nil }
    var sorted = gaps
    for index in 1..<Int(known) {
      let gap = sorted[index]
      var place = index
      while place > 0, sorted[place &- 1] > gap {
        sorted[place] = sorted[place &- 1]
        place &-= 1
      }
      sorted[place] = gap
    }
    return .milliseconds(Int64(sorted[Int(known) / Self.gapsBelowDivisor]))
  }

  /// How long after its last report the beacon's proximity remains valid.
  ///
  /// A steady beacon counts for a shorter time than one that is received badly, and a slow one for a longer time.
  package var hold: TimeSpan {
    guard let interval else { return Self.usualHold }
    var longest: UInt16 = 0
    for index in 0..<Int(known) { longest = max(longest, gaps[index]) }
    let own = min(.milliseconds(Int64(longest) * Self.gapsHeld), Self.usualHold)
    let slow = TimeSpan(microseconds: interval.microseconds * Self.intervalsHeld)
    return max(own, slow, Self.leastHold)
  }

  /// Returns whether the beacon, silent for some time, may still be in its place.
  @inline(__always)
  package func isHeld(silentFor silence: TimeSpan) -> Bool {
    silence <= Self.leastHold || silence <= hold
  }
}
