// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

internal import BeaconCore
internal import DBus

extension BlueZHandler {
  /// Returns where the timeline stands, for what is stamped with it or told up to it.
  ///
  /// That the thread stood still is told first.
  func present() -> Timestamp {
    let now = timeline.now
    look(at: now)
    return now
  }

  /// Tells that the thread or the whole machine stood still, if it did until now.
  func look(at now: Timestamp) {
    guard let found = stallWatch.look(at: now, asleep: { TimeSpan(Uptime.asleep) }) else { return }
    deafen(receivers.indices.filter { receivers[$0].isReceivedOverBus }, during: found.thread)
    guard let sleep = found.machine else { return }
    let others = receivers.indices.filter {
      receivers[$0].isReceivedByKernel && receivers[$0].machine.isReceiving
    }
    deafen(others, during: sleep)
  }

  /// Tells that receivers could not hear.
  ///
  /// A time longer than the engine's gap it knows by itself: clocks stand in it, and the regions keep what they are.
  private func deafen(_ indices: [Int], during stall: StallWatch.Stall) {
    guard !indices.isEmpty else { return }
    for index in indices { receivers[index].machine.stoodStill(until: stall.end) }
    let duration = stall.end - stall.start
    guard duration <= timing.gap else { return }
    outbox.add(.stoodStill(for: duration))
    let numbers = indices.map { receivers[$0].number }
    heard.inputs += silence(of: numbers, from: stall.start, to: stall.end)
  }

  /// A time in which nobody could hear as states of the receivers, so that the silence is no exit.
  func silence(
    of receivers: [UInt8],
    from start: Timestamp,
    to end: Timestamp
  ) -> [ScanInput] {
    // Before what ends it.
    let last = max(start, end - TimeSpan(microseconds: 1))
    return receivers.map { .radio(receiver: $0, .deaf, start) }
      + receivers.map { .radio(receiver: $0, .listening, last) }
  }

  /// When the thread must run at the latest, so that it is known whether it did; `nil` where it makes no difference.
  var nextLook: Timestamp? {
    receivers.contains(where: \.isReceivedOverBus) ? stallWatch.nextLook : nil
  }

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
