// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

public import BeaconCore

/// The plan of a museum: its beacons, the rooms and exhibits they mark, texts in several languages, and positions.
///
/// It uses the numbers as Apple's talk on beacons does (row I7): the UUID is the museum, the major a room, the minor an
/// exhibit. A room without a major, such as a cafeteria, has no beacons; receiving none of the museum's beacons there
/// is expected.
public struct Plan: Sendable, Hashable {
  /// The name of the museum.
  public var museum: LocalizedText
  /// The proximity UUID of every beacon of the museum.
  public var uuid: UInt128
  /// The languages of every text, as BCP 47 tags, the museum's own first; never empty.
  public var languages: [String]
  /// The floors, in the order of the file; empty if the plan has no drawing.
  public var floors: [Floor]
  /// The rooms, in the order of the file.
  public var rooms: [Room]
  /// The exhibits, in the order of the file; each has a separate identity and a room of ``rooms``.
  public var exhibits: [Exhibit]
  /// The operator's measurements of the beacons and the site.
  public var calibration: Calibration
  /// The texts with which the guide asks for permissions, in all languages.
  public var manifest: ManifestTexts

  /// Creates a plan; it is not checked as ``init(reading:)`` checks a file.
  public init(
    museum: LocalizedText,
    uuid: UInt128,
    languages: [String],
    floors: [Floor] = [],
    rooms: [Room],
    exhibits: [Exhibit],
    calibration: Calibration = Calibration(),
    manifest: ManifestTexts = ManifestTexts()
  ) {
    self.museum = museum
    self.uuid = uuid
    self.languages = languages
    self.floors = floors
    self.rooms = rooms
    self.exhibits = exhibits
    self.calibration = calibration
    self.manifest = manifest
  }

  /// Returns the exhibit with an identity; `nil` if the plan does not contain it.
  public func exhibit(_ identity: BeaconIdentity) -> Exhibit? {
    exhibits.first { $0.identity == identity }
  }

  /// Returns the room with a major, if any.
  public func room(major: UInt16) -> Room? {
    rooms.first { $0.major == major }
  }

  /// Returns the exhibits of a room, in the order of the file.
  public func exhibits(in room: Room) -> [Exhibit] {
    guard let major = room.major else { return [] }
    return exhibits.filter { $0.identity.major == major }
  }

  /// Returns the floor at a level; `nil` if the plan lacks it.
  public func floor(_ level: Int) -> Floor? {
    floors.first { $0.level == level }
  }

  /// Returns the first room whose outline contains a point of a floor, if any.
  public func room(at point: Point, level: Int) -> Room? {
    rooms.first { $0.level == level && Polygon.contains(point, in: $0.outline) }
  }

  /// The constraint of all beacons of the museum, for the region that the guide monitors.
  public var constraint: IdentityConstraint { .uuid(uuid) }
}
