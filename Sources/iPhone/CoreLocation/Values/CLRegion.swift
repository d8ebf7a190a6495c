// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

/// A region that can be monitored; here only a ``CLBeaconRegion`` can.
open class CLRegion: NSObject, NSCopying, NSSecureCoding, @unchecked Sendable {
  // All mutable state is guarded by the lock.

  let lock = NSLock()
  private let name: String
  private let circle: Circle?
  private var notifiesEntry = true
  private var notifiesExit = true

  private struct Circle: Codable {
    let latitude: CLLocationDegrees
    let longitude: CLLocationDegrees
    let radius: CLLocationDistance
  }

  /// What an archive keeps of every region.
  private struct Archive: Codable {
    let identifier: String
    let circle: Circle?
    let notifiesOnEntry: Bool
    let notifiesOnExit: Bool
  }

  /// Creates a region without an identifier, which cannot be monitored; a stand-in for tests.
  public override init() {
    name = ""
    circle = nil
  }

  init(identifier: String) {
    name = identifier
    circle = nil
  }

  /// Creates a circle on the map.
  ///
  /// The radius is in meters. This is the name in iOS 6; a circle cannot be monitored here.
  public init(
    circularRegionWithCenter center: CLLocationCoordinate2D,
    radius: CLLocationDistance,
    identifier: String
  ) {
    name = identifier
    circle = Circle(latitude: center.latitude, longitude: center.longitude, radius: radius)
  }

  /// Creates a region from an archive.
  public required init?(coder: NSCoder) {
    guard let archive = coder.decodeValues(Archive.self, forKey: "region") else { return nil }
    (name, circle) = (archive.identifier, archive.circle)
    (notifiesEntry, notifiesExit) = (archive.notifiesOnEntry, archive.notifiesOnExit)
  }

  /// Writes the region to an archive.
  open func encode(with coder: NSCoder) {
    let archive = Archive(
      identifier: name,
      circle: circle,
      notifiesOnEntry: notifyOnEntry,
      notifiesOnExit: notifyOnExit
    )
    coder.encodeValues(archive, forKey: "region")
  }

  /// Whether archives of regions are safe to read.
  public class var supportsSecureCoding: Bool { true }

  /// The region's name, unique among a program's regions.
  open var identifier: String { name }

  /// The center of a circle; not valid for other regions.
  open var center: CLLocationCoordinate2D {
    circle.map { CLLocationCoordinate2D(latitude: $0.latitude, longitude: $0.longitude) }
      ?? kCLLocationCoordinate2DInvalid
  }

  /// The radius of a circle in meters; 0 for other regions.
  open var radius: CLLocationDistance { circle?.radius ?? 0 }

  /// Returns whether coordinates are within a circle; false for other regions.
  open func contains(_ coordinate: CLLocationCoordinate2D) -> Bool {
    circle != nil && CLLocation.distance(center, coordinate) <= radius
  }

  /// Whether `didEnterRegion` is called; a change takes effect when monitoring next starts.
  open var notifyOnEntry: Bool {
    get { lock.withLock { notifiesEntry } }
    set { lock.withLock { notifiesEntry = newValue } }
  }

  /// Whether `didExitRegion` is called; a change takes effect when monitoring next starts.
  open var notifyOnExit: Bool {
    get { lock.withLock { notifiesExit } }
    set { lock.withLock { notifiesExit = newValue } }
  }

  /// Returns a region with the same values.
  open func copy(with zone: NSZone? = nil) -> Any { self }

  /// Regions of the same kind and identifier are equal, whatever their other values.
  open override func isEqual(_ object: Any?) -> Bool {
    guard let other = object as? CLRegion else { return false }
    return type(of: other) == type(of: self) && other.identifier == identifier
  }

  /// Equal regions have equal hashes.
  open override var hash: Int { identifier.hashValue }
}
