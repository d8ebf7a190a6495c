// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

/// The counts of an engine since it was created.
public struct EngineStatistics: Sendable, Equatable {
  /// The number of advertising reports admitted, with any content.
  public var reports = 0
  /// The number of reports with a valid iBeacon frame.
  public var beaconReports = 0
  /// The number of beacons that satisfied a request; a beacon that was forgotten and received again counts again.
  ///
  /// If sightings are delivered to the operator and clients range too, this is the larger of the two numbers.
  public var beacons = 0
  /// The reports that claimed to be an iBeacon but were not valid.
  public var rejected = Tally<RejectReason>()
  /// The drops because of a limit.
  public var dropped = Tally<DropReason>()
  /// The number of inputs admitted later than their own stamp.
  public var late = 0

  /// Creates the counts of an engine that has received nothing.
  public init() {}
}
