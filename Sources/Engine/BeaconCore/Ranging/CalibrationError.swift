// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

/// The reason why a value cannot be a calibration.
public enum CalibrationError: Error, Sendable, Hashable {
  /// A measured power is not above −128 and below 0 dBm.
  case powerOutOfRange(Double)
  /// A receiver's offset is larger than any difference between receivers.
  case offsetOutOfRange(Double)
}

extension CalibrationError: CustomStringConvertible {
  /// The value, and those that are possible.
  public var description: String {
    switch self {
    case .powerOutOfRange(let power):
      "a measured power of \(power) dBm is not above -128 and below 0"
    case .offsetOutOfRange(let offset):
      "an offset of \(offset) dB is not from \(Calibration.offsetRange.lowerBound) to \(Calibration.offsetRange.upperBound)"
    }
  }
}
