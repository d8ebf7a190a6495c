// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

public import BeaconCore

/// For how long a receiver of a capture listened.
public struct ReceiverListening: Sendable, Equatable {
  /// Its number.
  public let receiver: UInt8
  /// How long it listened, up to the last input that changed it; see ``listened(until:)``.
  private var finished = TimeSpan.zero
  /// Since when it listens; `nil` while it does not.
  private var since: Timestamp?
  /// How many times it stopped listening; a gap counts as such a time (row T5).
  public private(set) var pauses = 0
  /// How many of its reports came more than a second after it had stopped listening, as the capture states.
  public private(set) var unexpectedReports = 0
  /// When the capture stated last that it stopped listening.
  private var pausedSince = Timestamp.latest
  /// The last pause; its end is not known yet while the receiver pauses.
  private var last: ListeningPause?
  /// The longest of the pauses before it, in the order of time.
  private var earlier: [ListeningPause] = []

  /// How many pauses are kept: of a receiver that listens in turns, more are not useful.
  private static let mostPauses = 16

  /// A receiver that listens from a time.
  init(_ receiver: UInt8, since: Timestamp) {
    self.receiver = receiver
    self.since = since
  }

  /// Returns how long it listened up to a time.
  public func listened(until end: Timestamp) -> TimeSpan {
    finished + (since.map { max(end - $0, .zero) } ?? .zero)
  }

  /// Returns the longest pauses up to a time, in the order of time.
  package func longestPauses(until end: Timestamp) -> [ListeningPause] {
    var copy = self
    if copy.last?.end == nil { copy.last?.end = end }
    copy.keepLast()
    return copy.earlier
  }

  mutating func changed(to state: RadioState, at time: Timestamp) {
    guard let reason = ListeningPause.Reason(state) else {
      guard since == nil else { return }
      since = time
      last?.end = time
      return
    }
    if since != nil { pausedSince = time }
    pause(for: reason, at: time)
  }

  mutating func received(at time: Timestamp) {
    guard since == nil, time - pausedSince > ScanWatch.stragglers else { return }
    unexpectedReports += 1
  }

  /// Leaves out a gap.
  mutating func stoodStill(from start: Timestamp, to end: Timestamp) {
    let wasListening = since != nil
    pause(for: .gap, at: start)
    guard wasListening else { return }
    since = end
    last?.end = end
  }

  private mutating func pause(for reason: ListeningPause.Reason, at time: Timestamp) {
    if since != nil {
      finished = listened(until: time)
      since = nil
      if last?.end == time {
        // It did not listen in between: a gap and the state that ends it are one pause.
        last?.end = nil
      } else {
        keepLast()
        last = ListeningPause(start: time)
        pauses += 1
      }
    }
    if last?.reasons.contains(reason) == false { last?.reasons.append(reason) }
  }

  private mutating func keepLast() {
    guard let last else { return }
    earlier.append(last)
    guard earlier.count > Self.mostPauses else { return }
    let shortest = earlier.indices.min { (earlier[$0].length, $1) < (earlier[$1].length, $0) }
    if let shortest { earlier.remove(at: shortest) }
  }
}

/// A time in which a receiver of a capture did not listen.
package struct ListeningPause: Sendable, Equatable {
  /// Why it did not; the raw values are the names in outputs, and those of a history.
  package enum Reason: String, Sendable {
    case off, deaf, gone
    /// The capture contains nothing of that time.
    case gap

    /// The reason of a state; `nil` for a receiver that listens.
    init?(_ state: RadioState) {
      switch state {
      case .listening: return nil
      case .off: self = .off
      case .deaf: self = .deaf
      case .gone: self = .gone
      }
    }
  }

  /// When it began.
  package let start: Timestamp
  /// When it ended; `nil` before its end.
  package fileprivate(set) var end: Timestamp?
  /// Its reasons, each once, in the order of time.
  package fileprivate(set) var reasons: [Reason] = []

  fileprivate init(start: Timestamp) { self.start = start }

  /// How long it was; zero before its end.
  package var length: TimeSpan { end.map { $0 - start } ?? .zero }
}

/// When the receivers of a capture listened, on the clock of a replay; not in its gaps (row T5).
package struct ListeningTimes: Sendable {
  private var clock = SteadyClock()
  /// The receivers in the order of their numbers.
  package private(set) var receivers: [ReceiverListening] = []
  /// The time of the earliest and of the latest input; `nil` without any.
  private(set) var span: (start: Timestamp, end: Timestamp)?

  /// How long the capture is, with its gaps.
  package var recorded: TimeSpan { span.map { $0.end - $0.start } ?? .zero }
  /// The time of the last input.
  package var end: Timestamp { span?.end ?? .earliest }

  /// The times with the inputs that the clock has not placed yet.
  var settled: ListeningTimes {
    var settled = self
    settled.count(settled.clock.finish())
    return settled
  }

  mutating func add(_ batch: ScanBatch) { count(clock.steady(batch)) }

  private mutating func count(_ batch: ScanBatch) {
    var known: (receiver: UInt8, index: Int)?
    for input in batch.inputs {
      switch input {
      case .report(let report), .level(let report):
        advance(to: report.time)
        if known?.receiver != report.receiver {
          known = (report.receiver, index(ofReceiver: report.receiver, since: report.time))
        }
        if let known { receivers[known.index].received(at: report.time) }
      case .radio(let receiver, let state, let time):
        advance(to: time)
        let index = index(ofReceiver: receiver, since: state == .listening ? time : nil)
        receivers[index].changed(to: state, at: time)
        known = nil
      case .mark(let time): advance(to: time)
      case .notice, .place: continue
      }
    }
  }

  private mutating func advance(to time: Timestamp) {
    guard let span else { return self.span = (time, time) }
    if time - span.end > TimingConfiguration().gap {
      for index in receivers.indices { receivers[index].stoodStill(from: span.end, to: time) }
    }
    self.span = (min(span.start, time), max(span.end, time))
  }

  /// Returns the index of a receiver; a new one has listened since a time, or from the start of the capture.
  private mutating func index(ofReceiver receiver: UInt8, since start: Timestamp?) -> Int {
    let place = receivers.firstIndex { $0.receiver >= receiver } ?? receivers.count
    if place < receivers.count, receivers[place].receiver == receiver { return place }
    let start = start ?? span?.start ?? .earliest
    receivers.insert(ReceiverListening(receiver, since: start), at: place)
    return place
  }
}
