// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

/// Computations on a room's outline: corners in order, the last joined to the first.
public enum Polygon {
  /// Returns the walls of an outline, each from corner to corner.
  public static func walls(_ outline: [Plan.Point]) -> [(Plan.Point, Plan.Point)] {
    guard let last = outline.last else { return [] }
    return Array(zip([last] + outline, outline))
  }

  /// Returns the area in square meters, for corners in either direction; 0 for fewer than 3 corners.
  public static func area(_ outline: [Plan.Point]) -> Double {
    let doubled = walls(outline).reduce(0.0) { $0 + ($1.0.x * $1.1.y - $1.1.x * $1.0.y) }
    return abs(doubled) / 2
  }

  /// Returns whether a point lies inside an outline; a point on a wall may count as inside or outside.
  public static func contains(_ point: Plan.Point, in outline: [Plan.Point]) -> Bool {
    var isInside = false
    for (first, second) in walls(outline) where (first.y > point.y) != (second.y > point.y) {
      let crossing = first.x + (point.y - first.y) / (second.y - first.y) * (second.x - first.x)
      if point.x < crossing { isInside.toggle() }
    }
    return isInside
  }

  /// Returns the distance to the nearest wall, in meters; `nil` without walls.
  public static func distance(from point: Plan.Point, toWallsOf outline: [Plan.Point]) -> Double? {
    walls(outline).map { point.distance(toWallFrom: $0.0, to: $0.1) }.min()
  }

  /// Returns the center of area of an outline; the mean of the corners without an area.
  public static func center(_ outline: [Plan.Point]) -> Plan.Point? {
    guard !outline.isEmpty else { return nil }
    var (x, y, weight) = (0.0, 0.0, 0.0)
    for (first, second) in walls(outline) {
      let cross = first.x * second.y - second.x * first.y
      x += (first.x + second.x) * cross
      y += (first.y + second.y) * cross
      weight += cross
    }
    guard weight != 0 else {
      let count = Double(outline.count)
      return Plan.Point(
        outline.reduce(0) { $0 + $1.x } / count,
        outline.reduce(0) { $0 + $1.y } / count
      )
    }
    return Plan.Point(x / (3 * weight), y / (3 * weight))
  }
}
