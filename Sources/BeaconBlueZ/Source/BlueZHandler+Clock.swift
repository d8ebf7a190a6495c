// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

extension BlueZHandler {
  /// Says so when somebody set the wall clock.
  func checkClock() {
    let before = timeline.now
    guard clockWatch.isDue(at: before) else { return }
    let wall = wallClock.now()
    guard let step = clockWatch.compare(wall: wall, before: before, after: timeline.now) else {
      return
    }
    outbox.add(.clockStepped(by: step))
  }
}
