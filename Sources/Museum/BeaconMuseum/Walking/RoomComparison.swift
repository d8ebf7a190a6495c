// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

/// Finds rooms of a plan that overlap.
struct RoomComparison {
  /// A point so far inside of two rooms lies in both: drawings are not exact, and walls have a thickness, in meters.
  private static let overlap = 0.5
  /// The number of points in each direction of the part that two rooms may share.
  private static let samples = 24
  /// How often a point is compared with a wall before later rooms are not compared.
  ///
  /// A plan from elsewhere can have hundreds of rooms with a thousand corners each. A thousand pairs of rectangles whose bounds
  /// overlap need as much.
  private static let mostTests = 10_000_000

  /// The sides of a room's drawing.
  private struct Bounds {
    let x: ClosedRange<Double>
    let y: ClosedRange<Double>
  }

  private let rooms: [Plan.Room]
  private let bounds: [Bounds?]
  /// How many comparisons are left.
  private(set) var left: Int

  /// - Parameters:
  ///   - plan: The plan.
  ///   - limit: The most comparisons of a point with a wall.
  init(_ plan: Plan, limit: Int = mostTests) {
    left = limit
    rooms = plan.rooms
    bounds = plan.rooms.map { room in
      let (x, y) = (room.outline.map(\.x), room.outline.map(\.y))
      guard let left = x.min(), let right = x.max(), let top = y.min(), let bottom = y.max() else {
        return nil
      }
      return Bounds(x: left...right, y: top...bottom)
    }
  }

  /// No building has rooms so far from all others, in meters: a digit is missing, or one too many.
  static let farthest = 50.0

  /// Returns whether a room is farther than that from every other one of its floor, of which there is one.
  func isApart(_ room: Int) -> Bool {
    let others = rooms.indices.filter { $0 != room && rooms[$0].level == rooms[room].level }
      .compactMap { bounds[$0] }
    guard let own = bounds[room], !others.isEmpty else { return false }
    return others.allSatisfy { other in
      -min(Self.common(own.x, other.x).length, Self.common(own.y, other.y).length) > Self.farthest
    }
  }

  /// Returns whether two rooms overlap.
  mutating func doOverlap(_ first: Int, _ second: Int) -> Bool {
    guard rooms[first].level == rooms[second].level, left > 0, let one = bounds[first],
      let other = bounds[second]
    else { return false }
    let (x, y) = (Self.common(one.x, other.x), Self.common(one.y, other.y))
    guard min(x.length, y.length) > Self.overlap else { return false }
    for number in 0..<Self.samples * Self.samples {
      let right = (Double(number % Self.samples) + 0.5) / Double(Self.samples)
      let down = (Double(number / Self.samples) + 0.5) / Double(Self.samples)
      let point = Plan.Point(x.low + right * x.length, y.low + down * y.length)
      if isDeep(point, in: rooms[first].outline), isDeep(point, in: rooms[second].outline) {
        return true
      }
    }
    return false
  }

  private static func common(
    _ one: ClosedRange<Double>,
    _ other: ClosedRange<Double>
  ) -> (low: Double, length: Double) {
    let low = max(one.lowerBound, other.lowerBound)
    return (low, min(one.upperBound, other.upperBound) - low)
  }

  private mutating func isDeep(_ point: Plan.Point, in outline: [Plan.Point]) -> Bool {
    guard left > 0 else { return false }
    left -= outline.count
    guard Polygon.contains(point, in: outline) else { return false }
    left -= outline.count
    return Polygon.distance(from: point, toWallsOf: outline) ?? 0 > Self.overlap / 2
  }
}
