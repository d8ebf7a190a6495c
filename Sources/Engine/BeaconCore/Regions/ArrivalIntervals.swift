// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

/// The statistics of a beacon's gaps, from which follows how long it may be silent while it is still present.
///
/// There is one for each beacon, shared by all regions that match it, and one for each region, of the silences of all
/// its beacons together. It takes about 180 bytes, and a sighting takes a few additions. It answers the question: which
/// gap does this beacon, while present, exceed no more than 0.1 times an hour?
///
/// **How.** Of a long period of presence only the 24 longest gaps are kept, and how long the period was.
/// The k-th longest of them is exceeded k times in that period; beyond it, gaps thin out exponentially: at a rate of
/// the advertising interval when packets are lost independently, at a rate of the length of the bad runs when they are
/// lost in bursts. Each k therefore predicts the gap that is exceeded at the wanted rate; the mean of these predictions
/// is the exit time. It is never shorter than the longest gap that the wanted rate does not allow for, and a bad run
/// longer than any gap so far is assumed until the period is long enough to exclude it.
///
/// **The next packet.** A beacon sends at whole intervals, so no gap ends between two of them: the exit time is rounded
/// up to the next whole number of intervals and a margin. So it never ends before the next packet is due.
///
/// **Ignored gaps.** Gaps in which the receiver could not receive (the caller leaves them out), and gaps
/// longer than the cap, which are absences by definition; they are only counted. If they prove to be ``Rests``, the cap
/// is the exit time.
///
/// **Change.** Two periods of memory are kept, the current one and the one before, so older gaps are forgotten. A gap
/// beyond the exit time puts the statistics in doubt: the cap is the exit time for as much presence as learning
/// requires. A second such gap in this time contradicts them, so they start again; without one they count again. They
/// also start again when the advertising interval proves longer than those they were learned from.
///
/// The exit time never shrinks faster than time passes, so the time at which a region is left (last report + exit
/// time) never moves back.
package struct ArrivalIntervals: Sendable {
  /// The kept values of a period of presence.
  struct Period: Sendable {
    /// The longest gaps in ms, longest first; 0 if there were fewer.
    var longest: [24 of UInt16] = .init(repeating: 0)
    /// Its length in ms: the sum of the gaps.
    var presence: UInt32 = 0
    /// How many gaps there were.
    var gaps: UInt32 = 0
    /// How many of them were longer than one and a half advertising intervals.
    var withLosses: UInt32 = 0
    /// The longest advertising interval for which an exit time was learned, in quarters of a ms.
    var slowest: UInt16 = 0
  }

  var current = Period()
  var previous = Period()
  /// The first gaps in ms, while the interval is unknown.
  var first: [8 of UInt16] = .init(repeating: 0)
  /// When the next fit is due, in ms of the current period.
  var refreshAt: UInt32 = 0
  /// Until when the statistics are in doubt, in ms of the current period; 0 while they are not.
  var doubtUntil: UInt32 = 0
  /// The advertising interval in quarters of a ms; 0 while it is unknown.
  var estimatedInterval: UInt16 = 0
  var exit: UInt16 = 0
  var target: UInt16 = 0
  /// How many gaps were longer than the cap, but not longer than twice the cap.
  var beyondCap: UInt16 = 0
  /// Whether the gaps beyond the cap are rests.
  var rests = Rests()
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
  package init() { isCommon = false }

  /// Creates the statistics of the silences that several beacons have in common.
  init(ofSeveral: Void) { isCommon = true }

  /// Whether the exit time follows from the beacon's own gaps, not only from the cap.
  package var isLearned: Bool { target != 0 }

  /// Whether a recent gap contradicts the exit time, so that the cap applies for a while.
  var isInDoubt: Bool { doubtUntil != 0 }

  /// Whether the advertising interval is longer than any that is learned, ``longestInterval``.
  var isBeyondLongest: Bool { estimatedInterval == .max && !isCommon }

  /// The advertising intervals that are learned are shorter than this.
  static let longestInterval = TimeSpan.seconds(16)

  /// The observed advertising interval, accurate to a few milliseconds; `nil` until it is known, and if it is too long to be
  /// learned.
  package var interval: TimeSpan? {
    estimatedInterval == 0 || isCommon || isBeyondLongest
      ? nil : TimeSpan(microseconds: Int64(estimatedInterval) * 250)
  }

  /// How long the beacon has been observed: the sum of the gaps that count, without those that are forgotten.
  package var observed: TimeSpan {
    .milliseconds(Int64(current.presence) + Int64(previous.presence))
  }

  /// Returns how long the beacon may be silent before it counts as gone.
  package func exitTime(_ learning: ExitLearning) -> TimeSpan {
    exit == 0 ? learning.cap : .milliseconds(Int64(exit))
  }

  /// Returns how long it may take until the beacon's next packet, if that is not lost.
  func nextPacket(_ learning: ExitLearning) -> TimeSpan {
    guard estimatedInterval != 0 else { return exitTime(learning) }
    let milliseconds = Double(estimatedInterval) / 4 + margin(learning.model) * 1000
    return min(.milliseconds(Int64(milliseconds)), exitTime(learning))
  }

  /// Processes the time between two sightings of the beacon during which a receiver listened all the time.
  package mutating func received(after gap: TimeSpan, _ learning: ExitLearning) {
    let microseconds = gap.microseconds
    guard microseconds > 0 else { return }
    guard gap <= learning.cap else { return absent(for: gap, learning) }
    let milliseconds = UInt16(clamping: (microseconds + 500) / 1000)
    // Two receivers with one packet, or a packet delivered late: not an advertising interval.
    let isGap = gap >= learning.model.shortestGap
    if isGap, !isCommon { trackInterval(milliseconds, learning.model) }
    current.presence &+= UInt32(milliseconds)
    if isGap {
      count(milliseconds, learning)
    } else if current.presence >= refreshAt {
      refresh(learning)
    }
    if exit > target, target != 0, doubtUntil == 0 {
      exit = exit &- min(exit &- target, milliseconds)
    }
  }
}

