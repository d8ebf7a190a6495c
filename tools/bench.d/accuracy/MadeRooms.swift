// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

import BeaconCore
import BeaconTestSupport
import Foundation

/// Generated rooms with guelph's eighteen places, to find out how much a calibration at a few of them can improve.
///
/// A room has an exponent of 2 ± 0.5, and each place its own shadowing, for good; a filtered value scatters by 1.5 dB
/// about its place's level. Zones are as in ``Guelph``, and the ceiling is that of two limits chosen with all places.
enum MadeRooms {
  static let places = (1...10).map { Double($0) / 10 } + (3...10).map { Double($0) / 2 }
  static let rooms = 500
  static let noise = 1.5
  static let power = -60.0

  /// The law that a calibration gives.
  enum Law {
    /// The line that fits best.
    case line
    /// With an exponent combined with the usual ones, as `calibrate` writes it.
    case held
    /// Held, and beyond the middle of the places half as much flatter as the far point is stronger than the law has it.
    case bent
    /// Held, and the far limit 2 dB nearer without regard to the far point: the value of a gain of ``bent``.
    case nearer
    /// The room's own, which no calibration can know.
    case room
  }

  /// A way to calibrate: the places, and the law.
  struct Way {
    let name: String
    let places: [Double]
    let law: Law
  }

  static let ways = [
    Way(name: "1 and 3 m", places: [1, 3], law: .line),
    Way(name: "held", places: [1, 3], law: .held),
    Way(name: "bent", places: [1, 3], law: .bent),
    Way(name: "nearer", places: [1, 3], law: .nearer),
    Way(name: "room's law", places: [1, 3], law: .room),
    Way(name: "1 and 5 m", places: [1, 5], law: .line),
    Way(name: "held", places: [1, 5], law: .held),
    Way(name: "bent", places: [1, 5], law: .bent),
    Way(name: "nearer", places: [1, 5], law: .nearer),
    Way(name: "room's law", places: [1, 5], law: .room),
    Way(name: "six places", places: [0.3, 0.7, 1, 2, 3, 5], law: .line),
    Way(name: "six, held", places: [0.3, 0.7, 1, 2, 3, 5], law: .held),
  ]

  /// A law of two straight lines over decades of a meter that meet at a place.
  private struct Bend {
    let power, exponent: Double
    var (decades, farExponent, farShift) = (0.0, 0.0, 0.0)

    init(power: Double, exponent: Double) {
      (self.power, self.exponent, farExponent) = (power, exponent, exponent)
    }

    func level(_ meters: Double) -> Double {
      let beyond = max(0, log10(meters) - decades)
      let fall = exponent * (log10(meters) - beyond) + farExponent * beyond
      return power - 10 * fall + (beyond > 0 ? farShift : 0)
    }

    /// The distance in meters at a level, 1 cm to 100 m.
    func meters(_ level: Double) -> Double {
      let atBend = power - 10 * exponent * decades
      let fall =
        level > atBend
        ? (power - level) / (10 * exponent)
        : decades + max(0, atBend + farShift - level) / max(1e-9, 10 * farExponent)
      return pow(10, min(max(fall, -2), 2))
    }
  }

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
      table.row(
        "distance off by a factor of, beyond 1 m",
        digits: 2,
        scores.map { pow(10, $0.map(\.squaredDecades).mean.squareRoot()) }
      )
    }
    return table.text
  }

  private static func score(_ way: Way, shadowing: Double, _ random: inout SplitMix64) -> (
    reached: Double, ceiling: Double, squaredDecades: Double
  ) {
    let exponent = max(1, 2 + 0.5 * normal(&random))
    let levels = places.map {
      power - 10 * exponent * log10($0) + shadowing * normal(&random)
    }
    var survey = SiteSurvey()
    for (meters, level) in zip(places, levels) where way.places.contains(meters) {
      survey.add(level: level, at: meters)
    }
    guard let fit = survey.fit else { return (0, 100, 0) }
    let law = law(way, fit, levels, exponent: exponent)
    let judged = zip(places, levels).filter { !way.places.contains($0.0) }
    let reached = accuracy(judged, law.level(Guelph.immediateLimit), law.level(Guelph.nearLimit))
    let far = judged.filter { $0.0 > 1 }
      .map { meters, level in pow(log10(law.meters(level) / meters), 2) }
    var ceiling = 0.0
    for near in stride(from: -85.0, through: -35, by: 1) {
      for far in stride(from: -95.0, through: near, by: 1) {
        ceiling = max(ceiling, accuracy(judged, near, far))
      }
    }
    return (reached, max(ceiling, reached), far.mean)
  }

  private static func law(
    _ way: Way,
    _ fit: SiteSurvey.Fit,
    _ levels: [Double],
    exponent: Double
  ) -> Bend {
    var law = Bend(power: fit.heldPower, exponent: fit.heldExponent)
    switch way.law {
    case .line: return Bend(power: fit.powerAtOneMeter, exponent: fit.exponent)
    case .room: return Bend(power: power, exponent: exponent)
    case .held: break
    case .bent:
      guard let far = way.places.last, let place = places.firstIndex(of: far) else { break }
      law.decades = way.places.map { log10($0) }.mean
      let surplus = max(0, levels[place] - law.level(far))
      law.farExponent -= surplus / 2 / (10 * (log10(far) - law.decades))
    case .nearer:
      law.decades = way.places.map { log10($0) }.mean
      law.farShift = 2
    }
    return law
  }

  /// The share with the right zone, averaged over zones: immediate is stronger than one limit, far weaker than the
  /// other.
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
