// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

/// What a live source has counted.
public struct BlueZStatistics: Sendable, Equatable {
  /// Signals of devices.
  public var deviceSignals = 0
  /// Those that became reports, and the reports that came through the kernel.
  public var reports = 0
  /// Those that told no signal strength, or one that is no sample (0 and 127 dBm).
  public var withoutSample = 0
  /// Those of a device or adapter that is not listened with.
  public var unexpected = 0
  /// Signals that had not the types they must have.
  public var malformed = 0
  /// Reports given up because nobody took them.
  public var dropped = 0
  /// How often an adapter was found deaf, or still deaf, and discovery started anew for it.
  public var discoveryRestarts = 0
  /// How often a deaf adapter was switched off and on.
  public var powerCycles = 0
  /// How often all was tried for a deaf adapter in vain.
  public var stillDeaf = 0
  /// Devices whose address was given up because too many were told of; their reports had none until they were told again.
  public var addressesEvicted = 0
  /// Packets that the kernel dropped because nobody took them in time.
  public var kernelDropped = 0
  /// Messages that were not listened to: of programs other than BlueZ and the bus, or answers nobody asked for.
  public var foreignMessages = 0

  /// Nothing yet.
  public init() {}
}
