// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

package import BeaconCore

/// Plays a reader's inputs at a multiple of their own speed.
///
/// It cuts batches where there is something to wait for and never changes an input, so the events are those of every
/// other speed.
package struct PacedReader: ScanReader {
  private var reader: any ScanReader
  private let speed: Double
  private let clock: any PlaybackClock
  private var origin: (timeline: Timestamp, elapsed: TimeSpan)?
  private var pending: ScanBatch?
  private var index = 0
  /// What to do before a wait: show what has been told so far.
  private let beforeWaiting: () throws -> Void

  /// Inputs nearer together than this are played at once: a person cannot tell, and waiting costs more than they do.
  private static let grain = TimeSpan.milliseconds(20)

  package init(
    _ reader: any ScanReader,
    speed: Double,
    clock: any PlaybackClock,
    beforeWaiting: @escaping () throws -> Void
  ) {
    self.reader = reader
    self.speed = speed
    self.clock = clock
    self.beforeWaiting = beforeWaiting
  }

  package mutating func next() throws -> ScanBatch? {
    if pending == nil || index >= (pending?.inputs.count ?? 0) {
      pending = try reader.next()
      index = 0
    }
    guard let batch = pending, index < batch.inputs.count else { return pending }
    let start = batch.inputs[index].time
    try wait(until: start)
    var end = index + 1
    while end < batch.inputs.count, batch.inputs[end].time - start < Self.grain { end += 1 }
    defer { index = end }
    return ScanBatch(bytes: batch.bytes, inputs: Array(batch.inputs[index..<end]))
  }

  private mutating func wait(until time: Timestamp) throws {
    guard let origin else {
      origin = (time, clock.elapsed)
      return
    }
    let due = TimeSpan(seconds: (time - origin.timeline).seconds / speed)
    let ahead = due - (clock.elapsed - origin.elapsed)
    guard ahead > .zero else { return }
    try beforeWaiting()
    clock.sleep(for: ahead)
  }
}
