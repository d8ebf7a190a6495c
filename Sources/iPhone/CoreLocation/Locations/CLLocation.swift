// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

/// A position.
///
/// Nothing here measures one: a program may create it, store it and compute with it.
open class CLLocation: NSObject, NSCopying, NSSecureCoding, @unchecked Sendable {
  // All stored properties are constant, so the class is safe to share.

  private let values: Values

  private struct Values: Hashable, Codable {
    var latitude: CLLocationDegrees
    var longitude: CLLocationDegrees
    var altitude: CLLocationDistance = 0
    var horizontalAccuracy: CLLocationAccuracy = 0
    var verticalAccuracy: CLLocationAccuracy = -1
    var course: CLLocationDirection = -1
    var courseAccuracy: CLLocationDirectionAccuracy = -1
    var speed: CLLocationSpeed = -1
    var speedAccuracy: CLLocationSpeedAccuracy = -1
    var timestamp = Date()
    var isSimulated: Bool?
    var isFromAccessory: Bool?

    init(_ coordinate: CLLocationCoordinate2D) {
      (latitude, longitude) = (coordinate.latitude, coordinate.longitude)
    }
  }

  /// Creates the position of latitude 0 and longitude 0, now; a stand-in for tests.
  public override init() {
    values = Values(CLLocationCoordinate2D())
  }

  /// Creates the position of coordinates in degrees, now.
  public init(latitude: CLLocationDegrees, longitude: CLLocationDegrees) {
    values = Values(CLLocationCoordinate2D(latitude: latitude, longitude: longitude))
  }

  /// Creates a position without course and speed.
  public init(
    coordinate: CLLocationCoordinate2D,
    altitude: CLLocationDistance,
    horizontalAccuracy hAccuracy: CLLocationAccuracy,
    verticalAccuracy vAccuracy: CLLocationAccuracy,
    timestamp: Date
  ) {
    var values = Values(coordinate)
    (values.altitude, values.timestamp) = (altitude, timestamp)
    (values.horizontalAccuracy, values.verticalAccuracy) = (hAccuracy, vAccuracy)
    self.values = values
  }

  /// Creates a position with course and speed.
  public init(
    coordinate: CLLocationCoordinate2D,
    altitude: CLLocationDistance,
    horizontalAccuracy hAccuracy: CLLocationAccuracy,
    verticalAccuracy vAccuracy: CLLocationAccuracy,
    course: CLLocationDirection,
    speed: CLLocationSpeed,
    timestamp: Date
  ) {
    var values = Values(coordinate)
    (values.altitude, values.timestamp) = (altitude, timestamp)
    (values.horizontalAccuracy, values.verticalAccuracy) = (hAccuracy, vAccuracy)
    (values.course, values.speed) = (course, speed)
    self.values = values
  }

  /// Creates a position with course, speed and their accuracies.
  public init(
    coordinate: CLLocationCoordinate2D,
    altitude: CLLocationDistance,
    horizontalAccuracy hAccuracy: CLLocationAccuracy,
    verticalAccuracy vAccuracy: CLLocationAccuracy,
    course: CLLocationDirection,
    courseAccuracy: CLLocationDirectionAccuracy,
    speed: CLLocationSpeed,
    speedAccuracy: CLLocationSpeedAccuracy,
    timestamp: Date
  ) {
    var values = Values(coordinate)
    (values.altitude, values.timestamp) = (altitude, timestamp)
    (values.horizontalAccuracy, values.verticalAccuracy) = (hAccuracy, vAccuracy)
    (values.course, values.courseAccuracy) = (course, courseAccuracy)
    (values.speed, values.speedAccuracy) = (speed, speedAccuracy)
    self.values = values
  }

