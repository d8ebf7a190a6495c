// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

/// The mean of a moving window without its weakest and strongest samples; each end has its own share.
///
/// Bodies, walls and reflections weaken a signal far more often than anything strengthens it. Removing more samples at
/// the weak end gives the accuracy of a long symmetric window with a third of its delay.
public struct TrimmedWindowFilter: Sendable {
  /// The parameters of the filter.
  public struct Parameters: Sendable, Hashable {
    /// How long a sample counts, 1 ms to 60 s.
    public var window: TimeSpan {
      didSet { window = SampleWindow.clamped(window) }
    }
    /// The percentage of samples removed at the weak end, rounded down to whole samples.
    public var lowPercent: Int {
      didSet {
        lowPercent = min(max(lowPercent, 0), Self.largestTrim)
        // The weak end's share comes first.
        highPercent = min(highPercent, Self.largestTrim - lowPercent)
      }
    }
    /// The percentage of samples removed at the strong end, rounded down to whole samples.
    public var highPercent: Int {
      didSet { highPercent = min(max(highPercent, 0), Self.largestTrim - lowPercent) }
    }
    /// The most samples kept, 8 to 4096; a beacon received more often is averaged over a shorter time.
    public var sampleCap: Int {
      didSet { sampleCap = Int(SampleWindow.cap(sampleCap)) }
    }

    /// Six seconds: long enough to average a beacon received once a second, short enough to follow a person who walks
    /// on.
    public static let defaultWindow = TimeSpan.seconds(6)
    /// Thirty percent: fades only weaken a signal, and affect about this share of the reports in a room with people.
    public static let defaultLowPercent = 30
    /// Ten percent: a reflection that happens to add up, or a receiver's glitch.
    public static let defaultHighPercent = 10
    /// Sixty-four: six seconds at ten reports a second, rounded up to a power of two; 256 bytes of samples for each
    /// track.
    public static let defaultSampleCap = 64
    /// The largest sum of the two shares, in percent: at least a tenth of the samples must be left to average.
    package static let largestTrim = 90

    /// Creates parameters; numbers out of their range are clamped, the strong end's share after the weak end's.
    public init(
      window: TimeSpan = defaultWindow,
      lowPercent: Int = defaultLowPercent,
      highPercent: Int = defaultHighPercent,
      sampleCap: Int = defaultSampleCap
    ) {
      self.window = SampleWindow.clamped(window)
      self.lowPercent = min(max(lowPercent, 0), Self.largestTrim)
      self.highPercent = min(max(highPercent, 0), Self.largestTrim - self.lowPercent)
      self.sampleCap = Int(SampleWindow.cap(sampleCap))
    }
  }

  private var samples = SampleWindow()
  private let cap: UInt16
  private let lowPercent: UInt8
  private let highPercent: UInt8
  private let window: UInt32

  /// Creates an empty filter.
  package init(_ parameters: Parameters = Parameters()) {
    window = SampleWindow.length(parameters.window)
    cap = SampleWindow.cap(parameters.sampleCap)
    lowPercent = UInt8(truncatingIfNeeded: parameters.lowPercent)
    highPercent = UInt8(truncatingIfNeeded: parameters.highPercent)
  }

  /// Adds a report's RSSI in dBm.
  @inline(__always)
  package mutating func add(_ rssi: Int8, at time: Timestamp) {
    samples.add(rssi, at: time, window: window, cap: cap)
  }

  /// Returns the trimmed mean of the window that ends at a time; `nil` when it holds no sample.
  package mutating func estimate(at time: Timestamp) -> FilteredRSSI? {
    samples.advance(to: time, window: window)
    let count = samples.count
    guard count > 0 else { return nil }
    return samples.trimmedMean(
      droppingLowest: count &* Int(lowPercent) / 100,
      highest: count &* Int(highPercent) / 100
    )
  }
}
