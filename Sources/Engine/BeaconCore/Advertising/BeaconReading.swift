// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

/// The result of the iBeacon decoder.
package enum BeaconReading: Sendable, Equatable {
  /// A valid frame, with the measured power of its last byte in dBm at 1 m, plausible or not.
  case beacon(BeaconIdentity, measuredPower: Int8)
  /// A frame that ends in front of its measured power, rejected with ``RejectReason/noMeasuredPower``.
  case presence(BeaconIdentity)
  /// Not a valid frame.
  case rejected(RejectReason)

  /// Why the bytes are not a valid frame; `nil` when they are one.
  package var reason: RejectReason? {
    switch self {
    case .beacon: nil
    case .presence: .noMeasuredPower
    case .rejected(let reason): reason
    }
  }

  /// The beacon that was present, valid frame or not.
  package var identity: BeaconIdentity? {
    switch self {
    case .beacon(let identity, _), .presence(let identity): identity
    case .rejected: nil
    }
  }
}
