// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

extension Plan {
  /// One storey of the museum, as it is drawn.
  public struct Floor: Sendable, Hashable {
    /// Which storey it is; 0 is the ground floor.
    public var level: Int
    /// What the storey is called.
    public var name: LocalizedText
    /// Where a visitor comes in; `nil` where the plan does not say.
    public var entrance: Point?
    /// Where one walks from a room into the next: points on the walls that two rooms share.
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
