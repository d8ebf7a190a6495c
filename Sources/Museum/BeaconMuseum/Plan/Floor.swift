// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

extension Plan {
  /// A floor of the museum with its drawing.
  public struct Floor: Sendable, Hashable {
    /// The floor's level; 0 is the ground floor.
    public var level: Int
    /// The floor's name.
    public var name: LocalizedText
    /// The visitors' entrance; `nil` if the plan does not give it.
    public var entrance: Point?
    /// The doors between rooms: points on the walls that two rooms share.
    public var doors: [Point]

    /// Creates a floor.
    public init(level: Int, name: LocalizedText, entrance: Point? = nil, doors: [Point] = []) {
      self.level = level
      self.name = name
      self.entrance = entrance
      self.doors = doors
    }
  }
}
