// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

/// What the iBeacon decoder makes of some bytes.
public enum BeaconReading: Sendable, Equatable {
  /// A valid frame, with its measured power in dBm at 1 m as the byte says it, whether it can serve as one or not.
  case beacon(BeaconIdentity, measuredPower: Int8)
  /// A frame that ends before its measured power, refused with ``RejectReason/noMeasuredPower``.
  case presence(BeaconIdentity)
  /// Not a valid frame.
  case rejected(RejectReason)

  /// Why the bytes are not a valid frame; `nil` when they are one.
  public var reason: RejectReason? {
    switch self {
    case .beacon: nil
    case .presence: .noMeasuredPower
    case .rejected(let reason): reason
    }
  }

  /// The beacon that was present, valid frame or not.
  public var identity: BeaconIdentity? {
    switch self {
    case .beacon(let identity, _), .presence(let identity): identity
    case .rejected: nil
    }
  }
}
