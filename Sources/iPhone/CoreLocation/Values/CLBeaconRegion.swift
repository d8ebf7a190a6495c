// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

internal import BeaconCore

/// A region that is marked by beacons.
open class CLBeaconRegion: CLRegion, @unchecked Sendable {
  // All mutable state is guarded by the superclass's lock.

  private let constraint: CLBeaconIdentityConstraint
  private var notifiesOnDisplay = false

  /// Creates the region of a constraint's beacons.
  public init(beaconIdentityConstraint: CLBeaconIdentityConstraint, identifier: String) {
    constraint = beaconIdentityConstraint
    super.init(identifier: identifier)
  }

  /// Creates the region of every beacon of a UUID.
  public init(uuid: UUID, identifier: String) {
    constraint = CLBeaconIdentityConstraint(uuid: uuid)
    super.init(identifier: identifier)
  }

  /// Creates the region of every beacon of a UUID and a major.
  public init(uuid: UUID, major: CLBeaconMajorValue, identifier: String) {
    constraint = CLBeaconIdentityConstraint(uuid: uuid, major: major)
    super.init(identifier: identifier)
  }

  /// Creates the region of one identity.
  public init(
    uuid: UUID,
    major: CLBeaconMajorValue,
    minor: CLBeaconMinorValue,
    identifier: String
  ) {
    constraint = CLBeaconIdentityConstraint(uuid: uuid, major: major, minor: minor)
    super.init(identifier: identifier)
  }

  /// Creates the region of every beacon of a UUID.
  ///
  /// This is the name in iOS 12.
  public init(proximityUUID: UUID, identifier: String) {
    constraint = CLBeaconIdentityConstraint(uuid: proximityUUID)
    super.init(identifier: identifier)
  }

  /// Creates the region of every beacon of a UUID and a major.
  ///
  /// This is the name in iOS 12.
  public init(proximityUUID: UUID, major: CLBeaconMajorValue, identifier: String) {
    constraint = CLBeaconIdentityConstraint(uuid: proximityUUID, major: major)
    super.init(identifier: identifier)
  }

  /// Creates the region of one identity.
  ///
  /// This is the name in iOS 12.
  public init(
    proximityUUID: UUID,
    major: CLBeaconMajorValue,
    minor: CLBeaconMinorValue,
    identifier: String
  ) {
    constraint = CLBeaconIdentityConstraint(uuid: proximityUUID, major: major, minor: minor)
    super.init(identifier: identifier)
  }

  /// Creates a region from an archive.
  public required init?(coder: NSCoder) {
    guard let constraint = CLBeaconIdentityConstraint(coder: coder) else { return nil }
    self.constraint = constraint
    notifiesOnDisplay = coder.decodeBool(forKey: "notifyEntryStateOnDisplay")
    super.init(coder: coder)
  }

  /// Writes the region to an archive.
  open override func encode(with coder: NSCoder) {
    super.encode(with: coder)
    constraint.encode(with: coder)
    coder.encode(notifyEntryStateOnDisplay, forKey: "notifyEntryStateOnDisplay")
  }

  /// The beacons that mark the region.
  open var beaconIdentityConstraint: CLBeaconIdentityConstraint { constraint }

  /// Whether the delegate receives the state when the screen turns on while inside.
  ///
  /// A change takes effect when monitoring next starts.
  open var notifyEntryStateOnDisplay: Bool {
    get { lock.withLock { notifiesOnDisplay } }
    set { lock.withLock { notifiesOnDisplay = newValue } }
  }

  /// The UUID of the region's beacons.
  open var uuid: UUID { beaconIdentityConstraint.uuid }

  /// The major of the region's beacons; `nil` for any.
  open var major: NSNumber? { beaconIdentityConstraint.major.map { NSNumber(value: $0) } }

  /// The minor of the region's beacons; `nil` for any.
  open var minor: NSNumber? { beaconIdentityConstraint.minor.map { NSNumber(value: $0) } }

  /// The name that iOS 12 had for ``uuid``.
  open var proximityUUID: UUID { uuid }

  /// The power that ``peripheralData(withMeasuredPower:)`` advertises unless another is given, in dBm at one meter.
  private static let defaultMeasuredPower = -59

  /// Returns what CoreBluetooth would advertise for an iBeacon with the region's values: under
  /// `kCBAdvDataAppleBeaconKey` the UUID, major, minor and power in 21 bytes.
  ///
  /// - Parameter measuredPower: The power at one meter in dBm; `nil` for -59, a phone's.
  /// - Returns: The dictionary.
  open func peripheralData(withMeasuredPower measuredPower: NSNumber?) -> NSMutableDictionary {
    let values = constraint.constraint
    var bytes = unsafe withUnsafeBytes(of: uuid.uuid) { unsafe Data($0) }
    for number in [values.major ?? 0, values.minor ?? 0] {
      bytes.append(UInt8(number >> 8))
      bytes.append(UInt8(number & 0xFF))
    }
    let power = measuredPower?.intValue ?? Self.defaultMeasuredPower
    bytes.append(UInt8(bitPattern: Int8(truncatingIfNeeded: power)))
    return NSMutableDictionary(dictionary: ["kCBAdvDataAppleBeaconKey": bytes as NSData])
  }

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
