// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

public import BeaconCore

/// What stands for the truth in a recording of which nobody knows it.
///
/// It is each beacon's mean RSSI, by second, from some time before a moment to as long after it: no filter can know that at the
/// moment.
public struct TwoWayLevels: Sendable {
  /// Half of the span of the mean, in seconds.
  public static let halfSpan = 10

  private let first: Timestamp
  private var sums: [[Int]] = []
  private var counts: [[Int]] = []

  /// Takes a recording.
  ///
  /// - Parameters:
  ///   - samples: What was heard, in the order of time, by the number of its stream.
  ///   - streams: How many streams there are.
  public init(_ samples: [(time: Timestamp, stream: Int, rssi: Int8)], streams: Int) {
    first = samples.first?.time ?? .earliest
    let seconds = Int(((samples.last?.time ?? first) - first).seconds) + 2
    sums = Array(repeating: Array(repeating: 0, count: seconds + 1), count: streams)
    counts = sums
    for sample in samples {
      let second = second(of: sample.time) + 1
      sums[sample.stream][second] += Int(sample.rssi)
      counts[sample.stream][second] += 1
    }
    for stream in 0..<streams {
      for second in 1...seconds {
        sums[stream][second] += sums[stream][second - 1]
        counts[stream][second] += counts[stream][second - 1]
      }
    }
  }

  /// Whole seconds since the first sample.
  public func second(of time: Timestamp) -> Int { Int((time - first).seconds) }

  /// The mean in dBm about a second since the first sample; `nil` where nothing was heard about it.
  public func level(_ stream: Int, at second: Int) -> Double? {
    guard second >= 0, sums.indices.contains(stream) else { return nil }
    let end = min(second + Self.halfSpan, sums[stream].count - 1)
    let start = min(max(second - Self.halfSpan, 0), end)
    let count = counts[stream][end] - counts[stream][start]
    return count > 0 ? Double(sums[stream][end] - sums[stream][start]) / Double(count) : nil
  }
}
