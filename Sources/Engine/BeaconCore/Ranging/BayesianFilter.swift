// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

/// An exact Bayesian filter over a grid of signal levels.
///
/// For each of 64 levels, 1.5 dB apart, it keeps the probability that the beacon would be received at that level
/// without noise. A report multiplies the probabilities by how well each level explains it (``SignalModel``): noise
/// around the level, a fade below it, or, rarely, any other cause. The passing of time blurs them slightly, because
/// people sway, and gives every level a small share, because people walk. So a beacon at rest is averaged over many
/// seconds, and one to three reports that the old level cannot explain are enough to leave it, without a window
/// length to choose.
///
/// It takes about 160 bytes per beacon and receiver, and the same time for every report.
public struct BayesianFilter: Sendable {
  /// The parameters of the filter.
  public struct Parameters: Sendable {
    /// The distribution of a report's RSSI around its level.
    public var model: SignalModel
    /// How often in a second the level changes to any other, 0.0001 to 1.
    public var changeRate: Double {
      didSet { changeRate = SignalModel.clamped(changeRate, to: Self.changeRateRange) }
    }
    /// By how much the level's variance grows in a second, 0 to 10 dB²/s.
    public var drift: Double {
      didSet { drift = SignalModel.clamped(drift, to: Self.driftRange) }
    }
    /// How long the last sample counts, 1 ms to 60 s; after a longer silence the filter starts again.
    public var silence: TimeSpan {
      didSet { silence = SampleWindow.clamped(silence) }
    }

    /// One change in a hundred seconds, as of visitors who stand still for a minute or two.
    ///
    /// Tuned on seeds and tracks that are not used for judging (`docs/accuracy.md`). With twice the rate a step is
    /// followed a quarter of a second earlier, and deep fades count as changes more often.
    public static let defaultChangeRate: Double = 0.01
    /// 0.1 dB²/s: a third of a decibel in a second, as of a person who stands and sways.
    ///
    /// A smaller value follows a slow walk late; a larger one averages a beacon at rest over a shorter time. Tuned with
    /// ``defaultChangeRate``.
    public static let defaultDrift: Double = 0.1
    /// Twenty seconds, the window of AltBeacon's filter.
    public static let defaultSilence = TimeSpan.seconds(20)
    /// The range of ``changeRate``: from one in three hours to one a second.
    package static let changeRateRange: ClosedRange<Double> = 0.0001...1
    /// The range of ``drift``: beyond 10 dB²/s the filter would follow every report.
    package static let driftRange: ClosedRange<Double> = 0...10

    /// Creates parameters; numbers out of their range and NaN are clamped.
    public init(
      model: SignalModel = .standard,
      changeRate: Double = defaultChangeRate,
      drift: Double = defaultDrift,
      silence: TimeSpan = defaultSilence
    ) {
      self.model = model
      self.changeRate = SignalModel.clamped(changeRate, to: Self.changeRateRange)
      self.drift = SignalModel.clamped(drift, to: Self.driftRange)
      self.silence = SampleWindow.clamped(silence)
    }
  }

  /// The number of levels: 96 dB, from below any receiver's sensitivity to a beacon at the antenna.
  static let levels = LevelBelief.levels
  /// The distance between levels in dB: twice the accuracy of the level of a beacon at rest, so that the grid itself
  /// adds an error of less than a tenth of a decibel.
  static let spacing: Double = 1.5
  /// The lowest level in dBm.
  static let lowest: Double = -112
  /// The strongest RSSI that is distinguished, in dBm.
  static let strongest: Int8 = -18
  /// The smallest share of probability that a report spreads over all levels: no level may become impossible, however
  /// many reports have the same time.
  static let leastShare: Float = 1e-6
  /// The largest share of a level's probability that a report's time moves to one neighbor; with at most a quarter
  /// to each side it remains a blur.
  static let largestStep: Float = 0.25

