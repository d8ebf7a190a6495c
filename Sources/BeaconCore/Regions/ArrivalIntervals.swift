// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

/// The statistics of a beacon's gaps, from which follows how long it may be silent while it is still present.
///
/// There is one for each beacon, shared by all regions that match it, and one for each region, of the silences of all
/// its beacons together. It takes about 160 bytes, and a sighting takes a few additions. It answers the question: which
/// gap does this beacon, while present, exceed no more than 0.1 times an hour?
///
/// **How.** Of a long period of presence only the `longestKept` longest gaps are kept, and how long the period was.
/// The k-th longest of them is exceeded k times in that period; beyond it, gaps thin out exponentially: at a rate of
/// the advertising interval when packets are lost independently, at a rate of the length of the bad runs when they are
/// lost in bursts. Each k therefore predicts the gap that is exceeded at the wanted rate; the mean of these predictions
/// is the exit time. It is never shorter than the longest gap that the wanted rate does not allow for, and a bad run
/// longer than any gap so far is assumed until the period is long enough to show that there is none.
///
/// **The next packet.** A beacon sends at whole intervals, so no gap ends between two of them: the exit time is rounded
/// up to the next whole number of intervals and a margin. So it never ends before the next packet is due.
///
/// **What it does not learn from.** Gaps in which the receiver could not receive (the caller leaves them out), and gaps
/// longer than the cap, which are absences by definition; they are only counted.
///
/// **Change.** Two periods of `memory` are kept, the current one and the one before, so older gaps are forgotten. A gap
/// well beyond the exit time contradicts the statistics: they start again, with the cap as the exit time.
///
/// The exit time never shrinks faster than time passes, so the time at which a region is left (last report + exit
/// time) never moves back.
public struct ArrivalIntervals: Sendable {
  /// What is kept of a period of presence.
  struct Period: Sendable {
    /// The longest gaps in ms, longest first; 0 where there were fewer.
    var longest: [24 of UInt16] = .init(repeating: 0)
    /// Its length in ms: the sum of the gaps.
    var presence: UInt32 = 0
    /// How many gaps there were.
    var gaps: UInt32 = 0
    /// How many of them were longer than one and a half advertising intervals.
    var withLosses: UInt32 = 0
  }

  var current = Period()
  var previous = Period()
  /// The first gaps in ms, while the interval is unknown.
  var first: [8 of UInt16] = .init(repeating: 0)
  /// When the next fit is due, in ms of the current period.
  var refreshAt: UInt32 = 0
  /// The advertising interval in quarters of a ms; 0 while it is unknown.
  var estimatedInterval: UInt16 = 0
  var exit: UInt16 = 0
  var target: UInt16 = 0
  /// How fast gaps thin out beyond the exit time: in ms, to one e-th.
  var decay: UInt16 = 0
  /// How many gaps were longer than the cap, but not longer than twice the cap.
  var beyondCap: UInt16 = 0
  /// The evidence for a shorter interval: plus 16 for a gap that is too short, minus 1 for any other.
  var shorter: UInt8 = 0
  /// How many gaps in succession were longer than one and a half intervals.
  var longer: UInt8 = 0
  /// How many first gaps are known, while the interval is unknown.
  var firstCount: UInt8 = 0
  /// Whether the gaps are the silences of several beacons together, which have no common interval.
  let isCommon: Bool
  /// Whether the wanted rate needs a longer exit time than the cap.
  private(set) var needsLongerCap = false

  /// Creates the statistics of an unknown beacon.
  public init() { isCommon = false }

  /// Creates the statistics of the silences that several beacons have in common.
  init(ofSeveral: Void) { isCommon = true }

  /// Whether the exit time follows from the beacon's own gaps, not only from the cap.
  package var isLearned: Bool { target != 0 }

  /// The observed advertising interval, accurate to a few milliseconds; `nil` until it is known.
  public var interval: TimeSpan? {
    estimatedInterval == 0 || isCommon
      ? nil : TimeSpan(microseconds: Int64(estimatedInterval) * 250)
  }

  /// How long the beacon has been observed: the sum of the gaps that count, without those that are forgotten.
  public var observed: TimeSpan {
    .milliseconds(Int64(current.presence) + Int64(previous.presence))
  }

  /// Returns how long the beacon may be silent before it counts as gone.
  public func exitTime(_ learning: ExitLearning) -> TimeSpan {
    exit == 0 ? learning.cap : .milliseconds(Int64(exit))
  }

  /// Returns how long it may take until the beacon's next packet, if that is not lost.
  func nextPacket(_ learning: ExitLearning) -> TimeSpan {
    guard estimatedInterval != 0 else { return exitTime(learning) }
    let milliseconds = Double(estimatedInterval) / 4 + margin * 1000
    return min(.milliseconds(Int64(milliseconds)), exitTime(learning))
  }

  /// Processes the time between two sightings of the beacon during which a receiver listened all the time.
  public mutating func received(after gap: TimeSpan, _ learning: ExitLearning) {
    let microseconds = gap.microseconds
    guard microseconds > 0 else { return }
    guard gap <= learning.cap else { return absent(for: gap, learning) }
    let milliseconds = UInt16(clamping: (microseconds + 500) / 1000)
    current.presence &+= UInt32(milliseconds)
    // Two receivers with one packet, or a packet delivered late: not an advertising interval.
    if milliseconds >= ArrivalIntervals.shortestGap {
      count(milliseconds, learning)
    } else if current.presence >= refreshAt {
      refresh(learning)
    }
    if exit > target, target != 0 {
      exit = exit &- min(exit &- target, milliseconds)
    }
  }
}

