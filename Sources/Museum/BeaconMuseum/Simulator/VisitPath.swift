// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

/// The position of one visitor at every time of a visit.
package struct VisitPath: Sendable {
  /// A part of a visit: walking in a straight line, or standing.
  package struct Leg: Sendable {
    /// The start in seconds since the start of the day.
    package var start: Double
    package var end: Double
    package var from: Plan.Point
    package var to: Plan.Point
    package var level: Int
    /// The direction in which the visitor looks, as a vector of one meter.
    package var heading: Plan.Point
    /// Whether the visitor stands still.
    package var isStanding: Bool
    /// The exhibit that the visitor looks at; `nil` while walking or resting.
    package var exhibit: Int?

    /// Creates a part of a visit.
    package init(
      start: Double,
      end: Double,
      from: Plan.Point,
      to: Plan.Point,
      level: Int,
      heading: Plan.Point,
      isStanding: Bool,
      exhibit: Int? = nil
    ) {
      self.start = start
      self.end = end
      self.from = from
      self.to = to
      self.level = level
      self.heading = heading
      self.isStanding = isStanding
      self.exhibit = exhibit
    }
  }

  /// The visitor's state at one time.
  package struct State: Sendable {
    package var position: Plan.Point
    package var level: Int
    package var heading: Plan.Point
    package var isStanding: Bool
    package var exhibit: Int?
    /// The time since when the visitor stands or walks, in seconds since the start of the day.
    package var since: Double
  }

  /// The legs, consecutive without a gap; never empty.
  package private(set) var legs: [Leg]

  /// Creates a path that starts with a leg.
  package init(_ first: Leg) {
    legs = [first]
  }

  /// Appends a leg.
  package mutating func append(_ leg: Leg) {
    legs.append(leg)
  }

  /// The start of the visit, in seconds since the start of the day.
  package var start: Double { legs[0].start }
  /// The end of the visit, in seconds since the start of the day.
  package var end: Double { legs[legs.count - 1].end }

  /// Returns the state at a time; `cursor` keeps the leg, so times must never decrease from call to call.
  package func state(at time: Double, cursor: inout Int) -> State {
    while cursor + 1 < legs.count, legs[cursor].end <= time { cursor += 1 }
    let leg = legs[min(max(cursor, 0), legs.count - 1)]
    let span = leg.end - leg.start
    let share = span > 0 ? min(max((time - leg.start) / span, 0), 1) : 1
    return State(
      position: leg.from + (leg.to - leg.from) * share,
      level: leg.level,
      heading: leg.heading,
      isStanding: leg.isStanding,
      exhibit: leg.exhibit,
      since: leg.start
    )
  }
}
