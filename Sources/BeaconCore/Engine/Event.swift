// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

/// Something that someone is told.
public enum Event: Sendable, Equatable {
  /// A valid frame was heard; told to the operator alone.
  case sighting(Sighting)
  /// A second of ranging: one entry for each constraint of the client, in the order of the constraints.
  case ranged([ConstraintRanging])
  /// A condition of the source or of the request, not of any beacon.
  case diagnostic(Diagnostic)
}
