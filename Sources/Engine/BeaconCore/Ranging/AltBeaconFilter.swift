// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

/// The default filter of the Android Beacon Library, with exactly its results.
///
/// It averages a window of 20 s. If there are more than two samples, it first removes a tenth (by integer division)
/// plus one at each end. It follows a step in 17 to 20 s. Although the original returns NaN after its last sample has
/// expired, this one returns `nil`.
public struct AltBeaconFilter: Sendable {
  /// The parameters of the filter.
  public struct Parameters: Sendable, Hashable {
    /// How long a sample counts, 1 ms to 60 s.
    public var window: TimeSpan {
      didSet { window = SampleWindow.clamped(window) }
    }
    /// The maximum number of samples, 8 to 4096.
    public var sampleCap: Int {
      didSet { sampleCap = Int(SampleWindow.cap(sampleCap)) }
    }

    /// Twenty seconds, the library's default expiration.
    public static let defaultWindow = TimeSpan.seconds(20)
    /// 1024: twenty seconds at fifty reports a second, more than a scanner receives from the fastest legal advertiser
    /// if it receives half of the packets.
    ///
    /// The library itself has no cap.
    public static let defaultSampleCap = 1024

    /// Creates parameters; numbers out of their range are clamped.
    public init(window: TimeSpan = defaultWindow, sampleCap: Int = defaultSampleCap) {
      self.window = SampleWindow.clamped(window)
      self.sampleCap = Int(SampleWindow.cap(sampleCap))
    }
  }

  private var samples = SampleWindow()
  private let cap: UInt16
  private let window: UInt32

  /// Creates an empty filter.
  package init(_ parameters: Parameters = Parameters()) {
    window = SampleWindow.length(parameters.window)
    cap = SampleWindow.cap(parameters.sampleCap)
  }

  /// Adds a report's RSSI in dBm.
  package mutating func add(_ rssi: Int8, at time: Timestamp) {
    samples.add(rssi, at: time, window: window, cap: cap)
  }

  /// Returns the trimmed mean of the window that ends at a time; `nil` when it holds no sample.
  package mutating func estimate(at time: Timestamp) -> FilteredRSSI? {
    samples.advance(to: time, window: window)
    let count = samples.count
    guard count > 0 else { return nil }
    let dropped = count > 2 ? count / 10 &+ 1 : 0
    return samples.trimmedMean(droppingLowest: dropped, highest: dropped)
  }
}
