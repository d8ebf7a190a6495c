// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

import Testing

@testable import BeaconTerminal

/// When the terminal loop draws.
@Suite struct FrameScheduleTests {
  private let start = ContinuousClock.now

  @Test func `the first frame is drawn immediately, and the next when something changes`() {
    var frames = FrameSchedule()
    #expect(frames.isDue(at: start) && frames.wait(from: start) == .zero)
    frames.drew(at: start)
    #expect(!frames.isDue(at: start + .milliseconds(500)))
    frames.isWanted = true
    #expect(frames.isDue(at: start + .milliseconds(500)))
    #expect(frames.wait(from: start + .milliseconds(500)) == .zero)
  }

  @Test func `frames have a least interval, however often something changes`() {
    var frames = FrameSchedule()
    var drawn = 0
    for millisecond in 0..<1000 {
      let now = start + .milliseconds(millisecond)
      frames.isWanted = true
      guard frames.isDue(at: now) else { continue }
      frames.drew(at: now)
      drawn += 1
    }
    #expect(drawn == 25)
  }

  @Test func `a frame is drawn once a second in any case`() {
    var frames = FrameSchedule()
    frames.drew(at: start)
    #expect(frames.wait(from: start + .milliseconds(300)) == .milliseconds(700))
    #expect(!frames.isDue(at: start + .milliseconds(999)))
    #expect(frames.isDue(at: start + .seconds(1)))
  }
}
