// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

public import BeaconCore

/// All that a guide shows now.
public struct GuideView: Sendable, Equatable {
  /// An exhibit that is near.
  public struct Near: Sendable, Equatable {
    /// The exhibit.
    public var exhibit: Plan.Exhibit
    /// How near its beacon is.
    public var proximity: Proximity
    /// How far its beacon is, with the interval; `nil` when unknown.
    public var distance: DistanceEstimate?
    /// How probable it is that the visitor stands before it, 0 to 1.
    public var confidence: Double
  }

  /// What the guide can do.
  public var status: GuideStatus
  /// The room the visitor is in; `nil` until it is known.
  public var room: Plan.Room?
  /// The exhibit the visitor stands before.
  public var exhibit: Plan.Exhibit?
  /// How probable it is that they do, 0 to 1.
  public var confidence: Double
  /// Where the visitor is on the room's floor; `nil` until it is known, and without a drawing.
  public var position: Plan.Point?
  /// What is near, nearest first.
  public var near: [Near]
  /// Beacons of the museum's UUID that the plan does not know, in their order.
  public var strangers: [BeaconIdentity]
}
