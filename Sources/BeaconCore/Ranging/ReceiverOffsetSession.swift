// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

/// Learns how much stronger or weaker a receiver hears than beacons announce, from beacons of known place.
///
/// Every beacon at a known distance says what the receiver should hear; the median difference is the receiver's offset,
/// to be taken away from what it reports. One beacon may stand behind a pillar, so that several are needed.
public struct ReceiverOffsetSession: Sendable {
  /// The site's path loss.
  public let exponent: Double

  /// The fewest beacons that make an offset: three, of which one may be shadowed.
  public static let fewestBeacons = 3

  private var differences: [Double] = []

  /// Begins a session with a site's path loss exponent.
  public init(exponent: Double = PathLoss.defaultExponent) {
    self.exponent = PathLoss.clampedExponent(exponent)
  }

  /// Adds what the receiver hears of a beacon.
  ///
  /// - Parameters:
  ///   - level: The beacon's level in dBm, as ``CalibrationSession/level`` or a filter gives it.
  ///   - measuredPower: The beacon's power in dBm at one meter; one that is no calibration is ignored.
  ///   - meters: The distance between them; one that is not above 0 is ignored.
  public mutating func add(level: Double, measuredPower: Double, at meters: Double) {
    guard level.isFinite, MeasuredPower.isCalibration(measuredPower), meters > 0, meters.isFinite
    else { return }
    let expected = measuredPower - 10 * exponent * DeterministicMath.log10(meters)
    differences.append(expected - level)
  }

  /// What to add to every RSSI of the receiver in dB, within ``Calibration/offsetRange``; `nil` with too few beacons.
  public var offset: Double? {
    guard differences.count >= Self.fewestBeacons else { return nil }
    let sorted = differences.sorted()
    let middle = (sorted[(sorted.count - 1) / 2] + sorted[sorted.count / 2]) / 2
    let range = Calibration.offsetRange
    return min(max(middle, range.lowerBound), range.upperBound)
  }
}
