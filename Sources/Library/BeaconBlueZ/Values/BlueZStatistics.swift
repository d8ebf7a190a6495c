// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

public import BeaconCore

/// The counts of a live source.
public struct BlueZStatistics: Sendable, Equatable {
  /// D-Bus signals about devices.
  public var deviceSignals = 0
  /// Reports, over D-Bus and through the kernel.
  public var reports = 0
  /// D-Bus signals about devices without a measured signal strength (0 and 127 dBm mean that it is not known).
  public var withoutSample = 0
  /// D-Bus signals about devices of an adapter that the source does not scan with.
  public var unexpected = 0
  /// D-Bus signals whose values do not have the expected types.
  public var malformed = 0
  /// Reports dropped because no task pulled them.
  public var dropped = 0
  /// How often discovery was started again because an adapter was deaf or still deaf.
  public var discoveryRestarts = 0
  /// How often a deaf adapter was switched off and on.
  public var powerCycles = 0
  /// How often every remedy for a deaf adapter failed.
  public var stillDeaf = 0
  /// Devices whose addresses were evicted because the table was full.
  ///
  /// Until BlueZ describes such a device again, its reports have no address.
  public var addressesEvicted = 0
  /// Packets that the kernel dropped because they were not read in time.
  public var kernelDropped = 0
  /// Ignored messages: from programs other than BlueZ and the bus, or answers to no call of this program.
  public var foreignMessages = 0

  /// Creates counts of zero.
  public init() {}

  /// The drops, by reason.
  public var drops: Tally<DropReason> {
    var drops = Tally<DropReason>()
    drops.count(.sourceOverflow, times: dropped)
    drops.count(.kernelOverflow, times: kernelDropped)
    drops.count(.addressEvicted, times: addressesEvicted)
    return drops
  }
}
