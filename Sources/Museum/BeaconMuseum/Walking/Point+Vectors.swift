// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

/// Points used as vectors.
extension Plan.Point {
  /// The vector's length in meters.
  var length: Double { (x * x + y * y).squareRoot() }

  /// A vector of one meter in the same direction; to the right without a direction.
  var direction: Plan.Point {
    let length = length
    return length > 0 ? Plan.Point(x / length, y / length) : Plan.Point(1, 0)
  }

  /// Returns the projection of one vector on another, times the other's length (the dot product).
  func along(_ other: Plan.Point) -> Double { x * other.x + y * other.y }

  /// Returns how far one vector leads sideways of another, times the other's length; the sign gives the side.
  func across(_ other: Plan.Point) -> Double { x * other.y - y * other.x }

  static func + (lhs: Plan.Point, rhs: Plan.Point) -> Plan.Point {
    Plan.Point(lhs.x + rhs.x, lhs.y + rhs.y)
  }

  static func - (lhs: Plan.Point, rhs: Plan.Point) -> Plan.Point {
    Plan.Point(lhs.x - rhs.x, lhs.y - rhs.y)
  }

  static func * (lhs: Plan.Point, rhs: Double) -> Plan.Point {
    Plan.Point(lhs.x * rhs, lhs.y * rhs)
  }
}
