// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

/// Where the inputs of a run come from, used on the run's thread alone.
package protocol RunSource: AnyObject {
  /// Whether the source continues while nobody reads it, as a radio does and a capture does not.
  var isLive: Bool { get }
  /// The names of the receivers by now, by their number in reports.
  var receiverNames: [String] { get }
  /// What was dropped before it reached the engine.
  var drops: Tally<DropReason> { get }
  /// How far local time is ahead of UTC: where the source receives, or at the start of what is replayed; `nil` where it
  /// is not known.
  var utcOffset: TimeSpan? { get }
  /// Returns where the timeline starts; `nil` if there is no input and so no time.
  func begin() async throws -> Timestamp?
  /// Returns what was received next, or by the time; `nil` when there will be no more.
  func next(until time: Timestamp?) async throws -> ScanBatch?
}

extension RunSource {
  package var utcOffset: TimeSpan? { nil }
}

/// The inputs of a reader.
package final class ReaderSource: RunSource {
  package let isLive = false
  package let drops = Tally<DropReason>()
  private var reader: any ScanReader
  private let names: () -> [String]
  private let zone: () -> TimeSpan?
  private var first: ScanBatch?

  /// - Parameters:
  ///   - reader: The reader.
  ///   - receiverNames: The receivers' names, as far as it was read.
  ///   - utcOffset: How far local time is ahead of UTC at the start, as far as it was read.
  package init(
    _ reader: any ScanReader,
    receiverNames: @autoclosure @escaping () -> [String],
    utcOffset: @autoclosure @escaping () -> TimeSpan? = nil
  ) {
    self.reader = reader
    names = receiverNames
    zone = utcOffset
  }

  package var utcOffset: TimeSpan? { zone() }

  package var receiverNames: [String] { names() }

  package func begin() throws -> Timestamp? {
    repeat { first = try reader.next() } while first?.inputs.isEmpty ?? false
    return first?.inputs.first?.time
  }

  package func next(until time: Timestamp?) throws -> ScanBatch? {
    if let batch = first.take() { return batch }
    return try reader.next()
  }
}

/// Cuts a reader's batches where a replay at a speed may have to wait; it never changes an input.
package struct PiecewiseReader: ScanReader {
  private var reader: any ScanReader
  private var pending: ScanBatch?
  private var index = 0

  /// Inputs nearer together than this are played at once: the user sees no difference, and waiting costs more than they do.
  private static let grain = TimeSpan.milliseconds(20)

  package init(_ reader: any ScanReader) {
    self.reader = reader
  }

  package mutating func next() throws -> ScanBatch? {
    if pending == nil || index >= (pending?.inputs.count ?? 0) {
      pending = try reader.next()
      index = 0
    }
    guard let batch = pending, index < batch.inputs.count else { return pending }
    let start = batch.inputs[index].time
    var end = index + 1
    while end < batch.inputs.count, batch.inputs[end].time - start < Self.grain { end += 1 }
    defer { index = end }
    return ScanBatch(bytes: batch.bytes, inputs: Array(batch.inputs[index..<end]))
  }
}

/// The time that a paced replay waits by.
package protocol PlaybackClock {
  /// Time since some start, never going back.
  var elapsed: TimeSpan { get }
  /// Waits.
  func sleep(for span: TimeSpan)
}

/// The speed of a replay, as a multiple of the speed at which it was recorded.
package struct Pace {
  /// What is waited by.
  package let clock: any PlaybackClock
  private let speed: Double
  private var origin: (timeline: Timestamp, elapsed: TimeSpan)?

  package init(speed: Double, clock: any PlaybackClock) {
    self.speed = speed
    self.clock = clock
  }

  /// The time of the timeline by the clock; `nil` before the first input.
  package var now: Timestamp? {
    origin.map { $0.timeline + TimeSpan(seconds: (clock.elapsed - $0.elapsed).seconds * speed) }
  }

  /// Returns how long to wait until a time of the timeline; `nil` if it has come.
  package mutating func wait(until time: Timestamp) -> TimeSpan? {
    guard let origin else {
      origin = (time, clock.elapsed)
      return nil
    }
    let due = TimeSpan(seconds: (time - origin.timeline).seconds / speed)
    let ahead = due - (clock.elapsed - origin.elapsed)
    return ahead > .zero ? ahead : nil
  }
}