  /// Creates a position with course, speed, their accuracies and its source.
  public init(
    coordinate: CLLocationCoordinate2D,
    altitude: CLLocationDistance,
    horizontalAccuracy hAccuracy: CLLocationAccuracy,
    verticalAccuracy vAccuracy: CLLocationAccuracy,
    course: CLLocationDirection,
    courseAccuracy: CLLocationDirectionAccuracy,
    speed: CLLocationSpeed,
    speedAccuracy: CLLocationSpeedAccuracy,
    timestamp: Date,
    sourceInfo: CLLocationSourceInformation
  ) {
    var values = Values(coordinate)
    (values.altitude, values.timestamp) = (altitude, timestamp)
    (values.horizontalAccuracy, values.verticalAccuracy) = (hAccuracy, vAccuracy)
    (values.course, values.courseAccuracy) = (course, courseAccuracy)
    (values.speed, values.speedAccuracy) = (speed, speedAccuracy)
    values.isSimulated = sourceInfo.isSimulatedBySoftware
    values.isFromAccessory = sourceInfo.isProducedByAccessory
    self.values = values
  }

  /// Creates a position from an archive.
  public required init?(coder: NSCoder) {
    guard let values = coder.decodeValues(Values.self, forKey: "location") else { return nil }
    self.values = values
  }

  /// Writes the position to an archive.
  open func encode(with coder: NSCoder) { coder.encodeValues(values, forKey: "location") }

  /// Whether archives of positions are safe to read.
  public class var supportsSecureCoding: Bool { true }

  /// The coordinates.
  open var coordinate: CLLocationCoordinate2D {
    CLLocationCoordinate2D(latitude: values.latitude, longitude: values.longitude)
  }
  /// The altitude above the sea in meters.
  open var altitude: CLLocationDistance { values.altitude }
  /// The altitude above the ellipsoid; here the same as ``altitude``.
  open var ellipsoidalAltitude: CLLocationDistance { values.altitude }
  /// The radius of uncertainty in meters.
  open var horizontalAccuracy: CLLocationAccuracy { values.horizontalAccuracy }
  /// The uncertainty of the altitude in meters.
  open var verticalAccuracy: CLLocationAccuracy { values.verticalAccuracy }
  /// The direction of travel in degrees.
  open var course: CLLocationDirection { values.course }
  /// The accuracy of the direction of travel.
  open var courseAccuracy: CLLocationDirectionAccuracy { values.courseAccuracy }
  /// The speed in meters a second.
  open var speed: CLLocationSpeed { values.speed }
  /// The accuracy of the speed.
  open var speedAccuracy: CLLocationSpeedAccuracy { values.speedAccuracy }
  /// When the position was measured.
  open var timestamp: Date { values.timestamp }
  /// The floor of a building: always `nil`.
  open var floor: CLFloor? { nil }
  /// What measured the position; `nil` unless it was set.
  open var sourceInformation: CLLocationSourceInformation? {
    guard let isSimulated = values.isSimulated, let isFromAccessory = values.isFromAccessory else {
      return nil
    }
    return CLLocationSourceInformation(
      softwareSimulationState: isSimulated,
      andExternalAccessoryState: isFromAccessory
    )
  }

  /// Returns the distance along the surface in meters, on a sphere with the mean radius of the earth.
  ///
  /// On the ellipsoid, which Apple uses, it is up to 0.6 % different.
  open func distance(from location: CLLocation) -> CLLocationDistance {
    Self.distance(coordinate, location.coordinate)
  }

  static func distance(
    _ first: CLLocationCoordinate2D,
    _ second: CLLocationCoordinate2D
  ) -> CLLocationDistance {
    let meanEarthRadius = 6_371_008.8
    let radians = Double.pi / 180
    let latitudes = (first.latitude * radians, second.latitude * radians)
    let north = sin((latitudes.1 - latitudes.0) / 2)
    let east = sin((second.longitude - first.longitude) * radians / 2)
    let haversine = north * north + cos(latitudes.0) * cos(latitudes.1) * east * east
    return 2 * meanEarthRadius * asin(min(1, haversine.squareRoot()))
  }

