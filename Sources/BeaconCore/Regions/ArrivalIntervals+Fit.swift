// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

extension ArrivalIntervals {
  /// Fits the exit time again.
  mutating func refresh(_ learning: ExitLearning) {
    guard estimatedInterval != 0 else { return }
    if presence >= ArrivalIntervals.memory &* 1000 { fade() }
    forget()
    let cap = learning.cap.milliseconds
    let floor = learning.floor.milliseconds
    let seconds = min(max(longestGap(learning), floor / 1000), cap / 1000)
    target = UInt16(clamping: Int((seconds * 1000).rounded()))
    // The first exit time starts at the cap; from there it shrinks with time.
    if exit == 0 { exit = UInt16(clamping: Int(cap)) }
    if target > exit { exit = target }
    let next = presence / 1000 &+ UInt32(ArrivalIntervals.refreshInterval)
    refreshAt = UInt16(truncatingIfNeeded: min(next, 65535))
  }

  /// The seconds of silence that are exceeded at the target rate.
  private mutating func longestGap(_ learning: ExitLearning) -> Double {
    let hours = max(Double(presence), 1) / 3_600_000
    let wanted = learning.falseExitsPerHour * ArrivalIntervals.aim
    // One bad run of losses is assumed in advance.
    let assumed = ArrivalIntervals.assumedRun * max(0, DeterministicMath.log(1 / (hours * wanted)))
    let needed = max(1, ArrivalIntervals.fittedRate * learning.falseExitsPerHour * hours)
    var number = 0.0
    var sum = 0.0
    for bin in stride(from: 7, through: 0, by: -1) {
      let width = Double(estimatedInterval) * Double(1 << bin) / 4000
      // A gap that exceeds the next level exceeds this one by another bin width.
      sum += number * width + Double(excess[bin]) * width / 16
      number += Double(counts[bin])
      guard number >= needed else { continue }
      if UInt8(bin) != stage {
        stage = UInt8(bin)
        lastExceeded = UInt16(truncatingIfNeeded: min(presence / 1000, 65535))
      }
      let level = width + Double(estimatedInterval) / 8000
      let mean =
        (sum + ArrivalIntervals.assumedGaps * ArrivalIntervals.assumedRun)
        / (number + ArrivalIntervals.assumedGaps)
      return max(assumed, level + mean * max(0, DeterministicMath.log(number / hours / wanted)))
    }
    return assumed
  }

  /// Clears the fitted level and those above, when they have not been exceeded for an improbably long time.
  private mutating func forget() {
    let level = Int(min(stage, 7))
    var number = 0.0
    for bin in level..<8 { number += Double(counts[bin]) }
    let quiet = Double(presence) / 1000 - Double(lastExceeded)
    let whole = Double(presence) / 1000
    guard number > 0, quiet > 0, whole > quiet else { return }
    // Without a change, the exceedances would be spread over the whole time; none is in its quiet end.
    guard -number * DeterministicMath.log(1 - quiet / whole) > ArrivalIntervals.surprise else {
      return
    }
    let share = quiet / whole
    for bin in 0..<8 {
      let kept = bin < level ? share : 0
      counts[bin] = UInt16((Double(counts[bin]) * kept).rounded())
      excess[bin] = UInt16((Double(excess[bin]) * kept).rounded())
    }
    presence = UInt32(quiet * 1000)
    lastExceeded = 0
  }

  /// Halves all counts, so that old gaps count less and less.
  private mutating func fade() {
    presence /= 2
    lastExceeded /= 2
    for bin in 0..<8 {
      counts[bin] /= 2
      excess[bin] /= 2
    }
  }
}

extension TimeSpan {
  fileprivate var milliseconds: Double { Double(microseconds) / 1000 }
}
