// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

/// The statistics of a beacon's gaps, from which follows how long it may be silent while it is still present.
///
/// There is one for each beacon, shared by all regions that match it. It takes 48 bytes, and a sighting takes a few
/// additions. It answers the question: which gap does this beacon, while present, exceed no more than 0.1 times an
/// hour?
///
/// **How.** Gaps are counted beyond a ladder of levels at 1.5, 2.5, 4.5, 8.5 … advertising intervals (half-way between
/// whole intervals, where no gap ends), each with the sum of the excess. Above a sufficiently high level, both kinds of
/// loss look alike: the excess decays exponentially, at a rate of the advertising interval when packets are lost
/// independently, at a rate of the length of the bad runs when they are lost in bursts. So the exit time is *level +
/// mean excess × ln(rate of exceeding the level / rate wanted)*, at the highest level that is still exceeded often
/// enough to have been measured. For a beacon that has never exceeded a level, one bad run is assumed in advance; the
/// longer it is present without one, the shorter its exit time.
///
/// **What it does not learn from.** Gaps in which the receiver could not receive (the caller leaves them out), and gaps
/// longer than the cap, which are absences by definition.
///
/// **Change.** A level that has not been exceeded for an improbably long time is cleared. A gap well beyond the exit
/// time contradicts the statistics, half of which is then dropped. Gaps older than some hours fade.
///
/// The exit time never shrinks faster than time passes, so the time at which a region is left (last report + exit
/// time) never moves back; a region needs to keep only the latest such time of all its beacons.
public struct ArrivalIntervals: Sendable {
  // While the interval is unknown, the first gaps in ms; then the sum of each bin's excess in sixteenths of its width.
  var excess: [8 of UInt16] = .init(repeating: 0)
  var counts: [8 of UInt16] = .init(repeating: 0)
  var presence: UInt32 = 0
  /// The advertising interval in quarters of a ms; 0 while it is unknown.
  var estimatedInterval: UInt16 = 0
  var exit: UInt16 = 0
  var target: UInt16 = 0
  /// Seconds of presence at which the fitted level was last exceeded.
  var lastExceeded: UInt16 = 0
  var refreshAt: UInt16 = 0
  var shorter: UInt8 = 0
  /// While the interval is unknown, how many first gaps are in `excess`; then the level that was fitted.
  var stage: UInt8 = 0

  /// Creates the statistics of an unknown beacon.
  public init() {}

  /// Whether the exit time follows from the beacon's own gaps, not only from the cap.
  public var isLearned: Bool { target != 0 }

  /// The observed advertising interval, accurate to a few milliseconds; `nil` until it is known.
  public var interval: TimeSpan? {
    estimatedInterval == 0 ? nil : TimeSpan(microseconds: Int64(estimatedInterval) * 250)
  }

  /// How long the beacon has been observed: the sum of the gaps that count, without those that have faded.
  public var observed: TimeSpan { .milliseconds(Int64(presence)) }

  /// Returns how long the beacon may be silent before it counts as gone.
  public func exitTime(_ learning: ExitLearning) -> TimeSpan {
    exit == 0 ? learning.cap : .milliseconds(Int64(exit))
  }

  /// Processes the time between two sightings of the beacon during which a receiver listened all the time.
  public mutating func received(after gap: TimeSpan, _ learning: ExitLearning) {
    let microseconds = gap.microseconds
    guard microseconds > 0 else { return }
    guard gap <= learning.cap else {
      // The beacon was absent for longer than its exit time, which has passed, so it may shrink at once.
      if target != 0 { exit = target }
      return
    }
    let milliseconds = UInt16(clamping: (microseconds + 500) / 1000)
    presence &+= UInt32(milliseconds)
    // Two receivers with one packet, or a packet delivered late: not an advertising interval.
    if milliseconds >= ArrivalIntervals.shortestGap { count(milliseconds, learning) }
    if presence >= UInt32(refreshAt) &* 1000 || milliseconds > exit { refresh(learning) }
    if exit > target, target != 0 {
      exit = exit &- min(exit &- target, milliseconds)
    }
  }
}

