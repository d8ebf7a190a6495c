// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

/// The reason why a value cannot be a calibration.
public enum CalibrationError: Error, Sendable, Hashable {
  /// A measured power is not above −128 and below 0 dBm.
  case powerOutOfRange(Double)
  /// A receiver's offset is larger than any difference between receivers.
  case offsetOutOfRange(Double)
}
