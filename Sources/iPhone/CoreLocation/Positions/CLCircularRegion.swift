// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

/// A circle on the map.
///
/// It cannot be monitored here: `monitoringDidFailFor` is called for it.
open class CLCircularRegion: CLRegion, @unchecked Sendable {
  // It adds nothing to the superclass's stored properties.

  /// Creates a region without a center and an identifier; a stand-in for tests.
  public override init() {
    super.init()
  }

  /// Creates a circle; the radius is in meters.
  public init(center: CLLocationCoordinate2D, radius: CLLocationDistance, identifier: String) {
    super.init(circularRegionWithCenter: center, radius: radius, identifier: identifier)
  }

  /// Creates a circle from an archive.
  public required init?(coder: NSCoder) {
    super.init(coder: coder)
  }

  /// Returns a circle with the same values.
  open override func copy(with zone: NSZone? = nil) -> Any {
    let copy = CLCircularRegion(center: center, radius: radius, identifier: identifier)
    (copy.notifyOnEntry, copy.notifyOnExit) = (notifyOnEntry, notifyOnExit)
    return copy
  }

  /// A description of the circle in one line.
  open override var description: String {
    "CLCircularRegion (identifier:'\(identifier)', center:<\(center.latitude),"
      + "\(center.longitude)>, radius:\(radius)m)"
  }
}

extension CLMonitor {
  /// A circle on the map.
  ///
  /// ``CLMonitor`` reports that it is not supported.
  public struct CircularGeographicCondition: CLCondition {
    /// The circle's center.
    public var center: CLLocationCoordinate2D
    /// The circle's radius in meters.
    public var radius: CLLocationDistance

    /// Creates a circle.
    public init(center: CLLocationCoordinate2D, radius: CLLocationDistance) {
      (self.center, self.radius) = (center, radius)
    }

    private enum CodingKeys: CodingKey {
      case latitude, longitude, radius
    }

    /// Reads a circle.
    public init(from decoder: any Decoder) throws {
      let values = try decoder.container(keyedBy: CodingKeys.self)
      center = CLLocationCoordinate2D(
        latitude: try values.decode(Double.self, forKey: .latitude),
        longitude: try values.decode(Double.self, forKey: .longitude)
      )
      radius = try values.decode(Double.self, forKey: .radius)
    }

    /// Writes the circle.
    public func encode(to encoder: any Encoder) throws {
      var values = encoder.container(keyedBy: CodingKeys.self)
      try values.encode(center.latitude, forKey: .latitude)
      try values.encode(center.longitude, forKey: .longitude)
      try values.encode(radius, forKey: .radius)
    }
  }
}