extension ArrivalIntervals {
  /// How many of a period's longest gaps are stored, the most that ``IntervalModel/longestKept`` can use.
  static let longestStored = 24
  /// How many first gaps are stored, the most that ``IntervalModel/firstGaps`` can use.
  static let firstStored = 8
  /// The longest period of presence in ms: the longest memory that can be set, 7 days, and a minute.
  static let longestPresence: UInt32 = 7 * 86_400_000 + 65_535

  /// Counts a gap that is not an absence.
  @inline(__always)
  private mutating func count(_ milliseconds: UInt16, _ learning: ExitLearning) {
    current.gaps &+= 1
    let isNewLongest = milliseconds > current.longest[0]
    if milliseconds > current.longest[ArrivalIntervals.longestStored - 1] { keep(milliseconds) }
    if doubtUntil != 0 {
      doubted(milliseconds, learning)
    } else if milliseconds > target, target != 0 {
      doubt(for: learning.hold, learning)
    } else if isNewLongest || current.presence >= refreshAt {
      refresh(learning)
    }
  }

  private mutating func keep(_ milliseconds: UInt16) {
    var place = ArrivalIntervals.longestStored - 1
    while place > 0, current.longest[place - 1] < milliseconds {
      current.longest[place] = current.longest[place - 1]
      place -= 1
    }
    current.longest[place] = milliseconds
  }

  /// Doubts the statistics, since a gap was longer than they allow for: the cap is the exit time for a while.
  private mutating func doubt(for span: TimeSpan, _ learning: ExitLearning) {
    doubtUntil = max(current.presence &+ ArrivalIntervals.milliseconds(span), 1)
    exit = ArrivalIntervals.milliseconds(learning.cap)
  }

  /// Processes a gap while the statistics are in doubt.
  ///
  /// A second gap that they do not allow for contradicts them. Without one they count again after as much presence as
  /// learning requires, but not before a single advertising interval shows that the beacon has kept it.
  private mutating func doubted(_ milliseconds: UInt16, _ learning: ExitLearning) {
    if milliseconds > target {
      startAgain()
      add(milliseconds)
    } else if current.presence >= doubtUntil, isCommon || (longer == 0 && estimatedInterval != 0) {
      doubtUntil = 0
      refresh(learning)
    }
  }

  /// Forgets all gaps: the cap is the exit time until an exit time is learned.
  private mutating func startAgain() {
    (current, previous) = (Period(), Period())
    (refreshAt, doubtUntil, exit, target, beyondCap) = (0, 0, 0, 0, 0)
    rests.presence = 0
    needsLongerCap = rests.areEvident
  }

