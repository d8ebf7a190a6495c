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
  /// How many times it stopped listening.
  public private(set) var pauses = 0
  /// How many of its reports came more than a second after it had stopped listening, as the capture states.
  public private(set) var unexpectedReports = 0
  /// When it stopped listening last.
  private var pausedSince = Timestamp.latest

  /// A receiver that listens from a time.
  init(_ receiver: UInt8, since: Timestamp) {
    self.receiver = receiver
    self.since = since
  }

  /// Returns how long it listened up to a time.
  public func listened(until end: Timestamp) -> TimeSpan {
    finished + (since.map { max(end - $0, .zero) } ?? .zero)
  }

  mutating func changed(to state: RadioState, at time: Timestamp) {
    if state == .listening {
      since = since ?? time
    } else if since != nil {
      finished = listened(until: time)
      since = nil
      pauses += 1
      pausedSince = time
    }
  }

  mutating func received(at time: Timestamp) {
    guard since == nil, time - pausedSince > ScanWatch.stragglers else { return }
    unexpectedReports += 1
  }

  /// Leaves out a gap.
  mutating func stoodStill(from start: Timestamp, to end: Timestamp) {
    guard since != nil else { return }
    finished = listened(until: start)
    since = end
  }
}

/// When the receivers of a capture listened, on the clock of a replay and without its gaps (row T5).
package struct ListeningTimes: Sendable {
  private var clock = SteadyClock()
  /// The receivers in the order of their numbers.
  package private(set) var receivers: [ReceiverListening] = []
  /// The time of the earliest and of the latest input; `nil` without any.
  private(set) var span: (start: Timestamp, end: Timestamp)?
  private var gaps = TimeSpan.zero

  /// How much was recorded, without the gaps.
  package var recorded: TimeSpan { (span.map { $0.end - $0.start } ?? .zero) - gaps }
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
      gaps = gaps + (time - span.end)
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
