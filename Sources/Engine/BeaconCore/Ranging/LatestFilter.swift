// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

/// No filter: the last report's RSSI, for as long as it counts.
public struct LatestFilter: Sendable {
  /// The parameters of the filter.
  public struct Parameters: Sendable, Hashable {
    /// How long the last sample counts, 1 ms to 60 s.
    public var window: TimeSpan {
      didSet { window = SampleWindow.clamped(window) }
    }

    /// Six seconds, as long as the default filter's window, so that only the smoothing differs.
    public static let defaultWindow = TimeSpan.seconds(6)

    /// Creates parameters; numbers out of their range are clamped.
    public init(window: TimeSpan = defaultWindow) {
      self.window = SampleWindow.clamped(window)
    }
  }

  private var last: Int64 = 0
  private var rssi: Int8?
  private let window: UInt32

  /// Creates a filter without samples.
  package init(_ parameters: Parameters = Parameters()) {
    window = SampleWindow.length(parameters.window)
  }

  /// Adds a report's RSSI in dBm.
  package mutating func add(_ rssi: Int8, at time: Timestamp) {
    guard rssi != 127 else { return }
    last = max(last, time.microseconds)
    self.rssi = rssi
  }

  /// Returns the last RSSI; `nil` when it is too old.
  package mutating func estimate(at time: Timestamp) -> FilteredRSSI? {
    guard let rssi, time.microseconds &- last < Int64(window) else {
      rssi = nil
      return nil
    }
    return FilteredRSSI(
      dBm: Double(rssi),
      standardError: FilteredRSSI.assumedDeviation,
      effectiveSamples: 1
    )
  }
}
