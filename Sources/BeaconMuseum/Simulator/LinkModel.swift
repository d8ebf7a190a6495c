// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

/// What a signal loses on its way from a beacon to a visitor's receiver.
///
///     RSSI = P + ΔTX + ΔRX − 10 n log₁₀(max(d, 0.3)) − walls + S(x, y) − body − crowd + F(channel) + ε
///
/// ``constants`` says where each number comes from.
package struct LinkModel: Sendable {
  /// The mean RSSI at 1 m, in dBm.
  package var powerAtOneMeter = -59.0
  /// The exponent of the log-distance law.
  package var exponent = 2.4
  /// The distance in meters within which a signal grows no stronger.
  package var nearestDistance = 0.3
  /// How transmit powers of beacons scatter, in dB.
  package var beaconDeviation = 2.0
  /// How receivers scatter, in dB.
  package var receiverDeviation = 3.0
  /// What a wall takes, in dB.
  package var wallLoss = 6.9
  /// How shadowing scatters, in dB.
  package var shadowDeviation = 4.0
  /// The distance in meters over which shadowing is correlated.
  package var shadowDistance = 2.0
  /// The correlation of shadowing that remains at any distance.
  package var shadowFloor = 0.1
  /// The Rician factor with line of sight, in dB.
  package var lineOfSightFactor = 6.0
  /// The Rician factor without line of sight, in dB.
  package var obstructedFactor = 0.0
  /// What fading takes from a mean of dB with line of sight; the power at 1 m was measured with it.
  package var fadingMean = 0.96
  /// The distance in meters over which fading changes.
  package var fadingDistance = 0.031
  /// How fast a visitor who stands moves the receiver, in m/s.
  package var swaySpeed = 0.02
  /// The noise of a reading, in dB.
  package var readingDeviation = 1.0
  /// The least that a visitor's own body takes in dB when it is between.
  package var bodyLossLeast = 5.0
  /// The most that a visitor's own body takes in dB when it is between.
  package var bodyLossMost = 10.0
  /// What another person in the line of sight takes, in dB.
  package var bystanderLoss = 4.0
  /// The most that all other people take, in dB.
  package var crowdLossMost = 16.5
  /// How far from the line of sight another person blocks it, in meters.
  package var bystanderRadius = 0.3
  /// People who stand about and have no receiver, for each square meter.
  package var bystanders = 0.0

  /// Creates the model with the numbers of ``constants``.
  package init() {}

  /// What a visitor's own body takes in dB when it is between, over visitors.
  package var bodyLoss: ClosedRange<Double> { bodyLossLeast...max(bodyLossLeast, bodyLossMost) }

  /// The numbers and where they come from.
  package static let constants: [SimulationConstant<LinkModel>] = [
    SimulationConstant(
      "link.powerAtOneMeter",
      \.powerAtOneMeter,
      unit: "dBm",
      source: "Blue Charm, table of transmit power against RSSI at 1 m, row 0 dBm"
    ),
    SimulationConstant(
      "link.exponent",
      \.exponent,
      unit: "",
      source:
        "Marolf 2.415 +- 0.128 in a living room; between Strzoda's open indoor 2.03 (our fit) "
        + "and ESPresense's 2.7"
    ),
    SimulationConstant(
      "link.nearestDistance",
      \.nearestDistance,
      unit: "m",
      source: "assumed: the far field's law does not hold nearer"
    ),
    SimulationConstant(
      "link.beaconDeviation",
      \.beaconDeviation,
      unit: "dB",
      source: "assumed: spread of transmit power among beacons of a batch"
    ),
    SimulationConstant(
      "link.receiverDeviation",
      \.receiverDeviation,
      unit: "dB",
      source: "ESPresense, receiver adjustments of boards"
    ),
    SimulationConstant(
      "link.wallLoss",
      \.wallLoss,
      unit: "dB",
      source: "COST-231 multi-wall model, heavy wall"
    ),
    SimulationConstant(
      "link.shadowDeviation",
      \.shadowDeviation,
      unit: "dB",
      source: "Oestges 2010, indoor 2.4 GHz, 3 to 4 dB"
    ),
    SimulationConstant(
      "link.shadowDistance",
      \.shadowDistance,
      unit: "m",
      source: "assumed within 1 to 3 m; the exponential form with a floor is Jeon 2010"
    ),
    SimulationConstant(
      "link.shadowFloor",
      \.shadowFloor,
      unit: "",
      source: "Jeon 2010: the correlation does not fall to nothing; the value is assumed"
    ),
    SimulationConstant(
      "link.lineOfSightFactor",
      \.lineOfSightFactor,
      unit: "dB",
      source: "assumed: Rician K with line of sight"
    ),
    SimulationConstant(
      "link.obstructedFactor",
      \.obstructedFactor,
      unit: "dB",
      source: "assumed: Rician K behind a wall or the own body"
    ),
    SimulationConstant(
      "link.fadingMean",
      \.fadingMean,
      unit: "dB",
      source:
        "-(10 / ln 10) (ln(K / (K + 1)) + E1(K)) for K 6 dB: what fading takes from a mean of "
        + "dB in line of sight, which the power at 1 m was measured with"
    ),
    SimulationConstant(
      "link.fadingDistance",
      \.fadingDistance,
      unit: "m",
      source: "a quarter of the wave length at 2.44 GHz: fades repeat each half of it, 6.1 cm"
    ),
    SimulationConstant(
      "link.swaySpeed",
      \.swaySpeed,
      unit: "m/s",
      source: "assumed: how much a person who stands moves the receiver and is moved around"
    ),
    SimulationConstant(
      "link.readingDeviation",
      \.readingDeviation,
      unit: "dB",
      source: "assumed: noise of the reading itself, before it is rounded to 1 dB"
    ),
    SimulationConstant(
      "link.bodyLossLeast",
      \.bodyLossLeast,
      unit: "dB",
      source: "assumed: own body, facing away, lower bound over visitors"
    ),
    SimulationConstant(
      "link.bodyLossMost",
      \.bodyLossMost,
      unit: "dB",
      source: "assumed: own body, facing away, upper bound over visitors"
    ),
    SimulationConstant(
      "link.personLoss",
      \.bystanderLoss,
      unit: "dB",
      source: "assumed: another person in the line of sight"
    ),
    SimulationConstant(
      "link.crowdLossMost",
      \.crowdLossMost,
      unit: "dB",
      source: "Al-Madinah mosque measurements: the most that a crowd took"
    ),
    SimulationConstant(
      "link.personRadius",
      \.bystanderRadius,
      unit: "m",
      source: "assumed: half a person's breadth with arms"
    ),
  ]
}
