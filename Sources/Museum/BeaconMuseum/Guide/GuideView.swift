// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

public import BeaconCore

/// Everything that a guide currently shows.
public struct GuideView: Sendable, Equatable {
  /// A nearby exhibit.
  public struct Near: Sendable, Equatable {
    /// The exhibit.
    public var exhibit: Plan.Exhibit
    /// The proximity of its beacon.
    public var proximity: Proximity
    /// Whether its distance is in another zone, as of a ranged beacon.
    public var isHeld = false
    /// The distance of its beacon with its interval; `nil` when unknown.
    public var distance: DistanceEstimate?
    /// How probable it is that the visitor is in front of it, 0 to 1.
    public var confidence: Double
  }

  /// The guide's current status.
  public var status: GuideStatus
  /// The room the visitor is in; `nil` until it is known.
  public var room: Plan.Room?
  /// The exhibit in front of the visitor.
  public var exhibit: Plan.Exhibit?
  /// How probable it is that the visitor is in front of it, 0 to 1.
  public var confidence: Double
  /// The visitor's position on the room's floor; `nil` until it is known, or if the plan has no drawing.
  public var position: Plan.Point?
  /// How far the visitor may be from ``position``, in meters: the root of the mean square.
  public var spread: Double?
  /// The nearby exhibits, nearest first.
  public var near: [Near]
  /// Beacons with the museum's UUID that the plan does not contain, in order.
  public var strangers: [BeaconIdentity]
}
