// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

/// Settings for how visitors move through a museum.
package struct VisitorModel: Sendable {
  /// The mean of the logarithm of a stop's seconds; stops are log-normal.
  package var stopLogMean = 2.833
  /// The standard deviation of that logarithm.
  package var stopLogDeviation = 0.970
  /// The share of visitors who come with one other visitor.
  package var pairs = 0.193
  /// The share of visitors who come with two others.
  package var threes = 0.033
  /// The slowest walking speed between stops, in m/s.
  package var slowest = 0.5
  /// The fastest walking speed between stops, in m/s.
  package var fastest = 1.0
  /// The smallest distance in meters between a visitor and the exhibit they look at.
  package var standNearest = 0.8
  /// The largest distance in meters between a visitor and the exhibit they look at.
  package var standFarthest = 1.6
  /// The mean of the logarithm of the seconds in a room without exhibits.
  package var restLogMean = 5.9
  /// The standard deviation of that logarithm.
  package var restLogDeviation = 0.5
  /// The share of visitors who sit down in a room without exhibits.
  package var rests = 0.3
  /// The share of visitors who walk along the walls from exhibit to exhibit.
  package var ants = 0.3
  /// The share of visitors who go back and forth.
  package var butterflies = 0.3
  /// The share of visitors who pass through the middle.
  package var fish = 0.2
  /// The number of hours between the earliest and the latest arrival.
  package var openHours = 7.0

  /// Creates the model with the numbers of ``constants``.
  package init() {}

  /// The walking speeds between stops, in meters per second.
  package var speed: ClosedRange<Double> {
    let least = max(0.1, slowest)
    return least...max(least, fastest)
  }

  /// The distances in meters between a visitor and the exhibit they look at.
  package var viewingDistance: ClosedRange<Double> {
    let least = max(0, standNearest)
    return least...max(least, standFarthest)
  }

  /// The numbers and their sources.
  package static let constants: [SimulationConstant<VisitorModel>] = [
    SimulationConstant(
      "visitors.stopLogMean",
      \.stopLogMean,
      unit: "",
      source: "ln 17: median viewing time 17 s, Smith and Smith 2001"
    ),
    SimulationConstant(
      "visitors.stopLogDeviation",
      \.stopLogDeviation,
      unit: "",
      source: "sqrt(2 ln(27.2 / 17)): mean 27.2 s, Smith and Smith 2001"
    ),
    SimulationConstant(
      "visitors.pairs",
      \.pairs,
      unit: "",
      source: "share in company of one other, Smith and Smith 2001 as cited"
    ),
    SimulationConstant(
      "visitors.threes",
      \.threes,
      unit: "",
      source: "share in company of two others, Smith and Smith 2001 as cited"
    ),
    SimulationConstant(
      "visitors.slowest",
      \.slowest,
      unit: "m/s",
      source: "assumed: walking between exhibits"
    ),
    SimulationConstant(
      "visitors.fastest",
      \.fastest,
      unit: "m/s",
      source: "assumed: walking between exhibits"
    ),
    SimulationConstant(
      "visitors.standNearest",
      \.standNearest,
      unit: "m",
      source: "assumed: how near one stands to look"
    ),
    SimulationConstant(
      "visitors.standFarthest",
      \.standFarthest,
      unit: "m",
      source: "assumed: how far off one stands to look"
    ),
    SimulationConstant(
      "visitors.restLogMean",
      \.restLogMean,
      unit: "",
      source: "assumed: median stay of 6 min in a room without exhibits"
    ),
    SimulationConstant(
      "visitors.restLogDeviation",
      \.restLogDeviation,
      unit: "",
      source: "assumed"
    ),
    SimulationConstant(
      "visitors.rests",
      \.rests,
      unit: "",
      source: "assumed: share who sit down in a room without exhibits"
    ),
    SimulationConstant(
      "visitors.ants",
      \.ants,
      unit: "",
      source: "Veron and Levasseur 1983, the four kinds; the shares are assumed"
    ),
    SimulationConstant(
      "visitors.butterflies",
      \.butterflies,
      unit: "",
      source: "as above"
    ),
    SimulationConstant(
      "visitors.fish",
      \.fish,
      unit: "",
      source: "as above"
    ),
    SimulationConstant(
      "visitors.openHours",
      \.openHours,
      unit: "h",
      source: "assumed: arrivals from 10:00 to 17:00, most in the middle"
    ),
  ]
}
