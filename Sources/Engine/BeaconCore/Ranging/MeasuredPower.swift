// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

/// The signal strength of a beacon at one meter, and which announced values are plausible.
///
/// Some beacons announce 0, positive values (the transmitted power in the wrong field) and other implausible values.
/// Distances computed from these are absurd, so such beacons count as not calibrated.
package enum MeasuredPower {
  /// The distance from a beacon at which its power is measured, in meters.
  package static let distance: Double = 1

  /// The strongest announced power in dBm that the default profile accepts: −20.
  ///
  /// A phone receives a beacon at its strongest setting, antenna to antenna, at about this level; at one meter it is
  /// about 40 dB less. A stronger announced value is the transmitted power in the wrong field, a typing error, or a
  /// test.
  package static let strongestPlausible: Double = -20

  /// The weakest announced power in dBm that the default profile accepts: −100.
  ///
  /// A receiver receives nothing weaker, so it would not receive such a beacon at one meter. With it, a beacon across the room
  /// would seem to touch the receiver.
  public static let weakestPlausible: Double = -100

  /// Returns the power in dBm that a beacon announces; `nil` when that is not a calibration.
  ///
  /// With 0 dBm and more, the signal at a meter would be as strong as inside the transmitter; −128 and 127 mean
  /// "unknown" in a signed byte.
  package static func calibration(announced: Int8?) -> Double? {
    guard let announced, announced < 0, announced != .min else { return nil }
    return Double(announced)
  }

  /// Returns whether a configured or measured power in dBm can be a calibration: above −128 and below 0.
  package static func isCalibration(_ power: Double) -> Bool {
    power > -128 && power < 0
  }
}
