// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

/// What a track is kept by: an identity, and the address too where radios of one identity are told apart.
struct TrackKey: Sendable, Equatable {
  let identity: BeaconIdentity
  /// The device address, or 0 where one identity is one track.
  let address: UInt64

  init(_ identity: BeaconIdentity, address: UInt64 = 0) {
    self.identity = identity
    self.address = address
  }

  /// A hash that someone on the air cannot steer without knowing the seed: two folded 128-bit products.
  func hash(seed: (UInt64, UInt64)) -> UInt64 {
    let low = UInt64(truncatingIfNeeded: identity.uuid)
    let high = UInt64(truncatingIfNeeded: identity.uuid >> 64)
    let numbers = UInt64(identity.major) << 16 | UInt64(identity.minor)
    let first = (low ^ seed.0).multipliedFullWidth(by: high ^ seed.1)
    let mixed = first.high ^ first.low ^ numbers ^ address &* 0x9E37_79B9_7F4A_7C15
    let second = (mixed ^ seed.1).multipliedFullWidth(by: seed.0 | 1)
    return second.high ^ second.low
  }
}
