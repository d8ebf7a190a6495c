// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

/// The direction in which a device points.
///
/// No delegate receives one, since nothing here measures it.
open class CLHeading: NSObject, NSCopying, NSSecureCoding, @unchecked Sendable {
  // The stored property is constant, so the class is safe to share.

  /// When the heading was measured: when it was created.
  public let timestamp: Date

  /// Creates a heading that is not known.
  public override init() { timestamp = Date() }

  /// Creates a heading from an archive.
  public required init?(coder: NSCoder) {
    guard coder.containsValue(forKey: "timestamp"),
      let date = coder.decodeObject(of: NSDate.self, forKey: "timestamp")
    else { return nil }
    timestamp = date as Date
  }

  /// Writes the heading to an archive.
  open func encode(with coder: NSCoder) { coder.encode(timestamp as NSDate, forKey: "timestamp") }

  /// Whether archives of headings are safe to read.
  public class var supportsSecureCoding: Bool { true }

  /// The direction from magnetic north: -1, not known.
  open var magneticHeading: CLLocationDirection { -1 }
  /// The direction from true north: -1, not known.
  open var trueHeading: CLLocationDirection { -1 }
  /// The heading's accuracy: -1, not valid.
  open var headingAccuracy: CLLocationDirection { -1 }
  /// The magnetic field along the x axis: 0.
  open var x: CLHeadingComponentValue { 0 }
  /// The magnetic field along the y axis: 0.
  open var y: CLHeadingComponentValue { 0 }
  /// The magnetic field along the z axis: 0.
  open var z: CLHeadingComponentValue { 0 }

  /// Returns the heading itself, which never changes.
  open func copy(with zone: NSZone? = nil) -> Any { self }
}
