// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

/// Learns how much stronger or weaker a receiver measures beacons than they announce, from beacons at known places.
///
/// For every beacon at a known distance the expected level is known; the median difference is the offset of the
/// receiver. One beacon at one meter with line of sight is enough; of three, a pillar may hide one.
package struct ReceiverOffsetSession: Sendable {
  /// The site's path loss.
  package let exponent: Double
  /// The standard deviation in dB of the effect of the surroundings on a beacon's signal.
  package let shadowing: Double

  /// The fewest beacons among which a single shadowed one does not matter.
  package static let fewestSureBeacons = 3

  private var differences: [Double] = []

  /// Creates a session with a site's path loss exponent and its shadowing; a negative shadowing counts as 0.
  package init(
    exponent: Double = PathLoss.defaultExponent,
    shadowing: Double = DistanceEstimate.shadowingDeviation
  ) {
    self.exponent = PathLoss.clampedExponent(exponent)
    self.shadowing = max(0, shadowing)
  }

  /// Returns the expected level in dBm of a beacon with a measured power, at a receiver without an offset.
  package func expected(measuredPower: Double, at meters: Double) -> Double {
    measuredPower - 10 * exponent * DeterministicMath.log10(meters)
  }

  /// Adds the receiver's level of a beacon.
  ///
  /// - Parameters:
  ///   - level: The beacon's level in dBm, as ``CalibrationSession/level`` or a filter gives it.
  ///   - measuredPower: The beacon's power in dBm at one meter. If it cannot be a calibration, the beacon is ignored.
  ///   - meters: The distance between beacon and receiver. If it is not above 0, the beacon is ignored.
  package mutating func add(level: Double, measuredPower: Double, at meters: Double) {
    guard level.isFinite, MeasuredPower.isCalibration(measuredPower), meters > 0, meters.isFinite
    else { return }
    differences.append(expected(measuredPower: measuredPower, at: meters) - level)
  }

  /// The number of beacons that count.
  package var beacons: Int { differences.count }

  /// The offset to add to every RSSI of the receiver in dB, within ``Calibration/offsetRange``; `nil` without a beacon.
  package var offset: Double? {
    guard !differences.isEmpty else { return nil }
    let sorted = differences.sorted()
    let middle = (sorted[(sorted.count - 1) / 2] + sorted[sorted.count / 2]) / 2
    let range = Calibration.offsetRange
    return min(max(middle, range.lowerBound), range.upperBound)
  }

  /// The standard deviation in dB of the offset's error because of the places of the beacons; `nil` without a beacon.
  ///
  /// The median of many values scatters by a quarter more than their mean; the median of one or two does not.
  package var standardError: Double? {
    guard !differences.isEmpty else { return nil }
    let medianFactor = differences.count < Self.fewestSureBeacons ? 1 : 1.2533
    return medianFactor * shadowing / Double(differences.count).squareRoot()
  }
}
