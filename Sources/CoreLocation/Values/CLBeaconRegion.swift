// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

internal import BeaconCore

/// A region that is marked by beacons.
open class CLBeaconRegion: CLRegion, @unchecked Sendable {
  // All mutable state is guarded by the superclass's lock.

  /// The beacons that mark the region.
  public let beaconIdentityConstraint: CLBeaconIdentityConstraint
  private var notifiesOnDisplay = false

  /// Creates the region of a constraint's beacons.
  public init(beaconIdentityConstraint: CLBeaconIdentityConstraint, identifier: String) {
    self.beaconIdentityConstraint = beaconIdentityConstraint
    super.init(identifier: identifier)
  }

  /// Creates the region of every beacon of a UUID.
  public convenience init(uuid: UUID, identifier: String) {
    self.init(
      beaconIdentityConstraint: CLBeaconIdentityConstraint(uuid: uuid),
      identifier: identifier
    )
  }

  /// Creates the region of every beacon of a UUID and a major.
  public convenience init(uuid: UUID, major: CLBeaconMajorValue, identifier: String) {
    self.init(
      beaconIdentityConstraint: CLBeaconIdentityConstraint(uuid: uuid, major: major),
      identifier: identifier
    )
  }

  /// Creates the region of one identity.
  public convenience init(
    uuid: UUID,
    major: CLBeaconMajorValue,
    minor: CLBeaconMinorValue,
    identifier: String
  ) {
    self.init(
      beaconIdentityConstraint: CLBeaconIdentityConstraint(uuid: uuid, major: major, minor: minor),
      identifier: identifier
    )
  }

  /// Whether the delegate receives the state when the screen turns on while inside.
  ///
  /// A change takes effect when monitoring next starts.
  open var notifyEntryStateOnDisplay: Bool {
    get { lock.withLock { notifiesOnDisplay } }
    set { lock.withLock { notifiesOnDisplay = newValue } }
  }

  /// The UUID of the region's beacons.
  public var uuid: UUID { beaconIdentityConstraint.uuid }

  /// The major of the region's beacons; `nil` for any.
  public var major: NSNumber? { beaconIdentityConstraint.major.map { NSNumber(value: $0) } }

  /// The minor of the region's beacons; `nil` for any.
  public var minor: NSNumber? { beaconIdentityConstraint.minor.map { NSNumber(value: $0) } }

  /// Returns a region with the same values.
  open override func copy(with zone: NSZone? = nil) -> Any {
    let copy = CLBeaconRegion(
      beaconIdentityConstraint: beaconIdentityConstraint,
      identifier: identifier
    )
    copy.notifyOnEntry = notifyOnEntry
    copy.notifyOnExit = notifyOnExit
    copy.notifyEntryStateOnDisplay = notifyEntryStateOnDisplay
    return copy
  }

  /// A description of the region in one line.
  open override var description: String {
    "CLBeaconRegion (identifier:'\(identifier)', \(beaconIdentityConstraint))"
  }
}

// The names of iOS 12.
extension CLBeaconRegion {
  /// Creates the region of every beacon of a UUID.
  public convenience init(proximityUUID: UUID, identifier: String) {
    self.init(uuid: proximityUUID, identifier: identifier)
  }

  /// Creates the region of every beacon of a UUID and a major.
  public convenience init(proximityUUID: UUID, major: CLBeaconMajorValue, identifier: String) {
    self.init(uuid: proximityUUID, major: major, identifier: identifier)
  }

  /// Creates the region of one identity.
  public convenience init(
    proximityUUID: UUID,
    major: CLBeaconMajorValue,
    minor: CLBeaconMinorValue,
    identifier: String
  ) {
    self.init(uuid: proximityUUID, major: major, minor: minor, identifier: identifier)
  }

  /// The name that iOS 12 had for ``uuid``.
  public var proximityUUID: UUID { uuid }
}

extension CLBeaconRegion {
  convenience init(_ region: Region) {
    self.init(
      beaconIdentityConstraint: CLBeaconIdentityConstraint(region.constraint),
      identifier: region.identifier.rawValue
    )
    notifyOnEntry = region.notifyOnEntry
    notifyOnExit = region.notifyOnExit
    notifyEntryStateOnDisplay = region.notifyEntryStateOnDisplay
  }

  /// The region as the engine's type.
  var region: Region {
    Region(
      RegionIdentifier(identifier),
      beaconIdentityConstraint.constraint,
      notifyOnEntry: notifyOnEntry,
      notifyOnExit: notifyOnExit,
      notifyEntryStateOnDisplay: notifyEntryStateOnDisplay
    )
  }
}
