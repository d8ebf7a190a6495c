// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

public import BeaconCore

extension Plan {
  /// Puts what the operator measured into an engine's configuration.
  ///
  /// - Throws: `CalibrationError` where a power is no calibration, which a plan that was read never has.
  public func calibrate(_ configuration: inout Configuration) throws(CalibrationError) {
    if let exponent = calibration.exponent {
      configuration.ranging.pathLoss = .logDistance(exponent: exponent)
    }
    for (constraint, power) in powers {
      try configuration.ranging.calibration.setPower(power, for: constraint)
    }
  }
}
