// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

public import BeaconCore

/// What a guide does: it asks the engine, or tells its visitor.
public enum GuideAction: Sendable, Equatable {
  /// Ask the engine, at this point of the timeline.
  case request(ClientRequest)
  /// Tell the visitor.
  case tell(GuideEvent)
}
