// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

/// What an engine has counted since it was made.
public struct EngineStatistics: Sendable, Equatable {
  /// Advertising reports admitted, of whatever content.
  public var reports = 0
  /// Reports that were a valid iBeacon.
  public var beaconReports = 0
  /// Beacons that satisfied something asked for; one forgotten and heard again counts again.
  ///
  /// Where the operator is told sightings and clients range too, the larger of the two numbers.
  public var beacons = 0
  /// Reports that claimed to be an iBeacon and were not valid.
  public var rejected = Tally<RejectReason>()
  /// What had to be given up.
  public var dropped = Tally<DropReason>()
  /// Inputs admitted later than their own stamp.
  public var late = 0

  /// Creates the counts of an engine that has heard nothing.
  public init() {}
}