extension ArrivalIntervals {
  /// How many of a period's longest gaps are kept: 24.
  ///
  /// In twelve hours two or three gaps may be longer than the exit time. A prediction from ten times as many varies by
  /// a third of the decay; one from more would predict long gaps from such as are not yet typical of them.
  static let longestKept = 24
  /// The shortest time in ms that counts as a gap: 20, the shortest advertising interval (Core 5.3, Vol 6, Part B,
  /// 4.4.2.2).
  static let shortestGap: UInt16 = 20
  /// The number of gaps from which the advertising interval is estimated: 8.
  ///
  /// At least one of them is a single interval, even when seven of ten packets are lost (in 94 of 100 cases).
  static let firstGaps: UInt8 = 8
  /// How many gaps in succession must be longer than the interval until it is estimated again: 24.
  ///
  /// At a loss of one half that happens by chance once in ten million gaps.
  static let longerGaps: UInt8 = 24
  /// Milliseconds of presence between two fits: 60 s; a fit takes about 1 µs, and the result changes over minutes.
  static let refreshInterval: UInt32 = 60_000
  /// Milliseconds of presence in a period: 16 h.
  ///
  /// Two periods span a day, so a beacon that sends slowly at night is still known to do so in the next evening.
  static let memory: UInt32 = 16 * 3_600_000

  /// Counts a gap that is no absence.
  @inline(__always)
  private mutating func count(_ milliseconds: UInt16, _ learning: ExitLearning) {
    current.gaps &+= 1
    if !isCommon { trackInterval(milliseconds) }
    let isNewLongest = milliseconds > current.longest[0]
    if milliseconds > current.longest[ArrivalIntervals.longestKept - 1] { keep(milliseconds) }
    if milliseconds > exit, target != 0, exit != 0 { exceeded(milliseconds) }
    if isNewLongest || current.presence >= refreshAt { refresh(learning) }
  }

  private mutating func keep(_ milliseconds: UInt16) {
    var place = ArrivalIntervals.longestKept - 1
    while place > 0, current.longest[place - 1] < milliseconds {
      current.longest[place] = current.longest[place - 1]
      place -= 1
    }
    current.longest[place] = milliseconds
  }

  /// Starts again if a gap is so far beyond the exit time that the statistics do not describe the beacon any more.
  private mutating func exceeded(_ milliseconds: UInt16) {
    let exit = UInt32(exit)
    let plausible = max(
      exit + exit / ArrivalIntervals.plausiblePart,
      exit + UInt32(decay) * ArrivalIntervals.plausibleDecays
    )
    guard UInt32(milliseconds) > plausible else {
      self.exit = max(self.exit, milliseconds)
      return
    }
    let (interval, shorter, longer) = (estimatedInterval, shorter, longer)
    let (first, firstCount) = (first, firstCount)
    self = isCommon ? ArrivalIntervals(ofSeveral: ()) : ArrivalIntervals()
    (estimatedInterval, self.shorter, self.longer) = (interval, shorter, longer)
    (self.first, self.firstCount) = (first, firstCount)
    current.longest[0] = milliseconds
    current.presence = UInt32(milliseconds)
    current.gaps = 1
  }

  /// Counts a gap that is longer than the cap.
  private mutating func absent(for gap: TimeSpan, _ learning: ExitLearning) {
    // The beacon was absent for longer than its exit time, which has passed, so it may shrink at once.
    if target != 0 { exit = target }
    if gap <= learning.cap + learning.cap, beyondCap < .max { beyondCap &+= 1 }
  }

  private mutating func trackInterval(_ milliseconds: UInt16) {
    guard estimatedInterval != 0 else {
      first[Int(firstCount)] = milliseconds
      firstCount &+= 1
      if firstCount == ArrivalIntervals.firstGaps { estimateInterval() }
      return
    }
    let quarters = UInt32(milliseconds) &* 4
    let interval = UInt32(estimatedInterval)
    if quarters &* 4 < interval &* 3 {
      shorter = shorter > 111 ? 128 : shorter &+ 16
      // One in seventeen is shorter than the interval, so the estimate was two intervals: estimate again.
      if shorter >= 128 { forgetInterval() }
      return
    }
    if shorter > 0 { shorter &-= 1 }
    guard quarters &* 2 > interval &* 3 else {
      longer = 0
      // Small steps towards each single interval find their mean.
      if quarters < interval { estimatedInterval &-= 1 }
      if quarters > interval, estimatedInterval < .max { estimatedInterval &+= 1 }
      return
    }
    current.withLosses &+= 1
    longer &+= 1
    if longer >= ArrivalIntervals.longerGaps { forgetInterval() }
  }

  private mutating func forgetInterval() {
    estimatedInterval = 0
    firstCount = 0
    shorter = 0
    longer = 0
  }

  private mutating func estimateInterval() {
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
    firstCount = 0
  }

  /// Stores the result of a fit.
  mutating func fitted(_ milliseconds: UInt16, decay: UInt16, needsLongerCap: Bool) {
    target = milliseconds
    self.decay = decay
    self.needsLongerCap = needsLongerCap
  }

  /// Sets the longest interval of the beacons whose silences are counted together.
  mutating func setInterval(_ quarters: UInt16) {
    if quarters > estimatedInterval { estimatedInterval = quarters }
  }
}
