// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

import BeaconBlueZ
import BeaconCore
import Testing

struct StallWatchTests {
  private static let start = Timestamp(microseconds: 1_800_000_000_000_000)
  private static func awake() -> TimeSpan { .seconds(7) }

  @Test func `a thread that checks in time was never stalled`() {
    var watch = StallWatch()
    #expect(watch.nextCheck == nil)
    var now = Self.start
    for step: TimeSpan in [.zero, .milliseconds(1), StallWatch.interval, StallWatch.shortest] {
      now = now + step
      #expect(watch.check(at: now, asleep: Self.awake) == nil)
      #expect(watch.nextCheck == now + StallWatch.interval)
    }
  }

  @Test func `a stall reaches from the last check to the next, and is reported once`() {
    var watch = StallWatch()
    _ = watch.check(at: Self.start, asleep: Self.awake)
    let end = Self.start + StallWatch.shortest + TimeSpan(microseconds: 1)
    let stall = StallWatch.Stall(start: Self.start, end: end)
    #expect(watch.check(at: end, asleep: Self.awake) == StallWatch.Finding(thread: stall))
    #expect(watch.check(at: end, asleep: Self.awake) == nil)
    let later = end + .milliseconds(10)
    #expect(watch.check(at: later, asleep: Self.awake) == nil)
    let again = watch.check(at: later + .seconds(3600), asleep: Self.awake)
    #expect(again?.thread.start == later && again?.machine == nil)
  }

  @Test func `sleep of the machine is found during a part of a stall, all of it or none`() {
    var watch = StallWatch()
    _ = watch.check(at: Self.start, asleep: Self.awake)
    let stall = StallWatch.Stall(start: Self.start, end: Self.start + .seconds(30))
    let sleep = StallWatch.Stall(start: Self.start + .seconds(10), end: stall.end)
    #expect(
      watch.check(at: stall.end, asleep: { .seconds(27) })
        == StallWatch.Finding(thread: stall, machine: sleep)
    )
    // Earlier sleep does not count; if the clocks disagree a little, the sleep is still not longer than the stall.
    let next = stall.end + .seconds(3)
    #expect(watch.check(at: next, asleep: { .seconds(27) })?.machine == nil)
    let last = next + .seconds(3)
    #expect(
      watch.check(at: last, asleep: { .seconds(30) })?.machine
        == StallWatch.Stall(start: next, end: last)
    )
  }
}
