// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

/// The signal strength of a beacon at one meter, and when an announced value can be one.
///
/// Beacons in the field announce 0, positive values (the transmitted power put in the wrong field) and other nonsense;
/// distances computed from these are absurd, so they are taken as "not calibrated".
public enum MeasuredPower {
  /// The distance from a beacon at which its power is measured, in meters.
  public static let distance: Double = 1

  /// The strongest announced power in dBm that the default profile believes: −20.
  ///
  /// A phone's receiver, antenna on antenna, hears a beacon at its strongest setting at about that; at one meter some 40 dB
  /// less. What is announced above is the transmitted power in the wrong field, a typing error, or a test.
  public static let strongestPlausible: Double = -20

  /// Returns the power in dBm that a beacon announces; `nil` when what it announces is no calibration.
  ///
  /// 0 dBm and more would be as strong at a meter as inside the transmitter; −128 and 127 are what "unknown" looks
  /// like in a signed byte.
  public static func calibration(announced: Int8?) -> Double? {
    guard let announced, announced < 0, announced != .min else { return nil }
    return Double(announced)
  }

  /// Returns whether a configured or measured power in dBm can be a calibration: above −128 and below 0.
  public static func isCalibration(_ power: Double) -> Bool {
    power > -128 && power < 0
  }
}
