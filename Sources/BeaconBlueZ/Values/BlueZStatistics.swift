// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

/// What a live source has counted.
public struct BlueZStatistics: Sendable, Equatable {
  /// Signals of devices.
  public var deviceSignals = 0
  /// Reports, over D-Bus and through the kernel.
  public var reports = 0
  /// Signals of devices without a signal strength that was measured (0 and 127 dBm mean that there is none).
  public var withoutSample = 0
  /// Signals of devices of an adapter that is not scanned with.
  public var unexpected = 0
  /// Signals without the types they must have.
  public var malformed = 0
  /// Reports dropped because no task pulled them.
  public var dropped = 0
  /// How often an adapter was found deaf, or still deaf, and its discovery started again.
  public var discoveryRestarts = 0
  /// How often a deaf adapter was switched off and on.
  public var powerCycles = 0
  /// How often every remedy for a deaf adapter failed.
  public var stillDeaf = 0
  /// Devices whose addresses were given up because too many were known; until BlueZ describes such a device again, its
  /// reports have no address.
  public var addressesEvicted = 0
  /// Packets that the kernel dropped because they were not read in time.
  public var kernelDropped = 0
  /// Messages that were ignored: from programs other than BlueZ and the bus, or answers to no call of ours.
  public var foreignMessages = 0

  /// Creates counts of zero.
  public init() {}
}
