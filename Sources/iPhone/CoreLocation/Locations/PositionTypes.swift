// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

// Measures of positions. A program for beacons often sets or passes them on; nothing here measures a position.

/// An angle of latitude or longitude in degrees.
public typealias CLLocationDegrees = Double
/// A distance in meters.
public typealias CLLocationDistance = Double
/// A direction in degrees from north, clockwise; negative if it is unknown.
public typealias CLLocationDirection = Double
/// The accuracy of a direction in degrees; negative if it is unknown.
public typealias CLLocationDirectionAccuracy = Double
/// A speed in meters a second; negative if it is unknown.
public typealias CLLocationSpeed = Double
/// The accuracy of a speed in meters a second; negative if it is unknown.
public typealias CLLocationSpeedAccuracy = Double
/// A component of the magnetic field in microteslas.
public typealias CLHeadingComponentValue = Double

/// The best accuracy, for navigation; without effect here.
public let kCLLocationAccuracyBestForNavigation: CLLocationAccuracy = -2
/// The best accuracy; without effect here.
public let kCLLocationAccuracyBest: CLLocationAccuracy = -1
/// An accuracy of ten meters; without effect here.
public let kCLLocationAccuracyNearestTenMeters: CLLocationAccuracy = 10
/// An accuracy of a hundred meters; without effect here.
public let kCLLocationAccuracyHundredMeters: CLLocationAccuracy = 100
/// An accuracy of a kilometer; without effect here.
public let kCLLocationAccuracyKilometer: CLLocationAccuracy = 1000
/// An accuracy of three kilometers; without effect here.
public let kCLLocationAccuracyThreeKilometers: CLLocationAccuracy = 3000
/// The accuracy of a program without full accuracy; without effect here.
public let kCLLocationAccuracyReduced: CLLocationAccuracy = .greatestFiniteMagnitude
/// Every movement counts; without effect here.
public let kCLDistanceFilterNone: CLLocationDistance = -1
/// Every turn counts; without effect here.
public let kCLHeadingFilterNone: CLLocationDegrees = -1
/// The largest distance.
public let CLLocationDistanceMax: CLLocationDistance = .greatestFiniteMagnitude
/// The largest interval.
public let CLTimeIntervalMax: TimeInterval = .greatestFiniteMagnitude
/// Coordinates that are not valid.
public let kCLLocationCoordinate2DInvalid = CLLocationCoordinate2D(latitude: -180, longitude: -180)

/// Geographic coordinates.
public struct CLLocationCoordinate2D: Sendable {
  /// The latitude in degrees, positive to the north.
  public var latitude: CLLocationDegrees
  /// The longitude in degrees, positive to the east.
  public var longitude: CLLocationDegrees

  /// Creates coordinates of zero degrees.
  public init() {
    self.init(latitude: 0, longitude: 0)
  }

  /// Creates coordinates.
  public init(latitude: CLLocationDegrees, longitude: CLLocationDegrees) {
    (self.latitude, self.longitude) = (latitude, longitude)
  }
}

/// Creates coordinates.
public func CLLocationCoordinate2DMake(
  _ latitude: CLLocationDegrees,
  _ longitude: CLLocationDegrees
) -> CLLocationCoordinate2D {
  CLLocationCoordinate2D(latitude: latitude, longitude: longitude)
}

/// Returns whether the latitude is within ±90 degrees and the longitude within ±180.
public func CLLocationCoordinate2DIsValid(_ coord: CLLocationCoordinate2D) -> Bool {
  abs(coord.latitude) <= 90 && abs(coord.longitude) <= 180
}

/// The purpose of a program's positions; without effect here.
public enum CLActivityType: Int, Sendable {
  /// Something else.
  case other = 1
  /// Driving.
  case automotiveNavigation = 2
  /// Walking, running or cycling.
  case fitness = 3
  /// Moving in another vehicle.
  case otherNavigation = 4
  /// Flying.
  case airborne = 5
}

/// How a device is held; without effect here.
public enum CLDeviceOrientation: Int32, Sendable {
  /// Not known.
  case unknown = 0
  /// Upright.
  case portrait = 1
  /// Upside down.
  case portraitUpsideDown = 2
  /// On its right side.
  case landscapeLeft = 3
  /// On its left side.
  case landscapeRight = 4
  /// Lying, the screen above.
  case faceUp = 5
  /// Lying, the screen below.
  case faceDown = 6
}
