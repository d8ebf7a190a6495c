// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

import BeaconCore

/// One RSSI of one stream; a stream is one beacon at one receiver.
struct StreamSample {
  let time: Timestamp
  let stream: Int
  let rssi: Int8
}

/// Runs one filter for each stream over a recording, and reads all of them once a second.
struct StreamRun {
  /// For how long after its last sample a stream is still compared: what all filters on trial can answer.
  static let freshness = 5.0

  /// Passes the filtered values of each whole second to a function; `nil` for a stream that was not received lately.
  static func ticks(
    _ samples: [StreamSample],
    streams: Int,
    every step: Double = 1,
    _ make: () -> any TriedFilter,
    _ body: (Timestamp, [FilteredRSSI?]) -> Void
  ) {
    guard let first = samples.first, let last = samples.last else { return }
    var filters = (0..<streams).map { _ in make() }
    var received = [Timestamp?](repeating: nil, count: streams)
    var tick = first.time.nextWholeSecond
    var index = 0
    while tick <= last.time {
      while index < samples.count, samples[index].time <= tick {
        let sample = samples[index]
        filters[sample.stream].add(sample.rssi, at: sample.time)
        received[sample.stream] = sample.time
        index += 1
      }
      let values = filters.indices.map { stream -> FilteredRSSI? in
        guard let time = received[stream], (tick - time).seconds <= freshness else { return nil }
        return filters[stream].estimate(at: tick)
      }
      body(tick, values)
      tick = tick + TimeSpan(seconds: step)
    }
  }
}

/// Follows the best of some candidates and counts the changes.
struct NearestCounter {
  /// Candidates are left behind only by one this much better, in dB.
  var margin = 0.0
  private(set) var current: Int?
  private(set) var switches = 0
  /// Changes back to the candidate that was left within the last 5 s.
  private(set) var returns = 0
  private var left: (candidate: Int, at: Timestamp)?

  init(margin: Double = 0) { self.margin = margin }

  /// Updates with the candidates' scores; higher is nearer.
  mutating func update(_ scores: [Double?], at time: Timestamp) {
    var best: (index: Int, score: Double)?
    for (index, score) in scores.enumerated() {
      guard let score else { continue }
      if best == nil || score > best?.score ?? 0 { best = (index, score) }
    }
    guard let best, best.index != current else { return }
    if let current, let held = scores[current], best.score - held <= margin { return }
    if let current {
      switches += 1
      if let left, left.candidate == best.index, (time - left.at).seconds <= 5 { returns += 1 }
      left = (current, time)
    }
    current = best.index
  }
}
