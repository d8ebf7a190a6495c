// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

extension Plan {
  /// A position on a floor, in meters from the top left corner of the drawing.
  public struct Point: Sendable, Hashable {
    /// Meters to the right.
    public var x: Double
    /// Meters down the drawing.
    public var y: Double

    /// Creates a point.
    public init(_ x: Double, _ y: Double) {
      self.x = x
      self.y = y
    }

    /// Returns the distance to another point of the same floor, in meters.
    public func distance(to other: Point) -> Double {
      let (dx, dy) = (other.x - x, other.y - y)
      return (dx * dx + dy * dy).squareRoot()
    }

    /// Returns the distance to a wall between two corners, in meters.
    public func distance(toWallFrom first: Point, to second: Point) -> Double {
      let (dx, dy) = (second.x - first.x, second.y - first.y)
      let length = dx * dx + dy * dy
      guard length > 0 else { return distance(to: first) }
      let along = ((x - first.x) * dx + (y - first.y) * dy) / length
      let part = min(1, max(0, along))
      return distance(to: Point(first.x + part * dx, first.y + part * dy))
    }
  }
}
