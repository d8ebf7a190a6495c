// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

/// Points taken as the ways that lead to them.
extension Plan.Point {
  /// How long the way is, in meters.
  var length: Double { (x * x + y * y).squareRoot() }

  /// A way of one meter in the same direction; to the right where there is no direction.
  var direction: Plan.Point {
    let length = length
    return length > 0 ? Plan.Point(x / length, y / length) : Plan.Point(1, 0)
  }

  /// How far one way leads along another, times the other's length.
  func along(_ other: Plan.Point) -> Double { x * other.x + y * other.y }

  /// How far one way leads across another, times the other's length; the sign says to which side.
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
