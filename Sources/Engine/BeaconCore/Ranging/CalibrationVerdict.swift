// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

/// The quality of a calibration session, and what to do about it.
package enum CalibrationVerdict: Sendable, Hashable {
  /// This many more samples are needed.
  case wait(Int)
  /// The level can be used; the spread in dB.
  case steady(Double)
  /// The level can be used, though the samples scatter widely; the spread in dB.
  case uneven(Double)
  /// The level is not known well enough; its standard error in dB.
  case unsure(Double)
  /// No beacon has this power in dBm at one meter: the distance or the beacon is not the stated one.
  case implausible(Double)

  /// Whether the level can be used.
  package var isUsable: Bool {
    switch self {
    case .steady, .uneven: true
    case .wait, .unsure, .implausible: false
    }
  }

  /// Whether the level is used, or is with force, and a user should know that it could be better.
  package var isDoubtful: Bool {
    if case .steady = self { return false }
    return true
  }
}

extension CalibrationVerdict: CustomStringConvertible {
  /// One sentence for the user who calibrates.
  package var description: String {
    switch self {
    case .wait(let samples): "\(samples) more \(samples == 1 ? "sample" : "samples"): stand still"
    case .steady(let spread): "spread \(Self.whole(spread)) dB: good"
    case .uneven(let spread): "spread \(Self.whole(spread)) dB: usable; turn a little and try again"
    case .unsure(let error):
      "level ± \(Self.whole(error)) dB: turn it, clear the line, or take more samples"
    case .implausible(let power):
      "\(Self.whole(power)) dBm at 1 m is no beacon's: check the distance, and that it is this beacon"
    }
  }

  private static func whole(_ number: Double) -> Int {
    Int(min(max(number.rounded(), -1000), 1000))
  }
}

extension CalibrationSession {
  /// The quality of the session so far.
  package var verdict: CalibrationVerdict {
    guard count >= Self.fewestSamples, let spread, let power = measuredPower() else {
      return .wait(Self.fewestSamples - count)
    }
    guard Self.plausiblePowers.contains(power) else { return .implausible(power) }
    if let error = standardError, error >= Self.largestError { return .unsure(error) }
    return spread > Self.steadySpread ? .uneven(spread) : .steady(spread)
  }
}
