// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

internal import BeaconCore

/// The times of a recording in which nothing could be received: no receiver listened, or it stood still (row T5).
struct UnheardTimes {
  private let longest: TimeSpan
  private var listening: [UInt8: Bool] = [:]
  private var last: Timestamp?
  private var since: Timestamp?
  private var times: [Range<Timestamp>] = []

  init(_ timing: TimingConfiguration) {
    longest = timing.gap
  }

  mutating func add(_ batch: ScanBatch) {
    for input in batch.inputs {
      switch input {
      case .report(let report), .level(let report): note(report.receiver, true, at: report.time)
      case .radio(let receiver, let state, let time):
        note(receiver, state == .listening, at: time)
      case .mark(let time): pass(to: time)
      case .notice, .place: continue
      }
    }
  }

  private mutating func note(_ receiver: UInt8, _ isListening: Bool, at time: Timestamp) {
    pass(to: time)
    guard listening[receiver] != isListening else { return }
    listening[receiver] = isListening
    let isHeard = listening.values.contains(true)
    if !isHeard { since = since ?? time }
    if isHeard, let begin = since {
      since = nil
      if time > begin { times.append(begin..<time) }
    }
  }

  private mutating func pass(to time: Timestamp) {
    if let last, since == nil, time - last > longest { times.append(last..<time) }
    last = max(last ?? time, time)
  }

  /// Returns the times up to the end of the recording.
  func all(until end: Timestamp) -> [Range<Timestamp>] {
    guard let since, since < end else { return times }
    return times + [since..<end]
  }
}
