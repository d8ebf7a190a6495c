// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

public import BeaconCore

extension Plan {
  /// Applies the operator's measurements to an engine's configuration.
  ///
  /// - Throws: `CalibrationError` if a power cannot be a calibration; this never happens for a plan read from a file.
  public func calibrate(_ configuration: inout Configuration) throws(CalibrationError) {
    if let exponent = calibration.exponent {
      configuration.ranging.pathLoss = .logDistance(exponent: exponent)
    }
    for (constraint, power) in powers {
      try configuration.ranging.calibration.setPower(power, for: constraint)
    }
  }
}
