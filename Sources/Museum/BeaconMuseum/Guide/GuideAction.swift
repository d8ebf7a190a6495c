// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

public import BeaconCore

/// An action of a guide: a request to the engine or an event for the visitor.
public enum GuideAction: Sendable, Equatable {
  /// Makes a request to the engine, at this time of the timeline.
  case request(ClientRequest)
  /// Shows an event to the visitor.
  case emit(GuideEvent)
}
