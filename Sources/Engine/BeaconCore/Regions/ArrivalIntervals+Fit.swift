// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

extension ArrivalIntervals {
  /// By how many seconds a packet may come after it is due.
  func margin(_ model: IntervalModel) -> Double {
    min(Double(estimatedInterval) / 4000 * model.marginPart, model.longestMargin.seconds)
      + model.shortestMargin.seconds
  }

  /// Fits the exit time again.
  mutating func refresh(_ learning: ExitLearning) {
    let model = learning.model
    if Int64(current.presence) * 1000 >= model.memory.microseconds { startPeriod() }
    refreshAt = current.presence &+ ArrivalIntervals.milliseconds(model.refresh)
    guard doubtUntil == 0 else { return }
    let presence = Double(current.presence) + Double(previous.presence)
    let hold = learning.hold.seconds * (isCommon ? model.commonHold : 1)
    guard presence >= hold * 1000 else { return }
    let hours = presence / 3_600_000
    var seconds = predictedGap(hours: hours, learning)
    current.slowest = max(current.slowest, estimatedInterval)
    let cap = learning.cap.seconds
    if !isCommon, estimatedInterval != 0 {
      let interval = Double(estimatedInterval) / 4000
      // A part of an interval more is still the same number of them.
      let part = interval * model.marginPart + model.shortestMargin.seconds
      let whole = max(1, ((seconds - part) / interval).rounded(.up))
      seconds = max(
        seconds + model.shortestMargin.seconds,
        whole * interval + margin(model)
      )
    } else {
      seconds += margin(model)
    }
    let isTooLong =
      rests.areEvident || seconds > cap || lossesNeedLongerCap(hours: hours, learning)
    if isTooLong || seconds > model.capShare * cap { seconds = cap }
    seconds = min(max(seconds, learning.floor.seconds), cap)
    let milliseconds = UInt16(clamping: Int((seconds * 1000).rounded()))
    fitted(
      milliseconds,
      // An hour's prediction is not worth a warning unless a longer gap has really occurred.
      needsLongerCap: rests.areEvident || isTooLong && beyondCap > 0 && hours >= 1
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

  /// How the beacon is received, and the exit time that would have held.
  func reception(_ learning: ExitLearning) -> Reception {
    // Longer silences are not counted, so the share would leave them out.
    let isCounted = rests.longestSilence <= learning.cap + learning.cap
    var reception = Reception(
      interval: isBeyondLongest ? Self.longestInterval : interval,
      share: isCounted ? receivedShare(learning) : nil,
      silence: max(rests.longestSilence, learning.cap),
      advised: advisedExit(learning)
    )
    reception.isLeastInterval = isBeyondLongest
    return reception
  }

  /// The exit time that would have held, rounded up: the longest silence to be expected, and as many packets as are lost in succession at the wanted rate.
  private func advisedExit(_ learning: ExitLearning) -> TimeSpan {
    let cap = learning.cap.seconds
    var seconds = max(rests.expected, cap + 1)
    let beyond = Double(beyondCap)
    let gaps = Double(current.gaps) + Double(previous.gaps) + beyond
    let lost = (Double(current.withLosses) + Double(previous.withLosses) + beyond) / max(gaps, 1)
    if !isCommon, estimatedInterval != 0, lost > 0, lost < 1 {
      let interval = Double(estimatedInterval) / 4000
      let gapsWanted = learning.falseExitsPerHour * interval / 3600
      let run = (DeterministicMath.log(gapsWanted) / DeterministicMath.log(lost)).rounded(.up)
      seconds = max(seconds, run * interval + margin(learning.model))
    }
    let step: Double = seconds <= 120 ? 5 : seconds <= 600 ? 10 : 60
    return TimeSpan(seconds: min((seconds / step).rounded(.up) * step, 3600))
  }

  private mutating func startPeriod() {
    doubtUntil = doubtUntil > current.presence ? doubtUntil - current.presence : min(doubtUntil, 1)
    previous = current
    current = Period()
    rests.presence = 0
    beyondCap /= 2
  }

  /// The gap in seconds that is exceeded at the target rate.
  private func predictedGap(hours: Double, _ learning: ExitLearning) -> Double {
    let model = learning.model
    let wanted = learning.falseExitsPerHour * model.aim
    let kept = min(model.longestKept, ArrivalIntervals.longestStored)
    let allowed = Int(min(hours * wanted, Double(kept - 1)))
    // How often a gap that occurred once in this time occurs, in units of the wanted rate.
    let once = DeterministicMath.log(1 / (hours * wanted))
    var (now, before) = (0, 0)
    var longest = 0.0
    var sum = 0.0
    var least = 0.0
    var (predicted, predictions) = (0.0, 0.0)
    for index in 0..<kept {
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
      guard index + 1 >= model.fewestGaps else { continue }
      let excess = (sum - number * gap) / (number - 1)
      predicted += gap + excess * max(0, DeterministicMath.log(number) + once)
      predictions += 1
    }
    let assumed = longest + model.assumedRun.seconds * max(0, once)
    let mean = predictions > 0 ? predicted / predictions : 0
    return max(least, assumed, mean)
  }

  /// Whether packets are lost so often that runs of losses longer than the cap are more frequent than the target rate.
  ///
  /// Gaps beyond the cap are not learned, so this follows from the share of single losses. If such runs should have
  /// occurred by now and did not, losses are not independent, and only the longest gaps count.
  private func lossesNeedLongerCap(hours: Double, _ learning: ExitLearning) -> Bool {
    guard estimatedInterval != 0, !isCommon else { return false }
    let gaps = Double(current.gaps) + Double(previous.gaps)
    let withLosses = Double(current.withLosses) + Double(previous.withLosses)
    guard withLosses > 0, gaps > withLosses else { return false }
    let lost = withLosses / gaps
    let interval = Double(estimatedInterval) / 4000
    let wanted = learning.falseExitsPerHour * learning.model.needFactor
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
    return expected < learning.model.expectedBeyond
      || Double(beyondCap) * learning.model.expectedBeyond >= expected
  }
}
