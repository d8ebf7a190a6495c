// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

/// Where one visitor is at every moment of a visit.
package struct VisitPath: Sendable {
  /// A part of a visit: walking straight on, or standing.
  package struct Leg: Sendable {
    /// Seconds from the start of the day.
    package var start: Double
    package var end: Double
    package var from: Plan.Point
    package var to: Plan.Point
    package var level: Int
    /// A way of one meter to where the visitor looks.
    package var heading: Plan.Point
    /// Whether the visitor stands still.
    package var isStanding: Bool
    /// The exhibit that is looked at; `nil` on the way and while resting.
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

  /// How things are at one moment.
  package struct Moment: Sendable {
    package var position: Plan.Point
    package var level: Int
    package var heading: Plan.Point
    package var isStanding: Bool
    package var exhibit: Int?
    /// Since when it has been so, in seconds from the start of the day.
    package var since: Double
  }

  /// The legs, one after another without a gap; never empty.
  package private(set) var legs: [Leg]

  /// Creates a path that begins with a leg.
  package init(_ first: Leg) {
    legs = [first]
  }

  /// Goes on with a leg.
  package mutating func append(_ leg: Leg) {
    legs.append(leg)
  }

  /// When the visit begins, in seconds from the start of the day.
  package var start: Double { legs[0].start }
  /// When it ends.
  package var end: Double { legs[legs.count - 1].end }

  /// Returns how things are at a time; `cursor` remembers the leg, for times that only grow.
  package func moment(at time: Double, cursor: inout Int) -> Moment {
    while cursor + 1 < legs.count, legs[cursor].end <= time { cursor += 1 }
    let leg = legs[min(max(cursor, 0), legs.count - 1)]
    let span = leg.end - leg.start
    let share = span > 0 ? min(max((time - leg.start) / span, 0), 1) : 1
    return Moment(
      position: leg.from + (leg.to - leg.from) * share,
      level: leg.level,
      heading: leg.heading,
      isStanding: leg.isStanding,
      exhibit: leg.exhibit,
      since: leg.start
    )
  }
}
