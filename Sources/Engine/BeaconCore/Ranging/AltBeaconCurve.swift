// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

/// The curves that the Android Beacon Library and its descendants fit to the ratio of RSSI to measured power.
///
/// With r the ratio, a distance is r¹⁰ below 1 and a · rᵇ + c from 1 on. Each set of coefficients was fitted to one
/// phone; none is Apple's.
public enum AltBeaconCurve: String, Sendable, Hashable, CaseIterable {
  /// The library's default today, fitted to the Nexus 4 and 5.
  case nexus
  /// The first curve, with 0.89976: still that of most ports and of recorded `distance` columns.
  case legacy
  /// The fit to the Moto X Pro.
  case motoXPro
  /// The fit to the Moto X XT1092; without correction it is negative from the measured power to about 6 dB below.
  case xt1092

  /// The ratio's exponent below one meter, the same for all sets.
  package static let nearExponent: Double = 10

  /// The three numbers of the formula a · rᵇ + c beyond one meter.
  package struct Coefficients: Sendable, Hashable {
    /// The factor of the power, in meters.
    package let factor: Double
    /// The ratio's exponent.
    package let exponent: Double
    /// The constant term, in meters.
    package let constant: Double
  }

  /// The numbers as published.
  package var coefficients: Coefficients {
    switch self {
    case .nexus: Coefficients(factor: 0.42093, exponent: 6.9476, constant: 0.54992)
    case .legacy: Coefficients(factor: 0.89976, exponent: 7.7095, constant: 0.111)
    case .motoXPro: Coefficients(factor: 0.9401940951, exponent: 6.170094565, constant: 0)
    case .xt1092: Coefficients(factor: 0.1862616782, exponent: 8.235367435, constant: -0.45324519)
    }
  }

  /// Returns the result of the published formula in meters, with all its defects: −1 for an RSSI of 0, negative and
  /// non-monotonic values near the measured power, infinite ones for a power of 0.
  package func publishedDistance(rssi: Double, measuredPower: Double) -> Double {
    guard rssi != 0 else { return -1 }
    let ratio = rssi / measuredPower
    guard ratio >= 1 else { return DeterministicMath.pow(ratio, Self.nearExponent) }
    let far = coefficients
    return far.factor * DeterministicMath.pow(ratio, far.exponent) + far.constant
  }

  /// Returns the curve's distance in meters, corrected: never negative, never smaller for a weaker signal.
  ///
  /// A signal of 0 dBm or more has the distance 0. The far part is at least one meter, at the end of the near part.
  /// Infinite for a power that is not a calibration.
  func fixedDistance(rssi: Double, measuredPower: Double) -> Double {
    guard MeasuredPower.isCalibration(measuredPower) else { return .infinity }
    guard rssi < 0 else { return 0 }
    let distance = publishedDistance(rssi: rssi, measuredPower: measuredPower)
    return rssi > measuredPower ? min(distance, 1) : max(distance, 1)
  }
}
