// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

/// Something that happened to an advertisement.
public enum BlueZAdvertiserEvent: Sendable, Equatable {
  /// The adapter sends, at first or again.
  case advertising(ObtainedAdvertisement)
  /// The adapter does not send any more, for this reason; it will again when it can.
  case interrupted(Interruption)

  /// The reason why an adapter stopped sending.
  public enum Interruption: Sendable, Equatable {
    /// The connection to the bus was lost.
    case busLost
    /// The Bluetooth service ended.
    case serviceLost
    /// The adapter with this name was removed.
    case adapterRemoved(String)
    /// The adapter with this name was switched off.
    case switchedOff(String)
    /// BlueZ removed the advertisement from the adapter with this name.
    case released(String)
    /// BlueZ refused the advertisement on the adapter with this name.
    case refused(String, BlueZFailure)
  }
}

extension BlueZAdvertiserEvent.Interruption: CustomStringConvertible {
  /// What happened, in a sentence.
  public var description: String {
    switch self {
    case .busLost: "the connection to the bus was lost; connecting again"
    case .serviceLost: "the Bluetooth service ended; waiting for it"
    case .adapterRemoved(let name): "\(name): removed; waiting for an adapter"
    case .switchedOff(let name):
      "\(name): switched off; switch it on with: bluetoothctl power on"
    case .released(let name): "\(name): BlueZ removed the advertisement; registering it again"
    case .refused(let name, let failure): "\(name): \(failure); registering again"
    }
  }
}
