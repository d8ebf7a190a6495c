// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

/// The key of a track: an identity, with the address where transmitters of one identity are distinguished.
struct TrackKey: Sendable, Equatable {
  let identity: BeaconIdentity
  /// The device address, or 0 if one identity is one track.
  let address: UInt64

  init(_ identity: BeaconIdentity, address: UInt64 = 0) {
    self.identity = identity
    self.address = address
  }
}