extension ArrivalIntervals {
  /// The shortest time in ms that counts as a gap: 20, the shortest advertising interval (Core 5.3, Vol 6, Part B,
  /// 4.4.2.2).
  static let shortestGap: UInt16 = 20
  /// The number of gaps from which the advertising interval is estimated: 8.
  ///
  /// At least one of them is a single interval, even when seven of ten packets are lost (in 94 of 100 cases).
  static let firstGaps: UInt8 = 8
  /// Seconds of presence between two fits: 4.
  ///
  /// A fit takes about 100 ns; the result changes over minutes.
  static let refreshInterval: UInt16 = 4
  /// Seconds of presence that are remembered in full before all counts are halved: 16 h.
  ///
  /// In that time the fitted level is exceeded eighty times or more, so that the exit time varies by a few percent.
  static let memory: UInt32 = 16 * 3600
  /// The largest count of a bin; the bins that a fit uses stay far below.
  static let countLimit: UInt16 = 4000
  /// How often an hour a level must be exceeded to be fitted, in units of the target rate: 100.
  ///
  /// With a smaller number the fit is too random; with a larger one it extrapolates from gaps that are not yet typical
  /// of long ones.
  static let fittedRate = 100.0
  /// The share of the target rate that the fit aims for: 0.6.
  ///
  /// Counts vary, and a time that is too short causes more additional false exits than one that is too long avoids.
  static let aim = 0.6
  /// The mean length in seconds of the bad run that is assumed until the beacon's own are known: 1.75.
  ///
  /// People carrying beacons through a building (four scanners, six beacons) caused first silences of 10 to 13 s after
  /// a minute of perfect reception, which this covers; with 3 s the exit of every new beacon would be slow.
  static let assumedRun = 1.75
  /// The weight of that assumption, in gaps: 2.
  static let assumedGaps = 2.0
  /// A level is cleared when the probability of its silence, without a change, is below e⁻⁹ (1 in 8,000).
  static let surprise = 9.0
  /// A gap a quarter longer than the exit time divides the counts below it by 2.
  static let refutedPart: UInt32 = 2

  private mutating func count(_ milliseconds: UInt16, _ learning: ExitLearning) {
    guard estimatedInterval != 0 else {
      excess[Int(stage)] = milliseconds
      stage &+= 1
      if stage == ArrivalIntervals.firstGaps { estimateInterval() }
      return
    }
    let quarters = UInt32(milliseconds) &* 4
    if quarters &* 4 < UInt32(estimatedInterval) &* 3 {
      shorter = shorter > 111 ? 128 : shorter &+ 16
      // One in seventeen is shorter than the interval, so the estimate was two intervals: start again.
      if shorter >= 128 {
        let (exit, target) = (exit, target)
        self = ArrivalIntervals()
        (self.exit, self.target) = (exit, target)
        return
      }
    } else {
      if shorter > 0 { shorter &-= 1 }
      // Small steps towards each single interval find their mean.
      if quarters < UInt32(estimatedInterval) {
        estimatedInterval &-= 1
      } else if quarters > UInt32(estimatedInterval),
        quarters &* 2 < UInt32(estimatedInterval) &* 3, estimatedInterval < .max
      {
        estimatedInterval &+= 1
      }
    }
    add(milliseconds)
  }

  private mutating func estimateInterval() {
    let first = excess
    var shortest = UInt16.max
    for index in first.indices { shortest = min(shortest, first[index]) }
    // The advertising delay makes each interval up to 10 ms longer than the shortest: use the mean of the single ones.
    var singles: UInt32 = 0
    var sum: UInt32 = 0
    for index in first.indices where UInt32(first[index]) &* 2 < UInt32(shortest) &* 3 {
      singles &+= 1
      sum &+= UInt32(first[index])
    }
    estimatedInterval = UInt16(clamping: sum &* 4 / max(singles, 1))
    stage = 0
    excess = .init(repeating: 0)
    for index in first.indices { add(first[index]) }
    refreshAt = 0
  }

  private mutating func add(_ milliseconds: UInt16) {
    // In half intervals the levels are 3, 5, 9, 17 …: 2·2ʲ + 1.
    let halfIntervals = UInt32(milliseconds) &* 8 / UInt32(max(estimatedInterval, 1))
    guard halfIntervals >= 3 else { return }
    let bin = min(7, 31 - Int((halfIntervals &- 1).leadingZeroBitCount) - 1)
    let width = UInt32(estimatedInterval) << UInt32(bin)
    let level = width &+ UInt32(estimatedInterval) / 2
    let quarters = UInt32(milliseconds) &* 4
    let over = quarters > level ? quarters &- level : 0
    let sixteenths = min((over &* 16 &+ width / 2) / max(width, 1), 4096)
    if bin >= Int(stage) {
      lastExceeded = UInt16(truncatingIfNeeded: min(presence / 1000, 65535))
    }
    guard counts[bin] < ArrivalIntervals.countLimit else { return }
    counts[bin] &+= 1
    excess[bin] = UInt16(clamping: UInt32(excess[bin]) &+ sixteenths)
    if target != 0, UInt32(milliseconds) &* 4 > UInt32(exit) &* 5 { refute(from: bin) }
  }

  /// Halves the counts below a bin, after an unexpected gap in that bin.
  private mutating func refute(from bin: Int) {
    presence /= ArrivalIntervals.refutedPart
    for index in 0..<bin {
      counts[index] /= UInt16(ArrivalIntervals.refutedPart)
      excess[index] /= UInt16(ArrivalIntervals.refutedPart)
    }
    lastExceeded = UInt16(truncatingIfNeeded: min(presence / 1000, 65535))
  }
}
