// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

/// A place marked by beacons: enter when one of them is heard, leave when none is.
public struct Region: Sendable, Hashable {
  /// The region's name among its client's.
  public var identifier: RegionIdentifier
  /// The beacons that mark it.
  public var constraint: IdentityConstraint
  /// Whether entering is told; the state change is told either way.
  public var notifyOnEntry: Bool
  /// Whether leaving is told; the state change is told either way.
  public var notifyOnExit: Bool
  /// Whether a screen that turns on while inside has the state told.
  public var notifyEntryStateOnDisplay: Bool
  /// The distance that counts as inside; `nil` when being heard is enough.
  public var zone: Zone?
  /// What must be heard to enter; `nil` for what the configuration says.
  public var enterPolicy: EnterPolicy?
  /// The region's own exit timing; `nil` for the profile's.
  public var exitTiming: ExitTiming?

  /// Creates a region.
  public init(
    _ identifier: RegionIdentifier,
    _ constraint: IdentityConstraint,
    notifyOnEntry: Bool = true,
    notifyOnExit: Bool = true,
    notifyEntryStateOnDisplay: Bool = false,
    zone: Zone? = nil,
    enterPolicy: EnterPolicy? = nil,
    exitTiming: ExitTiming? = nil
  ) {
    self.identifier = identifier
    self.constraint = constraint
    self.notifyOnEntry = notifyOnEntry
    self.notifyOnExit = notifyOnExit
    self.notifyEntryStateOnDisplay = notifyEntryStateOnDisplay
    self.zone = zone
    self.enterPolicy = enterPolicy
    self.exitTiming = exitTiming
  }
}
