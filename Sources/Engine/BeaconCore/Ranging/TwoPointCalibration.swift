// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

/// A site measured at two distances: the signal strength of a beacon there at one meter and farther away.
///
/// The two points give the site's path loss exponent.
public struct TwoPointCalibration: Sendable, Hashable {
  /// The filtered signal strength at one meter, in dBm.
  public let powerAtOneMeter: Double
  /// The filtered signal strength at ``farDistance``, in dBm; weaker than at one meter.
  public let powerAtFar: Double
  /// The far point's distance in meters, at least ``leastFarDistance``.
  public let farDistance: Double
  /// The site's path loss exponent, within ``PathLoss/exponentRange``.
  public let exponent: Double

  /// The least distance of the far point, in meters: if it is nearer, an error of one decibel in either point changes
  /// the exponent by a third.
  public static let leastFarDistance: Double = 2

  /// Creates a calibration; `nil` if the two points are too close together, or if the signal would grow with distance.
  public init?(powerAtOneMeter: Double, powerAtFar: Double, farDistance: Double) {
    guard MeasuredPower.isCalibration(powerAtOneMeter), MeasuredPower.isCalibration(powerAtFar),
      powerAtFar < powerAtOneMeter,
      farDistance >= Self.leastFarDistance, farDistance <= PathLoss.maximumDistance
    else { return nil }
    self.powerAtOneMeter = powerAtOneMeter
    self.powerAtFar = powerAtFar
    self.farDistance = farDistance
    let slope = (powerAtOneMeter - powerAtFar) / (10 * DeterministicMath.log10(farDistance))
    exponent = PathLoss.clampedExponent(slope)
  }
}
