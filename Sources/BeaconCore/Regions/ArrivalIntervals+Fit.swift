// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

extension ArrivalIntervals {
  /// The share of the target rate that the fit aims for: 0.8.
  ///
  /// Gaps vary, and a time that is too short causes more additional false exits than one that is too long avoids.
  static let aim = 0.8
  /// How fast, in seconds, gaps are assumed to thin out beyond the longest one until the presence is long enough: 1.
  static let assumedRun = 1.0
  /// The smallest number of gaps from which a longer one is predicted: 4; a prediction from fewer is random.
  static let fewestGaps = 4
  /// The part of an interval that the exit time ends after a packet is due: a quarter.
  ///
  /// It covers the advertising delay of several intervals, drift, and packets that are delivered late.
  static let marginPart = 0.25
  /// What is added to that part, in seconds: 50 ms, the delay of a busy host.
  static let shortestMargin = 0.05
  /// From which share of the cap on the exit time is the cap: 0.8.
  ///
  /// So close to the cap gaps beyond it were not learned, so the prediction is too short.
  static let capShare = 0.8
  /// How much longer the silences of several beacons are observed before they are used: 3 times.
  ///
  /// The beacons' phases drift, so such silences vary more than one beacon's; until then each beacon's own time holds.
  static let commonHold = 3.0
  /// A gap is plausible up to a quarter more than the exit time.
  static let plausiblePart: UInt32 = 4
  /// A gap is also plausible up to 4 decays more, which one in fifty of the gaps beyond the exit time exceeds.
  static let plausibleDecays: UInt32 = 4
  /// By how much the expected rate at the cap must exceed the target before a longer cap counts as needed: 2 times.
  static let needFactor = 2.0
  /// How many gaps beyond the cap must be expected before their absence shows that no longer cap is needed: 3.
  static let expectedBeyond = 3.0

  /// By how many seconds the exit time exceeds a whole number of intervals.
  var margin: Double {
    Double(estimatedInterval) / 4000 * ArrivalIntervals.marginPart + ArrivalIntervals.shortestMargin
  }

  /// Fits the exit time again.
  mutating func refresh(_ learning: ExitLearning) {
    if current.presence >= ArrivalIntervals.memory { startPeriod() }
    refreshAt = current.presence &+ ArrivalIntervals.refreshInterval
    let presence = Double(current.presence) + Double(previous.presence)
    let hold = learning.hold.seconds * (isCommon ? ArrivalIntervals.commonHold : 1)
    guard presence >= hold * 1000 else { return }
    let hours = presence / 3_600_000
    var (seconds, decay) = predictedGap(hours: hours, learning)
    let cap = learning.cap.seconds
    if !isCommon, estimatedInterval != 0 {
      let interval = Double(estimatedInterval) / 4000
      var whole = ((seconds - margin) / interval).rounded(.up)
      if whole < 1 { whole = 1 }
      seconds = whole * interval + margin
      decay = max(decay, interval / 2)
    } else {
      seconds += margin
    }
    let isTooLong = seconds > cap || lossesNeedLongerCap(hours: hours, learning)
    if isTooLong || seconds > ArrivalIntervals.capShare * cap { seconds = cap }
    seconds = min(max(seconds, learning.floor.seconds), cap)
    let milliseconds = UInt16(clamping: Int((seconds * 1000).rounded()))
    fitted(
      milliseconds,
      decay: UInt16(clamping: Int((decay * 1000).rounded())),
      // An hour's prediction is not worth a warning unless a longer gap has really occurred.
      needsLongerCap: isTooLong && beyondCap > 0 && hours >= 1
    )
    // The first exit time starts at the cap; from there it shrinks with time.
    if exit == 0 { exit = UInt16(clamping: Int(cap * 1000)) }
    if milliseconds > exit { exit = milliseconds }
  }

  /// The share of the beacon's packets that is received, gaps beyond the cap included; `nil` until the interval is known.
  ///
  /// A gap between the cap and twice the cap is counted as one and a half caps.
  func receivedShare(_ learning: ExitLearning) -> Double? {
    guard let interval else { return nil }
    let beyond = Double(beyondCap)
    let gaps = Double(current.gaps) + Double(previous.gaps) + beyond
    let seconds = observed.seconds + beyond * learning.cap.seconds * 1.5
    guard seconds > 0 else { return nil }
    return min(1, gaps * interval.seconds / seconds)
  }

  private mutating func startPeriod() {
    previous = current
    current = Period()
    beyondCap /= 2
  }

  /// The gap in seconds that is exceeded at the target rate, and the seconds in which longer gaps thin out to one e-th.
  private func predictedGap(
    hours: Double,
    _ learning: ExitLearning
  ) -> (seconds: Double, decay: Double) {
    let wanted = learning.falseExitsPerHour * ArrivalIntervals.aim
    let allowed = Int(min(hours * wanted, Double(ArrivalIntervals.longestKept - 1)))
    // How often a gap that occurred once in this time occurs, in units of the wanted rate.
    let once = DeterministicMath.log(1 / (hours * wanted))
    var (now, before) = (0, 0)
    var longest = 0.0
    var sum = 0.0
    var least = 0.0
    var (predicted, predictions) = (0.0, 0.0)
    var decay = 0.0
    for index in 0..<ArrivalIntervals.longestKept {
      let milliseconds: UInt16
      if current.longest[now] >= previous.longest[before] {
        milliseconds = current.longest[now]
        now += 1
      } else {
        milliseconds = previous.longest[before]
        before += 1
      }
      guard milliseconds > 0 else { break }
      let gap = Double(milliseconds) / 1000
      if index == 0 { longest = gap }
      if index <= allowed { least = gap }
      let number = Double(index + 1)
      sum += gap
      guard index + 1 >= ArrivalIntervals.fewestGaps else { continue }
      let excess = (sum - number * gap) / (number - 1)
      predicted += gap + excess * max(0, DeterministicMath.log(number) + once)
      predictions += 1
      decay = max(decay, excess)
    }
    let assumed = longest + ArrivalIntervals.assumedRun * max(0, once)
    let mean = predictions > 0 ? predicted / predictions : 0
    return (max(least, assumed, mean), decay)
  }

  /// Whether packets are lost so often that runs of losses longer than the cap are more frequent than the target rate.
  ///
  /// Gaps beyond the cap are not learned, so this follows from the share of single losses. If such runs should have
  /// occurred by now and did not, losses are not independent, and the longest gaps alone count.
  private func lossesNeedLongerCap(hours: Double, _ learning: ExitLearning) -> Bool {
    guard estimatedInterval != 0, !isCommon else { return false }
    let gaps = Double(current.gaps) + Double(previous.gaps)
    let withLosses = Double(current.withLosses) + Double(previous.withLosses)
    guard withLosses > 0, gaps > withLosses else { return false }
    let lost = withLosses / gaps
    let interval = Double(estimatedInterval) / 4000
    let wanted = learning.falseExitsPerHour * ArrivalIntervals.needFactor
    var run = 1.0
    var rate = gaps / hours * lost
    // A run of as many losses makes a gap of one interval more.
    while rate > wanted, run * interval <= learning.cap.seconds {
      run += 1
      rate *= lost
    }
    guard run * interval > learning.cap.seconds else { return false }
    var expected = gaps
    var span = interval
    while span <= learning.cap.seconds {
      expected *= lost
      span += interval
    }
    return expected < ArrivalIntervals.expectedBeyond
      || Double(beyondCap) * ArrivalIntervals.expectedBeyond >= expected
  }
}
