// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

/// The quality of a calibration session, and what to do about it.
public enum CalibrationVerdict: Sendable, Hashable {
  /// This many more samples are needed.
  case wait(Int)
  /// The level can be used; the spread in dB.
  case steady(Double)
  /// The level can be used, and could be better; the spread in dB.
  case uneven(Double)
  /// The level cannot be used; the spread in dB.
  case wild(Double)
  /// No beacon has this power in dBm at one meter: the distance or the beacon is not the stated one.
  case implausible(Double)

  /// Whether the level can be used.
  public var isUsable: Bool {
    switch self {
    case .steady, .uneven: true
    case .wait, .wild, .implausible: false
    }
  }
}

extension CalibrationVerdict: CustomStringConvertible {
  /// One sentence for the user who calibrates.
  public var description: String {
    switch self {
    case .wait(let samples): "\(samples) more \(samples == 1 ? "sample" : "samples"): stand still"
    case .steady(let spread): "spread \(Self.whole(spread)) dB: good"
    case .uneven(let spread): "spread \(Self.whole(spread)) dB: usable; turn a little and try again"
    case .wild(let spread): "spread \(Self.whole(spread)) dB: turn it, clear the line"
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
  public var verdict: CalibrationVerdict {
    guard count >= Self.fewestSamples, let spread, let power = measuredPower() else {
      return .wait(Self.fewestSamples - count)
    }
    guard Self.plausiblePowers.contains(power) else { return .implausible(power) }
    if spread >= Self.wildSpread { return .wild(spread) }
    return spread > Self.steadySpread ? .uneven(spread) : .steady(spread)
  }
}