  private var belief = LevelBelief()
  private let likelihoods: [SIMD4<Float>]
  /// The time of the last sample; meaningless while the filter ``isEmpty``.
  private var last: Int64 = 0
  private let silence: UInt32
  private let changeRate: Float
  /// The share of a level's probability that a second moves to one neighbor.
  private let step: Float
  private var standstill = Standstill()
  private var isEmpty = true

  /// Creates a filter without samples.
  package init(_ parameters: Parameters = Parameters()) {
    likelihoods = parameters.model.likelihoods
    silence = SampleWindow.length(parameters.silence)
    changeRate = Float(parameters.changeRate)
    step = Float(parameters.drift / (2 * Self.spacing * Self.spacing))
  }

  /// Adds a report's RSSI in dBm.
  package mutating func add(_ rssi: Int8, at time: Timestamp) {
    guard rssi != 127 else { return }
    var elapsed = max(0, time.microseconds &- last)
    if isEmpty || elapsed >= Int64(silence) {
      belief = LevelBelief()
      standstill.begin(at: time.microseconds)
      isEmpty = false
      last = time.microseconds
      elapsed = 0
    } else {
      last = max(last, time.microseconds)
    }
    update(rssi, seconds: Float(elapsed) * 1e-6)
  }

  /// Applies the passing of time, then weights every level by how well it explains an RSSI.
  @inline(__always)
  private mutating func update(_ rssi: Int8, seconds: Float) {
    let changes = changeRate * seconds
    let share = max(changes / (1 + changes), Self.leastShare)
    let moved = min(step * seconds, Self.largestStep)
    let rows = likelihoods
    let row = SignalModel.row(of: rssi)
    guard row.upperBound <= rows.count else { return }
    belief.weigh(
      keeping: (1 - share) * (1 - 2 * moved),
      moving: (1 - share) * moved,
      adding: share / Float(Self.levels),
      by: rows.span.extracting(row)
    )
  }

  /// Returns the mean level and its standard deviation; `nil` when nothing was received for as long as a sample counts.
  ///
  /// The earlier results show whether the beacon stands still (``FilteredRSSI/settledError``); the engine calls this at
  /// every tick.
  package mutating func estimate(at time: Timestamp) -> FilteredRSSI? {
    let elapsed = max(0, time.microseconds &- last)
    guard !isEmpty, elapsed < Int64(silence) else {
      isEmpty = true
      return nil
    }
    let statistics = belief.statistics
    let spread = statistics.variance * Self.spacing * Self.spacing
    let drift = Double(step) * 2 * Self.spacing * Self.spacing * Double(elapsed) / 1e6
    let variance = spread + drift + FilteredRSSI.roundingVariance
    let assumed = FilteredRSSI.assumedDeviation
    let error = variance.squareRoot()
    let level = Self.spacing * statistics.mean
    return FilteredRSSI(
      dBm: Self.lowest + level,
      standardError: error,
      effectiveSamples: max(1, assumed * assumed / variance),
      settledError: error * standstill.share(at: level, variance: variance, lastReceived: last)
    )
  }
}

extension BayesianFilter {
  /// For how long a receiver may have received nothing before only another one counts: 3 s, as a silent beacon keeps
  /// its proximity at least.
  private static let late = IntervalEstimate.leastHold

  /// Whether nothing was received lately.
  func isLate(at time: Timestamp) -> Bool {
    time.microseconds &- last > Self.late.microseconds
  }

  /// Whether the beacon has evidently stood still for long enough that its reports show a ``MeanOffset``.
  @inline(__always)
  var standsStill: Bool { standstill.seconds(until: last) >= MeanOffset.secondsNeeded }
}

extension BayesianFilter.Parameters: Hashable {
  /// Returns whether two filters have the same results.
  public static func == (a: Self, b: Self) -> Bool {
    a.model == b.model && a.changeRate == b.changeRate && a.drift == b.drift
      && a.silence == b.silence
  }

  /// Hashes the numbers.
  public func hash(into hasher: inout Hasher) {
    hasher.combine(model)
    hasher.combine(changeRate)
    hasher.combine(drift)
    hasher.combine(silence)
  }
}
