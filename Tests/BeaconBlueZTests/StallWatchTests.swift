// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

import BeaconBlueZ
import BeaconCore
import Testing

struct StallWatchTests {
  private static let start = Timestamp(microseconds: 1_800_000_000_000_000)

  @Test func `a thread that looks in time never stood still`() {
    var watch = StallWatch()
    #expect(watch.nextLook == nil)
    var now = Self.start
    for step: TimeSpan in [.zero, .milliseconds(1), StallWatch.interval, StallWatch.shortest] {
      now = now + step
      #expect(watch.look(at: now) == nil)
      #expect(watch.nextLook == now + StallWatch.interval)
    }
  }

  @Test func `a stall reaches from the last look to the next, and is told once`() {
    var watch = StallWatch()
    _ = watch.look(at: Self.start)
    let end = Self.start + StallWatch.shortest + TimeSpan(microseconds: 1)
    #expect(watch.look(at: end) == StallWatch.Stall(start: Self.start, end: end))
    #expect(watch.look(at: end) == nil)
    #expect(watch.look(at: end + .milliseconds(10)) == nil)
    #expect(watch.look(at: end + .seconds(3600))?.start == end + .milliseconds(10))
  }
}
