// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

import BeaconCore
import BeaconTestSupport
import Foundation

/// Rooms that nobody built, with guelph's eighteen places: what a calibration at a few of them can be worth at all.
///
/// A room has an exponent of 2 ± 0.5, and each place its own shadowing, for good; a filtered value scatters by 1.5 dB about its
/// place's level. Zones are told as in ``Guelph``, and the ceiling is that of two cuts that know all places.
enum MadeRooms {
  static let places = (1...10).map { Double($0) / 10 } + (3...10).map { Double($0) / 2 }
  static let rooms = 500
  static let noise = 1.5
  static let power = -60.0

  /// A way to calibrate: where one stands, and whether the exponent is held to what exponents are.
  struct Way {
    let name: String
    let places: [Double]
    let holdsExponent: Bool
  }

  static let ways = [
    Way(name: "1 and 3 m", places: [1, 3], holdsExponent: false),
    Way(name: "1 and 3 m, held", places: [1, 3], holdsExponent: true),
    Way(name: "1 and 5 m", places: [1, 5], holdsExponent: false),
    Way(name: "1 and 5 m, held", places: [1, 5], holdsExponent: true),
    Way(name: "six places", places: [0.3, 0.7, 1, 2, 3, 5], holdsExponent: false),
    Way(name: "six, held", places: [0.3, 0.7, 1, 2, 3, 5], holdsExponent: true),
  ]

  static func table(seed: UInt64) -> String {
    var table = AccuracyTable(columns: ways.map(\.name))
    for shadowing in [2.0, 4, 5] {
      table.heading("ROOMS MADE, shadowing \(Int(shadowing)) dB, \(rooms) of them")
      let scores = ways.map { way in
        var random = SplitMix64(seed: seed)
        return (0..<rooms).map { _ in score(way, shadowing: shadowing, &random) }
      }
      table.row("zones, balanced accuracy %", scores.map { $0.map(\.reached).mean })
      table.row("ceiling: two cuts in sample %", scores.map { $0.map(\.ceiling).mean })
      table.row(
        "rooms within 5 points of the ceiling, %",
        digits: 0,
        scores.map { 100 * $0.map { $0.ceiling - $0.reached <= 5 ? 1.0 : 0 }.mean }
      )
    }
    return table.text
  }

  private static func score(_ way: Way, shadowing: Double, _ random: inout SplitMix64) -> (
    reached: Double, ceiling: Double
  ) {
    let exponent = max(1, 2 + 0.5 * normal(&random))
    let levels = places.map {
      power - 10 * exponent * log10($0) + shadowing * normal(&random)
    }
    var survey = SiteSurvey()
    for (meters, level) in zip(places, levels) where way.places.contains(meters) {
      survey.add(level: level, at: meters)
    }
    guard let fit = survey.fit else { return (0, 100) }
    let law =
      way.holdsExponent
      ? (power: fit.heldPower, exponent: fit.heldExponent)
      : (power: fit.powerAtOneMeter, exponent: fit.exponent)
    let judged = zip(places, levels).filter { !way.places.contains($0.0) }
    func cut(_ meters: Double) -> Double { law.power - 10 * law.exponent * log10(meters) }
    let reached = accuracy(judged, cut(Guelph.immediateLimit), cut(Guelph.nearLimit))
    var ceiling = 0.0
    for near in stride(from: -85.0, through: -35, by: 1) {
      for far in stride(from: -95.0, through: near, by: 1) {
        ceiling = max(ceiling, accuracy(judged, near, far))
      }
    }
    return (reached, max(ceiling, reached))
  }

  /// The share told right, averaged over zones: immediate is stronger than one cut, far weaker than the other.
  private static func accuracy(
    _ judged: [(Double, Double)],
    _ immediate: Double,
    _ far: Double
  ) -> Double {
    var (sums, counts) = ([0.0, 0, 0], [0.0, 0, 0])
    for (meters, level) in judged {
      let isImmediate = below((level - immediate) / noise)
      let isFar = below((far - level) / noise)
      let zone = Guelph.zone(meters)
      sums[zone] += [isImmediate, max(0, 1 - isImmediate - isFar), isFar][zone]
      counts[zone] += 1
    }
    return 100 * zip(sums, counts).map { $0 / $1 }.mean
  }

  /// The share of a normal distribution below a number of standard deviations.
  private static func below(_ deviations: Double) -> Double {
    0.5 * erfc(-deviations / 2.0.squareRoot())
  }

  private static func normal(_ random: inout SplitMix64) -> Double {
    let radius = (-2 * log(Double.random(in: 1e-12...1, using: &random))).squareRoot()
    return radius * cos(2 * .pi * Double.random(in: 0..<1, using: &random))
  }
}
