// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

public import BeaconCore

/// An estimate of the true level, for recordings without ground truth.
///
/// It is the mean RSSI of each beacon, per second, over an equal time before and after that second. No filter can know
/// it at that time.
public struct TwoWayLevels: Sendable {
  /// Half of the span of the mean, in seconds.
  public static let halfSpan = 10

  private let first: Timestamp
  private var sums: [[Int]] = []
  private var counts: [[Int]] = []

  /// Computes the levels of a recording.
  ///
  /// - Parameters:
  ///   - samples: The samples in order of time, with the number of their stream.
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

  /// The mean in dBm about a second since the first sample; `nil` without samples around it.
  public func level(_ stream: Int, at second: Int) -> Double? {
    guard second >= 0, sums.indices.contains(stream) else { return nil }
    let end = min(second + Self.halfSpan, sums[stream].count - 1)
    let start = min(max(second - Self.halfSpan, 0), end)
    let count = counts[stream][end] - counts[stream][start]
    return count > 0 ? Double(sums[stream][end] - sums[stream][start]) / Double(count) : nil
  }
}
