// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

public import BeaconCore

/// What a museum is: its beacons, what they stand for, in several languages, and where they are.
///
/// The numbers are used as Apple's talk on beacons uses them (row I7): the UUID is the museum, the major a room, the minor an
/// exhibit. A room without a major has no beacons, such as a cafeteria: hearing nothing of the museum there is right.
public struct Plan: Sendable, Hashable {
  /// The name of the museum.
  public var museum: LocalizedText
  /// The proximity UUID of every beacon of the museum.
  public var uuid: UInt128
  /// The languages every text is written in, as BCP 47 tags: the museum's own first, never empty.
  public var languages: [String]
  /// The floors, in the order of the file; empty where the plan has no drawing.
  public var floors: [Floor]
  /// The rooms, in the order of the file.
  public var rooms: [Room]
  /// The exhibits, in the order of the file; each has an identity of its own and a room of ``rooms``.
  public var exhibits: [Exhibit]
  /// What the operator measured of the beacons and the site.
  public var calibration: Calibration
  /// Why the guide asks, in all languages.
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

  /// The exhibit of an identity; `nil` where the plan does not know it.
  public func exhibit(_ identity: BeaconIdentity) -> Exhibit? {
    exhibits.first { $0.identity == identity }
  }

  /// The room of a major; `nil` where no room has it.
  public func room(major: UInt16) -> Room? {
    rooms.first { $0.major == major }
  }

  /// The exhibits of a room, in the order of the file.
  public func exhibits(in room: Room) -> [Exhibit] {
    guard let major = room.major else { return [] }
    return exhibits.filter { $0.identity.major == major }
  }

  /// The floor of a level; `nil` where the plan draws none.
  public func floor(_ level: Int) -> Floor? {
    floors.first { $0.level == level }
  }

  /// The room whose outline a point of a floor lies in, the first of several; `nil` where it lies in none.
  public func room(at point: Point, level: Int) -> Room? {
    rooms.first { $0.level == level && Polygon.contains(point, in: $0.outline) }
  }

  /// The constraint of all beacons of the museum: the region that the guide monitors.
  public var constraint: IdentityConstraint { .uuid(uuid) }
}
