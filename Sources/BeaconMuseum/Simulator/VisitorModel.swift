// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

/// How people go through a museum.
package struct VisitorModel: Sendable {
  /// Stops are log-normal: mean and deviation of the logarithm of seconds.
  package var stopLogMean: Double
  package var stopLogDeviation: Double
  /// Share of visitors in company of one other, and of two others.
  package var pairs: Double
  package var threes: Double
  /// Meters a second between stops.
  package var speed: ClosedRange<Double>
  /// Meters between a visitor and what is looked at.
  package var snapshot: ClosedRange<Double>
  package var restLogMean: Double
  package var restLogDeviation: Double
  package var rests: Double
  package var ants: Double
  package var butterflies: Double
  package var fish: Double
  /// Hours from the first arrival there may be to the last.
  package var openHours: Double

  /// Takes the numbers of a file.
  package init(_ constants: SimulationConstants) throws(SimulationConstants.Missing) {
    stopLogMean = try constants.number("visitors.stopLogMean")
    stopLogDeviation = try constants.number("visitors.stopLogDeviation")
    pairs = try constants.number("visitors.pairs")
    threes = try constants.number("visitors.threes")
    let slowest = max(0.1, try constants.number("visitors.slowest"))
    speed = slowest...max(slowest, try constants.number("visitors.fastest"))
    let nearest = max(0, try constants.number("visitors.standNearest"))
    snapshot = nearest...max(nearest, try constants.number("visitors.standFarthest"))
    restLogMean = try constants.number("visitors.restLogMean")
    restLogDeviation = try constants.number("visitors.restLogDeviation")
    rests = try constants.number("visitors.rests")
    ants = try constants.number("visitors.ants")
    butterflies = try constants.number("visitors.butterflies")
    fish = try constants.number("visitors.fish")
    openHours = try constants.number("visitors.openHours")
  }
}
