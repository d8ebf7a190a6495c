// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

/// A place marked by beacons: it is entered when one of them is received, and left when none is.
public struct Region: Sendable, Hashable {
  /// The region's name, unique among its client's regions.
  public var identifier: RegionIdentifier
  /// The beacons that mark it.
  public var constraint: IdentityConstraint
  /// Whether entering is delivered; the change of state always is.
  public var notifyOnEntry: Bool
  /// Whether leaving is delivered; the change of state always is.
  public var notifyOnExit: Bool
  /// Whether the state is delivered when the screen turns on inside the region.
  public var notifyEntryStateOnDisplay: Bool
  /// The distance that counts as inside; `nil` when any report is enough.
  public var zone: Zone?
  /// The reports that are required to enter; `nil` for the configured policy.
  public var enterPolicy: EnterPolicy?
  /// The region's own exit timing; `nil` for the profile's.
  public var exitTiming: ExitTiming?
  /// The name of the place in which one of the beacons has to be; `nil` when any report is enough.
  ///
  /// A region with a place is determined by the place lines of a recording, or by what `beaconctl` finds out from several
  /// receivers, and by no report (rows O1 to O8). Its zone, enter policy and exit timing have no effect.
  public var place: String?

  /// Creates a region.
  public init(
    _ identifier: RegionIdentifier,
    _ constraint: IdentityConstraint,
    notifyOnEntry: Bool = true,
    notifyOnExit: Bool = true,
    notifyEntryStateOnDisplay: Bool = false,
    zone: Zone? = nil,
    enterPolicy: EnterPolicy? = nil,
    exitTiming: ExitTiming? = nil,
    place: String? = nil
  ) {
    self.identifier = identifier
    self.constraint = constraint
    self.notifyOnEntry = notifyOnEntry
    self.notifyOnExit = notifyOnExit
    self.notifyEntryStateOnDisplay = notifyEntryStateOnDisplay
    self.zone = zone
    self.enterPolicy = enterPolicy
    self.exitTiming = exitTiming
    self.place = place
  }

  /// Creates a region of a name that is a `String`.
  @_disfavoredOverload
  public init(
    _ name: String,
    _ constraint: IdentityConstraint,
    notifyOnEntry: Bool = true,
    notifyOnExit: Bool = true,
    notifyEntryStateOnDisplay: Bool = false,
    zone: Zone? = nil,
    enterPolicy: EnterPolicy? = nil,
    exitTiming: ExitTiming? = nil,
    place: String? = nil
  ) {
    self.init(
      RegionIdentifier(name),
      constraint,
      notifyOnEntry: notifyOnEntry,
      notifyOnExit: notifyOnExit,
      notifyEntryStateOnDisplay: notifyEntryStateOnDisplay,
      zone: zone,
      enterPolicy: enterPolicy,
      exitTiming: exitTiming,
      place: place
    )
  }
}
