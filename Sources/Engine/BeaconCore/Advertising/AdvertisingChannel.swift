// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

/// One of the three channels that beacons advertise on (Core Specification, volume 6, part B, 1.4.1).
///
/// They are far apart in the band, so that the others usually do not fade with one of them. Only sniffers report the
/// channel of a packet; a controller does not.
public enum AdvertisingChannel: UInt8, Sendable, CaseIterable {
  /// 2402 MHz, below all data channels.
  case channel37 = 37
  /// 2426 MHz, between data channels 10 and 11.
  case channel38 = 38
  /// 2480 MHz, above all data channels.
  case channel39 = 39

  /// Reads the number of a radio channel of 2 MHz, 0 the lowest, as in link type 256; `nil` for a data channel.
  package init?(radioChannel: UInt8) {
    switch radioChannel {
    case 0: self = .channel37
    case 12: self = .channel38
    case 39: self = .channel39
    default: return nil
    }
  }
}