  /// Adds a gap after the statistics started again.
  private mutating func add(_ milliseconds: UInt16) {
    current.presence &+= UInt32(milliseconds)
    current.gaps &+= 1
    if milliseconds > current.longest[ArrivalIntervals.longestStored - 1] { keep(milliseconds) }
  }

  /// Counts a gap that is longer than the cap.
  private mutating func absent(for gap: TimeSpan, _ learning: ExitLearning) {
    let isShort = gap <= learning.cap + learning.cap
    let wereEvident = rests.areEvident
    rests.add(gap, presence: current.presence, learning)
    // It may have been present and send more slowly by now: until a single interval shows that it does not. Several
    // beacons have no common interval.
    if target != 0, doubtUntil == 0, !isCommon || isShort {
      doubt(for: isCommon ? learning.hold : .zero, learning)
    }
    if isShort, beyondCap < .max { beyondCap &+= 1 }
    if rests.areEvident != wereEvident { needsLongerCap = rests.areEvident }
    guard rests.areEvident else { return }
    // Nothing is learned from the time between two rests.
    if target != 0 {
      target = ArrivalIntervals.milliseconds(learning.cap)
      exit = target
    }
  }

  private mutating func trackInterval(_ milliseconds: UInt16, _ model: IntervalModel) {
    guard estimatedInterval != 0 else {
      first[Int(firstCount)] = milliseconds
      firstCount &+= 1
      if Int(firstCount) >= min(model.firstGaps, ArrivalIntervals.firstStored) {
        estimateInterval(model)
      }
      return
    }
    let quarters = UInt32(milliseconds) &* 4
    let interval = UInt32(estimatedInterval)
    if quarters &* 4 < interval &* 3 {
      shorter = UInt8(clamping: Int(shorter) &+ model.shorterWeight)
      // Too many are shorter than the interval, so the estimate was two intervals: estimate again.
      if Int(shorter) >= model.shorterLimit { forgetInterval() }
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
    if Int(longer) >= model.longerGaps { forgetInterval() }
  }

  private mutating func forgetInterval() {
    estimatedInterval = 0
    firstCount = 0
    shorter = 0
    longer = 0
  }

  private mutating func estimateInterval(_ model: IntervalModel) {
    let count = Int(firstCount)
    var shortest = UInt16.max
    for index in 0..<count { shortest = min(shortest, first[index]) }
    // The advertising delay makes each interval up to 10 ms longer than the shortest: use the mean of the single ones.
    var singles: UInt32 = 0
    var sum: UInt32 = 0
    for index in 0..<count where UInt32(first[index]) &* 2 < UInt32(shortest) &* 3 {
      singles &+= 1
      sum &+= UInt32(first[index])
    }
    let estimate = UInt16(clamping: sum &* 4 / max(singles, 1))
    estimatedInterval = estimate
    firstCount = 0
    let isSlower = isSlower(estimate, model)
    if isSlower { startAgain() }
    for index in 0..<count {
      // The last of them is counted by the caller.
      if isSlower, index + 1 < count { add(first[index]) }
      if UInt32(first[index]) &* 8 > UInt32(estimate) &* 3 { current.withLosses &+= 1 }
    }
  }

  /// Stores the result of a fit.
  mutating func fitted(_ milliseconds: UInt16, needsLongerCap: Bool) {
    target = milliseconds
    self.needsLongerCap = needsLongerCap
  }

  /// Sets the longest interval of the beacons whose silences are counted together.
  mutating func setInterval(_ quarters: UInt16, _ model: IntervalModel) {
    guard quarters > estimatedInterval else { return }
    estimatedInterval = quarters
    if isSlower(quarters, model) { startAgain() }
  }

  /// Returns whether an interval is longer than those from which the statistics were learned.
  private func isSlower(_ quarters: UInt16, _ model: IntervalModel) -> Bool {
    let known = Double(max(current.slowest, previous.slowest))
    return known > 0 && Double(quarters) > known * model.slower
      && Double(quarters) > known + Double(model.slowerBy.microseconds) / 250
  }

  static func milliseconds<Count: FixedWidthInteger>(_ span: TimeSpan) -> Count {
    Count(clamping: span.microseconds / 1000)
  }
}
