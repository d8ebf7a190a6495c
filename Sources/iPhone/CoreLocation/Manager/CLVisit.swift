// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

internal import Beacons

/// A stay in one of the program's regions, from the state or crossing that was delivered to the one that ended it.
open class CLVisit: NSObject, NSCopying, NSSecureCoding, @unchecked Sendable {
  // The stored properties are constant, so the class is safe to share.

  private let arrival: Date
  private let departure: Date
  private let region: String

  /// Creates a visit that is not known; a stand-in for tests.
  public override init() {
    (arrival, departure, region) = (.distantPast, .distantFuture, "")
  }

  init(_ visit: RegionVisit) {
    arrival = Date(visit.arrival)
    departure = visit.departure.map { Date($0) } ?? .distantFuture
    region = ConditionName.shown(visit.region)
  }

  /// Creates a visit from an archive.
  public required init?(coder: NSCoder) {
    guard let arrival = coder.decodeObject(of: NSDate.self, forKey: "arrivalDate"),
      let departure = coder.decodeObject(of: NSDate.self, forKey: "departureDate"),
      let region = coder.decodeObject(of: NSString.self, forKey: "regionIdentifier")
    else { return nil }
    (self.arrival, self.departure) = (arrival as Date, departure as Date)
    self.region = region as String
  }

  /// Writes the visit to an archive.
  open func encode(with coder: NSCoder) {
    coder.encode(arrival as NSDate, forKey: "arrivalDate")
    coder.encode(departure as NSDate, forKey: "departureDate")
    coder.encode(region as NSString, forKey: "regionIdentifier")
  }

  /// Whether archives of visits are safe to read.
  public class var supportsSecureCoding: Bool { true }

  /// When the visit began.
  open var arrivalDate: Date { arrival }
  /// When the visit ended; `distantFuture` while it continues.
  open var departureDate: Date { departure }
  /// The name of the region, or of a monitor's condition.
  public var regionIdentifier: String { region }
  /// The place of the visit: not valid, since nothing here measures positions.
  open var coordinate: CLLocationCoordinate2D { kCLLocationCoordinate2DInvalid }
  /// The accuracy of the place: -1, not valid.
  open var horizontalAccuracy: CLLocationAccuracy { -1 }

  /// Returns the visit itself, which never changes.
  open func copy(with zone: NSZone? = nil) -> Any { self }
}
