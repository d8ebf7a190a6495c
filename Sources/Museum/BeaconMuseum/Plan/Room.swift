// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

extension Plan {
  /// A room of the museum.
  public struct Room: Sendable, Hashable {
    /// The major of its beacons; `nil` for a room without beacons.
    public var major: UInt16?
    /// The room's name.
    public var name: LocalizedText
    /// The level of its floor.
    public var level: Int
    /// Its walls, corner after corner in meters, at least 3; empty if the plan does not draw the room.
    public var outline: [Point]
    /// Whether lent devices are handed in here: a device that is brought back and stays is ready for the next visitor.
    public var isDesk: Bool

    /// Creates a room.
    public init(
      major: UInt16?,
      name: LocalizedText,
      level: Int = 0,
      outline: [Point] = [],
      isDesk: Bool = false
    ) {
      self.major = major
      self.name = name
      self.level = level
      self.outline = outline
      self.isDesk = isDesk
    }
  }
}