  /// Returns the position itself, which never changes.
  open func copy(with zone: NSZone? = nil) -> Any { self }

  /// A description of the position in one line.
  open override var description: String {
    "<\(values.latitude),\(values.longitude)> +/- \(values.horizontalAccuracy)m "
      + "(speed \(values.speed) mps / course \(values.course)) @ \(values.timestamp)"
  }
}

/// The floor of a building that a position is on.
open class CLFloor: NSObject, NSCopying, NSSecureCoding, @unchecked Sendable {
  // The stored property is constant, so the class is safe to share.

  /// The floor's number; 0 is the ground.
  public let level: Int

  /// Creates the ground floor.
  public override init() { level = 0 }

  /// Creates a floor from an archive.
  public required init?(coder: NSCoder) { level = coder.decodeInteger(forKey: "level") }

  /// Writes the floor to an archive.
  open func encode(with coder: NSCoder) { coder.encode(level, forKey: "level") }

  /// Whether archives of floors are safe to read.
  public class var supportsSecureCoding: Bool { true }

  /// Returns the floor itself, which never changes.
  open func copy(with zone: NSZone? = nil) -> Any { self }
}

/// What measured a position.
open class CLLocationSourceInformation: NSObject, NSCopying, NSSecureCoding, @unchecked Sendable {
  // All stored properties are constant, so the class is safe to share.

  /// Whether software simulated the position.
  public let isSimulatedBySoftware: Bool
  /// Whether an accessory measured the position.
  public let isProducedByAccessory: Bool

  /// Creates a source.
  public init(softwareSimulationState isSoftware: Bool, andExternalAccessoryState isAccessory: Bool)
  {
    (isSimulatedBySoftware, isProducedByAccessory) = (isSoftware, isAccessory)
  }

  /// Creates a source from an archive.
  public required init?(coder: NSCoder) {
    isSimulatedBySoftware = coder.decodeBool(forKey: "simulated")
    isProducedByAccessory = coder.decodeBool(forKey: "accessory")
  }

  /// Writes the source to an archive.
  open func encode(with coder: NSCoder) {
    coder.encode(isSimulatedBySoftware, forKey: "simulated")
    coder.encode(isProducedByAccessory, forKey: "accessory")
  }

  /// Whether archives of sources are safe to read.
  public class var supportsSecureCoding: Bool { true }

  /// Returns the source itself, which never changes.
  open func copy(with zone: NSZone? = nil) -> Any { self }
}

extension NSCoder {
  /// Writes values as JSON, with every bit of their numbers.
  func encodeValues(_ values: some Encodable, forKey key: String) {
    let encoder = JSONEncoder()
    encoder.nonConformingFloatEncodingStrategy = .convertToString(
      positiveInfinity: "inf",
      negativeInfinity: "-inf",
      nan: "nan"
    )
    encode((try? encoder.encode(values)) as NSData?, forKey: key)
  }

  /// Reads values; `nil` if the archive lacks this type.
  func decodeValues<Values: Decodable>(_ type: Values.Type, forKey key: String) -> Values? {
    // Foundation on Linux ends the process for a key that an archive does not have.
    guard containsValue(forKey: key), let data = decodeObject(of: NSData.self, forKey: key) else {
      return nil
    }
    let decoder = JSONDecoder()
    decoder.nonConformingFloatDecodingStrategy = .convertFromString(
      positiveInfinity: "inf",
      negativeInfinity: "-inf",
      nan: "nan"
    )
    return try? decoder.decode(type, from: Data(referencing: data))
  }
}

extension CLLocation {
  /// The distance to another location in meters.
  @available(*, deprecated, renamed: "distance(from:)")
  public func getDistance(from location: CLLocation) -> CLLocationDistance {
    distance(from: location)
  }

  /// The distance to another location in meters.
  @available(*, deprecated, renamed: "distance(from:)")
  public func getDistanceFrom(_ location: CLLocation) -> CLLocationDistance {
    distance(from: location)
  }
}
