// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

internal import BeaconCore
internal import BeaconFormats

/// Makes a message for each second and each receiver that listened in it, also if it received nothing.
///
/// "I listened and received none" is what places are made of: silence of a receiver that listened is evidence, silence
/// of one that did not is not.
struct LevelSeconds: Sendable {
  /// One second of one receiver.
  struct Second: Equatable {
    var receiver: String
    var start: Timestamp
    /// For how long of the second the receiver listened.
    var span: TimeSpan
    var beacons: [ReceivedSecond]
  }

  private struct Receiver {
    var state: RadioState
    /// Since when it is in this state.
    var since: Timestamp
    /// For how long it listened before that, in the second that is not complete.
    var listened = TimeSpan.zero
  }

  private static let second = TimeSpan.seconds(1)

  private let gap: TimeSpan
  private var receivers: [String: Receiver] = [:]
  private var pending: [ReceivedSecond] = []
  /// The first second that is not complete.
  private var next: Timestamp?
  private var reached: Timestamp?

  /// - Parameter gap: Two inputs farther apart than this bound a time of which nothing is known.
  init(gap: TimeSpan) {
    self.gap = gap
  }

  /// The states of the receivers, ordered by name.
  var states: [(name: String, state: RadioState)] {
    receivers.sorted { $0.key < $1.key }.map { (name: $0.key, state: $0.value.state) }
  }

  /// Adds sums of a beacon, which belong to a second that is not complete.
  mutating func add(_ sums: ReceivedSecond) { pending.append(sums) }

  /// A receiver's state changed; returns whether it is another one than before.
  mutating func set(_ name: String, _ state: RadioState, at time: Timestamp) -> Bool {
    if next == nil { next = time.wholeSecond }
    var receiver = receivers[name] ?? Receiver(state: .gone, since: time)
    let isNew = receivers[name]?.state != state
    if receiver.state == .listening, state != .listening {
      receiver.listened = receiver.listened + (time - max(receiver.since, time.wholeSecond))
    }
    if isNew { (receiver.state, receiver.since) = (state, time) }
    receivers[name] = receiver
    return isNew
  }

  /// Everything before a time has been given; returns the seconds that are complete.
  mutating func advance(to time: Timestamp) -> [Second] {
    guard let from = next else {
      next = time.wholeSecond
      reached = time
      return []
    }
    var complete: [Second] = []
    if let last = reached, time - last > gap {
      complete += finish(last.wholeSecond, until: last)
      next = time.wholeSecond
      for name in receivers.keys { receivers[name]?.since = time }
    } else {
      var start = from
      while start + Self.second <= time {
        complete += finish(start, until: start + Self.second)
        start = start + Self.second
      }
      next = start
    }
    reached = max(time, reached ?? time)
    return complete
  }

  /// The run is over: the second that has begun is complete.
  mutating func end(at time: Timestamp) -> [Second] {
    var complete = advance(to: time)
    if let next { complete += finish(next, until: max(next, time)) }
    return complete
  }

  private mutating func finish(_ start: Timestamp, until end: Timestamp) -> [Second] {
    let sums = pending
    pending = []
    var seconds: [Second] = []
    for (name, receiver) in receivers.sorted(by: { $0.key < $1.key }) {
      var span = receiver.listened
      if receiver.state == .listening {
        span = span + max(end - max(receiver.since, start), .zero)
      }
      receivers[name]?.listened = .zero
      let beacons = sums.filter { $0.receiver == name }
      guard span > .zero || !beacons.isEmpty else { continue }
      seconds.append(
        Second(receiver: name, start: start, span: min(span, Self.second), beacons: beacons)
      )
    }
    return seconds
  }
}
