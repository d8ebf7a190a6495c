// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

/// A site measured at two distances: the power of a beacon there at one meter and farther away.
///
/// Two points give the exponent with which a signal fades in that place.
public struct TwoPointCalibration: Sendable, Hashable {
  /// The filtered signal strength at one meter, in dBm.
  public let powerAtOneMeter: Double
  /// The filtered signal strength at ``farDistance``, in dBm; weaker than at one meter.
  public let powerAtFar: Double
  /// The far point's distance in meters, at least ``leastFarDistance``.
  public let farDistance: Double
  /// The site's path loss exponent, within ``PathLoss/exponentRange``.
  public let exponent: Double

  /// The least distance of the far point, in meters: nearer to the first point than this, a decibel's error in either
  /// moves the exponent by a third.
  public static let leastFarDistance: Double = 2

  /// Creates a calibration; `nil` when the two points are too near, or say that a signal grows with distance.
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
